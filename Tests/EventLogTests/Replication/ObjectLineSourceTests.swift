import EventLogTesting
import Synchronization
import Testing

@testable import EventLog

/// What becomes of a reading while the place changes.
@Suite struct ObjectLineSourceTests {
  private let place = HandmadePlace()

  /// A place that changes when a range is read for the first time.
  private final class ChangingStorage: ObjectStorage {
    private let base: MemoryStorage
    private let change: @Sendable (MemoryStorage, String) -> Void
    private let isChanged = Mutex(false)
    var address: String { base.address }

    init(_ base: MemoryStorage, _ change: @escaping @Sendable (MemoryStorage, String) -> Void) {
      self.base = base
      self.change = change
    }

    func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
      try await base.put(name, bytes)
    }

    func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
      try await base.list(after: name)
    }

    func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
      let isFirst = isChanged.withLock { isChanged in
        defer { isChanged = isChanged || RangeName(name) != nil }
        return !isChanged && RangeName(name) != nil
      }
      if isFirst { change(base, name) }
      return try await base.read(name)
    }

    func remove(_ name: String) async throws(EventLogError) { try await base.remove(name) }
  }

  /// One object with some lines.
  private static func object(
    _ device: DeviceID, from first: Int, _ lines: [[UInt8]]
  ) -> (name: String, bytes: [UInt8]) {
    let range = EventRange(
      device: device, first: Int64(first), last: Int64(first + lines.count - 1))
    return (
      RangeName(range, ForkedDevice.checksum(lines.last!)).text,
      lines.flatMap { $0 + [0x0A] }
    )
  }

  private func put(_ device: DeviceID, from first: Int, _ lines: [[UInt8]]) {
    let object = Self.object(device, from: first, lines)
    place.storage.objects[object.name] = object.bytes
  }

  private func state(_ device: DeviceID, _ lines: [[UInt8]], by writer: String) {
    place.state(
      [
        device: HistoryPoint(
          sequence: Int64(lines.count), checksum: ForkedDevice.checksum(lines.last!))
      ], by: writer)
  }

  @Test func `what was joined since the look is found in the whole`() async throws {
    let twin = ForkedDevice(common: 6, left: 2, right: 1)
    put(twin.id, from: 1, Array(twin.common.prefix(3)))
    put(twin.id, from: 4, Array(twin.common.dropFirst(3)))
    state(twin.id, twin.common, by: "one-aaaaaaaa")
    let desk = try await place.device("desk")
    // The whole holds more than had been said.
    let whole = Self.object(twin.id, from: 1, twin.common + twin.left)
    let storage = ChangingStorage(place.storage) { storage, _ in
      storage.objects = storage.objects.filter { !$0.key.hasPrefix("twin-") }
      storage.objects[whole.name] = whole.bytes
    }
    let report = try await desk.sync(with: ObjectRemote(storage), .pull)
    #expect(report.pulledCount == 6 && report.pending.isEmpty)
  }

  @Test func `what has come since the look, and was not compared, is not taken`() async throws {
    let twin = ForkedDevice(common: 3, left: 3, right: 6)
    put(twin.id, from: 1, twin.common)
    put(twin.id, from: 4, twin.left)
    state(twin.id, twin.common + twin.left, by: "one-aaaaaaaa")
    let desk = try await place.device("desk")
    let parts = [
      Self.object(twin.id, from: 4, Array(twin.right.prefix(2))),
      Self.object(twin.id, from: 4, twin.right),
    ]
    let other = HandmadePlace()
    other.state(
      [
        twin.id: HistoryPoint(sequence: 9, checksum: ForkedDevice.checksum(twin.right.last!))
      ], by: "two-aaaaaaaa")
    let frontiers = other.storage.objects
    let storage = ChangingStorage(place.storage) { storage, name in
      storage.objects[name] = nil
      for part in parts { storage.objects[part.name] = part.bytes }
      storage.objects.merge(frontiers) { $1 }
      // It comes back under another name, as by a program that synchronizes folders.
      let copy = Self.object(twin.id, from: 1, twin.common)
      storage.objects[copy.name.replacing(".jsonl", with: " 2.jsonl")] = copy.bytes
    }
    _ = try await desk.sync(with: ObjectRemote(storage), .pull)
    let lines = Set(try desk.lines().map { Array($0.utf8) })
    #expect(lines.isSuperset(of: twin.common))
    #expect(lines.isDisjoint(with: twin.right))
    #expect(try await desk.sync(with: place.remote, .pull).forks == [twin.fork])
  }
}
