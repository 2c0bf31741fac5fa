/// The side of a replication that a run is started on.
package protocol LocalReplica: Sendable {
  /// The side for a run of its own: what one run keeps from step to step is nothing to another.
  func begun() -> any LocalReplica

  /// Who goes to a remote; known before the journal is read.
  func visit(
    _ address: String, rehearsing isRehearsal: Bool
  ) async throws(EventLogError) -> RemoteVisit

  /// What the journal has in common with another one at its beginning; nil where it does not spare
  /// a reading to know it.
  func beginning(with other: JournalRemote) async throws(EventLogError) -> SharedBeginning?

  /// Keeps what a run has found at a remote, for the next one.
  func remember(_ known: Set<String>, of address: String) async throws(EventLogError)

  /// Reads on, and makes durable what may be sent.
  func open(rehearsing isRehearsal: Bool) async throws(EventLogError) -> LocalState

  /// The checksum of an event; nil where it is not held.
  func checksum(of event: EventID) async throws(EventLogError) -> LineChecksum?

  /// Gives the own device ID up if others say to hold events of it that are not held here.
  ///
  /// - Parameter claims: what others say, each for itself.
  /// - Returns: why, in a sentence for the person whose journal it is; nil where there is no news.
  func notice(
    _ claims: [[DeviceID: HistoryPoint]]
  ) async throws(EventLogError) -> String?

  /// Hands out the lines of ranges that are held.
  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource

  /// Takes lines, durably.
  func receive(
    _ lines: LineBatch, from user: String?, on terms: ReceivingTerms
  ) async throws(EventLogError) -> Reception

  /// Puts in its place what had to wait until all had come, where events were missing.
  ///
  /// - Returns: what was done; nil where nothing had waited.
  func completeReception() async throws(EventLogError) -> RewriteOutcome?

  /// Shows what was received; what is new among the conflicts.
  func finish() async throws(EventLogError) -> [Conflict]

  /// Sentences for the person whose journal it is, about what was done besides.
  func takeNotices() async throws(EventLogError) -> [String]

  /// Shows what was received until a run broke off. Returns at once.
  func abandon()
}

/// What the side holds that a run is started on.
package struct LocalState: Sendable {
  package var statement: FrontierStatement
  /// Under which ID it writes; nil where it has written nothing.
  package var device: DeviceID?
  /// What each device had seen when.
  package var ledger: Ledger
}

extension LocalReplica {
  package func takeNotices() async throws(EventLogError) -> [String] { [] }
}
