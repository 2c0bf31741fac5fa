/// Validates and encodes the path of an address.
enum AddressPath {
  /// The characters, besides unreserved ones, that a path segment may contain unencoded: RFC 3986,
  /// section 3.3.
  static let plain = "!$&'()*+,;=:@"

  /// Returns the canonical form of a path, without trailing slashes.
  static func canonical(_ path: Substring) throws(AddressError) -> String {
    var encoded = ""
    for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      let name = try decode(Substring(part))
      encoded += "/" + PercentEncoding.encode(name, keeping: plain)
    }
    // The part before the first slash is empty.
    encoded.removeFirst()
    while encoded.hasSuffix("/") { encoded.removeLast() }
    return encoded
  }

  /// Decodes a path, checking its escapes.
  static func decode(_ path: Substring) throws(AddressError) -> String {
    let bytes = Array(path.utf8)
    if bytes.contains(where: isControl) { throw .control }
    if bytes.contains(UInt8(ascii: "#")) { throw .fragment }
    if bytes.contains(UInt8(ascii: "?")) { throw .query }
    for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
      let digits = bytes[(index + 1)...].prefix(2)
      guard digits.count == 2, digits.allSatisfy(isDigit) else { throw .invalidEscape }
    }
    guard let text = PercentEncoding.decode(path) else { throw .notUTF8 }
    if text.utf8.contains(where: isControl) { throw .encodedControl }
    // HTTP clients remove dot segments, which would change the folder.
    let parts = text.utf8.split(separator: UInt8(ascii: "/"))
    if parts.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) {
      throw .dotSegments
    }
    return text
  }

  private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
