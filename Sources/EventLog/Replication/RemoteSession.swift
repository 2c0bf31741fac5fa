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
