/// A box of ISO 14496-12, or an atom of QuickTime.
struct MediaBox {
  let type: String
  /// The number that the type is in a list of values.
  let number: Int64
  /// The offsets of the type and the content in the region that contains the box.
  let typeOffset: Int64
  let content: Range<Int64>

  /// A type of box that readers skip.
  static let unusedType = Array("free".utf8)
  /// The user type of a box with XMP: BE7ACFCB-97A9-42E8-9C71-999491E3AFAC.
  static let xmpUserType: [UInt8] = [
    0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
  ]
}

extension ImageScan {
  /// Returns the box at an offset, or nil at the end.
  mutating func box(_ region: ByteRegion, at offset: Int64) -> MediaBox? {
    guard offset < region.count, visitPart(region, at: offset) else { return nil }
    let head = prefix(region, at: offset, count: 16)
    // QuickTime ends some lists with four zeros.
    if region.count - offset < 8, head.allSatisfy({ $0 == 0 }) { return nil }
    var length = head.offset(at: 0)
    var headCount: Int64 = 8
    if length == 1, head.count == 16 {
      length = Int64(exactly: head.unsigned(at: 8, count: 8)) ?? .max
      headCount = 16
    } else if length == 0 {
      length = region.count - offset
    }
    guard head.count >= 8, length >= headCount, region.range(at: offset, count: length) != nil
    else {
      report(.unreadable, region, at: offset, "a box is longer than the one around it")
      return nil
    }
    return MediaBox(
      type: head.ascii(at: 4, count: 4), number: head.offset(at: 4), typeOffset: offset + 4,
      content: offset + headCount..<offset + length)
  }

  /// Makes a box an unused one of zeros.
  mutating func blank(_ box: MediaBox, _ region: ByteRegion) {
    overwrite(region, at: box.typeOffset, MediaBox.unusedType)
    fill(region, box.content, with: 0)
  }
}
