import EventLog
import EventLogTesting
import Testing

/// The same events give the same state in every order that respects causality, and however often
/// they are delivered.
@Suite struct CausalOrderTests {
  /// Three devices, eight events, one of each mechanism's hard cases.
  enum Story: String, CaseIterable {
    case edits, amounts, members, deletions

    var history: History {
      var history = History(user: "ada")
      let phone = history.device("phone")
      let tablet = history.device("tablet")
      let watch = history.device("watch")
      switch self {
      case .edits:
        history.append(phone, at: .minute(1), "profile.updated", ["n": .spelled("7e1"), "m": 1])
        history.append(tablet, at: .minute(1), "profile.updated", ["n": 70, "m": 2])
        history.sync(from: phone, to: watch)
        history.append(watch, at: .minute(0), "profile.updated", ["n": .spelled("70.0")])
        history.append(tablet, at: .minute(0), "profile.updated", ["m": 2])
        history.append(phone, at: .minute(2), "profile.updated", ["m": .null])
      case .amounts:
        let day: (JSONValue) -> KeyValuePairs<String, JSONValue> = {
          ["date": "2026-01-28", "by": $0]
        }
        history.append(phone, "completion.advanced", "habit/a", day(5))
        history.append(tablet, "completion.advanced", "habit/a", day(-2))
        history.sync(from: phone, to: watch)
        history.append(
          watch, "completion.recorded", "habit/a", ["date": "2026-01-28", "progress": 1])
        history.append(
          tablet, "completion.recorded", "habit/a", ["date": "2026-01-28", "progress": 4])
        history.append(phone, "completion.advanced", "habit/a", day(-9))
      case .members:
        history.append(phone, "settings.included", ["key": "t", "members": ["x", "y"]])
        history.append(tablet, "settings.included", ["key": "t", "members": ["x"]])
        history.sync(from: phone, to: watch)
        history.append(watch, "settings.excluded", ["key": "t", "members": ["x", "y"]])
        history.append(tablet, "settings.changed", ["t": 1])
        history.append(phone, "settings.included", ["key": "t", "members": ["y"]])
      case .deletions:
        history.append(phone, "habit.created", "habit/a", ["name": "A"])
        history.sync(from: phone, to: watch)
        history.append(watch, "habit.deleted", "habit/a")
        history.append(tablet, "habit.praised", "habit/a")
        history.append(phone, "habit.deleted", "habit/a")
        history.sync(from: watch, to: tablet)
        history.append(tablet, "habit.restored", "habit/a")
      }
      return history
    }
  }

  @Test(arguments: Story.allCases)
  func `every order of a story gives the same bytes`(story: Story) throws {
    let history = story.history
    let count = try check(everyOrderOf: history)
    #expect(count >= 50, "a story has many orders")
    #expect(try project(history).report == ReferenceState(history).report)
  }

  @Test func `every order of small random histories gives the same bytes`() throws {
    for seed in RandomRounds(20) {
      let random = RandomHistory(seed: seed, devices: 2...3, sizes: 3...4)
      _ = try check(everyOrderOf: random.history, "EVENTLOG_SEED=\(seed)")
    }
  }

  @Test func `every order of an event with two names gives the same bytes`() throws {
    var two = TwoDevices()
    two.history.append(
      two.phone, "completion.advanced", "habit/read", ["date": "2026-01-28", "by": 3])
    two.history.append(two.phone, "habit.edited", "habit/read", ["name": "Read a book"])
    two.history.append(two.tablet, "habit.edited", "habit/read", ["name": "Read much"])
    var generator = SplitMix64(seed: 7)
    let last = two.history.entries.last { $0.id.device == two.phone }!.id.sequence
    let history = two.history.reissued(
      [
        ReissuedRun(two.phone, as: "again", (last - 1)...last),
        ReissuedRun(two.phone, as: "anew", (last - 1)...last),
      ], using: &generator)
    let count = try check(everyOrderOf: history)
    #expect(count >= 50)
    let snapshot = try project(history)
    #expect(snapshot.shown("habit/read@2026-01-28", "progress") == 3)
    #expect(
      snapshot.conflict("habit/read#name")?.candidates.map(\.event.description) == [
        "again-aaaaaaaa:3", "tablet-aaaaaaaa:2",
      ])
    #expect(snapshot.eventCount == history.entries.count)
  }

  /// Returns how many orders there were.
  private func check(everyOrderOf history: History, _ comment: Comment? = nil) throws -> Int {
    let journal = try HistoryJournal()
    let expected = try journal.snapshot(history).json()
    var count = 0
    try history.forEachOrder { (lines: [[UInt8]]) throws in
      count += 1
      let json = try journal.snapshot(history, lines: lines).json()
      try #require(json == expected, comment)
    }
    return count
  }

  @Test func `events delivered twice count once, and the repetition is reported`() throws {
    let journal = try HistoryJournal()
    for seed in RandomRounds(100) {
      let history = RandomHistory.maybeForked(seed: seed, sizes: 3...10)
      let expected = try journal.snapshot(history).json()
      let lines = history.lines
      for repeated in [lines + lines, lines.flatMap { [$0, $0] }] {
        let read = try journal.read(history, lines: repeated)
        try #require(read.snapshot.json() == expected, "EVENTLOG_SEED=\(seed)")
        try #require(read.firstDamage == nil)
        try #require(read.warnings.map(\.code) == lines.map { _ in .repeatedLine })
        let problems = try journal.journal.verify().problems
        try #require(problems.map(\.code) == lines.map { _ in .repeatedLine })
      }
    }
  }
}
