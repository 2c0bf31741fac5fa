package import EventLog

/// A device whose lines a test writes one by one, each without its LF.
///
/// It is a value: if a copy of it also writes, the device has a fork.
package struct HandmadeDevice {
  package let id: DeviceID
  private var sequence: Int64
  private var chain: UInt32

  /// A device that has not joined.
  ///
  /// - Precondition: the ID is valid.
  package init(_ id: String) { self.init(DeviceID(id)!, after: nil) }

  /// A device whose next line follows one of its events.
  package init(_ id: DeviceID, after event: FullEventID?) {
    self.id = id
    sequence = event?.sequence ?? 0
    chain = event?.chain ?? 0
  }

  /// The last event.
  ///
  /// - Precondition: it has joined.
  package var tip: FullEventID { FullEventID(device: id, sequence: sequence, chain: chain) }

  /// The first line.
  package mutating func join(user: String, name: String = "handmade", at: Int64 = 0) -> [UInt8] {
    write(
      "device.joined", nil, ["user": .string(user), "name": .string(name)], at: at)
  }

  /// The next line, which changes a setting.
  package mutating func event(
    text: String = "text", seeing seen: [FullEventID] = [], more: Bool = false
  ) -> [UInt8] {
    write("settings.changed", nil, ["text": .string(text)], seeing: seen, more: more)
  }

  /// The next line.
  ///
  /// - Parameter at: Seconds after the time of the other lines.
  package mutating func write(
    _ type: String, _ entity: String? = nil, _ data: KeyValuePairs<String, JSONValue> = [:],
    at: Int64 = 0, seeing seen: [FullEventID] = [], more: Bool = false
  ) -> [UInt8] {
    write(
      type, entity, JSONObject(data.map { .init(name: $0.key, value: $0.value) }),
      at: Timestamp(milliseconds: 1_700_000_000_000 + at * 1000)!, seeing: seen, more: more)
  }

  /// The next line.
  package mutating func write(
    _ type: String, _ entity: String? = nil, _ data: JSONObject, at: Timestamp,
    seeing seen: [FullEventID] = [], more: Bool = false
  ) -> [UInt8] {
    var writer = EventLineWriter(after: chain)
    sequence += 1
    writer.write(
      id: EventID(device: id, sequence: sequence), at: at, type: type,
      entity: entity.map { EntityID($0)! }, seen: seen.sorted(), more: more, data: data)
    chain = writer.checksum.chain
    return writer.bytes.dropLast()
  }

  /// The next line in any spelling, from its text without the checksum and the last brace.
  package mutating func respelled(_ covered: String) -> [UInt8] {
    let line = sealed(covered, after: chain)
    sequence += 1
    chain = sealedTail(of: line)!.chain
    return line
  }

  /// The same line, sealed as the successor of another event.
  package static func forging(_ line: [UInt8], before: UInt32) -> [UInt8] {
    sealed(line.dropLast(sealedTailBytes), after: before)
  }
}
