@testable import EventLogAttachments

/// Writes a PNG whose pixels no decoder would accept.
struct PNGBuilder {
  private(set) var output = PlantedBytes([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

  /// Writes a chunk; the checksum of one with a position is a part of it.
  ///
  /// - Parameter isBlanked: Whether the whole chunk is removed.
  mutating func chunk(_ type: String, _ data: PlantedBytes, isBlanked: Bool = false) {
    output += big(data.count, 4)
    output += PlantedBytes(type, isPosition: isBlanked)
    output += isBlanked ? data.asPosition() : data
    output += PlantedBytes(
      big(Int(Self.checksum(Array(type.utf8) + data.bytes)), 4),
      isPosition: isBlanked || data.hasPosition)
  }

  /// The checksum bit by bit, unlike the product.
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var value: UInt32 = ~0
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
    return ~value
  }

  mutating func text(_ keyword: String, _ text: PlantedBytes, isBlanked: Bool = false) {
    chunk("tEXt", PlantedBytes(keyword + "\0") + text, isBlanked: isBlanked)
  }

  mutating func internationalText(
    _ keyword: String, _ text: PlantedBytes, isCompressed: Bool = false
  ) {
    let head = PlantedBytes(keyword + "\0") + PlantedBytes([isCompressed ? 1 : 0, 0])
    chunk("iTXt", head + PlantedBytes("en\0Titel\0") + text, isBlanked: isCompressed)
  }

  mutating func profile(_ name: String, _ bytes: PlantedBytes) {
    text(
      "Raw profile type \(name)",
      PlantedBytes("\n\(name)\n      \(bytes.count)\n") + bytes.hexLines + PlantedBytes("\n"))
  }

  /// The chunks of a PNG, if their lengths and checksums are right.
  static func chunks(_ bytes: [UInt8]) -> [(type: String, data: [UInt8])]? {
    var found: [(String, [UInt8])] = []
    var offset = 8
    while offset < bytes.count {
      let length = Int(bytes.offset(at: offset, count: 4))
      guard offset + 12 + length <= bytes.count else { return nil }
      let content = Array(bytes[offset + 4..<offset + 8 + length])
      guard UInt32(bytes.offset(at: offset + 8 + length)) == checksum(content) else { return nil }
      found.append((String(decoding: content[..<4], as: UTF8.self), Array(content[4...])))
      offset += 12 + length
    }
    return found
  }
}
