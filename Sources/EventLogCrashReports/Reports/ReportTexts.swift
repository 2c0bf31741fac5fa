/// The texts that a report may contain. Everything else is left out.
enum ReportTexts {
  /// Returns a version of digits and dots, possibly with a suffix, or nil for any other text.
  static func app(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.count <= RawLayout.textBytes else { return nil }
    let number = bytes.prefix { isDigit($0) || $0 == UInt8(ascii: ".") }
    guard isVersion(number) else { return nil }
    let suffix = bytes.dropFirst(number.count)
    if suffix.isEmpty { return text }
    guard [UInt8(ascii: "-"), UInt8(ascii: "+")].contains(suffix.first!),
      (2...13).contains(suffix.count),
      suffix.dropFirst().allSatisfy({ isDigit($0) || isLetter($0) || $0 == UInt8(ascii: ".") })
    else { return nil }
    return text
  }

  private static let systems = [
    "Linux", "macOS", "iOS", "iPadOS", "tvOS", "watchOS", "visionOS", "iPhone OS", "iPad OS",
  ]

  /// Returns a system and its version, without its build, or nil for any other text.
  static func system(_ text: String) -> String? {
    guard let name = systems.first(where: { text.hasPrefix($0 + " ") }) else { return nil }
    let version = text.utf8.dropFirst(name.utf8.count + 1).prefix {
      isDigit($0) || $0 == UInt8(ascii: ".")
    }
    guard version.count <= 12, isVersion(version) else { return nil }
    return "\(name) \(String(decoding: version, as: UTF8.self))"
  }

  /// Returns a model of Apple, or a processor with the numbers of cores and of GiB, or nil for any
  /// other text.
  static func device(_ text: String) -> String? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    if parts.count == 2 {
      let letters = parts[0].utf8.prefix(while: isLetter)
      let digits = parts[0].utf8.dropFirst(letters.count)
      let isModel =
        (2...12).contains(letters.count) && isNumber(digits, digitsMax: 3)
        && isNumber(parts[1].utf8, digitsMax: 3)
      return isModel ? text : nil
    }
    guard parts.count == 3, ["x86_64", "arm64", "other"].contains(parts[0]),
      let cores = number(parts[1], of: ["core", "cores"]),
      let memory = number(parts[2], of: ["GiB"])
    else { return nil }
    return "\(parts[0]), \(cores) \(cores == "1" ? "core" : "cores"), \(memory) GiB"
  }

  /// Returns the number in ` 4 cores`, or nil for a text of another form.
  private static func number(_ text: Substring, of units: [String]) -> Substring? {
    let words = text.split(separator: " ")
    guard words.count == 2, isNumber(words[0].utf8, digitsMax: 7),
      units.contains(String(words[1]))
    else { return nil }
    return words[0]
  }

  /// Returns the name of a breadcrumb, or nil for any other text.
  static func name(_ text: String) -> String? {
    (1...RawLayout.nameBytes).contains(text.utf8.count) && text.utf8.allSatisfy(isNamePart)
      ? text : nil
  }

  /// Returns the letters, digits, dots and underscores of a type's name, at most 96.
  static func typeName(_ text: String) -> String {
    let bytes = text.utf8.filter {
      isNamePart($0) && $0 != UInt8(ascii: "-")
    }
    return String(decoding: bytes.prefix(RawLayout.typeBytes), as: UTF8.self)
  }

  /// Returns a type's name, or nil for a text that isn't one.
  static func wholeTypeName(_ text: String) -> String? {
    let isName = text.utf8.first.map { isLetter($0) || $0 == UInt8(ascii: "_") } ?? false
    return isName && typeName(text).utf8.elementsEqual(text.utf8) ? text : nil
  }

  /// Returns the identifier of an image in lower case without hyphens, or nil for any other text.
  static func image(_ text: String) -> String? {
    let digits = text.lowercased().utf8.filter { $0 != UInt8(ascii: "-") }
    guard (8...64).contains(digits.count), digits.count.isMultiple(of: 2),
      digits.allSatisfy({ isDigit($0) || (0x61...0x66).contains($0) })
    else { return nil }
    return String(decoding: digits, as: UTF8.self)
  }

  // MARK: - Characters

  private static func isVersion(_ bytes: some Collection<UInt8>) -> Bool {
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return (1...4).contains(parts.count) && parts.allSatisfy { isNumber($0, digitsMax: 8) }
  }

  private static func isNumber(_ bytes: some Collection<UInt8>, digitsMax: Int) -> Bool {
    (1...digitsMax).contains(bytes.count) && bytes.allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
  private static func isNamePart(_ byte: UInt8) -> Bool {
    isDigit(byte) || isLetter(byte)
      || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")]
        .contains(byte)
  }
}
