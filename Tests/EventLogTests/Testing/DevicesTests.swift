import EventLog
import EventLogTesting
import Testing

@Suite struct DevicesTests {
  // MARK: - Syncing

  @Test func `concurrent edits of one register cause a new conflict`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Food.self)
    let oats = try await phone.create(Food.self) { $0.kcal = 380 }.id
    try await phone.sync(with: tablet)
    try await phone.edit(oats) { $0.kcal = 370 }
    try await tablet.edit(oats) { $0.kcal = 400 }
    #expect(try await phone.sync(with: tablet).newConflicts.map(\.field) == ["kcal"])
  }

  @Test func `a sync exchanges exactly the missing lines, unchanged`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    let linesBefore = try phone.lines()
    try await phone.edit(.oats) { $0.name = "Porridge" }
    try await tablet.edit(.oats) { $0.kcal = 400 }
    let report = try await phone.sync(with: tablet)
    let (phoneID, tabletID) = (try #require(phone.deviceID), try #require(tablet.deviceID))
    #expect(report.pulled.map(\.description) == ["\(tabletID):1–2"])
    #expect(report.pushed.map(\.description) == ["\(phoneID):4"])
    #expect(report.refused.isEmpty && report.newConflicts.isEmpty)
    let lines = [try phone.lines(), try tablet.lines()]
    #expect(lines[0].starts(with: linesBefore) && lines[1].starts(with: linesBefore))
    #expect(lines[0] != lines[1] && Set(lines[0]) == Set(lines[1]))
    let second = try await tablet.sync(with: phone)
    #expect(second.pulled.isEmpty && second.pushed.isEmpty && second.refused.isEmpty)
    #expect(try [phone.lines(), tablet.lines()] == lines)
  }

  @Test func `devices without events can sync`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    let report = try await phone.sync(with: tablet)
    #expect(report.pulled.isEmpty && report.pushed.isEmpty)
    _ = try await tablet.create(Meal.self, key: "oats")
    #expect(try await phone.sync(with: tablet).pulledCount == 2)
    #expect(try phone.events().map(\.type) == ["device.joined", "meal.created"])
    // It has only read, so it has not joined.
    #expect(phone.deviceID == nil)
  }

  @Test func `syncing a device with itself is refused`() async throws {
    let (phone, _) = try await Devices.withOats()
    let lines = try phone.lines()
    #expect(
      await failureCode { () throws(EventLogError) in try await phone.sync(with: phone) } == .usage)
    #expect(try phone.lines() == lines)
  }

  @Test func `buffered events are made durable before a sync sends them`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    phone.disk.failNext(.sync, with: .inputOutput)
    try await phone.add(1, to: \.servings, of: .oats, durability: .buffered)
    let linesBefore = try tablet.lines()
    #expect(
      await failureCode { () throws(EventLogError) in try await tablet.sync(with: phone) }
        == .syncFailed)
    #expect(try tablet.lines() == linesBefore)
    try await phone.reopen()
    #expect(try await tablet.sync(with: phone).pulledCount == 1)
  }

  @Test func `devices of two users refuse to sync`() async throws {
    let ada = try await TemporaryStore(user: "ada", records: Meal.self)
    let ben = try await TemporaryStore(device: "tablet", user: "ben", records: Meal.self)
    for device in [ada, ben] { _ = try await device.create(Meal.self) }
    let code = await failureCode { () throws(EventLogError) in try await ada.sync(with: ben) }
    #expect(code == .otherUser)
    #expect(try ada.events().count == 2)
  }

  // MARK: - Conflicts

  @Test func `a conflict is reported as new once, and again with another candidate`() async throws {
    let devices = try await Devices.meet(["phone", "tablet", "desk"], records: Meal.self)
    let (phone, tablet, desk) = (devices[0], devices[1], devices[2])
    _ = try await phone.create(Meal.self, key: "oats")
    try await Devices.syncAll(devices)
    for (kcal, device) in devices.enumerated() {
      try await device.edit(.oats) { $0.kcal = 100 + kcal }
    }
    #expect(try await phone.sync(with: tablet).newConflicts.map(\.id) == ["meal/oats#kcal"])
    #expect(try await phone.sync(with: tablet).newConflicts.isEmpty)
    // The tablet received the conflict in the same sync.
    #expect(try await tablet.sync(with: phone).newConflicts.isEmpty)
    let conflict = try #require(try await phone.sync(with: desk).newConflicts.first)
    #expect(conflict.candidates.count == 3 && conflict.base == nil)
    // A resolved conflict isn't reported.
    try await phone.resolve(conflict, taking: conflict.candidates[0].event)
    #expect(try await desk.sync(with: phone).newConflicts.isEmpty)
    #expect(try await tablet.sync(with: desk).newConflicts.isEmpty)
    for device in devices { #expect(device.snapshot.conflicts.isEmpty) }
  }

  // MARK: - Clocks

  @Test func `a later edit on another device has a later time`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    try await tablet.edit(.oats) { $0.kcal = 1 }
    try await phone.edit(.oats) { $0.kcal = 2 }
    let conflict = try #require(try await phone.sync(with: tablet).newConflicts.first)
    #expect(conflict.shown?.device == phone.deviceID)
  }

  @Test func `a clock that is wrong by years only affects which value shows`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    tablet.clock.set(to: Timestamp("2031-01-01T00:00:00Z")!)
    try await tablet.edit(.oats) { $0.kcal = 1 }
    try await phone.edit(.oats) { $0.kcal = 2 }
    let conflict = try #require(try await phone.sync(with: tablet).newConflicts.first)
    #expect(conflict.shown?.device == tablet.deviceID)
    try await phone.edit(.oats) { $0.kcal = 3 }
    try await tablet.sync(with: phone)
    #expect(tablet.snapshot[.oats]?.kcal == 3 && tablet.snapshot.conflicts.isEmpty)
  }

  // MARK: - Many devices

  enum Topology: String, CaseIterable {
    case star, chain, ring, complete

    /// The pairs that sync, in order.
    func meetings(_ count: Int) -> [(Int, Int)] {
      let chain = (1..<count).map { ($0 - 1, $0) }
      switch self {
      case .star: return ((1..<count).map { (0, $0) }) + (1..<count - 1).map { (0, $0) }
      case .chain: return chain + chain.reversed().dropFirst()
      case .ring: return chain + [(count - 1, 0)] + chain
      case .complete: return (0..<count).flatMap { left in (0..<left).map { (left, $0) } } + chain
      }
    }
  }

  @Test(arguments: Topology.allCases, 2...5)
  func `devices that sync in any topology converge`(topology: Topology, count: Int) async throws {
    let devices = try await Devices.meet(
      (0..<count).map { "device\($0)" }, records: Meal.self)
    for (index, device) in devices.enumerated() {
      _ = try await device.create(Meal.self, key: "oats") { $0.kcal = index + 1 }
      try await device.add(1, to: \.servings, of: .oats)
    }
    for (left, right) in topology.meetings(count) {
      try await devices[left].sync(with: devices[right])
    }
    let first = devices[0].snapshot
    #expect(Set(first.frontier.tips.map(\.device)).count == first.frontier.tips.count)
    #expect(first.eventCount == 3 * count)
    #expect(first.conflicts.map(\.id) == ["meal/oats#kcal"])
    for device in devices.dropFirst() {
      #expect(device.snapshot.frontier == first.frontier)
      #expect(device.snapshot.json() == first.json())
      #expect(try differences(between: first, and: device) == [])
    }
  }

  @Test(arguments: 1...6)
  func `syncAll sends all events to every device`(count: Int) async throws {
    let devices = try await Devices.meet(
      (0..<count).map { _ in "phone" }, records: Meal.self)
    for device in devices { _ = try await device.create(Meal.self) }
    try await Devices.syncAll(devices)
    for device in devices {
      #expect(device.snapshot.all(Meal.self).count == count)
      #expect(device.snapshot.json() == devices[0].snapshot.json())
    }
  }
}
