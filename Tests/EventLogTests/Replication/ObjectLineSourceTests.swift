import EventLogTesting
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// The order of a remote's events, the events that wait, and reads while the remote changes.
@Suite struct ObjectLineSourceTests {
  private let bucket = HandmadeBucket()

  /// The batches of events that a run receives if it holds `lines`.
  private func batches(
    holding lines: [[UInt8]] = [], user: String? = nil, adopted: [String] = []
  ) async throws -> [[FullEventID]] {
    let session = try await bucket.remote.connect(SyncRequest(user: user))
    let own = HandmadeHistories(lines)
    let initiator = FrontierStatement(user: user, adoptedUsers: adopted, tips: own.tips)
    let stated = try await session.statement(to: initiator, own)
    let ranges = stated.tips.filter { !own.tips.contains($0) }.map { EventRange(from: 1, to: $0) }
    let source = try await session.read(ranges)
    var batches: [[FullEventID]] = []
    while let batch = try await source.next() {
      batches.append(
        batch.bytes.split(separator: 0x0A).map { ForkedDevice.event(Array($0)) })
    }
    return batches
  }

  private func events(
    holding lines: [[UInt8]] = [], user: String? = nil, adopted: [String] = []
  ) async throws -> [String] {
    try await batches(holding: lines, user: user, adopted: adopted).joined()
      .map(\.shortID.description)
  }

  /// The sequences of `device` after a pull by another device that holds `lines`.
  private func taken(of device: HandmadeDevice, holding lines: [[UInt8]] = []) async throws
    -> [Int64]
  {
    let desk = try await bucket.device("desk", holding: lines)
    let report = try await desk.sync(with: bucket.remote, .pull)
    #expect(report.refused == [])
    return try desk.sequences(of: device.id).sorted()
  }

  // MARK: - Order

  @Test func `an event comes after all events that it has seen`() async throws {
    var (one, two) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("b-bbbbbbbb"))
    let (joined, other) = (one.join(user: "ada"), two.join(user: "ada"))
    let second = one.event(seeing: [two.tip])
    let third = two.event(seeing: [one.tip])
    bucket.put([joined, second, one.event(seeing: [two.tip])])
    bucket.put([other, third])
    #expect(
      try await events() == [
        "a-aaaaaaaa:1", "b-bbbbbbbb:1", "a-aaaaaaaa:2", "b-bbbbbbbb:2", "a-aaaaaaaa:3",
      ])
  }

  @Test func `an event that has seen an event of the initiator is received`() async throws {
    var (one, two) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("b-bbbbbbbb"))
    let own = [one.join(user: "ada"), one.event()]
    bucket.put([two.join(user: "ada"), two.event(seeing: [one.tip])])
    #expect(try await taken(of: two, holding: own) == [1, 2])
    #expect(try await taken(of: two) == [1])
  }

  @Test func `events that need an event announced as missing are received`() async throws {
    var (one, two) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("b-bbbbbbbb"))
    var lines = [one.join(user: "ada"), one.event()]
    bucket.put(lines)
    lines = [one.event(), one.event()]
    let lost = EventRange(from: 3, to: one.tip)
    bucket.put([one.event()])
    bucket.put([two.join(user: "ada"), two.event(seeing: [lost.end])])
    #expect(try await taken(of: one) == [1, 2])
    #expect(try await taken(of: two) == [1])
    bucket.state([one.tip, two.tip], missing: [lost])
    #expect(try await taken(of: one) == [1, 2, 5])
    #expect(try await taken(of: two) == [1, 2])
    // The missing events are received once the remote holds them.
    bucket.put(lines)
    #expect(try await events().count == 7)
  }

  @Test func `the common events of two histories come once`() async throws {
    let twin = ForkedDevice(common: 4, left: 3, right: 2)
    bucket.put(twin.common.prefix(2))
    bucket.put(twin.common.dropFirst(2) + twin.left)
    bucket.put(twin.common.dropFirst(3) + twin.right)
    bucket.put(twin.common + twin.right)
    let all = Set((twin.common + twin.left + twin.right).map(ForkedDevice.event))
    let found = try await batches().flatMap { $0 }
    #expect(found.count == 9 && Set(found) == all)
  }

  @Test func `an adoption comes before the events of the adopted user`() async throws {
    // Sorted by name, the guest comes first.
    var (guest, own) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("b-bbbbbbbb"))
    bucket.put([guest.join(user: "guest"), guest.event()])
    bucket.put([own.join(user: "ada"), own.event()])
    bucket.state([guest.tip, own.tip], adopting: ["guest"])
    #expect(
      try await events(user: "ada") == [
        "b-bbbbbbbb:1", "b-bbbbbbbb:2", "a-aaaaaaaa:1", "a-aaaaaaaa:2",
      ])
  }

  // MARK: - Batches

  @Test func `a batch comes as a whole, after all events that it has seen`() async throws {
    var (one, two) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("b-bbbbbbbb"))
    let joined = two.join(user: "ada")
    bucket.put(
      [one.join(user: "ada"), one.event(more: true), one.event(seeing: [two.tip], more: true)]
        + [one.event()])
    #expect(try await taken(of: one) == [1])
    bucket.put([joined])
    #expect(try await events().suffix(3) == ["a-aaaaaaaa:2", "a-aaaaaaaa:3", "a-aaaaaaaa:4"])
    #expect(try await taken(of: one) == [1, 2, 3, 4])
  }

  @Test func `a batch of events isn't split between two reads`() async throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    var lines = [device.join(user: "ada")]
    for _ in 0..<3 { lines += (1...1_500).map { device.event(more: $0 < 1_500) } }
    bucket.put(lines)
    #expect(try await batches().map(\.count) == [3_001, 1_500])
  }

  @Test func `a batch whose end is absent isn't received`() async throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    bucket.put([device.join(user: "ada"), device.event(), device.event(more: true)])
    let (cut, end) = (device.tip, device.event())
    #expect(try await events() == ["a-aaaaaaaa:1", "a-aaaaaaaa:2"])
    // It is received if a frontier states its last event as a tip, or the rest as missing.
    bucket.state([cut])
    #expect(try await events().last == "a-aaaaaaaa:3")
    bucket.storage.objects = bucket.storage.objects.filter { $0.key.hasSuffix(".jsonl") }
    bucket.state([], missing: [EventRange(from: 4, to: device.tip)])
    #expect(try await events().last == "a-aaaaaaaa:3")
    _ = end
  }

  // MARK: - A changing remote

  /// A storage that changes before the nth read of a range.
  private final class ChangingStorage: ObjectStorage {
    private let base: MemoryStorage
    private let change: @Sendable (MemoryStorage) -> Void
    private let rest: Mutex<Int>
    var address: String { base.address }

    init(
      _ base: MemoryStorage, at count: Int, _ change: @escaping @Sendable (MemoryStorage) -> Void
    ) {
      self.base = base
      self.change = change
      rest = Mutex(count)
    }

    func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
      try await base.put(name, bytes)
    }

    func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
      try await base.list(after: name)
    }

    func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
      if RangeName(name) != nil {
        let isTime = rest.withLock { rest in
          rest -= 1
          return rest == 0
        }
        if isTime { change(base) }
      }
      return try await base.read(name)
    }

    func remove(_ name: String) async throws(EventLogError) { try await base.remove(name) }
  }

  @Test(arguments: [2, 4])
  func `ranges merged after the listing are found in the merged object`(count: Int) async throws {
    // Too large to stay cached after the first read.
    var device = HandmadeDevice("twin-aaaaaaaa")
    let long = String(repeating: "long ", count: 100_000)
    let lines = [device.join(user: "ada")] + (0..<41).map { _ in device.event(text: long) }
    bucket.put(lines[..<20])
    bucket.put(lines[20..<40])
    let desk = try await bucket.device("desk")
    let whole = HandmadeBucket()
    whole.put(lines)
    let objects = whole.storage.objects
    let storage = ChangingStorage(bucket.storage, at: count) { $0.objects = objects }
    let report = try await desk.sync(with: ObjectRemote(storage), .pull)
    // If events were already received, the next run reads the rest.
    #expect(report.pulledCount == (count == 2 ? 42 : 20))
    #expect(report.pending.map(\.last) == (count == 2 ? [] : [40]))
    let rest = try await desk.sync(with: bucket.remote, .pull)
    #expect(rest.pulledCount == 42 - report.pulledCount && rest.pending.isEmpty)
  }
}
