/// The name of a remote, read: what sort of place it is, and where.
package enum RemoteAddress: Sendable, Hashable, CustomStringConvertible {
  /// Another journal: a path that ends in `.jsonl`.
  case journal(path: String)
  /// A folder: any other path.
  case folder(path: String)
  /// A journal on another machine: `ssh://[user@]host[:port]/path`, or `[user@]host:path`, no `/`
  /// before the colon.
  case machine(MachineAddress)
  /// A place of a service, by a scheme of its own: `s3://…`.
  case service(String)

  /// The schemes of services.
  package static let serviceSchemes = ["firestore", "s3", "davs", "dav", "cloudkit"]

  /// Reads a name; nil for one that names nothing.
  package init?(_ text: String) {
    if text.isEmpty || text.utf8.contains(0) { return nil }
    let bytes = text.utf8
    if let scheme = Self.serviceSchemes.first(where: { bytes.starts(with: "\($0)://".utf8) }) {
      guard bytes.count > scheme.utf8.count + 3 else { return nil }
      self = .service(text)
      return
    }
    // No other address has a scheme.
    if Self.hasScheme(text), !bytes.starts(with: "ssh://".utf8) { return nil }
    let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    if bytes.starts(with: "ssh://".utf8) {
      guard let machine = MachineAddress(url: text) else { return nil }
      self = .machine(machine)
    } else if end < bytes.endIndex, !bytes[..<end].contains(UInt8(ascii: "/")) {
      // One letter is the name of a drive on other systems, and a space is in no host's name.
      if bytes.distance(from: bytes.startIndex, to: end) == 1, bytes.first != UInt8(ascii: "[") {
        return nil
      }
      if bytes[..<end].contains(UInt8(ascii: " ")) { return nil }
      guard let machine = MachineAddress(word: text) else { return nil }
      self = .machine(machine)
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

  /// The name in one spelling.
  package var description: String {
    switch self {
    case .journal(let path), .folder(let path): path
    case .machine(let machine): machine.description
    case .service(let text): text
    }
  }

  /// The same with a path that holds wherever it is used, if the place is on this machine, without
  /// slashes and dots that say nothing. What `..` means only the disk knows: it stays.
  ///
  /// - Parameter folder: what a relative path begins at.
  package func absolute(in folder: String) -> RemoteAddress {
    switch self {
    case .journal(let path): .journal(path: Path.plain(Path.join(folder, path)))
    case .folder(let path): .folder(path: Path.plain(Path.join(folder, path)))
    case .machine, .service: self
    }
  }
}
