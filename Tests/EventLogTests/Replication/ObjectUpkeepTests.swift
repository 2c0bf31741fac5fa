import EventLogTesting
import Testing

@testable import EventLog

/// What is removed from a shared place, and what is not.
@Suite struct ObjectUpkeepTests {
  private let place = HandmadePlace()

  /// Runs of a device that has something to give each time.
  private func tidyUp(with device: TemporaryStore, runs: Int = 3) async throws {
    for number in 0..<runs {
      _ = try await device.create(Meal.self, key: "tidying-\(number)")
      try await device.sync(with: place.remote)
    }
  }

  @Test func `a part of another branch stays beside the larger object`() async throws {
    let twin = ForkedDevice(common: 5, left: 9, right: 3)
    try await place.give(twin.common + twin.left, by: "left")
    try await place.give(twin.common + twin.right, by: "right")
    let before = Set(place.storage.names)
    try await tidyUp(with: try await place.device("desk"))
    #expect(before.isSubset(of: Set(place.storage.names)))
  }

  @Test func `a part of a larger object goes`() async throws {
    let twin = ForkedDevice(common: 5, left: 9, right: 3)
    try await place.give(twin.common)
    let part = try #require(place.ranges.first)
    try await place.give(twin.common + twin.left, by: "left")
    try await tidyUp(with: try await place.device("desk"))
    #expect(!place.ranges.contains(part))
  }

  @Test func `what a writer says stays until whoever tidies up knows all of it`() async throws {
    let twin = ForkedDevice(common: 5, left: 9, right: 3)
    let desk = try await place.device("desk", holding: twin.common)
    try await place.give(twin.common + twin.right, by: "right")
    try await place.give(twin.common + twin.left, by: "left")
    let before = Set(place.frontiers)
    place.storage.hide(place.ranges)
    try await tidyUp(with: desk)
    #expect(before.isSubset(of: Set(place.frontiers)))
    place.storage.showAll()
    #expect(try await desk.sync(with: place.remote).forks == [twin.fork])
  }

  @Test func `what was said of events that were written again is not tidied away`() async throws {
    var device = HandmadeDevice("twin-bbbbbbbb")
    let lines = [device.join(user: "ada"), device.event()]
    try await place.give(lines)
    let points = [
      device.id: HistoryPoint(sequence: 2, checksum: ForkedDevice.checksum(lines[1]))
    ]
    let reissue = Reissue(
      device: device.id, original: EventID("twin-aaaaaaaa:4")!,
      checksum: LineChecksum(line: 1, chain: 2))
    place.state(points, by: "settler-aaaaaaaa", reissues: [reissue])
    let before = Set(place.frontiers)
    let desk = try await place.device("desk")
    try await tidyUp(with: desk)
    let left = Set(place.frontiers).intersection(before)
    #expect(left.contains { $0.hasPrefix("settler-") })
  }
}
