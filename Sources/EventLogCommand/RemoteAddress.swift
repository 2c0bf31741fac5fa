import EventLog
import EventLogPipe

/// The parsed address of a remote.
enum RemoteAddress: Sendable, Hashable, CustomStringConvertible {
  /// Another journal: a path that ends in `.jsonl`.
  case journal(path: String)
  /// A folder: any other path.
  case folder(path: String)
  /// A journal on another machine: `ssh://[user@]host[:port]/path`, or `[user@]host:path` without a
  /// `/` before the colon.
  case machine(MachineAddress)
  /// A service, with its own scheme: `s3://…`.
  case service(String)

  /// The schemes of services.
  static let serviceSchemes = ["firestore", "s3", "davs", "dav", "cloudkit"]

  /// Parses an address; nil if it's invalid.
  init?(_ text: String) {
    if text.isEmpty || text.utf8.contains(0) { return nil }
    let bytes = text.utf8
    if let mark = text.firstRange(of: "://"),
      case let scheme = text[..<mark.lowerBound].lowercased(), Self.serviceSchemes.contains(scheme)
    {
      let location = text[mark.upperBound...]
      if location.isEmpty { return nil }
      self = .service("\(scheme)://\(location)")
      return
    }
    if let machine = MachineAddress(text) {
      self = .machine(machine)
      return
    }
    // A colon before any slash means an unknown scheme, a drive or an invalid machine, not a path.
    if bytes.prefix(while: { $0 != UInt8(ascii: "/") }).contains(UInt8(ascii: ":")) { return nil }
    self =
      bytes.suffix(6).elementsEqual(".jsonl".utf8) ? .journal(path: text) : .folder(path: text)
  }

  /// The canonical spelling of the address.
  var description: String {
    switch self {
    case .journal(let path), .folder(let path): path
    case .machine(let machine): machine.description
    case .service(let text): text
    }
  }

  /// Returns the address with an absolute, simplified path, if it's on this machine.
  ///
  /// `..` stays, because its meaning depends on symbolic links.
  ///
  /// - Parameter folder: The folder that relative paths are resolved against.
  func absolute(in folder: String) -> RemoteAddress {
    switch self {
    case .journal(let path): .journal(path: Path.plain(Path.join(folder, path)))
    case .folder(let path): .folder(path: Path.plain(Path.join(folder, path)))
    case .machine, .service: self
    }
  }

  /// Returns the address of a WebDAV folder for its URL in a browser or file manager, or nil for
  /// other texts.
  static func webDAVAddress(of text: String) -> String? {
    let schemes = ["https": "davs", "webdavs": "davs", "http": "dav", "webdav": "dav"]
    guard let mark = text.firstRange(of: "://"),
      let scheme = schemes[text[..<mark.lowerBound].lowercased()]
    else { return nil }
    let location = withoutPassword(text)[mark.upperBound...].prefix { $0 != "?" && $0 != "#" }
    let host = location.prefix { $0 != "/" }
    let isHere = ["localhost", "127.0.0.1", "[::1]"].contains {
      host == $0 || host.hasPrefix("\($0):")
    }
    return location.isEmpty ? nil : "\(isHere ? scheme : "davs")://\(location)"
  }

  /// Returns an address without the user and password before its host.
  static func withoutPassword(_ text: String) -> String {
    guard let mark = text.firstRange(of: "://") else { return text }
    let host = text[mark.upperBound...].prefix { $0 != "/" }
    guard let end = host.lastIndex(of: "@") else { return text }
    return String(text[..<mark.upperBound]) + text[text.index(after: end)...]
  }
}
