import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// The objects of a remote that compaction merges, removes and keeps.
@Suite struct CompactionTests {
  private let bucket = HandmadeBucket()

  /// Syncs a device that has an event to push each time.
  private func compact(with device: TemporaryStore, runs: Int = 3) async throws {
    for _ in 0..<runs {
      _ = try await device.create(Meal.self)
      try await device.sync(with: bucket.remote)
    }
  }

  private func lines(_ name: String) throws -> [[UInt8]] {
    try #require(bucket.storage.objects[name]).split(separator: 0x0A).map(Array.init)
  }

  @Test
  func `a range that is part of another history is kept beside the larger object`() async throws {
    let twin = ForkedDevice(common: 5, left: 9, right: 3)
    try await bucket.give(twin.common + twin.left, by: "left")
    try await bucket.give(twin.common + twin.right, by: "right")
    let before = Set(bucket.ranges)
    try await compact(with: try await bucket.device("desk"))
    #expect(before.isSubset(of: Set(bucket.ranges)))
  }

  @Test func `a part of a larger object and a damaged copy are removed`() async throws {
    let twin = ForkedDevice(common: 5, left: 9, right: 3)
    let part = bucket.put(twin.common)
    let whole = bucket.put(twin.common + twin.left, addition: ".abcdefgh")
    let bad = whole.replacing(".abcdefgh", with: "")
    bucket.storage.objects[bad] = [1]
    try await compact(with: try await bucket.device("desk"))
    #expect(!bucket.ranges.contains(part) && !bucket.ranges.contains(bad))
    #expect(bucket.ranges.contains(whole))
  }

  @Test func `two histories of a device are merged separately`() async throws {
    let twin = ForkedDevice(common: 16, left: 20, right: 20)
    for line in twin.common + twin.left + twin.right { bucket.put([line]) }
    try await compact(with: try await bucket.device("desk"), runs: 2)
    let ranges = bucket.ranges.compactMap { RangeName($0) }.filter { $0.range.device == twin.id }
    #expect(Set(ranges.map(\.range.first)) == [1, 17])
    #expect(ranges.count == 2)
    let held = try ranges.flatMap { try lines($0.text) }
    #expect(Set(held) == Set(twin.common + twin.left + twin.right))
  }

  @Test func `a part is removed only by a sync after the one that merged it`() async throws {
    let desk = try await bucket.device("desk", edits: 0)
    for number in 0..<8 {
      _ = try await desk.create(Meal.self, key: "\(number)")
      try await desk.sync(with: bucket.remote)
    }
    let parts = Set(bucket.ranges)
    let whole = try #require(parts.first { RangeName($0)!.range.count == 9 })
    #expect(parts.count == 9)
    // A device that can't find the merged object removes nothing.
    bucket.storage.hide([whole])
    try await compact(with: desk, runs: 1)
    #expect(parts.isSubset(of: Set(bucket.ranges)))
    bucket.storage.showAll()
    try await compact(with: desk, runs: 2)
    #expect(parts.isDisjoint(with: bucket.ranges) && bucket.ranges.count < 6)
  }

  // MARK: - Frontiers

  @Test func `compaction removes frontiers that the device's own frontier covers`() async throws {
    let twin = ForkedDevice(common: 5, left: 9, right: 3)
    try await bucket.give(twin.common + twin.right, by: "right")
    try await bucket.give(twin.common + twin.left, by: "left")
    try await compact(with: try await bucket.device("desk"))
    let stated = try #require(bucket.stated.first)
    #expect(bucket.frontiers.count == 1)
    let ends = [twin.left, twin.right].map { ForkedDevice.event($0.last!) }
    #expect(Set(stated.tips).isSuperset(of: ends))
  }

  @Test
  func `a frontier is kept until the device that compacts holds all its events`() async throws {
    let twin = ForkedDevice(common: 5, left: 9, right: 3)
    let desk = try await bucket.device("desk", holding: twin.common)
    try await bucket.give(twin.common + twin.right, by: "right")
    try await bucket.give(twin.common + twin.left, by: "left")
    let before = Set(bucket.frontiers)
    bucket.storage.hide(bucket.ranges)
    try await compact(with: desk)
    #expect(before.isSubset(of: Set(bucket.frontiers)))
    bucket.storage.showAll()
    #expect(try await desk.sync(with: bucket.remote).forks.map(\.after) == [twin.fork])
  }

  @Test func `a frontier with missing events or an adopted user is kept`() async throws {
    var device = HandmadeDevice("one-aaaaaaaa")
    let lines = [device.join(user: "ada"), device.event()]
    let desk = try await bucket.device("desk", holding: lines)
    let end = device.tip
    let lost = EventRange(
      from: 1, to: FullEventID(device: DeviceID("lost-aaaaaaaa")!, sequence: 4, chain: 5))
    bucket.state([end], by: "plain-aaaaaaaa")
    bucket.state([end], missing: [lost], by: "missing-aaaaaaaa")
    bucket.state([end], adopting: ["guest"], by: "adopting-aaaaaaaa")
    try await compact(with: desk)
    let writers = Set(bucket.frontiers.compactMap { FrontierName($0)?.writer.text })
    #expect(writers.count == 3)
    #expect(writers.isSuperset(of: ["missing-aaaaaaaa", "adopting-aaaaaaaa"]))
  }
}
