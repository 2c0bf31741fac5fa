import EventLogTesting
import Testing

@testable import EventLog

/// What becomes of a shared place where some writer's statement has arrived and not all of what it
/// states.
@Suite struct LateObjectTests {
  private let place = HandmadePlace()

  private func ranges(_ report: SyncReport) -> [String] { report.pulled.map(\.description) }

  /// Eleven events of a device, of which the visitor holds five.
  private func lateDevice() -> (device: HandmadeDevice, held: [[UInt8]], late: [[UInt8]]) {
    var device = HandmadeDevice("late-aaaaaaaa")
    let lines = [device.join(user: "ada")] + (0..<10).map { _ in device.event() }
    return (device, Array(lines.prefix(5)), Array(lines.dropFirst(5)))
  }

  @Test func `what is late of one device keeps back what has seen it, and nothing else`()
    async throws
  {
    let (late, held, rest) = lateDevice()
    var witness = HandmadeDevice("witness-aaaaaa")
    var other = HandmadeDevice("other-aaaaaaaa")
    let seen = [witness.join(user: "ada"), witness.event(seeing: ["late-aaaaaaaa": 2])]
    let fine = [other.join(user: "ada"), other.event(), other.event(seeing: ["witness-aaaaaa": 1])]
    try await place.give(held + rest + seen + fine)
    let desk = try await place.device("desk", holding: held)
    place.storage.hide(place.ranges(of: late))
    let report = try await desk.sync(with: place.remote, .pull)
    #expect(ranges(report) == ["other-aaaaaaaa:1–3", "witness-aaaaaa:1"])
    #expect(report.forks.isEmpty && report.refused.isEmpty)
    place.storage.showAll()
    let again = try await desk.sync(with: place.remote, .pull)
    #expect(ranges(again) == ["late-aaaaaaaa:6–11", "witness-aaaaaa:2"])
  }

  @Test func `what a writer has said before goes on counting`() async throws {
    let (late, held, rest) = lateDevice()
    var witness = HandmadeDevice("witness-aaaaaa")
    let begin = [witness.join(user: "ada")]
    try await place.remote.give(held + begin, of: "ada")
    let desk = try await place.device("desk", holding: held)
    try await desk.sync(with: place.remote, .pull)
    let before = Set(place.ranges)
    let seen = [
      witness.event(seeing: ["late-aaaaaaaa": 4]), witness.event(seeing: ["late-aaaaaaaa": 7]),
    ]
    try await place.remote.give(held + rest + begin + seen, of: "ada")
    place.storage.hide(place.ranges(of: late).filter { !before.contains($0) })
    let report = try await desk.sync(with: place.remote, .pull)
    #expect(ranges(report) == ["witness-aaaaaa:2"])
    place.storage.showAll()
    let again = try await desk.sync(with: place.remote, .pull)
    #expect(ranges(again) == ["late-aaaaaaaa:6–11", "witness-aaaaaa:3"])
  }

  @Test func `one event that is late is told to continue what is held by its checksum alone`()
    async throws
  {
    let (late, held, rest) = lateDevice()
    var witness = HandmadeDevice("witness-aaaaaa")
    let seen = [witness.join(user: "ada"), witness.event(seeing: ["late-aaaaaaaa": 5])]
    try await place.give(held + rest.prefix(1) + seen)
    let desk = try await place.device("desk", holding: held)
    place.storage.hide(place.ranges(of: late))
    #expect(ranges(try await desk.sync(with: place.remote, .pull)) == ["witness-aaaaaa:1–2"])
  }

  @Test func `a range that is lost for ever hides nothing that its writer wrote besides`()
    async throws
  {
    let (phone, tablet) = (try await place.device("phone"), try await place.device("tablet"))
    let desk = try await place.device("desk")
    for device in [phone, tablet, desk, phone, tablet] { try await device.sync(with: place.remote) }
    for number in 0..<3 { _ = try await tablet.create(Meal.self, key: "lost-\(number)") }
    let before = Set(place.ranges)
    try await tablet.sync(with: place.remote)
    let lost = Set(place.ranges).subtracting(before)
    // The phone writes something before it has seen what will be lost, and something behind.
    _ = try await phone.create(Meal.self, key: "before")
    try await phone.sync(with: place.remote)
    _ = try await phone.create(Meal.self, key: "behind")
    try await phone.sync(with: place.remote)
    for name in lost { place.storage.objects[name] = Array("{}\n".utf8) }
    let report = try await desk.sync(with: place.remote)
    let phoneID = try #require(phone.deviceID)
    #expect(ranges(report) == ["\(phoneID):3"])
    #expect(!report.pending.isEmpty)
  }

  @Test(arguments: [5, 20])
  func `a fork is not reported before it can be located`(rightCount: Int) async throws {
    let twin = ForkedDevice(common: 10, left: 10, right: rightCount)
    var witness = HandmadeDevice("witness-aaaaaa")
    let seen = [witness.join(user: "ada"), witness.event(seeing: ["twin-aaaaaaaa": 5])]
    try await place.give(twin.common + twin.right + seen)
    let desk = try await place.device("desk", holding: twin.common + twin.left)
    place.storage.hide(place.ranges.filter { $0.hasPrefix("twin-") })
    let early = try await desk.sync(with: place.remote, .pull)
    #expect(early.forks.isEmpty && ranges(early) == ["witness-aaaaaa:1"])
    place.storage.showAll()
    let report = try await desk.sync(with: place.remote, .pull)
    #expect(report.forks == [twin.fork] && ranges(report) == ["witness-aaaaaa:2"])
  }

  @Test func `of two branches that nobody here holds, one that is late says nothing`()
    async throws
  {
    let twin = ForkedDevice(common: 3, left: 4, right: 4)
    var witness = HandmadeDevice("witness-aaaaaa")
    let seen = [witness.join(user: "ada"), witness.event(seeing: ["twin-aaaaaaaa": 6])]
    try await place.give(twin.common + twin.left, by: "left")
    let left = Set(place.ranges)
    try await place.give(twin.common + twin.right + seen, by: "right")
    place.storage.hide(place.ranges.filter { $0.hasPrefix("twin-") && !left.contains($0) })
    let desk = try await place.device("desk")
    let early = try await desk.sync(with: place.remote, .pull)
    // What has seen the other branch does not come with this one.
    #expect(early.forks.isEmpty)
    #expect(try desk.sequences(of: witness.id) == [1])
    place.storage.showAll()
    let report = try await desk.sync(with: place.remote, .pull)
    #expect(report.forks == [twin.fork])
    #expect(try desk.sequences(of: witness.id) == [1])
  }
}
