/// A profile in a text chunk, as ImageMagick writes it: its name, its length and its bytes as
/// hexadecimal digits, each on lines of their own.
struct HexProfile {
  /// The decoded bytes.
  private(set) var bytes: [UInt8] = []
  /// The digits in the file, two for each byte.
  let digits: ByteRegion
  /// Whether it is XMP without the signature of a JPEG's segment.
  var isXMP: Bool { bytes.first == UInt8(ascii: "<") || bytes.starts(with: [0xEF, 0xBB, 0xBF]) }

  /// The maximum length of the text that is held at a time.
  static let byteCountMax: Int64 = 1 << 20

  private static let linesMax = 1 << 15

  /// Returns nil if the text isn't of that form.
  init?(_ text: [UInt8], in region: ByteRegion) {
    var fields = Fields(text: text)
    guard fields.next() != nil, let length = fields.next(),
      length.allSatisfy({ (0x30...0x39).contains(text[$0]) })
    else { return nil }
    var pieces: [Range<Int64>] = []
    var high: UInt8?
    while let run = fields.next() {
      if pieces.count == Self.linesMax { return nil }
      for index in run {
        guard let digit = Self.value(of: text[index]) else { return nil }
        if let first = high {
          bytes.append(first << 4 | digit)
          high = nil
        } else {
          high = digit
        }
      }
      pieces += region.pieces(in: Int64(run.lowerBound)..<Int64(run.upperBound))
    }
    if high != nil || bytes.isEmpty { return nil }
    digits = ByteRegion(pieces)
  }

  static func digits(of byte: UInt8) -> [UInt8] {
    [byte >> 4, byte & 0xF].map { $0 < 10 ? 0x30 + $0 : 0x61 + $0 - 10 }
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }

  /// Divides text at white space.
  private struct Fields {
    let text: [UInt8]
    var index = 0

    mutating func next() -> Range<Int>? {
      while index < text.count, XMPReader.isSpace(text[index]) { index += 1 }
      let start = index
      while index < text.count, !XMPReader.isSpace(text[index]) { index += 1 }
      return index > start ? start..<index : nil
    }
  }
}
