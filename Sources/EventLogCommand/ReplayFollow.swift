import EventLog

extension Verb {
  /// Shows the events that fit, then those that are appended, until nobody reads any more.
  static func follow(
    _ journal: Journal, _ filter: EventFilter, _ console: Console
  ) async throws {
    Terminal.exitWhenOutputCloses()
    // The last ones are known when all were seen.
    var kept: [(Event, [UInt8])]? = filter.last == nil ? nil : []
    var told = Set<JournalProblem>()
    for try await element in journal.follow() {
      switch element {
      case .event(let event, let line):
        guard filter.takes(event) else { continue }
        if kept == nil {
          try show(event, line, filter, console)
        } else {
          kept!.append((event, line))
          let surplus = kept!.count - filter.last!
          if surplus >= max(filter.last!, 1024) { kept!.removeFirst(surplus) }
        }
      case .caughtUp(let result):
        for (event, line) in kept?.suffix(filter.last!) ?? [] {
          try show(event, line, filter, console)
        }
        kept = nil
        try console.flush()
        if let damage = result.firstDamage, told.insert(damage).inserted {
          console.warn(ofDamage: damage, in: journal.path)
        }
        console.warn(result.warnings.filter { told.insert($0).inserted }, of: journal.path)
      }
    }
  }
}
