/// Reads any JSON text (RFC 8259) strictly and rewrites it in canonical spelling.
///
/// Canonical means no white space, only the shortest escapes, members in the writer's order, and
/// numbers as spelled, so equal strings have equal bytes. This is the slow and complete reader; the
/// fast one is ``CanonicalScanner``.
struct JSONNormalizer {
  /// The canonical spelling of the input read so far.
  private(set) var output: [UInt8] = []
  private let input: UnsafeBufferPointer<UInt8>
  private(set) var index: Int

  init(_ input: UnsafeBufferPointer<UInt8>, from index: Int = 0) {
    self.input = input
    self.index = index
  }

  /// Rejects a byte-order mark and invalid UTF-8.
  static func checkEncoding(_ input: UnsafeBufferPointer<UInt8>) throws(LineFault) {
    guard let base = input.baseAddress else { return }
    if input.count >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF {
      throw LineFault(.byteOrderMark, at: 0)
    }
    if let offset = UTF8Validation.firstFault(base, count: input.count) {
      throw LineFault(.invalidUTF8, at: offset)
    }
  }

  /// Reads `bytes` as one JSON value and returns its canonical spelling.
  static func canonical(_ bytes: [UInt8]) throws(LineFault) -> [UInt8] {
    let result = bytes.withUnsafeBufferPointer { buffer -> Result<[UInt8], LineFault> in
      do throws(LineFault) {
        try checkEncoding(buffer)
        var reader = JSONNormalizer(buffer)
        try reader.value(depth: 1)
        try reader.skipWhitespace()
        guard reader.isAtEnd else { throw reader.unexpected() }
        return .success(reader.output)
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  // MARK: - Steps for callers that walk an object

  var isAtEnd: Bool { index >= input.count }

  mutating func skipWhitespace() throws(LineFault) {
    while index < input.count {
      switch input[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      case 0..<0x20: throw LineFault(.controlCharacter, at: index)
      default: return
      }
    }
  }

  func peek() throws(LineFault) -> UInt8 {
    guard index < input.count else { throw LineFault(.truncated, at: index) }
    return input[index]
  }

  /// Consumes `byte` if it is next.
  mutating func take(_ byte: UInt8) throws(LineFault) -> Bool {
    guard try peek() == byte else { return false }
    index += 1
    return true
  }

  mutating func expect(_ byte: UInt8) throws(LineFault) {
    guard try take(byte) else { throw unexpected() }
  }

  func unexpected() -> LineFault {
    LineFault(input[index] < 0x20 ? .controlCharacter : .malformed, at: index)
  }

  /// Removes the canonical bytes written since `start` from the output and returns them.
  mutating func takeOutput(from start: Int) -> [UInt8] {
    let bytes = [UInt8](output[start...])
    output.removeSubrange(start...)
    return bytes
  }

  // MARK: - Values

  /// Reads one value and the white space before it.
  ///
  /// `depth` is the value's own depth if it is an object or array.
  mutating func value(depth: Int) throws(LineFault) {
    try skipWhitespace()
    switch try peek() {
    case UInt8(ascii: "{"): try object(depth: depth)
    case UInt8(ascii: "["): try array(depth: depth)
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "-"), 0x30...0x39: try number()
    case UInt8(ascii: "t"): try literal("true")
    case UInt8(ascii: "f"): try literal("false")
    case UInt8(ascii: "n"): try literal("null")
    default: throw unexpected()
    }
  }

  private mutating func object(depth: Int) throws(LineFault) {
    guard depth <= LineLimits.depthMax else { throw LineFault(.tooDeep, at: index) }
    try expect(UInt8(ascii: "{"))
    output.append(UInt8(ascii: "{"))
    var names = Set<[UInt8]>()
    try skipWhitespace()
    if try !take(UInt8(ascii: "}")) {
      while true {
        try skipWhitespace()
        let nameOffset = index
        let start = output.count
        try string()
        guard names.insert([UInt8](output[start...])).inserted else {
          throw LineFault(.duplicateMember, at: nameOffset)
        }
        try skipWhitespace()
        try expect(UInt8(ascii: ":"))
        output.append(UInt8(ascii: ":"))
        try value(depth: depth + 1)
        if try !comma(orEnd: UInt8(ascii: "}")) { break }
        output.append(UInt8(ascii: ","))
      }
    }
    output.append(UInt8(ascii: "}"))
  }

  private mutating func array(depth: Int) throws(LineFault) {
    guard depth <= LineLimits.depthMax else { throw LineFault(.tooDeep, at: index) }
    try expect(UInt8(ascii: "["))
    output.append(UInt8(ascii: "["))
    try skipWhitespace()
    if try !take(UInt8(ascii: "]")) {
      while true {
        try value(depth: depth + 1)
        if try !comma(orEnd: UInt8(ascii: "]")) { break }
        output.append(UInt8(ascii: ","))
      }
    }
    output.append(UInt8(ascii: "]"))
  }

  /// Consumes a comma (true) or the closing byte (false).
  mutating func comma(orEnd end: UInt8) throws(LineFault) -> Bool {
    try skipWhitespace()
    if try take(UInt8(ascii: ",")) { return true }
    try expect(end)
    return false
  }

  private mutating func literal(_ text: StaticString) throws(LineFault) {
    for position in 0..<text.utf8CodeUnitCount {
      guard try peek() == text.utf8Start[position] else { throw unexpected() }
      index += 1
      output.append(text.utf8Start[position])
    }
  }

  private mutating func number() throws(LineFault) {
    let start = index
    _ = try take(UInt8(ascii: "-"))
    if try !take(0x30) { try digits() }
    if index < input.count, input[index] == UInt8(ascii: ".") {
      index += 1
      try digits()
    }
    if index < input.count, input[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if try peek() == UInt8(ascii: "+") || input[index] == UInt8(ascii: "-") { index += 1 }
      try digits()
    }
    output.append(contentsOf: UnsafeBufferPointer(rebasing: input[start..<index]))
  }

  private mutating func digits() throws(LineFault) {
    guard case 0x30...0x39 = try peek() else { throw unexpected() }
    while index < input.count, case 0x30...0x39 = input[index] { index += 1 }
  }

  // MARK: - Strings

  /// Reads a string and writes it with quotes and the shortest escapes.
  mutating func string() throws(LineFault) {
    try expect(UInt8(ascii: "\""))
    output.append(UInt8(ascii: "\""))
    while true {
      let byte = try peek()
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        output.append(byte)
        return
      case UInt8(ascii: "\\"):
        index += 1
        try escape()
      case 0..<0x20:
        throw LineFault(.controlCharacter, at: index)
      default:
        plain()
      }
    }
  }

  /// Copies the run of characters that need no escape.
  private mutating func plain() {
    let start = index
    while index < input.count {
      let byte = input[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      index += 1
    }
    output.append(contentsOf: UnsafeBufferPointer(rebasing: input[start..<index]))
  }

  private mutating func escape() throws(LineFault) {
    let start = index - 1
    let byte = try peek()
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      StringSpelling.append(byte, to: &output)
    case UInt8(ascii: "b"): StringSpelling.append(0x08, to: &output)
    case UInt8(ascii: "f"): StringSpelling.append(0x0C, to: &output)
    case UInt8(ascii: "n"): StringSpelling.append(0x0A, to: &output)
    case UInt8(ascii: "r"): StringSpelling.append(0x0D, to: &output)
    case UInt8(ascii: "t"): StringSpelling.append(0x09, to: &output)
    case UInt8(ascii: "u"): try unicodeEscape(from: start)
    default:
      index -= 1
      throw unexpected()
    }
  }

  private mutating func unicodeEscape(from start: Int) throws(LineFault) {
    var code = try fourHexDigits()
    if (0xD800...0xDFFF).contains(code) {
      // A high half is valid only if a low half follows directly.
      guard code < 0xDC00, index + 1 < input.count, input[index] == UInt8(ascii: "\\"),
        input[index + 1] == UInt8(ascii: "u")
      else { throw LineFault(.loneSurrogate, at: start) }
      index += 2
      let low = try fourHexDigits()
      guard (0xDC00...0xDFFF).contains(low) else { throw LineFault(.loneSurrogate, at: start) }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw LineFault(.loneSurrogate, at: start) }
    for byte in UTF8.encode(scalar)! { StringSpelling.append(byte, to: &output) }
  }

  private mutating func fourHexDigits() throws(LineFault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      let byte = try peek()
      let digit = ChainDigits.digit(
        (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte) ? byte | 0x20 : byte)
      guard digit >= 0 else { throw unexpected() }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }
}
