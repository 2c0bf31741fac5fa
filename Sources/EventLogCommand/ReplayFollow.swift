import EventLog

extension Verb {
  /// Shows the events that fit, then those that are appended, until nobody reads any more.
  static func follow(
    _ journal: Journal, _ filter: EventFilter, _ console: Console
  ) async throws {
    Terminal.exitWhenOutputCloses()
    var printer = try EventPrinter(journal, filter, console, isFollowing: true)
    var told = Set<JournalProblem>()
    for try await element in journal.follow() {
      switch element {
      case .event(let event, let line):
        if filter.takes(event) { try printer.take(event, line) }
      case .caughtUp(let result):
        // Only now the last ones are known.
        try printer.printLast()
        try console.flush()
        if let damage = result.firstDamage, told.insert(damage).inserted {
          console.warn(ofDamage: damage, of: result.damageCount, in: journal.path)
        }
        console.warn(result.warnings.filter { told.insert($0).inserted }, of: journal.path)
      }
    }
  }
}
