/// A journal whose user is adopted: it is only read.
struct AdoptedJournal: ReachableRemote {
  let journal: JournalRemote

  var address: String { journal.address }

  /// Begins a run with the journal.
  ///
  /// - Throws: `damaged` for a journal that is damaged or has gaps: what it is missing may turn up
  ///   later, and would then have been forgotten.
  func connect(_ visit: RemoteVisit) async throws(EventLogError) -> any RemoteSession {
    var visit = visit
    visit.isDryRun = true
    let (replica, state) = try await journal.open(visit)
    if let damage = state.damage {
      throw EventLogError(
        .damaged,
        "\"\(address)\" is damaged (line \(damage.line)): \(damage.message) Nothing was changed.",
        hint: "Repair it from another copy, or accept the loss; then adopt it.",
        at: .init(file: address, line: damage.line, byte: damage.byte))
    }
    return JournalSession(replica, visit)
  }
}
