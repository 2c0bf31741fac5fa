/// Anywhere events can be stored and read: another journal, a folder, a program behind a pipe, a
/// cloud store.
public protocol Remote: Sendable {
  /// How a person names it: a path or an address.
  var address: String { get }

  /// Begins one run: reaches the remote and finds out what it holds.
  ///
  /// The visitor reads its own journal meanwhile.
  ///
  /// - Parameter visit: who comes, and for what.
  /// - Throws: what keeps it from being reached.
  func connect(_ visit: RemoteVisit) async throws(EventLogError) -> any RemoteSession
}

/// Who comes to a remote, and for what.
public struct RemoteVisit: Sendable {
  /// Whose events the visitor holds; nil where it holds none and has not said.
  public var user: String?
  /// Under which ID the visitor writes; nil where it has written nothing.
  public var device: DeviceID?
  /// Whether the run is only rehearsed: nothing may be changed then, and
  /// ``RemoteSession/write(_:)`` answers as if it were.
  public var isRehearsal: Bool
  /// What an earlier run has found at this remote and need not look at again, in the remote's own
  /// words. It is a cache, and may be empty at any time.
  public var known: Set<String>
  /// Where the visitor and this journal have their beginning in common.
  package var beginning: SharedBeginning?

  public init(
    user: String? = nil, device: DeviceID? = nil, isRehearsal: Bool = false,
    known: Set<String> = []
  ) {
    self.user = user
    self.device = device
    self.isRehearsal = isRehearsal
    self.known = known
  }
}

/// What one side holds of each device, to be compared with.
public protocol DeviceHistories: Sendable {
  /// Per device the end of what is held without a gap.
  var points: [DeviceID: HistoryPoint] { get }

  /// The checksum of an event; nil where it is not held.
  func checksum(of event: EventID) async throws(EventLogError) -> LineChecksum?

  /// Which events are given up, because other devices carry them again; none if it is not said.
  var reissues: [Reissue] { get }
}

extension DeviceHistories {
  public var reissues: [Reissue] { [] }
}

/// One run with a remote. Its methods are called one at a time.
///
/// A run may be abandoned between any two calls, by a crash too: what was written stays, and the
/// next run goes on from it.
public protocol RemoteSession: Sendable {
  /// What the remote holds, made durable there before it is told.
  ///
  /// - Parameter visitor: what the visitor holds.
  func statement(
    to visitor: any DeviceHistories
  ) async throws(EventLogError) -> FrontierStatement

  /// The checksum of an event, in the history of its device that ends at `point`.
  ///
  /// - Returns: nil where that history cannot be read at the remote, now or for ever.
  func checksum(
    of event: EventID, inHistoryTo point: HistoryPoint
  ) async throws(EventLogError) -> LineChecksum?

  /// Hands out the lines of the given ranges as they stand, in an order that respects causality.
  ///
  /// What cannot be read ends its device: the source leaves out that event, all later ones of the
  /// device, and whatever has seen one of them.
  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource

  /// Says what the visitor holds, before its first lines come.
  func announce(_ statement: FrontierStatement) async throws(EventLogError)

  /// Takes lines, each checked completely before anything of it is kept.
  ///
  /// Taking them again changes nothing. A remote may let some of them wait, to keep them together
  /// with what follows.
  ///
  /// - Returns: what became of these lines, and of others that had waited: only what counts, though
  ///   the run may end now, is said to be received.
  func write(_ lines: LineBatch) async throws(EventLogError) -> Reception

  /// Does a further piece of what is left to do behind the last lines: keeps what had waited, or
  /// tidies up. It may be left out, and ``finish()`` does all that is needed.
  ///
  /// - Returns: what it kept; nil where nothing is left to do.
  func proceed() async throws(EventLogError) -> Reception?

  /// Sentences for the person, about what was found at the remote and done there besides: asked for
  /// when the run has ended.
  var notices: [String] { get async }

  /// Ends the run: what was written is durable at the remote when this returns.
  ///
  /// - Returns: what the next run is to be given as ``RemoteVisit/known``.
  @discardableResult
  func finish() async throws(EventLogError) -> Set<String>

  /// Ends a run that failed or was cancelled: no program or connection stays behind when this
  /// returns. Whoever lets go of the session does the same without waiting for it.
  func leave() async
}

extension RemoteSession {
  public func proceed() async throws(EventLogError) -> Reception? { nil }

  public var notices: [String] { [] }

  public func leave() async {}
}
