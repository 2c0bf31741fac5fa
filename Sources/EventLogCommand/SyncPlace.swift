import EventLog
import EventLogClouds

extension RemoteAddress {
  /// Whether a file on this machine is the place, or in it.
  func holds(_ file: String) -> Bool {
    switch self {
    case .journal(let path): file == path
    case .folder(let path): file == path || file.hasPrefix(path + "/")
    case .machine, .service: false
    }
  }
}

/// A remote, and what the person calls it.
struct SyncPlace {
  let address: RemoteAddress
  let name: String
  /// Whether it was not named in this call: then it has to be there.
  let isRemembered: Bool

  /// Where it is, if it is on this machine.
  private var path: String? {
    switch address {
    case .journal(let path), .folder(let path): path
    case .machine, .service: nil
    }
  }

  /// Whether nothing is there, as far as that can be known here.
  var isMissing: Bool { path.map(Terminal.isMissing) ?? false }

  /// The remotes that are named, else those that are remembered.
  static func read(
    _ words: ArraySlice<String>, of journal: Journal, _ verb: String = "sync"
  ) throws(EventLogError) -> [SyncPlace] {
    if words.isEmpty, Terminal.isMissing(journal.path) {
      throw EventLogError(
        .noJournal, "There is no journal at \"\(Visible.text(journal.path))\".",
        hint:
          "Check the path. eventlog sync \(ShellWord.path(journal.path)) REMOTE creates it"
          + " from a remote.")
    }
    var places: [SyncPlace] = []
    for word in words.isEmpty ? try journal.remotes[...] : words {
      let address: RemoteAddress
      do throws(EventLogError) {
        address = try self.address(word, verb, isRemembered: words.isEmpty)
      } catch {
        throw words.isEmpty ? noRemoteAnyMore(word, journal.path, verb) : error
      }
      guard !isJournal(address, journal.path) else {
        throw EventLogError.usage("\"\(Visible.text(word))\" is the journal itself.", verb)
      }
      let place = SyncPlace(address: address, name: word, isRemembered: words.isEmpty)
      if verb == "sync", !place.isRemembered { try place.checkMayBeMade() }
      if !places.contains(where: { $0.address == address }) { places.append(place) }
    }
    return places
  }

  /// - Throws: `noJournal` for a folder that would be made under the name of a file, such as that
  ///   of a backup on a stick that is not there.
  private func checkMayBeMade() throws(EventLogError) {
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

  /// The address that a word means, whatever way it is spelled.
  static func address(
    _ word: String, _ verb: String, isRemembered: Bool = false
  ) throws(EventLogError) -> RemoteAddress {
    let isHere = !Terminal.isMissing(word)
    guard let address = RemoteAddress(word) else { throw noRemote(word, verb, isHere: isHere) }
    if case .machine = address, isHere, !word.hasPrefix("ssh://") {
      throw EventLogError.usage(
        "\"\(Visible.text(word))\" refers to a path on another machine, but something here has that"
          + " name, too.", verb, hint: "For the local one: \(ShellWord.quoted("./\(word)"))")
    }
    return canonical(address, isRemembered: isRemembered)
  }

  private static func noRemote(_ word: String, _ verb: String, isHere: Bool) -> EventLogError {
    let here = ShellWord.quoted("./\(word)")
    if let url = RemoteAddress.webDAVAddress(of: word) {
      return .usage(
        "\"\(Visible.text(RemoteAddress.withoutPassword(word)))\" is not a remote.", verb,
        hint: "For a folder of a WebDAV server: \(ShellWord.quoted(url)). For a place of another"
          + " service, use its own form, such as s3://bucket/prefix.")
    }
    if let url = urlOfDrive(word) {
      return .usage(
        "\"\(Visible.text(word))\" is not a remote: one letter before a colon is a drive on some"
          + " systems, not a host.", verb,
        hint: "For a host with that name: \(ShellWord.quoted(url)). For a local path: \(here)")
    }
    return .usage(
      "\"\(Visible.text(word))\" is not a remote.", verb,
      hint: isHere
        ? "For a local path: \(here)"
        : "A remote is a journal (a file, or a new path that ends in .jsonl), a folder (any other"
          + " path), a journal on another machine (host:path, ssh://user@host:port/path), or a"
          + " place in a cloud (s3://bucket/prefix).")
  }

  /// What names a host where a word names a drive.
  private static func urlOfDrive(_ word: String) -> String? {
    guard word.utf8.dropFirst().first == UInt8(ascii: ":") else { return nil }
    let path = String(word.dropFirst(2))
    let home = path.hasPrefix("/") ? "" : path.hasPrefix("~") ? "/" : "/~/"
    let url = "ssh://\(word.prefix(1))\(home)\(path)"
    return RemoteAddress(url) == nil ? nil : url
  }

  /// What is remembered and could never have been synced with: somebody else wrote it there.
  private static func noRemoteAnyMore(
    _ word: String, _ journal: String, _ verb: String
  ) -> EventLogError {
    .usage(
      "\"\(Visible.text(word))\" is remembered, but is not a remote. Nothing was changed.", verb,
      hint: forgetting(word, journal)
        ?? "To forget it: eventlog sync \(ShellWord.path(journal)) --forget --"
        + " \(ShellWord.quoted(word))")
  }

  /// How to be without a remote that no command can name.
  private static func forgetting(_ word: String, _ journal: String) -> String? {
    Visible.isWhole(word)
      ? nil : "To forget all remotes: eventlog sync \(ShellWord.path(journal)) --forget"
  }

  /// The same place under its one name: links and `..` are followed.
  ///
  /// - Parameter isRemembered: Whether the address was remembered. It then means the same, whatever
  ///   the environment says now.
  static func canonical(
    _ address: RemoteAddress, isRemembered: Bool = false
  ) -> RemoteAddress {
    let address = address.absolute(in: Terminal.currentFolder)
    let path: String
    switch address {
    case .journal(let name), .folder(let name): path = Terminal.canonicalPath(name)
    case .service(let text):
      return .service(CloudAddress.text(text, .ofTerminal, isRemembered: isRemembered))
    case .machine: return address
    }
    if Terminal.isFile(path) { return .journal(path: path) }
    // The target of a link may have a name that means another sort of place.
    switch (address, RemoteAddress(path)) {
    case (.journal, .journal(let path)?): return .journal(path: path)
    case (.folder, .folder(let path)?): return .folder(path: path)
    default: return address
    }
  }

  /// Whether a remembered text is another spelling of the place.
  func isAlso(_ text: String) -> Bool {
    guard text != address.description, case .service(let own) = address,
      case .service(let other)? = RemoteAddress(text).map({
        Self.canonical($0, isRemembered: true)
      }), let one = try? CloudAddress(own), let another = try? CloudAddress(other)
    else { return false }
    return one.isSamePlace(as: another)
  }

  /// What was remembered and cannot be what is meant: nothing is made in its place.
  func gone(_ what: String, from journal: String) -> EventLogError {
    let (path, word) = (ShellWord.path(journal), ShellWord.path(name))
    return EventLogError(
      .noJournal,
      "\"\(Visible.text(name))\" is a remembered remote, but it \(what). Nothing was changed"
        + " there.",
      hint: Self.forgetting(name, journal)
        ?? "Mount it or bring it back, or create it again: eventlog sync \(path) \(word)."
        + " To forget it: eventlog sync \(path) \(word) --forget")
  }

  /// Whether the address leads to the journal itself.
  static func isJournal(_ address: RemoteAddress, _ journal: String) -> Bool {
    guard case .journal(let path) = address else { return false }
    return canonical(.journal(path: journal)) == address || Terminal.isSameFile(path, journal)
  }
}
