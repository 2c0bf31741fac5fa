import EventLog

/// How a file separates its columns, and where its first row begins.
struct CSVDialect: Sendable {
  var separator = UInt8(ascii: ",")
  /// The offset of the first row.
  var start = 0
  /// The number of the first row's line.
  var line = 1

  private static let names: [(separator: UInt8, name: String)] = [
    (UInt8(ascii: ","), "commas"), (UInt8(ascii: ";"), "semicolons"), (0x09, "tabs"),
    (UInt8(ascii: "|"), "bars"),
  ]

  /// A separator in a sentence, or nil for commas.
  var unusualName: String? {
    if separator == UInt8(ascii: ",") { return nil }
    return Self.names.first { $0.separator == separator }?.name
      ?? "the characters \"\(Unicode.Scalar(separator))\""
  }

  /// Creates the dialect of a file with commas.
  init(of bytes: [UInt8]) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
  }

  /// Finds the dialect of a file.
  ///
  /// A first line `sep=;` states the separator. Otherwise, the heading has it outside of quotes. If
  /// the heading has several, the separator that yields the most expected columns counts.
  ///
  /// - Throws: `invalidInput` if several separators are as likely.
  init(
    of bytes: [UInt8], named name: String, expecting columns: Set<String>
  ) throws(EventLogError) {
    self.init(of: bytes)
    if let stated = statedSeparator(bytes) {
      separator = stated
      return
    }
    while start < bytes.count, bytes[start] == 0x0A || bytes[start] == 0x0D {
      if bytes[start] == 0x0A { line += 1 }
      start += 1
    }
    let found = Self.separators(in: bytes[start...])
    guard found.count > 1 else {
      separator = found.first ?? separator
      return
    }
    var best: (count: Int, separators: [UInt8]) = (-1, [])
    for separator in found {
      self.separator = separator
      let count = CSV.heading(of: bytes, self).count(where: columns.contains)
      if count > best.count { best = (count, []) }
      if count == best.count { best.separators.append(separator) }
    }
    guard best.separators.count == 1 else {
      let names = Self.names.filter { best.separators.contains($0.separator) }.map(\.name)
      throw .cannotImport(
        "\(name):\(line): the columns can be separated by \(names.joined(separator: " or ")).",
        hint: "Say which in a first line of the file, for example sep=;", file: name, line: line)
    }
    separator = best.separators[0]
  }

  /// Skips a line `sep=;`, and returns its separator.
  private mutating func statedSeparator(_ bytes: [UInt8]) -> UInt8? {
    let first = bytes[start...].prefix { $0 != 0x0A && $0 != 0x0D }
    let end = first.endIndex
    var text = first
    if text.first == 0x22, text.count > 1, text.last == 0x22 { text = text.dropFirst().dropLast() }
    guard text.count == 5, String(decoding: text.prefix(4), as: UTF8.self).lowercased() == "sep=",
      let separator = text.last, separator < 0x80, separator != 0x22
    else { return nil }
    start = end
    if start < bytes.count, bytes[start] == 0x0D { start += 1 }
    if start < bytes.count, bytes[start] == 0x0A { start += 1 }
    line = 2
    return separator
  }

  /// Returns the separators that the first row has outside of quotes.
  private static func separators(in bytes: ArraySlice<UInt8>) -> [UInt8] {
    var found: [UInt8] = []
    var isQuoted = false
    for byte in bytes {
      if byte == 0x22 { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == 0x0A || byte == 0x0D { break }
      if names.contains(where: { $0.separator == byte }), !found.contains(byte) {
        found.append(byte)
      }
    }
    return found
  }
}
