import EventLog
import EventLogTesting
import Testing

/// Who wrote a field and what became of it, against the brute-force ``Reference``.
@Suite struct FieldHistoryTests {
  /// One write as both sides say it.
  private struct Said: Equatable, CustomStringConvertible {
    var event: EventID
    var action: String
    var replaced: [String]
    var state: String

    var description: String { "\(event) \(action) \(state) after \(replaced)" }
  }

  @Test func `every field's writes are what the reference says`() throws {
    let journal = try HistoryJournal()
    var states: Set<String> = []
    for seed in RandomRounds(150) {
      let history = RandomHistory(seed: seed).history
      try history.write(to: journal.path, lines: history.lines(order: seed))
      let reference = Reference(history)
      for (place, fields) in reference.names {
        for field in fields {
          let expected = Self.expected(reference, place, field)
          guard !expected.isEmpty else { continue }
          let found = try journal.journal.why(place, ReferenceValue.fromPlain(field)).history
          let said = found.writes.map {
            Said(
              event: $0.event, action: $0.action.rawValue, replaced: $0.replaced.map(\.description),
              state: $0.state.rawValue)
          }
          try #require(said == expected, "EVENTLOG_SEED=\(seed) \(place) \(field)")
          states.formUnion(said.map { "\($0.action) \($0.state)" })
        }
      }
    }
    #expect(
      states.isSuperset(of: [
        "written shown", "written contested", "written replaced", "set shown", "set contested",
        "set replaced", "advanced shown", "advanced replaced", "included shown",
        "included replaced", "excluded shown", "excluded replaced",
      ]))
  }

  private static func expected(_ reference: Reference, _ place: String, _ field: String) -> [Said] {
    var rest = reference.writes(place, field)
    let all = rest
    var said: [Said] = []
    while !rest.isEmpty {
      let ready = rest.filter { write in !rest.contains { write.event.hasSeen($0.event) } }
      let next = ready.min { $1.event.isLater(than: $0.event) }!
      rest.removeAll { $0.event.id == next.event.id }
      let seen = all.filter { other in
        next.event.hasSeen(other.event)
          && (next.action != "excluded" || other.action == "included")
      }
      let replaced = seen.filter { one in !seen.contains { $0.event.hasSeen(one.event) } }
      let replaces = ["written", "set", "excluded"].contains(next.action)
      said.append(
        Said(
          event: next.event.id, action: next.action,
          replaced: replaces ? replaced.map(\.event.id.description).sorted() : [],
          state: next.state))
    }
    return said
  }

  // MARK: - Presence

  @Test func `presence tells of creation, deletion, restoration, and what contests`() throws {
    var two = TwoDevices()
    two.history.append(two.phone, "habit.deleted", "habit/read")
    two.history.append(
      two.tablet, "completion.advanced", "habit/read", ["date": "2026-01-28", "by": 1])
    let journal = try HistoryJournal()
    func said() throws -> [String] {
      try two.history.write(to: journal.path, lines: nil)
      let history = try journal.journal.why("habit/read", "presence").history
      return history.writes.map { "\($0.action.rawValue) \($0.state.rawValue)" }
    }
    #expect(try said() == ["created replaced", "deleted contested", "touched contested"])
    two.meet()
    two.history.append(two.tablet, "habit.restored", "habit/read")
    #expect(try said() == ["created replaced", "deleted replaced", "restored shown"])
    two.history.append(two.tablet, "habit.deleted", "habit/read")
    #expect(
      try said() == [
        "created replaced", "deleted replaced", "restored replaced", "deleted shown",
      ])
    let history = try journal.journal.why("read", "name").history
    #expect(history.isDeleted && history.shown == nil && history.writes.count == 1)
  }

  // MARK: - Many writes

  @Test func `three thousand writes of one field are told in order`() throws {
    var two = TwoDevices()
    for index in 0..<3000 {
      let device = index % 2 == 0 ? two.phone : two.tablet
      two.history.append(device, "habit.edited", "habit/read", ["name": .string("name \(index)")])
      if index % 500 == 499 { two.meet() }
    }
    let journal = try HistoryJournal()
    try two.history.write(to: journal.path, lines: nil)
    let writes = try journal.journal.why("habit/read", "name").history.writes
    #expect(writes.count == 3001)
    #expect(writes.filter { $0.state != .replaced }.count == 2)
    #expect(writes.allSatisfy { $0.replaced.count <= 2 })
  }
}
