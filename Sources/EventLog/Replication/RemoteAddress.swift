/// The name of a remote, read: what sort of place it is, and where.
public enum RemoteAddress: Sendable, Hashable, CustomStringConvertible {
  /// Another journal: a path that ends in `.jsonl`.
  case journal(path: String)
  /// A folder: any other path.
  case folder(path: String)
  /// A journal on another machine: `ssh://[user@]host[:port]/path`, or `[user@]host:path`, no `/`
  /// before the colon.
  case machine(MachineAddress)

  /// Reads a name; nil for one that names nothing.
  public init?(_ text: String) {
    if text.isEmpty || text.utf8.contains(0) { return nil }
    let bytes = text.utf8
    let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    if bytes.starts(with: "ssh://".utf8) {
      guard let machine = MachineAddress(url: text) else { return nil }
      self = .machine(machine)
    } else if end < bytes.endIndex, !bytes[..<end].contains(UInt8(ascii: "/")) {
      guard let machine = MachineAddress(word: text) else { return nil }
      self = .machine(machine)
    } else if bytes.suffix(6).elementsEqual(".jsonl".utf8) {
      self = .journal(path: text)
    } else {
      self = .folder(path: text)
    }
  }

  /// The name in one spelling.
  public var description: String {
    switch self {
    case .journal(let path), .folder(let path): path
    case .machine(let machine): machine.description
    }
  }

  /// The same with a path that holds wherever it is used, if the place is on this machine.
  ///
  /// - Parameter folder: what a relative path begins at.
  public func absolute(in folder: String) -> RemoteAddress {
    switch self {
    case .journal(let path): .journal(path: Path.join(folder, path))
    case .folder(let path): .folder(path: Path.join(folder, path))
    case .machine: self
    }
  }
}
