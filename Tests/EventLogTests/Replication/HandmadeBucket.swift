import EventLogCollections
import EventLogTesting

@testable import EventLog

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
  /// - Returns: its name.
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

/// A device with a fork: two copies have continued its history.
struct ForkedDevice {
  /// The lines that both copies hold, from the join event on.
  let common: [[UInt8]]
  let left: [[UInt8]]
  let right: [[UInt8]]
  let id: DeviceID
  /// The last common event.
  var fork: FullEventID { Self.event(common.last!) }

  init(_ id: String = "twin-aaaaaaaa", common: Int, left: Int, right: Int) {
    var one = HandmadeDevice(id)
    self.id = one.id
    self.common = [one.join(user: "ada")] + (1..<common).map { _ in one.event() }
    var other = one
    self.left = (0..<left).map { one.event(text: "left \($0)") }
    self.right = (0..<right).map { other.event(text: "right \($0)") }
  }

  /// The checksum of a line.
  static func checksum(_ line: [UInt8]) -> LineChecksum { sealedTail(of: line)! }

  /// The full ID of a line.
  static func event(_ line: [UInt8]) -> FullEventID {
    guard case .object(let object)? = try? JSONValue(parsing: line),
      case .string(let text)? = object["id"], let id = EventID(text)
    else { preconditionFailure("A line that a test has written is none.") }
    return FullEventID(device: id.device, sequence: id.sequence, chain: checksum(line).chain)
  }
}

extension TemporaryStore {
  /// The sequences of a device's held events.
  func sequences(of device: DeviceID) throws -> [Int64] {
    try events().filter { $0.id.device == device }.map(\.id.sequence)
  }
}
