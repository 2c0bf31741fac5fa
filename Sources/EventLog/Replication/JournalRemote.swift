/// Another journal, in a file that this machine can reach: a second copy, a stick, a mounted disk.
///
/// Both journals are written under their own locks, so that an app may have either open meanwhile.
public struct JournalRemote: ReachableRemote {
  /// The journal's file.
  public let path: String
  let options: JournalOptions

  /// The path of the journal's file.
  public var address: String { path }

  /// - Parameters:
  ///   - path: the journal's file; it is made where there is none and events come for it.
  ///   - options: where the file is, and how long to wait for its lock.
  public init(path: String, options: JournalOptions = JournalOptions()) {
    self.path = path
    self.options = options
  }

  /// - Throws: also `notAJournal` for a file that belongs to a shared folder.
  package func connect(_ visit: RemoteVisit) async throws(EventLogError) -> any RemoteSession {
    try RangeName.refuse(journal: path)
    var options = options
    options.user = nil
    var replica = JournalReplica(path, options, beginning: visit.beginning)
    var state: ReplicaState
    do throws(EventLogError) {
      // It is read now, while the initiator reads its own journal.
      state = try await replica.open(dryRun: visit.isDryRun)
    } catch {
      // Of several users there, the initiator's is meant.
      guard error.code == .userNeeded, let user = visit.user else { throw error }
      options.user = user
      replica = JournalReplica(path, options)
      state = try await replica.open(dryRun: visit.isDryRun)
    }
    if state.ledger.devices.isEmpty, visit.user == nil {
      throw EventLogError(
        .noJournal, "There is no journal at \"\(path)\".", hint: "Check the path.",
        at: .init(file: path))
    }
    return JournalSession(replica, visit)
  }
}
