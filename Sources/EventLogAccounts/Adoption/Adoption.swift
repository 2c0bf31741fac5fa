import EventLog
import Synchronization

/// An adoption: a replication that receives the events of another journal, after a prelude of
/// `user.adopted` events.
final class Adoption: ReachableRemote, ReplicationPrelude {
  /// The findings of the run so far.
  struct Findings: Sendable {
    /// The user of the other journal, and the users whom that user had adopted.
    var users: [String] = []
    /// The subset of `users` whose devices don't belong to the journal yet.
    var added: [String] = []
    /// The entities that an adopted user and another user gave the same name.
    var sameNames: [AdoptionReport.SameName] = []
  }

  private let journal: JournalRemote
  private let found = Mutex(Findings())

  init(of journal: JournalRemote) { self.journal = journal }

  var address: String { journal.address }
  var findings: Findings { found.withLock { $0 } }

  /// Returns a run of the adoption into a store.
  func replication(into store: EventStore, dryRun isDryRun: Bool) -> Replication {
    store.replication(from: self, after: self, dryRun: isDryRun)
  }

  /// Opens a session with the journal.
  ///
  /// - Throws: `damaged` if the journal is damaged or has gaps. Missing events may turn up later,
  ///   and would not be adopted.
  func connect(_ request: SyncRequest) async throws(EventLogError) -> any RemoteSession {
    var request = request
    request.isDryRun = true
    let (session, damage) = try await journal.open(request)
    if let damage {
      throw EventLogError(
        .damaged,
        "\"\(address)\" is damaged (line \(damage.line)): \(damage.message) Nothing was changed.",
        hint: "Repair it from another copy, or accept the loss; then adopt it.",
        at: .init(file: address, line: damage.line, byte: damage.byte))
    }
    return session
  }

  /// Returns a `user.adopted` event for each user whose devices don't belong to the journal yet.
  func drafts(
    for ours: ReplicaState, _ theirs: FrontierStatement
  ) throws(EventLogError) -> [EventDraft] {
    let users = try usersToAdopt(of: theirs, for: ours.statement)
    let added = users.filter {
      ours.ledger.user == nil || !ours.ledger.users.belongs(Array($0.utf8))
    }
    found.withLock { $0 = Findings(users: users, added: added) }
    return added.map {
      EventDraft(
        type: "user.adopted",
        data: JSONObject([
          .init(name: "from", value: .string($0)),
          .init(name: "to", value: .string(ours.statement.user ?? "")),
        ]))
    }
  }

  /// - Throws: `otherUser` if this device joined as another user, because its adoptions don't
  ///   count.
  func check(_ ledger: Ledger) throws(EventLogError) {
    guard findings.added.allSatisfy({ ledger.users.belongs(Array($0.utf8)) }) else {
      throw EventLogError(
        .otherUser,
        "This copy's device belongs to an adopted user, so it cannot adopt for the journal's user."
          + " Nothing was written.",
        hint: "Adopt on a device of the journal's user.")
    }
  }

  func finish(_ fold: Fold, _ ledger: Ledger) {
    guard let user = findings.users.first else { return }
    let adopted = ledger.devices(of: user)
    let names = fold.sameNames(ledger) {
      adopted.contains(ledger.device(of: Int($0))) ? [] : nil
    }
    found.withLock { $0.sameNames = names }
  }
}
