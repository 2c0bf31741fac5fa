/// Another place where events are kept, to replicate with: a folder, another journal, another
/// machine, a cloud.
///
/// Do not declare conformances: a further place is an ``ObjectStorage``, which ``ObjectRemote``
/// makes a remote of.
public protocol Remote: Sendable {
  /// How a person names it: a path or an address.
  var address: String { get }
}

/// A remote that can be reached, which all are.
package protocol ReachableRemote: Remote {
  /// Begins one run: reaches the remote and finds out what it holds.
  ///
  /// The initiator reads its own journal meanwhile.
  ///
  /// - Parameter visit: who comes, and for what.
  /// - Throws: what keeps it from being reached.
  func connect(_ visit: RemoteVisit) async throws(EventLogError) -> any RemoteSession
}

extension Remote {
  /// The same, as it is reached.
  package var reachable: any ReachableRemote {
    guard let remote = self as? any ReachableRemote else {
      preconditionFailure("\(Self.self) is no remote of this package: use ObjectRemote.")
    }
    return remote
  }
}

/// Who comes to a remote, and for what.
package struct RemoteVisit: Sendable {
  /// Whose events the initiator holds; nil where it holds none and has not said.
  package var user: String?
  /// Under which ID the initiator writes; nil where it has written nothing.
  package var device: DeviceID?
  /// Whether nothing may be changed; ``RemoteSession/write(_:)`` answers as if it were.
  package var isDryRun: Bool
  /// What an earlier run has found at this remote and need not look at again, in the remote's own
  /// words. It is a cache, and may be empty at any time.
  package var known: Set<String>
  /// Where the initiator and this journal have their beginning in common.
  package var beginning: SharedBeginning?

  /// A visit by a journal that holds the events of `user`.
  package init(
    user: String? = nil, device: DeviceID? = nil, isDryRun: Bool = false,
    known: Set<String> = []
  ) {
    self.user = user
    self.device = device
    self.isDryRun = isDryRun
    self.known = known
  }
}

/// One run with a remote. Its methods are called one at a time.
///
/// A run may be abandoned between any two calls, by a crash too: what was written stays, and the
/// next run goes on from it.
package protocol RemoteSession: HistoryLookup {
  /// What the remote holds, made durable there before it is told.
  ///
  /// - Parameters:
  ///   - initiator: what the initiator holds.
  ///   - lookup: answers further questions about that.
  func statement(
    to initiator: FrontierStatement, _ lookup: any HistoryLookup
  ) async throws(EventLogError) -> FrontierStatement

  /// Hands out the lines of the given ranges as they stand, each behind all that it needs and that
  /// is on the way too; what the remote does not hold of them is left out.
  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource

  /// Hears what became of the lines that it handed out last.
  func took(_ result: ReceiveResult) async

  /// Says what the initiator holds, before its first lines come.
  func announce(_ statement: FrontierStatement) async throws(EventLogError)

  /// Takes lines, each checked completely before anything of it is kept.
  ///
  /// Taking them again changes nothing. A remote may let some of them wait, to keep them together
  /// with what follows.
  ///
  /// - Returns: what became of these lines, and of others that had waited: only what counts, though
  ///   the run may end now, is said to be received.
  func write(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult

  /// Does a further piece of what is left to do behind the last lines: keeps what had waited, or
  /// tidies up. It may be left out, and ``finish()`` does all that is needed.
  ///
  /// - Returns: what it kept; nil where nothing is left to do.
  func proceed() async throws(EventLogError) -> ReceiveResult?

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
  /// Nothing is left to be done.
  package func proceed() async throws(EventLogError) -> ReceiveResult? { nil }

  /// What was taken makes no difference.
  package func took(_ result: ReceiveResult) async {}

  /// Nothing is to be told.
  package var notices: [String] { [] }

  /// Nothing is left behind.
  package func leave() async {}
}
