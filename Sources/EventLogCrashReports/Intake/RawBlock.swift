import EventLog

/// A block of a raw file whose checksum is correct.
struct RawBlock {
  let kind: Int
  let number: Int
  let session: UInt64
  private let bytes: ArraySlice<UInt8>

  /// Reads the block with a number; nil if it is missing, torn, or was written by another version.
  init?(_ number: Int, of file: [UInt8]) {
    let start = number * RawLayout.blockBytes
    guard number >= 0, start + RawLayout.blockBytes <= file.count else { return nil }
    bytes = file[start..<(start + RawLayout.blockBytes)]
    let covered = RawLayout.blockBytes - 4
    guard bytes.prefix(4).elementsEqual("EvC1".utf8),
      bytes[start + 5] == RawLayout.version,
      CRC32C.checksum(Array(bytes.prefix(covered)))
        == UInt32(Self.integer(bytes, start + covered, 4)),
      Int(Self.integer(bytes, start + 6, 2)) == number
    else { return nil }
    self.number = number
    kind = Int(bytes[start + 4])
    session = Self.integer(bytes, start + 8, 8)
  }

  private static func integer(_ bytes: ArraySlice<UInt8>, _ index: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(bytes[index + $1]) << UInt64(8 * $1) }
  }

  /// The little-endian integer of `count` bytes at an offset, which lies in the block.
  func integer(_ offset: Int, _ count: Int) -> UInt64 {
    Self.integer(bytes, bytes.startIndex + offset, count)
  }

  func byte(_ offset: Int) -> UInt8 { bytes[bytes.startIndex + offset] }

  /// The text after its length, cut at the end of the block; empty if it isn't UTF-8.
  func text(_ offset: Int) -> String {
    let start = bytes.startIndex + offset + 1
    let end = min(start + Int(byte(offset)), bytes.endIndex - 4)
    guard start <= end else { return "" }
    return String(validating: bytes[start..<end], as: UTF8.self) ?? ""
  }
}
