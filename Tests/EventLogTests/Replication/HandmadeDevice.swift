import EventLogTesting

@testable import EventLog

/// A device whose lines a test writes by hand.
struct HandmadeDevice {
  let id: DeviceID
  private var sequence: Int64 = 0
  private var chain: UInt32 = 0

  init(_ id: String) { self.id = DeviceID(id)! }

  /// The first line, without its LF.
  mutating func join(user: String) -> [UInt8] {
    line(
      "device.joined",
      [.init(name: "user", value: .string(user)), .init(name: "name", value: "handmade")], [:])
  }

  /// A further line, which changes a setting.
  mutating func event(text: String = "text", seeing seen: [String: Int64] = [:]) -> [UInt8] {
    line("settings.changed", [.init(name: "text", value: .string(text))], seen)
  }

  private mutating func line(
    _ type: String, _ data: [JSONObject.Member], _ seen: [String: Int64]
  ) -> [UInt8] {
    var writer = EventLineWriter(after: chain)
    sequence += 1
    writer.write(
      id: EventID(device: id, sequence: sequence), at: Timestamp(trusted: 1_700_000_000_000),
      type: type, entity: nil,
      seen: seen.map { (DeviceID($0.key)!, $0.value) }.sorted { $0.0 < $1.0 },
      data: JSONObject(data))
    chain = writer.checksum.chain
    return writer.bytes.dropLast()
  }

  /// The same line with other chain digits.
  static func forging(_ line: [UInt8], chain: UInt32) -> [UInt8] {
    let digits = LineChecksum(line: 0, chain: chain).digits.suffix(8)
    return Array(line.prefix(line.count - 10)) + digits + Array(line.suffix(2))
  }

  /// The last event of each device in these lines.
  static func points(of lines: [[UInt8]]) -> [DeviceID: HistoryPoint] {
    var points = PointCollector()
    var scanner = LineScanner()
    scanner.scanLines(Array(lines.joined(separator: [0x0A])), into: &points)
    return points.points
  }

  /// A line of a spelling of its own: what is covered by its checksum, without the end.
  mutating func respelled(_ covered: String) -> [UInt8] {
    sequence += 1
    let checksum = LineChecksum.of(covered: Array(covered.utf8), after: chain)
    chain = checksum.chain
    return Array("\(covered),\"crc\":\"\(checksum)\"}".utf8)
  }
}

extension Remote {
  /// Writes lines to the remote, as a visitor that holds them would.
  func give(_ lines: [[UInt8]], of user: String) async throws {
    var batch = LineBatch()
    for line in lines { batch.add(line) }
    var points = PointCollector()
    var scanner = LineScanner()
    scanner.scanLines(batch.bytes, into: &points)
    let session = try await connect(RemoteVisit(user: user, device: DeviceID("giver-aaaaaaaa")))
    _ = try await session.statement(to: points)
    try await session.announce(FrontierStatement(user: user, frontier: points.points))
    _ = try await session.write(batch)
    try await session.finish()
  }
}

/// The last event of each device.
private struct PointCollector: LineSink, DeviceHistories {
  var points: [DeviceID: HistoryPoint] = [:]
  private var checksums: [EventID: LineChecksum] = [:]

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let device = DeviceID(trusted: canonical.text(layout.device))
    points[device] = HistoryPoint(sequence: layout.sequence, checksum: layout.checksum)
    checksums[EventID(device: device, sequence: layout.sequence)] = layout.checksum
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}

  func checksum(of event: EventID) async throws(EventLogError) -> LineChecksum? {
    checksums[event]
  }
}
