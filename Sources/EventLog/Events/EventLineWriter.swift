/// Writes events as canonical lines.
package struct EventLineWriter {
  /// The lines written so far, each with its LF.
  package private(set) var bytes: [UInt8] = []
  /// The checksum of the last line.
  package private(set) var checksum: LineChecksum

  /// Continues a history after the event with this chain; 0 starts one.
  package init(after chain: UInt32) {
    checksum = LineChecksum(before: 0, chain: chain)
    // Most lines fit.
    bytes.reserveCapacity(512)
  }

  /// Appends one line; `seen` must be sorted.
  ///
  /// - Returns: The line's length without its LF, which the caller compares with the limit.
  @discardableResult
  package mutating func write(
    id: EventID, at: Timestamp, type: String, entity: EntityID?,
    seen: [FullEventID], ref: String? = nil, more: Bool = false, data: JSONObject,
    salt: String? = nil
  ) -> Int {
    let start = bytes.count
    checksum = Self.append(
      id: id, at: at, type: type, entity: entity, seen: seen, ref: ref, more: more, data: data,
      salt: salt, after: checksum.chain, to: &bytes)
    return bytes.count - start - 1
  }

  /// Appends one line with its LF to `bytes`; `seen` must be sorted.
  ///
  /// Without a salt, the chain would reveal an erased content with few possible values, such as a
  /// birthday.
  ///
  /// - Parameter chain: The chain of the history's last event, or 0 for its first event.
  /// - Returns: The line's checksum.
  static func append(
    id: EventID, at: Timestamp, type: String, entity: EntityID?,
    seen: [FullEventID], ref: String?, more: Bool, data: JSONObject, salt: String?,
    after chain: UInt32, to bytes: inout [UInt8]
  ) -> LineChecksum {
    let start = bytes.count
    bytes.append(literal: #"{"id":""#)
    id.write(to: &bytes)
    bytes.append(literal: #"","at":""#)
    at.write(to: &bytes)
    bytes.append(literal: #"","type":""#)
    bytes.append(text: type)
    bytes.append(UInt8(ascii: "\""))
    if let entity {
      bytes.append(literal: #","entity":""#)
      bytes.append(text: entity.kind)
      bytes.append(UInt8(ascii: "/"))
      bytes.append(text: entity.key)
      bytes.append(UInt8(ascii: "\""))
    }
    append(seen: seen, to: &bytes)
    if let ref {
      bytes.append(literal: #","ref":"#)
      JSONValue.write(string: ref.utf8, to: &bytes)
    }
    if more { bytes.append(literal: #","more":true"#) }
    bytes.append(literal: #","data":"#)
    data.write(to: &bytes)
    if let salt {
      bytes.append(literal: #","salt":""#)
      bytes.append(text: salt)
      bytes.append(UInt8(ascii: "\""))
    }
    let checksum = LineChecksum.of(lastOf: bytes, from: start, after: chain)
    bytes.append(literal: #","crc":""#)
    bytes.append(digitsOf: checksum.before)
    bytes.append(digitsOf: checksum.chain)
    bytes.append(literal: "\"}\n")
    return checksum
  }

  static func append(seen: [FullEventID], to bytes: inout [UInt8]) {
    if seen.isEmpty { return }
    bytes.append(literal: #","seen":["#)
    for (index, entry) in seen.enumerated() {
      bytes.append(literal: index == 0 ? "\"" : ",\"")
      bytes.append(text: entry.description)
      bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(UInt8(ascii: "]"))
  }
}
