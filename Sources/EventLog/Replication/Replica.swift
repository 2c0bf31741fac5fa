/// A journal as one side of a replication.
///
/// Its methods are called one at a time. `StoreReplica` is the only one.
package protocol Replica: HistoryLookup {
  /// The side for a run of its own: what one run keeps from step to step is nothing to another.
  func begun() -> any Replica

  /// Who goes to a remote; known before the journal is read.
  func visit(
    _ address: String, dryRun isDryRun: Bool
  ) async throws(EventLogError) -> RemoteVisit

  /// The lines with which the journal and a remote begin alike; nil if the remote is no journal, or
  /// if knowing them spares no reading.
  ///
  /// - Throws: `usage` if the remote is this very journal.
  func prefix(
    with remote: any ReachableRemote
  ) async throws(EventLogError) -> CommonPrefix<LedgerSink>?

  /// Keeps what a run has found at a remote, for the next one.
  func remember(_ known: Set<String>, of address: String) async throws(EventLogError)

  /// Takes note of what a remote holds; of one that nobody knows yet only if it `isNew`.
  func note(
    _ success: PlaceRecord.Success, of address: String, evenIfNew isNew: Bool
  ) async

  /// Takes note of why a run with a remote failed, if that is one of the journal's.
  func note(_ error: EventLogError, of address: String) async

  /// Reads on, and makes durable what may be sent.
  func open(dryRun isDryRun: Bool) async throws(EventLogError) -> ReplicaState

  /// Says, durably, that the devices of these users belong to the journal's user from now on.
  ///
  /// - Returns: what is held then, also in a dry run.
  func adopt(_ users: [String]) async throws(EventLogError) -> ReplicaState

  /// The entities of a user who was adopted that have the names of others.
  func sameNames(besidesThoseOf user: String) async throws(EventLogError) -> [SameName]

  /// Gives the own device ID up if others speak of later events of it than are held here.
  ///
  /// - Returns: why, in a sentence for the person whose journal it is; nil where there is no news.
  func notice(_ events: [FullEventID]) async throws(EventLogError) -> String?

  /// Hands out the lines of ranges, as far as they are held.
  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource

  /// Takes lines, durably.
  func receive(
    _ lines: LineBatch, from user: String?, on terms: ReceivingTerms
  ) async throws(EventLogError) -> ReceiveResult

  /// Shows what was received; what is new among the conflicts.
  func finish() async throws(EventLogError) -> [Conflict]

  /// Sentences for the person whose journal it is, about what was done besides.
  func takeNotices() async throws(EventLogError) -> [String]

  /// Shows what was received until a run broke off. Returns at once.
  func abandon()
}

/// What a journal holds, as one side of a replication.
package struct ReplicaState: Sendable {
  package var statement: FrontierStatement
  /// Under which ID it writes; nil where it has written nothing.
  package var device: DeviceID?
  package var ledger: Ledger
  /// The first damage of the journal.
  package var damage: JournalProblem?
  /// ``JournalOptions/devicesMax``.
  package var devicesMax: Int

  package init(
    statement: FrontierStatement, device: DeviceID?, ledger: Ledger, damage: JournalProblem? = nil,
    devicesMax: Int = JournalOptions().devicesMax
  ) {
    self.statement = statement
    self.device = device
    self.ledger = ledger
    self.damage = damage
    self.devicesMax = devicesMax
  }
}
