/// Writes events as canonical lines.
package struct EventLineWriter {
  /// The lines written so far, each with its LF.
  package private(set) var bytes: [UInt8] = []
  /// The checksum of the last line.
  package private(set) var checksum: LineChecksum

  /// `chain` is that of the history's last event, 0 for its first.
  package init(after chain: UInt32) {
    checksum = LineChecksum(before: 0, chain: chain)
    // Most lines fit.
    bytes.reserveCapacity(512)
  }

  /// Appends one line. `seen` must be sorted; `data` is canonical JSON.
  ///
  /// - Returns: the line's length without its LF, which the caller compares with the limit.
  @discardableResult
  package mutating func write(
    id: EventID, at: Timestamp, type: String, entity: EntityID?,
    seen: [FullEventID], ref: String? = nil, more: Bool = false, data: JSONObject
  ) -> Int {
    let start = bytes.count
    bytes += #"{"id":""#.utf8
    id.write(to: &bytes)
    bytes += #"","at":""#.utf8
    at.write(to: &bytes)
    bytes += #"","type":""#.utf8
    bytes += type.utf8
    bytes.append(UInt8(ascii: "\""))
    if let entity {
      bytes += #","entity":""#.utf8
      bytes += entity.kind.utf8
      bytes.append(UInt8(ascii: "/"))
      bytes += entity.key.utf8
      bytes.append(UInt8(ascii: "\""))
    }
    if !seen.isEmpty {
      bytes += #","seen":["#.utf8
      for (index, entry) in seen.enumerated() {
        bytes += (index == 0 ? "\"" : ",\"").utf8
        bytes += entry.description.utf8
        bytes.append(UInt8(ascii: "\""))
      }
      bytes.append(UInt8(ascii: "]"))
    }
    if let ref {
      bytes += #","ref":"#.utf8
      JSONValue.write(string: ref.utf8, to: &bytes)
    }
    if more { bytes += #","more":true"#.utf8 }
    bytes += #","data":"#.utf8
    data.write(to: &bytes)
    checksum = LineChecksum.of(
      covered: start == 0 ? bytes : Array(bytes[start...]), after: checksum.chain)
    bytes += #","crc":""#.utf8
    bytes += checksum.digits
    bytes += "\"}".utf8
    let length = bytes.count - start
    bytes.append(0x0A)
    return length
  }
}
