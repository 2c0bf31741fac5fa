extension SideFolder {
  private var remotesPath: String { Path.join(path, "remotes.json") }
  /// The former location, among files that may be deleted.
  private var cachedRemotesPath: String { Path.join(path, "cache/remotes.json") }

  /// The addresses of the remotes that the journal has synced with, in the order of the first sync.
  ///
  /// - Throws: `inputOutput` if the file can't be read. Otherwise it would be overwritten as if
  ///   empty.
  package var remotes: [String] {
    get throws(EventLogError) {
      if let known = try read(remotesPath) { return known }
      return try read(cachedRemotesPath) ?? []
    }
  }

  /// Saves the addresses atomically, but only beside a journal.
  package func keep(remotes: [String]) throws(EventLogError) {
    guard isBesideJournal else { return }
    try replace(remotesPath, with: ["remotes": .array(remotes.map { .string($0) })])
    try? fileSystem.remove(cachedRemotesPath)
  }

  private func read(_ path: String) throws(EventLogError) -> [String]? {
    var bytes: [UInt8] = []
    do throws(Errno) {
      bytes = try fileSystem.contents(ofFile: path, maximumBytes: 1 << 20)
    } catch {
      if error == .noSuchFile || error == .notDirectory { return nil }
      throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
    }
    guard case .object(let object)? = try? JSONValue(parsing: bytes),
      case .array(let values)? = object["remotes"]
    else { return nil }
    return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }
}
