import EventLogCollections
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

@testable import EventLog

@Suite struct JournalDifferenceTests {
  /// Two devices that have synced and then edited concurrently.
  private func apart() async throws -> (phone: TemporaryStore, tablet: TemporaryStore) {
    let (phone, tablet) = try await Devices.withOats()
    try await phone.edit(.oats) { $0.kcal = 371 }
    try await tablet.edit(.oats) { $0.kcal = 372 }
    try await tablet.add(50, to: \.ml, of: .oats, on: Day("2026-01-28")!)
    return (phone, tablet)
  }

  @Test func `a difference lists the events, fields and conflicts of both journals`() async throws {
    let (phone, tablet) = try await apart()
    let difference = try phone.journal.difference(from: tablet.journal)
    let (phoneID, tabletID) = (try #require(phone.deviceID), try #require(tablet.deviceID))
    #expect(difference.left.map(\.description) == ["\(phoneID):4"])
    #expect(difference.right.map(\.description) == ["\(tabletID):1–3"])
    #expect(difference.left.map(\.end) == phone.snapshot.frontier[phoneID])
    #expect(difference.right.map(\.end) == tablet.snapshot.frontier[tabletID])
    #expect(
      difference.fields == [
        .init(entity: "meal/oats", field: "kcal", left: 371, right: 372),
        .init(entity: "meal/oats@2026-01-28", field: "ml", left: nil, right: 50),
      ])
    let conflict = try #require(difference.conflicts.first)
    #expect(difference.conflicts.count == 1 && conflict.base == 370)
    #expect(conflict.candidates.map { difference.side(of: $0.fullID) } == [.left, .right])
    #expect(difference.deviceNames[tabletID] == "tablet")
    let times = try #require(difference.rightTimes[tabletID])
    var written: [Timestamp] = []
    try tablet.journal.replay(difference.right) { event, _ in
      if let at = event.at { written.append(at) }
      return true
    }
    #expect(times == written.min()!...written.max()! && times.lowerBound < times.upperBound)
    #expect(difference.leftTimes[phoneID]?.lowerBound == difference.leftTimes[phoneID]?.upperBound)
    #expect(difference.forks.isEmpty && difference.refused.isEmpty && !difference.isEmpty)
  }

  @Test func `the same events in another order make no difference`() async throws {
    let (phone, tablet) = try await apart()
    try await phone.sync(with: tablet)
    #expect(try phone.lines() != tablet.lines())
    let difference = try phone.journal.difference(from: tablet.journal)
    #expect(difference.isEmpty && difference.fields.isEmpty && difference.conflicts.isEmpty)
    #expect(try phone.journal.difference(from: phone.journal).isEmpty)
  }

  @Test func `an entity deleted on one side is a single difference`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    try await phone.delete(.oats)
    let difference = try phone.journal.difference(from: tablet.journal)
    #expect(
      difference.fields == [
        .init(entity: "meal/oats", field: "presence", left: "deleted", right: "present")
      ])
    try await tablet.edit(.oats) { $0.kcal = 1 }
    let contested = try phone.journal.difference(from: tablet.journal)
    #expect(contested.conflicts.map(\.field) == ["presence"])
  }

  @Test func `journals of two users can't be compared`() async throws {
    let ada = try await TemporaryStore(user: "ada", records: Meal.self, catalog: .standard)
    let ben = try await TemporaryStore(
      device: "tablet", user: "ben", records: Meal.self, catalog: .standard)
    for device in [ada, ben] { _ = try await device.create(Meal.self) }
    #expect(
      await failureCode { () async throws(EventLogError) in
        _ = try ada.journal.difference(from: ben.journal)
      } == .otherUser)
  }

  /// Writes journals of handmade lines.
  private func journals(
    _ folder: TemporaryFolder, _ lines: [[[UInt8]]]
  ) async throws -> [Journal] {
    var journals: [Journal] = []
    for (number, lines) in lines.enumerated() {
      let path = folder.file("\(number).jsonl")
      try await JournalRemote(path: path).give(lines, of: "ada")
      journals.append(Journal(path: path, catalog: .standard))
    }
    return journals
  }

  @Test func `a difference reports a fork and the conflict that merging would cause`() async throws
  {
    var one = HandmadeDevice("twin-aaaaaaaa")
    var common = [one.join(user: "ada")]
    for _ in 0..<4 { common.append(one.event()) }
    common.append(one.event(text: "base"))
    let base = one.tip
    var other = one
    let left = common + (0..<3).map { one.event(text: "left \($0)") }
    let right = common + (0..<4).map { other.event(text: "right \($0)") }
    let folder = try TemporaryFolder()
    let both = try await journals(folder, [left, right])
    let difference = try both[0].difference(from: both[1])
    let fork = try #require(difference.forks.first)
    #expect(difference.forks.count == 1 && difference.newForks == difference.forks)
    #expect(fork.device == one.id && fork.after == base)
    #expect(fork.tips == [one.tip, other.tip].sorted())
    #expect(difference.left == [EventRange(from: 7, to: one.tip)])
    #expect(difference.right == [EventRange(from: 7, to: other.tip)])
    #expect(
      difference.fields == [
        .init(entity: "settings", field: "text", left: "left 2", right: "right 3")
      ])
    let conflict = try #require(difference.conflicts.first)
    #expect(difference.conflicts.count == 1 && conflict.base == "base")
    #expect(
      conflict.candidates.map { "\($0.value.text) \(difference.side(of: $0.fullID))" }
        == ["\"right 3\" right", "\"left 2\" left"])
  }

  @Test func `a difference across a fork reports the same conflicts as a sync`() async throws {
    var one = HandmadeDevice("twin-aaaaaaaa")
    var desk = HandmadeDevice("desk-aaaaaaaa")
    let common = [one.join(user: "ada"), one.event(text: "base")]
    let base = one.tip
    var other = one
    let left = common + [one.event(text: "left"), one.event(text: "further left")]
    var right = common + [other.event(text: "right")]
    let seen = other.tip
    right += [
      other.event(text: "further right"), desk.join(user: "ada"), desk.event(text: "desk"),
      desk.event(text: "blind", seeing: [base]), desk.event(text: "forked", seeing: [seen]),
    ]
    let folder = try TemporaryFolder()
    let both = try await journals(folder, [left, right])
    let difference = try both[0].difference(from: both[1])
    #expect(difference.right.map(\.description) == ["desk-aaaaaaaa:1–4", "twin-aaaaaaaa:3–4"])
    let conflict = try #require(difference.conflicts.first)
    #expect(
      conflict.candidates.map { "\($0.fullID) \(difference.side(of: $0.fullID))" }.sorted()
        == [
          "\(desk.tip) right", "\(one.tip) left", "\(other.tip) right",
        ].sorted())
    #expect(difference.conflicts.count == 1 && conflict.base == "base")
    let store = try await EventStore.open(
      path: both[0].path, options: .init(user: "ada"), catalog: .standard)
    let report = try await store.sync(with: JournalRemote(path: both[1].path))
    #expect(report.forks == difference.forks && report.newConflicts == difference.conflicts)
    try await store.close()
  }

  @Test func `a difference includes the events after a gap`() async throws {
    let (phone, tablet) = try await apart()
    try await phone.sync(with: tablet)
    try await tablet.edit(.oats) { $0.kcal = 373 }
    try await phone.edit(.oats) { $0.kcal = 374 }
    let folder = try TemporaryFolder()
    var lines = try phone.lines()
    let tabletID = try #require(tablet.deviceID)
    let gap = try #require(lines.firstIndex { $0.contains("\"\(tabletID):2\"") })
    lines.remove(at: gap)
    let path = folder.file("a.jsonl")
    try lines.map { $0 + "\n" }.joined().write(toFile: path, atomically: false, encoding: .utf8)
    let difference = try Journal(path: path, catalog: phone.catalog)
      .difference(from: tablet.journal)
    #expect(difference.damage.left?.code == .gap && difference.damage.right == nil)
    #expect(difference.right.map(\.description) == ["\(tabletID):2", "\(tabletID):4"])
    #expect(difference.refused.isEmpty)
    #expect(difference.conflicts.map(\.field) == ["kcal"])
    #expect(difference.conflicts.first?.values == [374, 373])
  }

  @Test func `both journals are read with the catalog of the left one`() async throws {
    let (phone, tablet) = try await apart()
    let difference = try phone.journal.difference(
      from: Journal(path: tablet.store.path, catalog: .standard))
    #expect(difference.fields == (try phone.journal.difference(from: tablet.journal)).fields)
    #expect(difference.fields.count == 2)
  }

  @Test func `a difference predicts the ranges, conflicts and fields of a sync`() async throws {
    for seed in RandomRounds(8) {
      var generator = SplitMix64(seed: seed)
      let devices = try await Devices.meet(
        ["phone", "tablet", "desk"], records: Meal.self, catalog: .standard, seed: seed)
      for _ in 0..<50 {
        try await RandomMeals.act(
          on: devices.randomElement(using: &generator)!, &generator)
        guard Int.random(in: 0..<6, using: &generator) == 0 else { continue }
        let pair = devices.shuffled(using: &generator).prefix(2)
        let (one, other) = (pair[0], pair[1])
        // Sometimes write checkpoints, so that reading starts in the middle.
        for device in pair where Bool.random(using: &generator) { try await device.reopen() }
        guard !one.snapshot.frontier.isEmpty, !other.snapshot.frontier.isEmpty
        else { continue }
        let states = [one.snapshot, other.snapshot]
        let difference = try one.journal.difference(from: other.journal)
        let report = try await one.sync(with: other)
        #expect(difference.left == report.pushed && difference.right == report.pulled)
        // A conflict that is new to one side isn't new if the other side had it.
        let known = states[1].conflicts
        let expected = report.newConflicts.filter { conflict in
          !known.contains { other in
            other.id == conflict.id
              && Set(conflict.candidates.map(\.event)).isSubset(of: other.candidates.map(\.event))
          }
        }
        #expect(difference.conflicts == expected, "EVENTLOG_SEED=\(seed)")
        #expect(
          difference.fields.map { "\($0.entity) \($0.field)" }
            == Self.expectedFields(states[0], states[1]), "EVENTLOG_SEED=\(seed)")
      }
    }
  }

  @Test func `the random histories contain conflicts and differing fields`() async throws {
    // Fixed seeds: the comparison above must not be vacuous.
    var (conflictCount, fieldCount) = (0, 0)
    for seed: UInt64 in 1...8 {
      var generator = SplitMix64(seed: seed)
      let devices = try await Devices.meet(
        ["phone", "tablet", "desk"], records: Meal.self, catalog: .standard, seed: seed)
      for _ in 0..<50 {
        try await RandomMeals.act(on: devices.randomElement(using: &generator)!, &generator)
      }
      guard devices.allSatisfy({ !$0.snapshot.frontier.isEmpty }) else { continue }
      fieldCount += try devices[0].journal.difference(from: devices[1].journal).fields.count
      conflictCount += try await devices[0].sync(with: devices[1]).newConflicts.count
    }
    #expect(conflictCount > 0 && fieldCount > 0)
  }

  /// The fields that differ between two states, found by comparing all of them.
  private static func expectedFields(_ left: Snapshot, _ right: Snapshot) -> [String] {
    func table(_ snapshot: Snapshot) -> [String: [String: JSONValue]] {
      var table: [String: [String: JSONValue]] = [:]
      for kind in ["profile", "settings"] {
        for field in snapshot.singleton(kind) {
          table[kind, default: [:]][field.name] = field.shown
        }
      }
      for entity in snapshot.entities("meal", includingDeleted: true) {
        let id = entity.id.description
        table[id, default: [:]]["presence"] = entity.isDeleted ? "deleted" : "present"
        for field in entity.fields { table[id]![field.name] = field.shown }
        for day in entity.days {
          for field in day.fields {
            table["\(id)@\(day.day)", default: [:]][field.name] = field.shown
          }
        }
      }
      return table
    }
    let (here, there) = (table(left), table(right))
    var found: [String] = []
    for row in Set(here.keys).union(there.keys).sorted() {
      let entity = row.split(separator: "@").first.map(String.init) ?? row
      let states = [here, there].map { $0[entity]?["presence"] }
      if states[0] != states[1], states[0] != nil, states[1] != nil {
        if row == entity { found.append("\(row) presence") }
        continue
      }
      let names = Set((here[row] ?? [:]).keys).union((there[row] ?? [:]).keys)
      // `presence` comes first among an entity's fields.
      for name in names.sorted(by: {
        ($0 != "presence" ? 1 : 0, $0) < ($1 != "presence" ? 1 : 0, $1)
      })
      where here[row]?[name] != there[row]?[name] {
        found.append("\(row) \(name)")
      }
    }
    return found
  }

  @Test func `a difference with conflicts reads at most one journal again`() async throws {
    var (bytesRead, sizes): ([Int64], [Int64]) = ([], [])
    for count in [4_000, 8_000] {
      let (phone, tablet) = try await Devices.meet(records: Meal.self, catalog: .standard)
      let drafts = (0..<count).map { number in
        EventDraft(
          type: "settings.changed",
          data: JSONObject([
            .init(name: "key\(number % 9)", value: .number(JSONNumber(Int64(number))))
          ]))
      }
      _ = try await phone.create(Meal.self, key: "oats") { $0.kcal = 370 }
      _ = try await phone.store.append(drafts)
      try await phone.sync(with: tablet)
      for device in [phone, tablet] {
        try await device.reopen()
        try await device.reopen()
        _ = try await device.create(Meal.self) { $0.kcal = 1 }
      }
      // Concurrent edits of a value that both checkpoints contain.
      try await phone.edit(.oats) { $0.kcal = 371 }
      try await tablet.edit(.oats) { $0.kcal = 372 }
      let disk = InstrumentedFileSystem(machineIdentity: "phone")
      let difference = try Journal(
        path: phone.store.path, catalog: phone.catalog, fileSystem: disk
      ).difference(
        from: Journal(path: tablet.store.path, catalog: tablet.catalog, fileSystem: disk))
      #expect(difference.left.count == 1 && difference.right.count == 1)
      #expect(difference.conflicts.map(\.base) == [370])
      bytesRead.append(disk.bytesRead)
      sizes.append(Int64(try tablet.lines().reduce(0) { $0 + $1.utf8.count + 1 }))
    }
    // Both journals, and one of them again for the base.
    for (read, size) in zip(bytesRead, sizes) { #expect(read < 4 * size) }
  }
}
