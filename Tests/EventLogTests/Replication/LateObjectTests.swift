import EventLogTesting
import Testing

@testable import EventLog

/// Syncs with a remote some of whose objects have not arrived yet.
@Suite struct LateObjectTests {
  private let bucket = HandmadeBucket()

  private func ranges(_ report: SyncReport) -> [String] { report.pulled.map(\.description) }

  /// A device with eleven events, five of which the initiator holds, and the IDs of all of them.
  private func lateDevice() -> (
    device: HandmadeDevice, held: [[UInt8]], late: [[UInt8]], events: [FullEventID]
  ) {
    var device = HandmadeDevice("late-aaaaaaaa")
    let lines = [device.join(user: "ada")] + (0..<10).map { _ in device.event() }
    let events = lines.map(ForkedDevice.event)
    return (device, Array(lines.prefix(5)), Array(lines.dropFirst(5)), events)
  }

  @Test func `a late range delays only the events that have seen it`() async throws {
    let (late, held, rest, events) = lateDevice()
    var witness = HandmadeDevice("witness-aaaaaa")
    var other = HandmadeDevice("other-aaaaaaaa")
    let joined = [witness.join(user: "ada")]
    let fine = [other.join(user: "ada"), other.event(), other.event(seeing: [witness.tip])]
    // The witness has seen events of the late device, some of which aren't held.
    let seen = [witness.event(seeing: [events[3]]), witness.event(seeing: [events[6]])]
    try await bucket.give(held + rest + joined + seen + fine)
    let desk = try await bucket.device("desk", holding: held)
    bucket.storage.hide(bucket.ranges(of: late))
    let report = try await desk.sync(with: bucket.remote, .pull)
    #expect(ranges(report) == ["other-aaaaaaaa:1–3", "witness-aaaaaa:1–2"])
    #expect(report.forks.isEmpty && report.refused.isEmpty)
    #expect(report.pending.contains { $0.end == events[10] })
    bucket.storage.showAll()
    let second = try await desk.sync(with: bucket.remote, .pull)
    #expect(ranges(second) == ["late-aaaaaaaa:6–11", "witness-aaaaaa:3"])
    #expect(second.pending.isEmpty)
  }

  @Test func `a permanently damaged range delays no other events of its writer`() async throws {
    let (phone, tablet) = (try await bucket.device("phone"), try await bucket.device("tablet"))
    let desk = try await bucket.device("desk")
    for device in [phone, tablet, desk, phone, tablet] {
      try await device.sync(with: bucket.remote)
    }
    for number in 0..<3 { _ = try await tablet.create(Meal.self, key: "lost-\(number)") }
    let before = Set(bucket.ranges)
    try await tablet.sync(with: bucket.remote)
    let lost = Set(bucket.ranges).subtracting(before)
    // The phone writes one event before it has seen the damaged events, and one afterwards.
    _ = try await phone.create(Meal.self, key: "before")
    try await phone.sync(with: bucket.remote)
    _ = try await phone.create(Meal.self, key: "behind")
    try await phone.sync(with: bucket.remote)
    for name in lost { bucket.storage.objects[name] = Array("{}\n".utf8) }
    let report = try await desk.sync(with: bucket.remote)
    let phoneID = try #require(phone.deviceID)
    #expect(ranges(report) == ["\(phoneID):3"])
    #expect(!report.pending.isEmpty)
    // A device that holds the events pushes them again.
    try await phone.sync(with: bucket.remote)
    #expect(try await desk.sync(with: bucket.remote).pulledCount == 4)
  }

  @Test
  func `events that their own publisher lacks aren't pending, and are pulled once they appear`()
    async throws
  {
    let (late, held, rest, events) = lateDevice()
    var witness = HandmadeDevice("witness-aaaaaa")
    let seen = [witness.join(user: "ada"), witness.event(seeing: [events[7]])]
    bucket.put(held)
    bucket.put(rest.dropFirst(3))
    bucket.put(seen)
    let gap = EventRange(from: 6, to: events[7])
    bucket.state([events[10], witness.tip], missing: [gap])
    let desk = try await bucket.device("desk", edits: 0)
    let report = try await desk.sync(with: bucket.remote)
    #expect(
      ranges(report) == ["late-aaaaaaaa:1–5", "late-aaaaaaaa:9–11", "witness-aaaaaa:1–2"])
    #expect(report.missing == [gap] && report.pending.isEmpty && report.refused.isEmpty)
    // No device holds these events, so none pushes them.
    #expect(try await desk.sync(with: bucket.remote).pushed.isEmpty)
    // Later, a device turns out to hold them.
    let phone = try await bucket.device("phone", edits: 0, holding: held + rest)
    #expect(ranges(try await phone.sync(with: bucket.remote)) == ["witness-aaaaaa:1–2"])
    #expect(bucket.ranges(of: late).contains { RangeName($0)!.range == gap })
    let second = try await desk.sync(with: bucket.remote)
    #expect(ranges(second) == ["late-aaaaaaaa:6–8"] && second.missing.isEmpty)
  }

  @Test(arguments: [5, 20])
  func `one history of a fork counts while the other is late`(rightCount: Int) async throws {
    let twin = ForkedDevice(common: 10, left: 10, right: rightCount)
    var witness = HandmadeDevice("witness-aaaaaa")
    let joined = [witness.join(user: "ada")]
    let seen = [witness.event(seeing: [ForkedDevice.event(twin.right[2])])]
    try await bucket.give(twin.common + twin.right + joined + seen)
    let desk = try await bucket.device("desk", holding: twin.common + twin.left)
    bucket.storage.hide(bucket.ranges.filter { $0.hasPrefix("twin-") })
    let early = try await desk.sync(with: bucket.remote, .pull)
    #expect(early.forks.isEmpty && ranges(early) == ["witness-aaaaaa:1"])
    bucket.storage.showAll()
    let report = try await desk.sync(with: bucket.remote, .pull)
    #expect(report.forks.map(\.after) == [twin.fork])
    #expect(ranges(report) == ["twin-aaaaaaaa:11–\(10 + rightCount)", "witness-aaaaaa:2"])
  }
}
