/// The name of a remote, read: what sort of place it is, and where.
public enum RemoteAddress: Sendable, Hashable, CustomStringConvertible {
  /// Another journal: a path that ends in `.jsonl`.
  case journal(path: String)
  /// A folder: any other path.
  case folder(path: String)
  /// A journal on another machine: `ssh://host/path`, or `host:path`, no `/` before the colon.
  case machine(host: String, path: String)

  /// Reads a name; nil for one that names nothing.
  public init?(_ text: String) {
    if text.isEmpty || text.utf8.contains(0) { return nil }
    let bytes = text.utf8
    let (slash, colon) = (UInt8(ascii: "/"), UInt8(ascii: ":"))
    // Only one sort of address has a scheme.
    if Self.hasScheme(text), !bytes.starts(with: "ssh://".utf8) { return nil }
    if bytes.starts(with: "ssh://".utf8) {
      let rest = text[bytes.index(bytes.startIndex, offsetBy: 6)...]
      guard let end = rest.utf8.firstIndex(of: slash) else { return nil }
      self.init(host: rest[..<end], path: rest[end...])
    } else if let end = bytes.firstIndex(of: colon), !bytes[..<end].contains(slash) {
      // One letter is the name of a drive, on other systems.
      if bytes.distance(from: bytes.startIndex, to: end) == 1 { return nil }
      self.init(host: text[..<end], path: text[bytes.index(after: end)...])
    } else if bytes.suffix(6).elementsEqual(".jsonl".utf8) {
      self = .journal(path: text)
    } else {
      self = .folder(path: text)
    }
  }

  private static func hasScheme(_ text: String) -> Bool {
    guard let end = text.firstRange(of: "://")?.lowerBound else { return false }
    return !text[..<end].utf8.contains(UInt8(ascii: "/"))
  }

  /// A host that begins with `-` would be an option of whatever is called with it.
  private init?(host: Substring, path: Substring) {
    if host.isEmpty || host.utf8.first == UInt8(ascii: "-") || path.isEmpty { return nil }
    // A space is in no host's name.
    if host.utf8.contains(UInt8(ascii: " ")) { return nil }
    self = .machine(host: String(host), path: String(path))
  }

  /// The name in one spelling.
  public var description: String {
    switch self {
    case .journal(let path), .folder(let path): path
    case .machine(let host, let path):
      path.utf8.first == UInt8(ascii: "/") ? "ssh://\(host)\(path)" : "\(host):\(path)"
    }
  }

  /// The same with a path that holds wherever it is used, if the place is on this machine, without
  /// slashes and dots that say nothing. What `..` means only the disk knows: it stays.
  ///
  /// - Parameter folder: what a relative path begins at.
  public func absolute(in folder: String) -> RemoteAddress {
    switch self {
    case .journal(let path): .journal(path: Path.plain(Path.join(folder, path)))
    case .folder(let path): .folder(path: Path.plain(Path.join(folder, path)))
    case .machine: self
    }
  }
}
