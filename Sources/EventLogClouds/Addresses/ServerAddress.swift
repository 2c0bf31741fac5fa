import EventLog

/// The address of a folder on a server, in canonical spelling.
struct ServerAddress: Sendable, Hashable {
  let isSecure: Bool
  /// In lower case, with a port unless it is the default one.
  let host: String
  /// Encoded, without a slash at its end; empty for the root.
  let path: String

  /// The URL for requests, without a slash at its end.
  var url: String { "\(isSecure ? "https" : "http")://\(host)\(path)" }

  /// Reads `https://HOST/PATH`, or `http://HOST/PATH` on this machine.
  ///
  /// - Throws: The flaw of an invalid address.
  init(_ text: String) throws(AddressError) {
    let mark = text.firstRange(of: "://")
    let scheme = mark.map { text[..<$0.lowerBound].lowercased() }
    guard let mark, scheme == "https" || scheme == "http" else { throw .noServer }
    isSecure = scheme == "https"
    let rest = text[mark.upperBound...].utf8
    let end = rest.firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?")].contains($0) }
    let host = String(Substring(rest[..<(end ?? rest.endIndex)])).lowercased()
    // A name or password in an address would be shown and stored.
    if host.utf8.contains(UInt8(ascii: "@")) { throw .credentials }
    guard CloudAddress.isHost(host), !host.hasPrefix(":") else { throw .noServer }
    let usualPort = isSecure ? ":443" : ":80"
    self.host = host.hasSuffix(usualPort) ? String(host.dropLast(usualPort.count)) : host
    guard isSecure || Self.isThisMachine(host) else { throw .unencrypted }
    path = try AddressPath.canonical(Substring(rest[(end ?? rest.endIndex)...]))
  }

  private static func isThisMachine(_ host: String) -> Bool {
    let end = host.hasPrefix("[") ? host.firstIndex(of: "]").map { host.index(after: $0) } : nil
    let name = host[..<(end ?? host.firstIndex(of: ":") ?? host.endIndex)]
    return ["127.0.0.1", "localhost", "[::1]"].contains(String(name))
  }
}

/// The path of an address.
enum AddressPath {
  /// The characters that need no encoding in a path segment: RFC 3986, section 3.3.
  static let plain = "!$&'()*+,;=:@"

  /// A path in canonical spelling, without slashes at its end.
  static func canonical(_ path: Substring) throws(AddressError) -> String {
    var spelled = ""
    for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      let name = try decode(Substring(part))
      spelled += "/" + PercentEncoding.encode(name, keeping: plain)
    }
    // The part before the first slash is empty.
    spelled.removeFirst()
    while spelled.hasSuffix("/") { spelled.removeLast() }
    return spelled
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
    // HTTP clients drop dot segments, and would request another folder.
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

/// The reason why a text isn't an address.
enum AddressError: Error, Hashable, CaseIterable {
  case noServer, unencrypted, credentials, query, fragment, invalidEscape, notUTF8, dotSegments,
    control
  case encodedControl

  /// The predicate of a sentence about the address.
  var predicate: String {
    switch self {
    case .noServer: "doesn't name a server and folder"
    case .unencrypted: "would send everything unencrypted"
    case .credentials: "contains a name or password"
    case .query: "contains a question mark, which ends a path"
    case .fragment: "contains a #, which ends an address"
    case .invalidEscape: "contains a % that isn't followed by two hexadecimal digits"
    case .notUTF8: "contains a name that isn't UTF-8"
    case .dotSegments: "contains . or .. as the name of a folder"
    case .control: "contains control characters"
    case .encodedControl: "contains a % that encodes a control character"
    }
  }

  var hint: String {
    switch self {
    case .noServer: "A WebDAV address is davs://HOST/PATH."
    case .unencrypted:
      "Use davs:// or https://. Only on this machine itself can dav:// or http:// be used."
    case .credentials: "Leave it out: credentials come from the environment, or from a file."
    case .query: "If it belongs to a name, write %3F."
    case .fragment: "If it belongs to a name, write %23."
    case .invalidEscape: "If it belongs to a name, write %25."
    case .notUTF8: "Rename the folder, or correct what follows %."
    case .dotSegments: "Name the folder without them."
    case .control: "Copy the address again."
    case .encodedControl: "Correct what follows %. The names of remotes have none."
    }
  }
}
