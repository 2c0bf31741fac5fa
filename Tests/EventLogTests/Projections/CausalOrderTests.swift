import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// The same events give the same state in every causal order, even if they are repeated.
@Suite(.tags(.random)) struct CausalOrderTests {
  /// Three devices and eight events that exercise the hard cases of one mechanism.
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
  func `every causal order of a story produces the same bytes`(story: Story) throws {
    let history = story.history
    let count = try check(everyOrderOf: history)
    #expect(count >= 50, "a story has many orders")
    #expect(try project(history).report == ReferenceState(history).report)
  }

  @Test func `every causal order of two histories of one device produces the same bytes`() throws {
    var two = TwoDevices()
    let phone = two.history.copy(of: two.phone)
    let clone = two.history.clone(phone)
    func advance(_ by: Int64) -> EventDraft {
      EventDraft(
        type: "completion.advanced", entity: EntityID("habit/read"),
        data: ["date": "2026-01-28", "by": .number(JSONNumber(by))])
    }
    two.history.write(advance(3), on: phone)
    two.history.write(batch: [advance(5), advance(7)], on: clone)
    two.history.unite(from: phone, to: two.history.copy(of: two.tablet))
    two.history.append(
      two.tablet, "completion.recorded", "habit/read", ["date": "2026-01-28", "progress": 1])
    let names = [(phone, "Read a book"), (clone, "Read much")].map { copy, name in
      two.history.write(
        EventDraft(
          type: "habit.edited", entity: EntityID("habit/read"), data: ["name": .string(name)]),
        on: copy)
    }
    let count = try check(everyOrderOf: two.history)
    #expect(count >= 50)
    let snapshot = try two.project()
    #expect(snapshot.shown("habit/read@2026-01-28", "progress") == 13)
    let candidates = try #require(snapshot.conflict("habit/read#name")).candidates
    // The clone's batch also has an event 4; only the clone has an event 5.
    #expect(candidates.map(\.event) == [names[0].id, names[1].shortID])
    #expect(snapshot.frontier[two.phone] == names)
    #expect(snapshot.report == ReferenceState(two.history).report)
  }

  /// Returns the number of orders.
  private func check(everyOrderOf history: History, _ comment: Comment? = nil) throws -> Int {
    let journal = try HistoryJournal()
    let expected = try journal.snapshot(history).json()
    var count = 0
    try history.forEachOrder { (lines: [[UInt8]]) throws in
      count += 1
      // Only the gate checks all orders.
      guard Rounds.areComplete || count % 3 == 1 else { return }
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
        let report = try journal.journal.verify()
        try #require(report.problems == [])
        let notes = report.notes.filter { $0.code == .note(.repeatedLine) }
        try #require(notes.count == lines.count, "EVENTLOG_SEED=\(seed)")
      }
    }
  }
}
