import EventLog

/// Appends UTF-8 as ``Visible`` does, without creating strings.
struct VisibleBytes {
  private var shown = AlwaysVisible()

  /// Appends a piece of a line, escaped as by ``Visible/text(_:)``.
  ///
  /// - Parameter isEscaped: Whether the piece is the content of a JSON string.
  mutating func append(
    _ range: ByteRange, of bytes: Span<UInt8>, isEscaped: Bool, to output: inout [UInt8]
  ) {
    if bytes.isPlainASCII(range) { return bytes.append(range, to: &output) }
    let start = output.count
    if appendCharacters(of: bytes, range, isEscaped, to: &output) { return }
    output.removeSubrange(start...)
    let piece = bytes.copy(range)
    let text = String(
      decoding: isEscaped ? StringSpelling.unescaped(piece) : piece, as: UTF8.self)
    // Escape twice: an escaped character no longer justifies the joiner beside it.
    output += Visible.text(Visible.text(text)).utf8
  }

  /// Appends one character at a time; false if a character depends on its neighbors.
  private mutating func appendCharacters(
    of bytes: Span<UInt8>, _ range: ByteRange, _ isEscaped: Bool, to output: inout [UInt8]
  ) -> Bool {
    var index = Int(range.offset)
    let end = index + Int(range.count)
    // The start of the bytes not appended yet, which need no escaping.
    var start = index
    func flush(upTo index: Int) {
      let piece = ByteRange(offset: Int32(start), count: Int32(index - start))
      bytes.append(piece, to: &output)
    }
    while index < end {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\\"), isEscaped {
        guard index + 1 < end else { return false }
        switch bytes[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
          // Skip the backslash.
          flush(upTo: index)
          start = index + 1
        case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): break
        default: return false
        }
        index += 2
      } else if byte < 0x80 {
        guard (0x20...0x7E).contains(byte) else { return false }
        index += 1
      } else {
        let count = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        guard index + count <= end else { return false }
        var value = UInt32(byte) & (0x7F >> UInt32(count))
        for offset in 1..<count { value = value << 6 | UInt32(bytes[index + offset] & 0x3F) }
        guard shown.contains(value) else { return false }
        index += count
      }
    }
    flush(upTo: end)
    return true
  }
}

/// Caches which characters are visible regardless of their neighbors.
private struct AlwaysVisible {
  /// One bit per character.
  private var words: [UInt64] = []
  private var isKnown: [Bool] = []

  mutating func contains(_ value: UInt32) -> Bool {
    guard value < 0x110000 else { return false }
    let word = Int(value >> 6)
    if words.isEmpty {
      words = [UInt64](repeating: 0, count: 0x110000 >> 6)
      isKnown = [Bool](repeating: false, count: words.count)
    }
    if !isKnown[word] { look(up: word) }
    return words[word] & 1 << UInt64(value & 63) != 0
  }

  private mutating func look(up word: Int) {
    isKnown[word] = true
    for bit in 0..<64 {
      guard let scalar = Unicode.Scalar(UInt32(word << 6 | bit)), Visible.isAlwaysVisible(scalar)
      else { continue }
      words[word] |= 1 << UInt64(bit)
    }
  }
}
