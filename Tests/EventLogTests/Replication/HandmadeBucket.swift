import EventLogCollections
import EventLogTesting

@testable import EventLog
@testable import EventLogRemotes

/// A remote whose objects a test writes by hand, and the devices that sync with it.
struct HandmadeBucket {
  let storage = MemoryStorage(pageCount: 100)
  var remote: ObjectRemote { ObjectRemote(storage, random: .seeded(7)) }

  var ranges: [String] { storage.names.filter { $0.hasSuffix(".jsonl") } }
  var frontiers: [String] { storage.names.filter { $0.hasSuffix(".json") } }

  /// The names of the ranges of a device.
  func ranges(of device: HandmadeDevice) -> [String] {
    ranges.filter { RangeName($0)?.range.device == device.id }
  }

  /// Adds lines as a writer that holds nothing else. Other objects stay unchanged.
  func give(_ lines: [[UInt8]], by writer: String = "giver", of user: String = "ada") async throws {
    let other = MemoryStorage()
    try await ObjectRemote(other).give(lines, of: user)
    for (name, bytes) in other.objects {
      storage.objects[name.replacing("giver-", with: "\(writer)-")] = bytes
    }
  }

  /// Puts one object with consecutive lines of one device.
  ///
  /// - Returns: Its name.
  @discardableResult
  func put(_ lines: some Sequence<[UInt8]>, addition: String = "") -> String {
    let lines = Array(lines)
    let first = ForkedDevice.event(lines[0])
    let range = EventRange(from: first.sequence, to: ForkedDevice.event(lines.last!))
    let name = RangeName(range, ForkedDevice.checksum(lines.last!), addition: addition).text
    storage.objects[name] = lines.flatMap { $0 + [0x0A] }
    return name
  }

  /// Adds a frontier.
  func state(
    _ tips: [FullEventID], missing: [EventRange] = [], of user: String = "ada",
    adopting adopted: [String] = [], by writer: String = "giver-aaaaaaaa", number: Int64 = 1
  ) {
    let content = FrontierObject.content(
      FrontierStatement(user: user, adoptedUsers: adopted, tips: tips, missing: missing))
    storage.objects[FrontierName(DeviceID(writer)!, number, content: content).text] = content
  }

  /// The frontiers of the remote.
  var stated: [FrontierStatement] {
    frontiers.compactMap { text in
      FrontierName(text).flatMap { FrontierObject($0, storage.objects[text]!)?.statement }
    }
  }

  /// A device that has created `edits` meals and holds `lines` of other devices.
  func device(_ name: String, edits: Int = 1, holding lines: [[UInt8]] = []) async throws
    -> TemporaryStore
  {
    let device = try await TemporaryStore(device: name, records: Meal.self, catalog: .standard)
    for number in 0..<edits {
      _ = try await device.create(Meal.self, key: "\(name)-\(number)") { $0.kcal = number }
    }
    if !lines.isEmpty {
      try await JournalRemote(path: device.store.path, options: .init(user: "ada"))
        .give(lines, of: "ada")
    }
    return device
  }
}

extension TemporaryStore {
  /// The sequences of a device's held events.
  func sequences(of device: DeviceID) throws -> [Int64] {
    try events().filter { $0.id.device == device }.map(\.id.sequence)
  }
}
