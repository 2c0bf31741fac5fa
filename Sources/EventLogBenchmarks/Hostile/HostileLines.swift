import EventLog

/// Lines that any writer of a journal could write: each is valid by itself.
struct HostileLines {
  /// One history of a device.
  struct Writer {
    let device: DeviceID
    private(set) var end: FullEventID?

    init(_ name: String) { device = DeviceID(name)! }

    fileprivate mutating func advance(to chain: UInt32) {
      end = FullEventID(device: device, sequence: (end?.sequence ?? 0) + 1, chain: chain)
    }
  }

  private(set) var bytes: [UInt8] = []
  private var time: Int64 = 1_767_254_400_000

  /// Writes the first event of a device.
  mutating func join(_ name: String, as user: String = "ada", seen: [FullEventID] = []) -> Writer {
    var writer = Writer("\(name)-aaaaaaaa")
    write(&writer, "device.joined", seen: seen, ["user": .string(user), "name": .string(name)])
    return writer
  }

  mutating func write(
    _ writer: inout Writer, _ type: String, on entity: String? = nil, seen: [FullEventID] = [],
    more: Bool = false, _ data: JSONObject = [:]
  ) {
    time += 1000
    let sequence = (writer.end?.sequence ?? 0) + 1
    var lines = EventLineWriter(after: writer.end?.chain ?? 0)
    lines.write(
      id: EventID(device: writer.device, sequence: sequence), at: Timestamp(milliseconds: time)!,
      type: type, entity: entity.map { EntityID($0)! }, seen: seen.sorted(), more: more,
      data: data)
    bytes += lines.bytes
    writer.advance(to: lines.checksum.chain)
  }

  /// Writes the bytes before `,"crc"`, for a line of a later version or in another spelling.
  mutating func write(_ writer: inout Writer, covered: (Int64) -> String) {
    let covered = Array(covered((writer.end?.sequence ?? 0) + 1).utf8)
    let checksum = LineChecksum.of(covered: covered, after: writer.end?.chain ?? 0)
    bytes += covered + Array(#","crc":"\#(checksum.description)"}"#.utf8) + [0x0A]
    writer.advance(to: checksum.chain)
  }

  /// Writes bytes that aren't a line of a journal.
  mutating func write(raw: some Sequence<UInt8>) { bytes += raw }

  /// Reverses the order of the lines from `start` on.
  mutating func reverse(from start: Int) {
    let lines = bytes[start...].split(separator: 0x0A)
    bytes.replaceSubrange(start..., with: lines.reversed().flatMap { $0 + [0x0A] })
  }
}
