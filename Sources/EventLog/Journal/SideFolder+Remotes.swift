extension SideFolder {
  private var remotesPath: String { Path.join(path, "remotes.json") }

  /// The addresses of the remotes that the journal has synced with, in the order of the first sync.
  ///
  /// - Throws: `inputOutput` if the file can't be read or is damaged. Otherwise it would be
  ///   overwritten as if empty.
  package var remotes: [String] {
    get throws(EventLogError) {
      var bytes: [UInt8] = []
      do throws(Errno) {
        bytes = try fileSystem.contents(ofFile: remotesPath, maximumBytes: 1 << 20)
      } catch {
        if error == .noSuchFile || error == .notDirectory { return [] }
        throw .inputOutput("read", remotesPath, error, meaning: "Nothing was changed.")
      }
      guard case .object(let object)? = try? JSONValue(parsing: bytes),
        case .array(let values)? = object["remotes"]
      else {
        throw EventLogError(
          .inputOutput,
          "\"\(remotesPath)\" is damaged: it has no list of remotes. Nothing was changed.",
          hint: "Delete the file, then name each remote once more to a sync.",
          at: .init(file: remotesPath))
      }
      return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
  }

  /// Saves the addresses atomically, but only beside a journal.
  package func keep(remotes: [String]) throws(EventLogError) {
    guard isBesideJournal else { return }
    try replace(remotesPath, with: ["remotes": .array(remotes.map { .string($0) })])
  }
}
