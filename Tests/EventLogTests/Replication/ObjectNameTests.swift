import EventLogTesting
import Testing

@testable import EventLog

/// Names of objects, made up by anybody.
@Suite struct ObjectNameTests {
  private let place = HandmadePlace()

  @Test func `a number is the one behind the greatest, or else any that is free`() {
    #expect(FrontierName.number(besides: []) == 1)
    #expect(FrontierName.number(besides: [1, 7]) == 8)
    #expect(FrontierName.number(besides: [LineLimits.sequenceMax]) == 1)
    #expect(FrontierName.number(besides: [1, 2, 4, LineLimits.sequenceMax]) == 3)
  }

  @Test(arguments: [
    "9223372036854775807", "9223372036854775808", "9007199254740992", "0", "-1", "01", "1e3",
  ])
  func `a number that cannot be counted on from is none`(number: String) {
    #expect(FrontierName("a-aaaaaaaa_frontier_\(number)_00000000.json") == nil)
    #expect(FrontierName("a-aaaaaaaa_frontier_9007199254740991_00000000.json") != nil)
  }

  @Test(arguments: [Int64.max, LineLimits.sequenceMax])
  func `a frontier with the highest number stops nobody`(number: Int64) async throws {
    let phone = try await place.device("phone")
    place.state([:], by: try #require(phone.deviceID).text, number: number)
    #expect(try await phone.sync(with: place.remote).pushedCount == 2)
    _ = try await phone.create(Meal.self, key: "second")
    #expect(try await phone.sync(with: place.remote).pushedCount == 1)
    let tablet = try await place.device("tablet")
    #expect(try await tablet.sync(with: place.remote, .pull).pulledCount == 3)
  }

  @Test func `more events than can be counted stop nobody`() async throws {
    var points: [DeviceID: HistoryPoint] = [:]
    let checksum = LineChecksum(line: 1, chain: 2)
    for number in 0..<1_100 {
      let device = DeviceID("x\(number)-aaaaaaaa")!
      points[device] = HistoryPoint(sequence: LineLimits.sequenceMax, checksum: checksum)
      let range = EventRange(device: device, first: 1, last: LineLimits.sequenceMax)
      place.storage.objects[RangeName(range, checksum).text] = []
    }
    place.state(points)
    try await place.give([[UInt8]](Self.sound()), by: "sound")
    let phone = try await place.device("phone")
    var isCounted = false
    for try await progress in phone.store.replication(with: place.remote) {
      if case .pulled(2, let total) = progress { isCounted = total == .max }
    }
    #expect(isCounted)
  }

  private static func sound() -> [[UInt8]] {
    var device = HandmadeDevice("sound-aaaaaaaa")
    return [device.join(user: "ada"), device.event()]
  }

  @Test func `an object that is said to be longer than any is passed over`() async throws {
    let phone = try await place.device("phone")
    try await phone.sync(with: place.remote)
    let boasting = BoastingStorage(base: place.storage)
    let tablet = try await place.device("tablet")
    #expect(try await tablet.sync(with: ObjectRemote(boasting)).pulled.isEmpty)
    #expect(try await phone.sync(with: ObjectRemote(boasting)).pushedCount == 2)
  }

  /// Says that ranges are as long as can be said.
  private struct BoastingStorage: ObjectStorage {
    let base: MemoryStorage
    var address: String { base.address }

    func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
      try await base.put(name, bytes)
    }

    func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
      try await base.list(after: name).map { object in
        let isRange = RangeName(object.name) != nil
        return StoredObject(name: object.name, byteCount: isRange ? .max : object.byteCount)
      }
    }

    func read(_ name: String) async throws(EventLogError) -> [UInt8]? { try await base.read(name) }
    func remove(_ name: String) async throws(EventLogError) { try await base.remove(name) }
  }

  @Test func `names that only some readers take for the same are two`() throws {
    let text = "a-aaaaaaaa_1-2_0123456789abcdef"
    let (composed, decomposed) = (
      try #require(RangeName("\(text) caf\u{E9}.jsonl")),
      try #require(RangeName("\(text) cafe\u{301}.jsonl"))
    )
    #expect(composed != decomposed && composed.range == decomposed.range)
    #expect(Set([composed, decomposed]).count == 2)
  }
}
