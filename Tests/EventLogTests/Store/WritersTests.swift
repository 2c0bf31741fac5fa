import EventLog
import EventLogTesting
import Testing

/// The devices and values that an app shows for a conflict.
@Suite struct WritersTests {
  private struct Task: Record, Hashable {
    var title = ""
    var due: Day?
    struct Daily: DailyRecord {
      var mood = ""
      init() {}
    }
    static let schema = Schema<Task>(
      "task", [.register("title", \.title), .register("due", \.due)],
      days: [.register("mood", \.mood)])
  }

  @Test func `a snapshot contains its own device ID and the devices of all writers`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Task.self)
    #expect(phone.snapshot.deviceID == nil && phone.snapshot.devices.isEmpty)
    _ = try await phone.create(Task.self) { $0.title = "Sow" }
    let own = try #require(phone.snapshot.deviceID)
    #expect(own == phone.deviceID)
    #expect(phone.snapshot.devices.map(\.name) == ["phone"])
    try await phone.sync(with: tablet)
    _ = try await tablet.create(Task.self) { $0.title = "Reap" }
    try await phone.sync(with: tablet)
    let devices = phone.snapshot.devices
    #expect(devices.map(\.name) == ["phone", "tablet"] && devices.map(\.isOwn) == [true, false])
    #expect(tablet.snapshot.device(own)?.name == "phone")
    #expect(tablet.snapshot.device(own)?.isOwn == false)
    #expect(phone.snapshot.device(DeviceID("nobody-aaaaaaaa")!) == nil)
    try await phone.reopen()
    #expect(phone.snapshot.deviceID == own)
    // A snapshot that is not from a store has no own device.
    #expect(try phone.journal.snapshot().snapshot.deviceID == nil)
  }

  @Test func `a conflict has typed values and the devices that wrote them`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Task.self)
    let id = try await phone.create(Task.self) { $0.title = "Sow" }.id
    try await phone.sync(with: tablet)
    let day = Day("2026-01-28")!
    try await phone.edit(id) { $0.due = day }
    try await tablet.edit(id) { $0.due = day.advanced(by: 1) }
    try await phone.edit(id, on: day) { $0.mood = "good" }
    try await tablet.edit(id, on: day) { $0.mood = "bad" }
    try await phone.sync(with: tablet)

    let stored = try #require(phone.snapshot.stored(id))
    #expect(stored.isContested(\.due) && !stored.isContested(\.title))
    #expect(!stored.isPresenceContested && stored == phone.snapshot.all(Task.self).first)
    let conflicts = phone.snapshot.conflicts(of: id)
    #expect(conflicts.map(\.field) == ["due", "mood"])
    let due = try #require(conflicts.first { $0.isAbout(\Task.due) })
    #expect(due.id(of: Task.self) == id && due.day == nil && !due.isAbout(\Task.title))
    var shown: [String: Day] = [:]
    for candidate in due.candidates {
      let device = try #require(phone.snapshot.device(candidate.event.device))
      shown[device.isOwn ? "here" : device.name] = due.value(of: \Task.due, for: candidate) ?? nil
    }
    #expect(shown == ["here": day, "tablet": day.advanced(by: 1)])
    #expect(due.value(of: \Task.title, for: due.candidates[0]) == nil)
    let mood = try #require(conflicts.last)
    #expect(mood.day == day && mood.isAbout(\.mood, of: Task.self) && !mood.isAbout(\Task.title))
    let moods = mood.candidates.map { mood.value(of: \.mood, in: Task.self, for: $0) }
    #expect(Set(moods) == ["good", "bad"])
    #expect(due.id(of: Other.self) == nil)
  }

  private struct Other: Record {
    static let schema = Schema<Other>("other", [])
  }

  @Test func `a deletion concurrent with an edit makes the presence contested`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Task.self)
    let id = try await phone.create(Task.self) { $0.title = "Sow" }.id
    try await phone.sync(with: tablet)
    try await phone.delete(id)
    try await tablet.edit(id) { $0.title = "Sow peas" }
    try await phone.sync(with: tablet)
    #expect(phone.snapshot.stored(id)?.isPresenceContested == true)
    #expect(phone.snapshot.conflicts(of: id).map(\.kind) == [.presence])
    #expect(phone.snapshot.stored(ID<Task>("none")!) == nil)
  }
}
