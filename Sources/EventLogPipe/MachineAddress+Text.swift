extension MachineAddress: CustomStringConvertible {
  /// Reads `ssh://[user@]host[:port]/path`, or `[user@]host:path` without a `/` before the colon.
  ///
  /// Returns nil for anything else, and for a single letter before the colon, which is a drive on
  /// other systems.
  package init?(_ text: String) {
    let bytes = text.utf8
    if bytes.contains(0) { return nil }
    if Self.isURL(text) {
      self.init(url: text)
      return
    }
    guard !Self.hasScheme(text), let end = bytes.firstIndex(of: UInt8(ascii: ":")) else {
      return nil
    }
    if bytes.distance(from: bytes.startIndex, to: end) == 1, bytes.first != UInt8(ascii: "[") {
      return nil
    }
    // Host names don't contain spaces.
    if bytes[..<end].contains(UInt8(ascii: " ")) { return nil }
    self.init(word: text)
  }

  /// Whether a text begins with `ssh://`, in any case.
  package static func isURL(_ text: String) -> Bool {
    String(decoding: text.utf8.prefix(6), as: UTF8.self).lowercased() == "ssh://"
  }

  private static func hasScheme(_ text: String) -> Bool {
    guard let end = text.firstRange(of: "://")?.lowerBound else { return false }
    return !text[..<end].utf8.contains(UInt8(ascii: "/"))
  }

  /// Reads `ssh://[user@]host[:port]/path`, with `%` and two digits for a byte, and `/~/` for the
  /// home folder.
  private init?(url: String) {
    let rest = url.utf8.dropFirst("ssh://".utf8.count)
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")),
      let authority = Self.decoded(rest[..<slash]), let path = Self.decoded(rest[slash...])
    else { return nil }
    self.init(
      authority: authority, hasPort: true,
      path: path.utf8.starts(with: "/~".utf8) ? String(path.dropFirst()) : path)
  }

  /// Reads `[user@]host:path` without a `/` before the colon, and with brackets around a host that
  /// contains colons.
  private init?(word: String) {
    let bytes = word.utf8
    var start = bytes.startIndex
    if let end = bytes.firstIndex(of: UInt8(ascii: "]")),
      let bracket = bytes.firstIndex(of: UInt8(ascii: "[")),
      bracket == start || bytes[bytes.index(before: bracket)] == UInt8(ascii: "@")
    {
      start = end
    }
    guard let colon = bytes[start...].firstIndex(of: UInt8(ascii: ":")),
      !bytes[..<colon].contains(UInt8(ascii: "/"))
    else { return nil }
    self.init(
      authority: String(word[..<colon]), hasPort: false,
      path: String(word[bytes.index(after: colon)...]))
  }

  private init?(authority: String, hasPort: Bool, path: String) {
    var host = authority[...]
    var user: String?
    if let at = host.lastIndex(of: "@") {
      user = String(host[..<at])
      host = host[host.index(after: at)...]
    }
    var port: Int?
    if hasPort, let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
      let digits = host[host.index(after: colon)...]
      guard let number = Int(digits), String(number) == digits else { return nil }
      port = number
      host = host[..<colon]
    }
    if host.first == "[" || host.last == "]" {
      guard host.count > 2, host.first == "[", host.last == "]" else { return nil }
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    self.init(user: user, host: String(host), port: port, path: path)
  }

  /// Returns the text of a percent-encoded part of a URL, or nil if it is invalid.
  private static func decoded(_ text: Substring.UTF8View.SubSequence) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard digits.count == 2, digits.allSatisfy(\.isHexDigit),
        let value = UInt8(digits, radix: 16), value != 0
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// `host:path` if that can be read again, or else a URL.
  package var description: String {
    let name = host.contains(":") ? "[\(host)]" : host
    let login = (user.map { $0 + "@" } ?? "") + name
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    // A single letter before a colon would be read as a drive.
    if port == nil, !isAbsolute, login.utf8.count > 1 { return "\(login):\(path)" }
    let home = isAbsolute ? "" : path.utf8.first == UInt8(ascii: "~") ? "/" : "/~/"
    let text = (login + (port.map { ":\($0)" } ?? "") + home + path)
      .split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
    return "ssh://" + text
  }
}
