/// The canonical spelling of JSON strings: only necessary escapes, in their shortest form.
package enum StringSpelling {
  /// The length of the canonical escape at `base`, or 0 if it isn't canonical.
  static func canonicalEscapeLength(_ base: UnsafePointer<UInt8>) -> Int {
    switch base[1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return 2
    case UInt8(ascii: "u"):
      guard base[2] == 0x30, base[3] == 0x30, base[4] == 0x30 || base[4] == 0x31 else { return 0 }
      let digit = ChainDigits.digit(base[5])
      guard digit >= 0 else { return 0 }
      let value = UInt8(base[4] - 0x30) << 4 | UInt8(digit)
      switch value {
      case 0x08, 0x09, 0x0A, 0x0C, 0x0D: return 0
      default: return 6
      }
    default:
      return 0
    }
  }

  /// The number of Unicode scalar values in the canonical spelling in `range`.
  static func characterCount(_ base: UnsafePointer<UInt8>, _ range: ByteRange) -> Int {
    var count = 0
    var index = range.start
    while index < range.end {
      if base[index] == UInt8(ascii: "\\") {
        index += base[index + 1] == UInt8(ascii: "u") ? 6 : 2
        count += 1
      } else {
        if base[index] & 0xC0 != 0x80 { count += 1 }
        index += 1
      }
    }
    return count
  }

  /// Appends the canonical spelling of one byte of a string's unescaped UTF-8.
  @inline(__always)
  static func append(_ byte: UInt8, to output: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      output.append(UInt8(ascii: "\\"))
      output.append(byte)
    case 0x20...:
      output.append(byte)
    default:
      output.append(UInt8(ascii: "\\"))
      switch byte {
      case 0x08: output.append(UInt8(ascii: "b"))
      case 0x09: output.append(UInt8(ascii: "t"))
      case 0x0A: output.append(UInt8(ascii: "n"))
      case 0x0C: output.append(UInt8(ascii: "f"))
      case 0x0D: output.append(UInt8(ascii: "r"))
      default:
        let digits: StaticString = "0123456789abcdef"
        output.append(contentsOf: [UInt8(ascii: "u"), 0x30, 0x30, 0x30 + (byte >> 4)])
        output.append(digits.utf8Start[Int(byte & 0xF)])
      }
    }
  }

  /// Appends the canonical spelling of a string's unescaped UTF-8, without quotes.
  static func append(_ text: some Sequence<UInt8>, to output: inout [UInt8]) {
    // Most strings need no escape, and are copied.
    let isAppended = text.withContiguousStorageIfAvailable { bytes in
      var specialCount = 0
      // No early exit, so that the loop is vectorized.
      for byte in bytes where byte < 0x20 || byte == 0x22 || byte == 0x5C { specialCount += 1 }
      if specialCount == 0 { output.append(contentsOf: bytes) }
      return specialCount == 0
    }
    if isAppended == true { return }
    for byte in text { append(byte, to: &output) }
  }

  /// The canonical spelling of a string, without quotes.
  package static func spelled(_ text: some Sequence<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    append(text, to: &output)
    return output
  }

  /// The index of the quote that ends the canonical string at the start of `bytes`, whose opening
  /// quote is not included; the end index if there is none.
  package static func end(of bytes: ArraySlice<UInt8>) -> Int {
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return bytes.startIndex }
      func find(_ byte: UInt8, _ range: Range<Int>) -> Int {
        range.lowerBound + indexOfByte(byte, in: base + range.lowerBound, count: range.count)
      }
      var index = 0
      var quote = find(UInt8(ascii: "\""), 0..<buffer.count)
      while index < quote {
        let escape = find(UInt8(ascii: "\\"), index..<quote)
        if escape == quote { break }
        index = min(escape + 2, buffer.count)
        // The quote itself was escaped.
        if index > quote { quote = find(UInt8(ascii: "\""), index..<buffer.count) }
      }
      return bytes.startIndex + quote
    }
  }

  /// The text of a canonical spelling without quotes.
  package static func text(_ spelling: ArraySlice<UInt8>) -> String {
    let plain = spelling.withUnsafeBufferPointer { bytes -> String? in
      guard let base = bytes.baseAddress else { return "" }
      let isPlain = indexOfByte(UInt8(ascii: "\\"), in: base, count: bytes.count) == bytes.count
      return isPlain ? String(decoding: bytes, as: UTF8.self) : nil
    }
    return plain ?? String(decoding: unescaped(spelling), as: UTF8.self)
  }

  /// The unescaped UTF-8 of a canonical spelling without quotes.
  package static func unescaped(_ spelling: some Collection<UInt8>) -> [UInt8] {
    // Most strings contain no escape.
    let plain = spelling.withContiguousStorageIfAvailable { bytes -> [UInt8]? in
      guard let base = bytes.baseAddress else { return [] }
      return indexOfByte(0x5C, in: base, count: bytes.count) == bytes.count ? Array(bytes) : nil
    }
    if let plain, let plain { return plain }
    var output: [UInt8] = []
    output.reserveCapacity(spelling.count)
    var bytes = spelling.makeIterator()
    while let byte = bytes.next() {
      guard byte == UInt8(ascii: "\\"), let escape = bytes.next() else {
        output.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "b"): output.append(0x08)
      case UInt8(ascii: "t"): output.append(0x09)
      case UInt8(ascii: "n"): output.append(0x0A)
      case UInt8(ascii: "f"): output.append(0x0C)
      case UInt8(ascii: "r"): output.append(0x0D)
      case UInt8(ascii: "u"):
        var value = 0
        for _ in 0..<4 { value = value << 4 | ChainDigits.digit(bytes.next() ?? 0x30) }
        output.append(UInt8(truncatingIfNeeded: value))
      default: output.append(escape)
      }
    }
    return output
  }
}
