import EventLog
import EventLogClouds
import EventLogInspection
import EventLogPipe

extension RemoteAddress {
  /// Whether a local file is the remote or belongs to it.
  func holds(_ file: String) -> Bool {
    switch self {
    case .journal(let path): file == path
    case .folder(let path): file == path || file.hasPrefix(path + "/")
    case .machine, .service: false
    }
  }
}

/// A remote, and the user's name for it.
struct SyncTarget {
  let address: RemoteAddress
  let name: String
  /// Whether the remote was remembered instead of named in the arguments, so that it must exist.
  let isRemembered: Bool

  /// The path, if the remote is on this machine.
  private var path: String? {
    switch address {
    case .journal(let path), .folder(let path): path
    case .machine, .service: nil
    }
  }

  /// Whether the remote is known not to exist, which is false for other machines.
  var isMissing: Bool { path.map(Terminal.isMissing) ?? false }

  /// Returns the remotes in the arguments, or else the remembered ones.
  static func read(
    _ addresses: ArraySlice<String>, of journal: Journal, _ verb: String = "sync"
  ) throws(EventLogError) -> [SyncTarget] {
    if addresses.isEmpty, Terminal.isMissing(journal.path) {
      throw EventLogError(
        .noJournal, "There is no journal at \"\(Visible.text(journal.path))\".",
        hint:
          "Check the path. eventlog sync \(ShellWord.path(journal.path)) REMOTE creates it"
          + " from a remote.")
    }
    var targets: [SyncTarget] = []
    for text in addresses.isEmpty ? try journal.remotes[...] : addresses {
      let address: RemoteAddress
      do throws(EventLogError) {
        address = try self.address(text, verb, isRemembered: addresses.isEmpty)
      } catch {
        throw addresses.isEmpty ? invalidRememberedRemote(text, journal.path, verb) : error
      }
      guard !isJournal(address, journal.path) else {
        throw EventLogError.usage("\"\(Visible.text(text))\" is the journal itself.", verb)
      }
      let target = SyncTarget(address: address, name: text, isRemembered: addresses.isEmpty)
      if verb == "sync", !target.isRemembered { try target.checkMayBeCreated() }
      if !targets.contains(where: { $0.address == address }) { targets.append(target) }
    }
    return targets
  }

  /// - Throws: `noJournal` for a new folder with the name of a file. This is probably a backup on a
  ///   drive that isn't mounted.
  private func checkMayBeCreated() throws(EventLogError) {
    guard case .folder = address, isMissing, !name.hasSuffix("/"),
      let dot = name.lastIndex(of: "."), case let base = name[..<dot], !base.isEmpty,
      !base.hasSuffix("/"), !base.hasSuffix("."),
      case let ending = name[dot...].dropFirst().utf8, (1...5).contains(ending.count),
      name[dot...].dropFirst().allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }),
      ending.contains(where: { $0 > 0x39 })
    else { return }
    throw EventLogError(
      .noJournal,
      "There is nothing at \"\(Visible.text(name))\", and no folder is created under the name of a"
        + " file. Nothing was changed.",
      hint: "Check the path. The name of a new journal ends in .jsonl, and that of a new folder may"
        + " end in /: \(ShellWord.path(name + "/"))")
  }

  /// Returns the canonical address for an argument.
  static func address(
    _ text: String, _ verb: String, isRemembered: Bool = false
  ) throws(EventLogError) -> RemoteAddress {
    let isHere = !Terminal.isMissing(text)
    guard let address = RemoteAddress(text) else {
      throw invalidAddress(text, verb, isHere: isHere)
    }
    if case .machine = address, isHere, !MachineAddress.isURL(text) {
      throw EventLogError.usage(
        "\"\(Visible.text(text))\" refers to a path on another machine, but something here has that"
          + " name, too.", verb, hint: "For the local one: \(ShellWord.quoted("./\(text)"))")
    }
    return canonical(address, isRemembered: isRemembered)
  }

  private static func invalidAddress(_ text: String, _ verb: String, isHere: Bool) -> EventLogError
  {
    let here = ShellWord.quoted("./\(text)")
    if let url = RemoteAddress.webDAVAddress(of: text) {
      return .usage(
        "\"\(Visible.text(RemoteAddress.withoutPassword(text)))\" is not a remote.", verb,
        hint: "For a folder of a WebDAV server: \(ShellWord.quoted(url)). For a place of another"
          + " service, use its own form, such as s3://bucket/prefix.")
    }
    if let url = urlOfDrive(text) {
      return .usage(
        "\"\(Visible.text(text))\" is not a remote: one letter before a colon is a drive on some"
          + " systems, not a host.", verb,
        hint: "For a host with that name: \(ShellWord.quoted(url)). For a local path: \(here)")
    }
    return .usage(
      "\"\(Visible.text(text))\" is not a remote.", verb,
      hint: isHere
        ? "For a local path: \(here)"
        : "A remote is a journal (a file, or a new path that ends in .jsonl), a folder (any other"
          + " path), a journal on another machine (host:path, ssh://user@host:port/path), or a"
          + " place in a cloud (s3://bucket/prefix).")
  }

  /// Returns the URL of a host whose address looks like a path on a drive, or nil for other
  /// addresses.
  private static func urlOfDrive(_ text: String) -> String? {
    guard text.utf8.dropFirst().first == UInt8(ascii: ":") else { return nil }
    let path = String(text.dropFirst(2))
    let home = path.hasPrefix("/") ? "" : path.hasPrefix("~") ? "/" : "/~/"
    let url = "ssh://\(text.prefix(1))\(home)\(path)"
    return RemoteAddress(url) == nil ? nil : url
  }

  /// Returns the error for an invalid remembered address, which only another program can have
  /// written.
  private static func invalidRememberedRemote(
    _ text: String, _ journal: String, _ verb: String
  ) -> EventLogError {
    .usage(
      "\"\(Visible.text(text))\" is remembered, but is not a remote. Nothing was changed.", verb,
      hint: forgetting(text, journal)
        ?? "To forget it: eventlog sync \(ShellWord.path(journal)) --forget --"
        + " \(ShellWord.quoted(text))")
  }

  /// Returns the hint to forget all remotes, or nil if the address can be typed.
  private static func forgetting(_ text: String, _ journal: String) -> String? {
    Visible.isWhole(text)
      ? nil : "To forget all remotes: eventlog sync \(ShellWord.path(journal)) --forget"
  }

  /// Returns the canonical address of the same remote: symbolic links and `..` are resolved.
  ///
  /// - Parameter isRemembered: Whether the address was remembered. Its meaning then doesn't depend
  ///   on environment variables.
  static func canonical(
    _ address: RemoteAddress, isRemembered: Bool = false
  ) -> RemoteAddress {
    let address = address.absolute(in: Terminal.currentFolder)
    let path: String
    switch address {
    case .journal(let name), .folder(let name): path = Terminal.canonicalPath(name)
    case .service(let text):
      return .service(CloudAddress.canonicalText(text, .ofTerminal, isCanonical: isRemembered))
    case .machine: return address
    }
    if Terminal.isFile(path) { return .journal(path: path) }
    // The name of a link's target may suggest another kind of remote.
    switch (address, RemoteAddress(path)) {
    case (.journal, .journal(let path)?): return .journal(path: path)
    case (.folder, .folder(let path)?): return .folder(path: path)
    default: return address
    }
  }

  /// Whether a remembered address is another spelling of this remote.
  func isSameRemote(as text: String) -> Bool {
    guard text != address.description, case .service(let own) = address,
      case .service(let other)? = RemoteAddress(text).map({
        Self.canonical($0, isRemembered: true)
      }), let one = try? CloudAddress(own), let another = try? CloudAddress(other)
    else { return false }
    return one.isSameRemote(as: another)
  }

  /// Returns the error for a remembered remote that is missing or empty.
  ///
  /// It isn't created again.
  func missingError(_ what: String, from journal: String) -> EventLogError {
    let (path, text) = (ShellWord.path(journal), ShellWord.path(name))
    return EventLogError(
      .noJournal,
      "\"\(Visible.text(name))\" is a remembered remote, but it \(what). Nothing was changed"
        + " there.",
      hint: Self.forgetting(name, journal)
        ?? "Mount it or bring it back, or create it again: eventlog sync \(path) \(text)."
        + " To forget it: eventlog sync \(path) \(text) --forget")
  }

  /// Whether the address leads to the journal itself.
  static func isJournal(_ address: RemoteAddress, _ journal: String) -> Bool {
    guard case .journal(let path) = address else { return false }
    return canonical(.journal(path: journal)) == address || Terminal.isSameFile(path, journal)
  }
}
