import EventLog

/// Text files in UTF-8 or UTF-16.
enum SourceText {
  /// Returns the text in UTF-8, and whether it was in UTF-16, which a byte-order mark shows.
  static func utf8(
    _ bytes: [UInt8], _ name: String
  ) throws(EventLogError) -> (bytes: [UInt8], isUTF16: Bool) {
    let isLittle = bytes.starts(with: [0xFF, 0xFE])
    guard isLittle || bytes.starts(with: [0xFE, 0xFF]) else { return (bytes, false) }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 2)
    var line = 1
    var high: UInt16?
    for index in stride(from: 2, to: bytes.count, by: 2) {
      guard index + 1 < bytes.count else { throw refused(name, line) }
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      let unit = isLittle ? second << 8 | first : first << 8 | second
      if unit == 0x0A { line += 1 }
      if let first = high {
        high = nil
        guard UTF16.isTrailSurrogate(unit) else { throw refused(name, line) }
        let scalar = 0x1_0000 + (UInt32(first - 0xD800) << 10 | UInt32(unit - 0xDC00))
        guard let scalar = Unicode.Scalar(scalar) else { throw refused(name, line) }
        text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      } else if UTF16.isLeadSurrogate(unit) {
        high = unit
      } else {
        guard let scalar = Unicode.Scalar(unit) else { throw refused(name, line) }
        text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
    }
    if high != nil { throw refused(name, line) }
    return (text, true)
  }

  private static func refused(_ name: String, _ line: Int) -> EventLogError {
    .cannotImport(
      "\(name):\(line): the line is not text in UTF-16, as the first bytes of the file say.",
      hint: "Export it in UTF-8.", file: name, line: line)
  }

  /// Returns the column of a byte in its line, from 1, as in an editor.
  static func column(of index: Int, in bytes: [UInt8]) -> Int {
    let before = bytes.prefix(index)
    let start = before.lastIndex { $0 == 0x0A || $0 == 0x0D }.map { $0 + 1 } ?? 0
    let hasMark = start == 0 && before.starts(with: [0xEF, 0xBB, 0xBF])
    // UTF-8 continuation bytes don't count as columns.
    return before[start...].count { $0 & 0xC0 != 0x80 } + (hasMark ? 0 : 1)
  }

  /// Whether bytes are only white space.
  static func isBlank(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.allSatisfy { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }
}
