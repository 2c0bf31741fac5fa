import EventLogTesting

@testable import EventLog

/// A device whose lines a test writes by hand.
///
/// It is a value: a copy of it that goes on is a fork.
struct HandmadeDevice {
  let id: DeviceID
  private var sequence: Int64 = 0
  private var chain: UInt32 = 0

  init(_ id: String) { self.id = DeviceID(id)! }

  /// The last event.
  ///
  /// - Precondition: it has joined.
  var tip: FullEventID { FullEventID(device: id, sequence: sequence, chain: chain) }

  /// The first line, without its LF.
  mutating func join(user: String) -> [UInt8] {
    write("device.joined", nil, ["user": .string(user), "name": "handmade"])
  }

  /// A further line, which changes a setting.
  mutating func event(
    text: String = "text", seeing seen: [FullEventID] = [], more: Bool = false
  ) -> [UInt8] {
    write("settings.changed", nil, ["text": .string(text)], seeing: seen, more: more)
  }

  /// A further line.
  ///
  /// - Parameter at: in seconds behind some moment.
  mutating func write(
    _ type: String, _ entity: String? = nil, _ data: KeyValuePairs<String, JSONValue> = [:],
    at: Int64 = 0, seeing seen: [FullEventID] = [], more: Bool = false
  ) -> [UInt8] {
    var writer = EventLineWriter(after: chain)
    sequence += 1
    writer.write(
      id: EventID(device: id, sequence: sequence),
      at: Timestamp(trusted: 1_700_000_000_000 + at * 1000), type: type,
      entity: entity.map { EntityID($0)! }, seen: seen.sorted(), more: more,
      data: JSONObject(data.map { .init(name: $0.key, value: $0.value) }))
    chain = writer.checksum.chain
    var line = writer.bytes
    line.removeLast()
    return line
  }

  /// A line of a spelling of its own: what its checksum covers, without the end.
  mutating func respelled(_ covered: String) -> [UInt8] {
    sequence += 1
    let checksum = LineChecksum.of(covered: Array(covered.utf8), after: chain)
    chain = checksum.chain
    return Array("\(covered),\"crc\":\"\(checksum)\"}".utf8)
  }

  /// The same line as one that goes on from another event.
  static func forging(_ line: [UInt8], before: UInt32) -> [UInt8] {
    let covered = Array(line.dropLast(26))
    return covered + Array(",\"crc\":\"\(LineChecksum.of(covered: covered, after: before))\"}".utf8)
  }
}

extension ReachableRemote {
  /// Writes lines to the remote, as an initiator that holds them would.
  ///
  /// - Parameter missing: what the initiator lacks.
  @discardableResult
  func give(
    _ lines: [[UInt8]], of user: String, lacking missing: [EventRange] = []
  ) async throws -> ReceiveResult {
    var batch = LineBatch()
    for line in lines { batch.add(line) }
    let histories = HandmadeHistories(lines)
    let statement = FrontierStatement(user: user, tips: histories.tips, missing: missing)
    let session = try await connect(RemoteVisit(user: user, device: DeviceID("giver-aaaaaaaa")))
    _ = try await session.statement(to: statement, histories)
    try await session.announce(statement)
    let result = try await session.write(batch)
    try await session.finish()
    return result
  }
}
