/// A remote: a folder, another journal, another machine, or a cloud storage.
///
/// Don't conform your own types to this protocol. To add a kind of remote, implement
/// ``ObjectStorage`` and pass it to ``ObjectRemote``.
public protocol Remote: Sendable {
  /// The path or address of the remote, as shown to the user.
  var address: String { get }
}

/// A remote that can be reached.
///
/// All remotes conform to this protocol.
package protocol ReachableRemote: Remote {
  /// Begins a run: reaches the remote and finds out which events it has.
  ///
  /// The initiator reads its own journal at the same time.
  ///
  /// - Parameter request: The initiator and its intent.
  /// - Throws: The error that keeps the remote from being reached.
  func connect(_ request: SyncRequest) async throws(EventLogError) -> any RemoteSession
}

extension Remote {
  /// The remote as a ``ReachableRemote``.
  package var reachable: any ReachableRemote {
    guard let remote = self as? any ReachableRemote else {
      preconditionFailure("\(Self.self) is not a remote of this package: use ObjectRemote.")
    }
    return remote
  }
}

/// The initiator of a run with a remote, and its intent.
package struct SyncRequest: Sendable {
  /// The user of the initiator's journal, or nil if it is empty and has no user yet.
  package var user: String?
  /// The initiator's device ID, or nil if it has written nothing.
  package var device: DeviceID?
  /// Whether nothing may be changed.
  ///
  /// ``RemoteSession/write(_:)`` then answers as if it were.
  package var isDryRun: Bool
  /// The findings of an earlier run at this remote that need no new check, in a format of the
  /// remote's own.
  ///
  /// It is a cache, and may be empty at any time.
  package var known: Set<String>
  /// The common lines at the beginning of the initiator's journal and this one.
  package var prefix: CommonPrefix<LedgerSink>?
  /// The initiator's side folder, whose checkpoint may also fit the beginning of this journal, or
  /// nil if it isn't used.
  var side: SideFolder?

  /// Creates a request by a journal that contains the events of `user`.
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

/// A run with a remote.
///
/// Its methods are called one at a time.
///
/// A run may end between any two calls, also because of a crash. The written events stay, and
/// the next run continues from there.
package protocol RemoteSession: HistoryLookup {
  /// The events that the remote has, which it makes durable first.
  ///
  /// - Parameters:
  ///   - initiator: The events that the initiator has.
  ///   - lookup: Answers more questions about them.
  func statement(
    to initiator: FrontierStatement, _ lookup: any HistoryLookup
  ) async throws(EventLogError) -> FrontierStatement

  /// Checks why the remote states no user, if the initiator has none either.
  ///
  /// - Throws: `remoteFailed` if the remote contains events.
  func checkTellsUser() async throws(EventLogError)

  /// Returns the lines of the given ranges unchanged.
  ///
  /// Each follows all others in the ranges that it depends on. Events that the remote doesn't have
  /// are left out.
  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource

  /// Receives the result of the lines that were read last.
  func took(_ result: ReceiveResult) async

  /// States the events that the initiator has, before its first lines arrive.
  func announce(_ statement: FrontierStatement) async throws(EventLogError)

  /// States the same if nothing is to be written and the remote lacks such a statement.
  ///
  /// If that fails, a notice says so.
  func restate(_ statement: FrontierStatement) async throws(EventLogError)

  /// Writes lines, each of which is verified before anything of it is kept.
  ///
  /// Writing them again changes nothing. A remote may delay some of them, to keep them together
  /// with those that follow.
  ///
  /// - Returns: The result for these lines, and for delayed ones. Only lines that count even if the
  ///   run ends now are reported as received.
  func write(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult

  /// Performs the next part of the remaining work after the last lines: writes delayed ones, or
  /// compacts.
  ///
  /// It may be left out, because ``finish()`` does all that is required.
  ///
  /// - Returns: What was written, or nil if no work remains.
  func proceed() async throws(EventLogError) -> ReceiveResult?

  /// Messages for the user about what was found and done at the remote.
  ///
  /// Read when the run has ended.
  var notices: [String] { get async }

  /// Ends the run.
  ///
  /// When it returns, what was written is durable at the remote.
  ///
  /// - Returns: The value of ``SyncRequest/known`` for the next run.
  @discardableResult
  func finish() async throws(EventLogError) -> Set<String>

  /// Ends a run that failed or was canceled.
  ///
  /// When it returns, no program or connection remains. Releasing the session does the same without
  /// waiting.
  func leave() async
}

extension RemoteSession {
  /// If no user is stated, there are no events.
  package func checkTellsUser() async throws(EventLogError) {}

  /// The remote needs no statement.
  package func restate(_ statement: FrontierStatement) async throws(EventLogError) {}

  /// No work remains.
  package func proceed() async throws(EventLogError) -> ReceiveResult? { nil }

  /// The result makes no difference.
  package func took(_ result: ReceiveResult) async {}

  /// There are no messages.
  package var notices: [String] { [] }

  /// Nothing remains.
  package func leave() async {}
}
