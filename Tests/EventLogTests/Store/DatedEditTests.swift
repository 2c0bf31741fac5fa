import EventLog
import EventLogCollections
import EventLogTesting
import EventLogUndo
import Foundation
import Testing

/// Edits, resolutions and undos of fields that apply from a day on.
@Suite struct DatedEditTests {
  private static let read = ID<Habit>("read")!

  private static func steps(_ state: Snapshot, _ field: String = "goal") -> [String] {
    state.timeline(of: field, in: "habit/read").steps.map {
      "\($0.from?.description ?? "")=\($0.value.text)"
    }
  }

  private static func day(_ text: String) -> Day { Day(text)! }

  private static func device() async throws -> TemporaryStore {
    let store = try await TemporaryStore(records: Habit.self)
    try await store.create(Habit.self, key: "read") { $0.goal = 10 }
    return store
  }

  private static func devices() async throws -> (phone: TemporaryStore, tablet: TemporaryStore) {
    let (phone, tablet) = try await Devices.meet(records: Habit.self)
    try await phone.create(Habit.self, key: "read") { $0.goal = 10 }
    try await phone.sync(with: tablet)
    return (phone, tablet)
  }

  // MARK: - Writing

  @Test func `an edit applies from today on, and a creation from the beginning`() async throws {
    let store = try await Self.device()
    #expect(Self.steps(store.snapshot) == ["=10"])
    store.clock.advance(by: .seconds(40 * 86_400))
    let today = Day(store.clock.now)
    try await store.edit(Self.read) { $0.goal = 20 }
    #expect(Self.steps(store.snapshot) == ["=10", "\(today)=20"])
    try await store.edit(Self.read) { $0.name = "Read" }
    let data = try #require(try store.events().last?.data)
    #expect(data == ["name": "Read"], "other fields have no day")
    let tomorrow = today.advanced(by: 1)
    try await store.edit(Self.read, from: tomorrow) { $0.goal = 30 }
    _ = try await store.write {
      try $0.edit(Self.read, from: today) { $0.schedule = Schedule("3/7")! }
    }
    #expect(Self.steps(store.snapshot) == ["=10", "\(today)=20", "\(tomorrow)=30"])
    #expect(Self.steps(store.snapshot, "schedule") == ["=null", "\(today)=\"3/7\""])
    _ = try await store.write { try $0.edit(Self.read) { $0.goal = 40 } }
    #expect(Self.steps(store.snapshot) == ["=10", "\(today)=40"])
  }

  @Test func `an appended edit applies from its own day, or from the day of its time`()
    async throws
  {
    let store = try await Self.device()
    let id = Self.read.entity
    let time = Timestamp("2026-03-01T12:00:00Z")!
    _ = try await store.append([
      EventDraft(at: time, type: "habit.edited", entity: id, data: ["goal": 20]),
      EventDraft(type: "habit.edited", entity: id, data: ["goal": 30, "from": "2026-04-01"]),
    ])
    #expect(Self.steps(store.snapshot) == ["=10", "\(Day(time))=20", "2026-04-01=30"])
    for data: JSONObject in [
      ["goal": 1, "from": "2026-02-30"], ["goal": 1, "from": .null], ["from": "2026-02-01"],
      ["name": "Run", "from": "2026-02-01"],
    ] {
      let error = await #expect(throws: EventLogError.self) {
        _ = try await store.append([EventDraft(type: "habit.edited", entity: id, data: data)])
      }
      #expect(error?.code == .invalidEvent && error?.message.contains("\"from\"") == true)
    }
    await #expect(throws: EventLogError.self) {
      _ = try await store.append([
        EventDraft(
          type: "habit.created", entity: EntityID("habit/run"), data: ["from": "2026-02-01"])
      ])
    }
  }

  // MARK: - Resolving

  @Test func `a resolution repeats the day of the value that it takes`() async throws {
    for takesFirst in [true, false] {
      let (phone, tablet) = try await Self.devices()
      try await phone.edit(Self.read, from: Self.day("2026-02-04")) { $0.goal = 20 }
      try await tablet.edit(Self.read, from: Self.day("2026-02-10")) { $0.goal = 30 }
      try await phone.sync(with: tablet)
      #expect(Self.steps(phone.snapshot) == ["=10", "2026-02-04=20", "2026-02-10=30"])
      let conflict = try #require(phone.snapshot.conflicts.first)
      let taken = try #require(
        conflict.candidates.first { $0.value == (takesFirst ? 20 : 30) })
      try await phone.store.resolve(conflict, taking: taken.event)
      #expect(phone.snapshot.conflicts.isEmpty)
      #expect(
        Self.steps(phone.snapshot)
          == ["=10", "2026-02-04=20"] + (takesFirst ? [] : ["2026-02-10=30"]))
      try await phone.sync(with: tablet)
      #expect(Self.steps(tablet.snapshot) == Self.steps(phone.snapshot))
    }
  }

  @Test func `a resolution with a value from the beginning has no day`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Habit.self)
    try await phone.create(Habit.self, key: "read") { $0.goal = 10 }
    try await tablet.create(Habit.self, key: "read") { $0.goal = 20 }
    try await phone.sync(with: tablet)
    let conflict = try #require(phone.snapshot.conflicts.first { $0.field == "goal" })
    let taken = try #require(conflict.candidates.first { $0.value == 10 })
    try await phone.store.resolve(conflict, taking: taken.event)
    #expect(Self.steps(phone.snapshot) == ["=10"])
  }

  @Test func `a resolution with a new value applies from today on`() async throws {
    let (phone, tablet) = try await Self.devices()
    try await phone.edit(Self.read, from: Self.day("2025-02-04")) { $0.goal = 20 }
    try await tablet.edit(Self.read, from: Self.day("2025-02-10")) { $0.goal = 30 }
    try await phone.sync(with: tablet)
    try await phone.store.resolve(phone.snapshot.conflicts[0], with: 40)
    let today = Day(phone.clock.now)
    #expect(
      Self.steps(phone.snapshot)
        == ["=10", "2025-02-04=20", "2025-02-10=30", "\(today)=40"])
  }

  // MARK: - Undoing

  @Test func `an undo writes again what applied before`() async throws {
    let store = try await Self.device()
    try await store.edit(Self.read, from: Self.day("2026-02-01")) { $0.goal = 20 }
    try await store.edit(Self.read, from: Self.day("2026-03-01")) { $0.goal = 30 }
    let before = Self.steps(store.snapshot)
    let edit = try await store.edit(Self.read, from: Self.day("2026-01-15")) {
      $0.goal = 5
      $0.name = "Read"
    }
    let after = Self.steps(store.snapshot)
    #expect(after == ["=10", "2026-01-15=5"])
    let undone = try await store.undo(edit)
    #expect(undone.left.isEmpty && undone.receipt.appended.count == 4)
    #expect(
      Self.steps(store.snapshot) == ["=10", "2026-01-15=10", "2026-02-01=20", "2026-03-01=30"])
    let habit = try #require(store.snapshot[Self.read])
    #expect(habit.goal == 30 && habit.name == "")
    let redone = try await store.undo(undone.receipt)
    #expect(redone.left.isEmpty && Self.steps(store.snapshot) == after)
    #expect(before == ["=10", "2026-02-01=20", "2026-03-01=30"])
  }

  @Test func `an undo of a goal from the beginning writes again each entry`() async throws {
    let store = try await Self.device()
    try await store.edit(Self.read, from: Self.day("2026-02-01")) { $0.goal = 20 }
    let before = Self.steps(store.snapshot)
    let edit = try await store.edit(Self.read, from: Self.day("0000-01-01")) { $0.goal = 5 }
    #expect(Self.steps(store.snapshot) == ["=10", "0000-01-01=5"])
    try await store.undo(edit)
    #expect(Self.steps(store.snapshot) == ["=10", "0000-01-01=10", "2026-02-01=20"])
    #expect(before == ["=10", "2026-02-01=20"])
  }

  @Test func `an undo leaves a goal that another device has written since`() async throws {
    let (phone, tablet) = try await Self.devices()
    let edit = try await phone.edit(Self.read, from: Self.day("2026-02-01")) { $0.goal = 20 }
    try await phone.sync(with: tablet)
    try await tablet.edit(Self.read, from: Self.day("2026-03-01")) { $0.goal = 30 }
    try await phone.sync(with: tablet)
    let undone = try await phone.undo(edit)
    #expect(undone.receipt.appended.isEmpty && undone.left.map(\.value) == [30])
    #expect(Self.steps(phone.snapshot) == ["=10", "2026-02-01=20", "2026-03-01=30"])
  }

  @Test func `undoing random edits in reverse order restores each earlier state`() async throws {
    for seed in RandomRounds(12) {
      var generator = SplitMix64(seed: seed)
      let store = try await Self.device()
      var states: [(values: [JSONValue], receipt: AppendReceipt)] = []
      let days = (-5...25).map { Self.day("2026-02-10").advanced(by: $0) }
      func values() -> [JSONValue] {
        let timeline = store.snapshot.timeline(of: "goal", in: "habit/read")
        return [timeline.value(on: nil)] + days.map { timeline.value(on: $0) }
      }
      for _ in 0..<10 {
        let day = days.randomElement(using: &generator)!
        let goal = Decimal(Int.random(in: 1...4, using: &generator))
        let before = values()
        states.append((before, try await store.edit(Self.read, from: day) { $0.goal = goal }))
      }
      for (before, receipt) in states.reversed() {
        let undone = try await store.undo(receipt)
        try #require(undone.left.isEmpty && values() == before, "EVENTLOG_SEED=\(seed)")
      }
    }
  }
}
