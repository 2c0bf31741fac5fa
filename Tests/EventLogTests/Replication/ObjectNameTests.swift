import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// Names of objects, including names that Eventlog never writes.
@Suite struct ObjectNameTests {
  private let bucket = HandmadeBucket()

  // MARK: - Devices

  @Test(arguments: [
    ("phone-k3f9a2xq", "phone-k3f9a2xq"), ("a_b_1-2", "a_b_1-2"), (".phone", "~.phone"),
    ("..", "~.."), ("-", "-"), ("_", "_"), ("a.b", "a.b"),
  ])
  func `an object's name escapes a device that begins with a dot and keeps all others`(
    device: String, spelled: String
  ) throws {
    let checksum = try #require(LineChecksum(text: "0123456789abcdef".utf8))
    let end = FullEventID(device: DeviceID(device)!, sequence: 9, chain: checksum.chain)
    let range = RangeName(EventRange(from: 3, to: end), checksum)
    #expect(range.text == "\(spelled)_3-9_0123456789abcdef.jsonl")
    #expect(RangeName(range.text) == range)
    #expect(range.range.end == end && range.checksum.before == 0x0123_4567)
    let frontier = FrontierName(DeviceID(device)!, 7, content: [])
    #expect(frontier.text == "\(spelled)_frontier_7_00000000.json")
    #expect(FrontierName(frontier.text)?.writer == DeviceID(device))
  }

  @Test(arguments: [".phone", "~phone", "~~.phone", "~", ""])
  func `an object with another spelling of its device is ignored`(spelled: String) {
    #expect(RangeName("\(spelled)_3-9_0123456789abcdef.jsonl") == nil)
    #expect(FrontierName("\(spelled)_frontier_7_00000000.json") == nil)
  }

  @Test func `a sync transfers the events of a device that begins with a dot`() async throws {
    let folder = try TemporaryFolder()
    let remote = FolderRemote(path: folder.file("Shared"))
    var device = HandmadeDevice(".phone")
    let lines = [device.join(user: "ada"), device.event()]
    let desk = try await bucket.device("desk", holding: lines)
    try await desk.sync(with: remote)
    let tablet = try await bucket.device("tablet")
    #expect(try await tablet.sync(with: remote, .pull).pulledCount == 4)
    #expect(try tablet.sequences(of: device.id) == [1, 2])
  }

  // MARK: - Numbers

  @Test func `a new frontier's number is the largest plus one, or else the smallest free one`() {
    #expect(FrontierName.number(excluding: []) == 1)
    #expect(FrontierName.number(excluding: [1, 7]) == 8)
    #expect(FrontierName.number(excluding: [LineLimits.sequenceMax]) == 1)
    #expect(FrontierName.number(excluding: [1, 2, 4, LineLimits.sequenceMax]) == 3)
  }

  @Test(arguments: [
    "9223372036854775807", "9223372036854775808", "9007199254740992", "0", "-1", "01", "1e3",
  ])
  func `a frontier with an invalid number is ignored`(number: String) {
    #expect(FrontierName("a-aaaaaaaa_frontier_\(number)_00000000.json") == nil)
    #expect(FrontierName("a-aaaaaaaa_frontier_9007199254740991_00000000.json") != nil)
  }

  @Test(arguments: [Int64.max, LineLimits.sequenceMax])
  func `a frontier with the highest number doesn't prevent a sync`(number: Int64) async throws {
    let phone = try await bucket.device("phone")
    bucket.state([], by: try #require(phone.deviceID).text, number: number)
    #expect(try await phone.sync(with: bucket.remote).pushedCount == 2)
    _ = try await phone.create(Meal.self, key: "second")
    #expect(try await phone.sync(with: bucket.remote).pushedCount == 1)
    let tablet = try await bucket.device("tablet")
    #expect(try await tablet.sync(with: bucket.remote, .pull).pulledCount == 3)
  }

  @Test func `ranges of more events than can be counted don't prevent a sync`() async throws {
    var tips: [FullEventID] = []
    let checksum = LineChecksum(before: 1, chain: 2)
    for number in 0..<1_100 {
      let device = DeviceID("x\(number)-aaaaaaaa")!
      let tip = FullEventID(device: device, sequence: LineLimits.sequenceMax, chain: 2)
      tips.append(tip)
      bucket.storage.objects[RangeName(EventRange(from: 1, to: tip), checksum).text] = []
    }
    bucket.state(tips)
    var sound = HandmadeDevice("sound-aaaaaaaa")
    bucket.put([sound.join(user: "ada"), sound.event()])
    let phone = try await bucket.device("phone")
    let report = try await phone.sync(with: bucket.remote, .pull)
    #expect(report.pulledCount == 2 && report.pending.count == 1_100)
    #expect(report.pending.saturatingCount == .max)
  }

  // MARK: - Other names

  @Test func `an object with an impossible size is ignored`() async throws {
    let phone = try await bucket.device("phone")
    try await phone.sync(with: bucket.remote)
    let boasting = BoastingStorage(base: bucket.storage)
    let tablet = try await bucket.device("tablet")
    #expect(try await tablet.sync(with: ObjectRemote(boasting)).pulled.isEmpty)
    #expect(try await phone.sync(with: ObjectRemote(boasting)).pushedCount == 2)
  }

  /// A storage that reports the largest possible size for each range.
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

  @Test func `two names that differ only in their Unicode normalization are different`() throws {
    let text = "a-aaaaaaaa_1-2_0123456789abcdef"
    let (composed, decomposed) = (
      try #require(RangeName("\(text) caf\u{E9}.jsonl")),
      try #require(RangeName("\(text) cafe\u{301}.jsonl"))
    )
    #expect(composed != decomposed && composed.range == decomposed.range)
    #expect(Set([composed, decomposed]).count == 2)
  }
}
