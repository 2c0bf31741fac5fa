import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// The writes of a field and their outcomes, compared with the brute-force ``Reference``.
@Suite(.tags(.random)) struct FieldHistoryTests {
  /// One write, as both sides report it.
  private struct WriteSummary: Equatable, CustomStringConvertible {
    var event: EventID
    var action: String
    var replaced: Set<EventID>
    var absorbed: Set<EventID>
    var state: String

    var description: String {
      "\(event) \(action) \(state) after \(replaced) with \(absorbed)\n"
    }
  }

  @Test func `the writes of every field equal the reference, even in a cut`() throws {
    let journal = try HistoryJournal()
    let wanted: Set<String> = [
      "written shown", "written contested", "written replaced", "set shown", "set contested",
      "set replaced", "advanced shown", "advanced replaced", "absorbed", "included shown",
      "included replaced", "excluded shown", "excluded replaced", "taken out", "created shown",
      "created replaced", "created contested", "deleted shown", "deleted contested",
      "deleted replaced", "restored shown", "restored replaced", "touched contested",
    ]
    var states: Set<String> = []
    for seed in RandomRounds(800, until: { states.isSuperset(of: wanted) }) {
      var generator = SplitMix64(seed: seed)
      let history = RandomHistory.maybeForked(seed: seed)
      try history.write(to: journal.path, lines: history.lines(order: seed))
      let cut = seed % 2 == 0 ? nil : CutTests.cut(of: history, &generator)
      let reference = Reference(history).cut(cut ?? Cut())
      for (row, fields) in reference.names {
        let isEntity = row.contains("/") && !row.contains("@")
        for field in fields.union(isEntity ? ["presence"] : []) {
          let expected = Self.expected(reference, row, field)
          guard !expected.isEmpty else { continue }
          let found = try journal.journal.why(row, ReferenceValue.fromPlain(field), at: cut)
            .history
          let writes = found.writes.map {
            WriteSummary(
              event: $0.event, action: $0.action.rawValue, replaced: Set($0.replaced),
              absorbed: Set($0.absorbed), state: $0.state.rawValue)
          }
          try #require(writes == expected, "EVENTLOG_SEED=\(seed) \(row) \(field)")
          try #require(
            found.shown == Self.shown(reference, row, field),
            "EVENTLOG_SEED=\(seed) \(row) \(field)")
          states.formUnion(writes.map { "\($0.action) \($0.state)" })
          if writes.contains(where: { !$0.absorbed.isEmpty }) { states.insert("absorbed") }
          if writes.contains(where: { $0.action == "excluded" && !$0.replaced.isEmpty }) {
            states.insert("taken out")
          }
        }
      }
    }
    #expect(wanted.subtracting(states) == [])
  }

  private static func expected(_ reference: Reference, _ row: String, _ field: String)
    -> [WriteSummary]
  {
    let all = reference.writes(row, field)
    return Reference.ordered(all.map(\.event)).map { event in
      let write = all.first { $0.event.id == event.id }!
      return WriteSummary(
        event: event.id, action: write.action,
        replaced: Set(reference.replaced(by: write, of: all, row, field)),
        absorbed: Set(reference.absorbed(by: write, of: all)), state: write.state)
    }
  }

  /// The value of the field in a state.
  private static func shown(
    _ reference: Reference, _ row: String, _ field: String
  ) -> JSONValue? {
    let entity = String(row.prefix { $0 != "@" })
    if entity.contains("/"), reference.presence(entity).isHidden { return nil }
    let value = reference.fields(row, field).first?.value
    return value == .null ? nil : value
  }

  // MARK: - Presence

  @Test
  func `presence lists creations, deletions, restorations and events that contest them`() throws {
    var two = TwoDevices()
    two.history.append(two.phone, "habit.deleted", "habit/read")
    two.history.append(
      two.tablet, "completion.advanced", "habit/read", ["date": "2026-01-28", "by": 1])
    let journal = try HistoryJournal()
    func states() throws -> [String] {
      try two.history.write(to: journal.path, lines: nil)
      let history = try journal.journal.why("habit/read", "presence").history
      return history.writes.map { "\($0.action.rawValue) \($0.state.rawValue)" }
    }
    #expect(try states() == ["created replaced", "deleted contested", "touched contested"])
    two.meet()
    two.history.append(two.tablet, "habit.restored", "habit/read")
    #expect(try states() == ["created replaced", "deleted replaced", "restored shown"])
    two.history.append(two.tablet, "habit.deleted", "habit/read")
    #expect(
      try states() == [
        "created replaced", "deleted replaced", "restored replaced", "deleted shown",
      ])
    let history = try journal.journal.why("read", "name").history
    #expect(history.isDeleted && history.shown == nil && history.writes.count == 1)
  }

  // MARK: - Sets

  @Test func `a member included again after an exclusion is shown by its last inclusion`() throws {
    var two = TwoDevices()
    func change(_ device: DeviceID, _ verb: String) {
      two.history.append(
        device, "settings.\(verb)", ["key": "allergens", "members": ["nuts"]])
    }
    change(two.phone, "included")
    two.meet()
    for verb in ["included", "excluded", "included"] { change(two.tablet, verb) }
    let journal = try HistoryJournal()
    try two.history.write(to: journal.path, lines: nil)
    let writes = try journal.journal.why("settings", "allergens").history.writes
    #expect(
      writes.map { "\($0.action.rawValue) \($0.state.rawValue)" } == [
        "included replaced", "included replaced", "excluded replaced", "included shown",
      ])
    #expect(writes[2].replaced == [writes[1].event])
  }

  // MARK: - Many writes

  @Test func `three thousand writes of one field are listed in order`() throws {
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

  @Test(arguments: [("habit/read", "name"), ("settings", "allergens"), ("habit/read", "presence")])
  func `a field written by too many devices is refused quickly`(
    row: String, field: String
  ) throws {
    var history = History(user: "ada")
    for number in 0..<700 {
      let device = history.device("d\(number)")
      switch field {
      case "name": history.append(device, "habit.edited", "habit/read", ["name": "Read"])
      case "presence": history.append(device, "habit.deleted", "habit/read")
      default:
        history.append(
          device, "settings.included", ["key": "allergens", "members": ["nuts", "milk"]])
      }
    }
    let journal = try HistoryJournal()
    try history.write(to: journal.path, lines: nil)
    let error = failure { () throws(EventLogError) in _ = try journal.journal.why(row, field) }
    #expect(error?.code == .tooManyDevices)
    #expect(error?.message.hasPrefix("700 devices and forks have written \"\(field)\",") == true)
  }
}
