/// A run with a remote.
///
/// Its methods are called one at a time.
///
/// A run may end between any two calls, for example by a crash. The written events stay, and the
/// next run continues from there.
package protocol RemoteSession: HistoryLookup {
  /// Returns the events that the remote has, after making them durable.
  ///
  /// - Parameters:
  ///   - initiator: The events that the initiator has.
  ///   - lookup: Answers further queries about them.
  func statement(
    to initiator: FrontierStatement, _ lookup: any HistoryLookup
  ) async throws(EventLogError) -> FrontierStatement

  /// Checks why the remote states no user, if the initiator has none either.
  ///
  /// - Throws: `remoteFailed` if the remote contains events.
  func checkUserIsStated() async throws(EventLogError)

  /// Returns the lines of the given ranges unchanged.
  ///
  /// Each follows all others in the ranges that it depends on. Events that the remote doesn't have
  /// are left out.
  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource

  /// Receives the result of the lines read last.
  func took(_ result: ReceiveResult) async

  /// States the events that the initiator has, before its first lines arrive.
  func announce(_ statement: FrontierStatement) async throws(EventLogError)

  /// States the events that the initiator has if there is nothing to write, but the remote lacks
  /// such a statement.
  ///
  /// A failure is only reported as a notice.
  func restate(_ statement: FrontierStatement) async throws(EventLogError)

  /// Writes lines, verifying each line before keeping it.
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
  /// Calling it is optional, because ``finish()`` does all required work.
  ///
  /// - Returns: The result of the writes, or nil if no work remains.
  func proceed() async throws(EventLogError) -> ReceiveResult?

  /// Exchanges the schema files of both sides: the remote keeps the initiator's if it is later.
  ///
  /// - Parameters:
  ///   - schema: The initiator's, or nil if it has none.
  ///   - directions: Whether the remote may be changed, and the initiator takes a later one.
  /// - Returns: The remote's, or nil if it has none, or an earlier one, or one that isn't needed.
  func exchange(
    _ schema: SchemaFile?, _ directions: ReplicationPlan.Directions
  ) async throws(EventLogError) -> SchemaFile?

  /// Removes what is erased of the initiator's events from what the remote stores.
  func erase(_ erasures: Erasures) async throws(EventLogError)

  /// Messages for the user about findings and changes at the remote.
  ///
  /// Complete only after the end of the run.
  var notices: [String] { get async }

  /// Ends the run.
  ///
  /// When it returns, all written events are durable at the remote.
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
  /// Accepts a remote without a user: it contains no events.
  package func checkUserIsStated() async throws(EventLogError) {}

  /// Does nothing, because the remote needs no statement.
  package func restate(_ statement: FrontierStatement) async throws(EventLogError) {}

  /// Returns nil, because no work remains.
  package func proceed() async throws(EventLogError) -> ReceiveResult? { nil }

  /// Returns nil, because the remote stores no schema.
  package func exchange(
    _ schema: SchemaFile?, _ directions: ReplicationPlan.Directions
  ) async throws(EventLogError) -> SchemaFile? { nil }

  /// Does nothing, because the remote erases what it receives.
  package func erase(_ erasures: Erasures) async throws(EventLogError) {}

  /// Ignores the result.
  package func took(_ result: ReceiveResult) async {}

  /// No messages.
  package var notices: [String] { [] }

  /// Does nothing.
  package func leave() async {}
}
