import EventLog
import EventLogCollections
import EventLogTesting
import Testing

/// The origin of a shown value: the event that wrote it.
@Suite struct SnapshotOriginTests {
  private func origin(
    _ field: String, _ row: String, _ history: History
  ) throws -> Snapshot.Origin? {
    try project(history).origin(of: field, in: row)
  }

  @Test func `the origin of a register is the shown write, even of null`() throws {
    var devices = TwoDevices()
    let first = devices.history.append(
      devices.phone, at: .minute(1), "habit.edited", "habit/read", ["name": "A", "goal": 2])
    #expect(try origin("name", "habit/read", devices.history)?.event == first)
    let later = devices.history.append(
      devices.tablet, at: .minute(5), "habit.edited", "habit/read", ["name": "B"])
    #expect(
      try origin("name", "habit/read", devices.history)
        == .some(.init(event: later, at: .minute(5))))
    #expect(try origin("goal", "habit/read", devices.history)?.event == first)
    let none = devices.history.append(
      devices.phone, at: .minute(6), "habit.edited", "habit/read", ["goal": .null])
    #expect(try origin("goal", "habit/read", devices.history)?.event == none)
  }

  @Test func `the origin of a counter is its last set or increment`() throws {
    var devices = TwoDevices()
    func progress(_ device: DeviceID, _ type: String, _ member: String, _ value: JSONValue)
      -> EventID
    {
      devices.history.append(
        device, "completion.\(type)", "habit/read", ["date": "2026-01-28", member: value])
    }
    func shown() throws -> EventID? {
      try origin("progress", "habit/read@2026-01-28", devices.history)?.event
    }
    let first = progress(devices.phone, "advanced", "by", 1)
    #expect(try shown() == first)
    let second = progress(devices.phone, "advanced", "by", 1)
    #expect(try shown() == second)
    // The tablet hadn't seen them; of concurrent increments, the greatest device's is the last.
    let other = progress(devices.tablet, "advanced", "by", 1)
    #expect(try shown() == other)
    // Then the phone has seen all of them.
    devices.meet()
    let third = progress(devices.phone, "advanced", "by", 1)
    #expect(try shown() == third)
    let set = progress(devices.phone, "recorded", "progress", 9)
    #expect(try shown() == set)
    let unseen = progress(devices.tablet, "advanced", "by", 1)
    #expect(try shown() == unseen)
  }

  @Test func `the origin of a set is its last inclusion, and each member has its own`() throws {
    var devices = TwoDevices()
    func change(_ device: DeviceID, _ type: String, _ member: JSONValue) -> EventID {
      devices.history.append(
        device, "settings.\(type)", ["key": "allergens", "members": [member]])
    }
    let nuts = change(devices.phone, "included", "nuts")
    let milk = change(devices.phone, "included", "milk")
    let state = try project(devices.history)
    #expect(state.origin(of: "allergens", in: "settings")?.event == milk)
    #expect(state.origin(ofMember: "nuts", of: "allergens", in: "settings")?.event == nuts)
    #expect(state.origin(ofMember: "eggs", of: "allergens", in: "settings") == nil)
    #expect(state.origin(ofMember: "eggs", of: "theme", in: "settings") == nil)
    _ = change(devices.phone, "excluded", "milk")
    #expect(try origin("allergens", "settings", devices.history)?.event == nuts)
    _ = change(devices.phone, "excluded", "nuts")
    #expect(try origin("allergens", "settings", devices.history) == nil)
  }

  @Test(arguments: [20, 60])
  func `the origin of a set with many inclusions is one that no other had seen`(count: Int) throws {
    var history = History(user: "ada")
    let devices = (0..<count).map { history.device("device\($0)") }.sorted()
    func include(_ device: DeviceID) -> EventID {
      history.append(
        device, "settings.included", ["key": "allergens", "members": [.string(device.text)]])
    }
    func last() throws -> EventID? {
      try project(history).origin(of: "allergens", in: "settings")?.event
    }
    let included = devices.reversed().map(include)
    #expect(try last() == included[0])
    // Overtakes the greatest device IDs one after the other.
    for (overtaken, device) in zip(devices.reversed(), devices).prefix(5) {
      history.sync(from: overtaken, to: device)
      _ = include(device)
      #expect(try last()?.device == devices[devices.lastIndex(of: overtaken)! - 1])
    }
  }

  @Test func `the origin of presence is the deletion that counts, or else the last event`() throws {
    var devices = TwoDevices()
    let edit = devices.history.append(
      devices.phone, at: .minute(3), "habit.edited", "habit/read", ["name": "A"])
    #expect(try origin("presence", "habit/read", devices.history)?.event == edit)
    let deletion = devices.history.append(
      devices.phone, at: .minute(4), "habit.deleted", "habit/read")
    #expect(try origin("presence", "habit/read", devices.history)?.event == deletion)
    let restoration = devices.history.append(
      devices.phone, at: .minute(5), "habit.restored", "habit/read")
    #expect(try origin("presence", "habit/read", devices.history)?.event == restoration)
  }

  @Test(arguments: [
    ("name", "habit/none"), ("name", "habit"), ("none", "habit/read"), ("name", "habit/read@x"),
    ("name", "habit/read@2026-01-28"), ("name", ""), ("presence", "settings"), ("name", "@"),
    ("presence", "habit/none"),
  ])
  func `a field that was never written has no origin`(_ field: String, _ row: String) throws {
    #expect(try origin(field, row, TwoDevices().history) == nil)
  }

  @Test func `the origin of a property is the event that wrote its field`() async throws {
    let phone = try await TemporaryStore(records: Meal.self, catalog: .standard)
    _ = try await phone.create(Meal.self, key: "oats")
    let kcal = try await phone.edit(.oats) { $0.kcal = 1 }.appended[0].id
    let day = Day("2026-01-28")!
    let mood = try await phone.edit(.oats, on: day) { $0.mood = "fine" }.appended[0].id
    #expect(phone.snapshot.origin(of: \.kcal, in: .oats)?.event == kcal)
    #expect(phone.snapshot.origin(of: \.mood, in: .oats, on: day)?.event == mood)
    #expect(phone.snapshot.origin(of: \.name, in: .oats) == nil)
    #expect(phone.snapshot.origin(of: \.name.count, in: .oats) == nil)
  }
}
