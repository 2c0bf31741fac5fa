import EventLog
import EventLogInspection

extension Verb {
  /// Prints the matching events, then those that are appended, until the output is closed.
  static func follow(
    _ journal: Journal, _ filter: EventFilter, _ console: Console
  ) async throws {
    Terminal.exitWhenOutputCloses()
    var printer = EventPrinter(journal, filter, console, isFollowing: true)
    if printer.wantsKnown { printer.begin(try journal.knownEvents()) }
    var reported = Set<JournalProblem>()
    for try await element in journal.follow() {
      switch element {
      case .event(_, let line):
        printer.visit(line: line)
        if let failure = printer.failure { throw failure }
      case .caughtUp(let result):
        // All existing events are read, so the last ones are known.
        printer.printLast()
        if let failure = printer.failure { throw failure }
        try console.flush()
        if let damage = result.firstDamage, reported.insert(damage).inserted {
          console.warn(ofDamage: damage, of: result.damageCount, in: journal.path)
        }
        console.warn(result.warnings.filter { reported.insert($0).inserted }, of: journal.path)
      }
    }
  }
}
