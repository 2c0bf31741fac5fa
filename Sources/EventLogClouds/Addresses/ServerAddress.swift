/// The canonical address of a folder on a server.
struct ServerAddress: Sendable, Hashable {
  let isSecure: Bool
  /// The host in lower case, with its port unless that is the default one.
  let host: String
  /// The percent-encoded path without a trailing slash. Empty for the root.
  let path: String

  /// The URL for requests, without a trailing slash.
  var url: String { "\(isSecure ? "https" : "http")://\(host)\(path)" }

  /// Parses `https://HOST/PATH`, or `http://HOST/PATH` on this machine.
  ///
  /// - Throws: The reason why the address is invalid.
  init(_ text: String) throws(AddressError) {
    let mark = text.firstRange(of: "://")
    let scheme = mark.map { text[..<$0.lowerBound].lowercased() }
    guard let mark, scheme == "https" || scheme == "http" else { throw .noServer }
    isSecure = scheme == "https"
    let rest = text[mark.upperBound...].utf8
    let end = rest.firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?")].contains($0) }
    let host = String(Substring(rest[..<(end ?? rest.endIndex)])).lowercased()
    // Addresses are shown and stored, so they must not contain credentials.
    if host.utf8.contains(UInt8(ascii: "@")) { throw .credentials }
    guard CloudAddress.isHost(host), !host.hasPrefix(":") else { throw .noServer }
    let defaultPort = isSecure ? ":443" : ":80"
    self.host = host.hasSuffix(defaultPort) ? String(host.dropLast(defaultPort.count)) : host
    guard isSecure || Self.isThisMachine(host) else { throw .unencrypted }
    path = try AddressPath.canonical(Substring(rest[(end ?? rest.endIndex)...]))
  }

  private static func isThisMachine(_ host: String) -> Bool {
    let end = host.hasPrefix("[") ? host.firstIndex(of: "]").map { host.index(after: $0) } : nil
    let name = host[..<(end ?? host.firstIndex(of: ":") ?? host.endIndex)]
    return ["127.0.0.1", "localhost", "[::1]"].contains(String(name))
  }
}
