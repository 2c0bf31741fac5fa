import EventLog
import EventLogPipe

/// The name of a remote, read: what sort of place it is, and where.
enum RemoteAddress: Sendable, Hashable, CustomStringConvertible {
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
  static let serviceSchemes = ["firestore", "s3", "davs", "dav", "cloudkit"]

  /// Reads a name; nil for one that names nothing.
  init?(_ text: String) {
    if text.isEmpty || text.utf8.contains(0) { return nil }
    let bytes = text.utf8
    if let scheme = Self.serviceSchemes.first(where: { bytes.starts(with: "\($0)://".utf8) }) {
      guard bytes.count > scheme.utf8.count + 3 else { return nil }
      self = .service(text)
      return
    }
    if let machine = MachineAddress(text) {
      self = .machine(machine)
      return
    }
    // With a colon before any slash, it is a scheme, a drive or an invalid machine: no path.
    if bytes.prefix(while: { $0 != UInt8(ascii: "/") }).contains(UInt8(ascii: ":")) { return nil }
    self =
      bytes.suffix(6).elementsEqual(".jsonl".utf8) ? .journal(path: text) : .folder(path: text)
  }

  /// The name in one spelling.
  var description: String {
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
  func absolute(in folder: String) -> RemoteAddress {
    switch self {
    case .journal(let path): .journal(path: Path.plain(Path.join(folder, path)))
    case .folder(let path): .folder(path: Path.plain(Path.join(folder, path)))
    case .machine, .service: self
    }
  }

  /// The address as which a folder of a WebDAV server is named, for its address in a browser or a
  /// file manager. Nil for another text.
  static func webDAVAddress(of text: String) -> String? {
    let schemes = ["https": "davs", "webdavs": "davs", "http": "dav", "webdav": "dav"]
    guard let mark = text.firstRange(of: "://"),
      let scheme = schemes[text[..<mark.lowerBound].lowercased()]
    else { return nil }
    let place = withoutPassword(text)[mark.upperBound...].prefix { $0 != "?" && $0 != "#" }
    let host = place.prefix { $0 != "/" }
    let isHere = ["localhost", "127.0.0.1", "[::1]"].contains {
      host == $0 || host.hasPrefix("\($0):")
    }
    return place.isEmpty ? nil : "\(isHere ? scheme : "davs")://\(place)"
  }

  /// An address without what stands before its host.
  static func withoutPassword(_ text: String) -> String {
    guard let mark = text.firstRange(of: "://") else { return text }
    let host = text[mark.upperBound...].prefix { $0 != "/" }
    guard let end = host.lastIndex(of: "@") else { return text }
    return String(text[..<mark.upperBound]) + text[text.index(after: end)...]
  }
}
