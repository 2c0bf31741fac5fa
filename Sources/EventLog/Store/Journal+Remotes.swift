extension Journal {
  /// The addresses of the remotes that the journal is replicated with, as ``remember(_:)`` was
  /// told.
  ///
  /// They are kept beside the journal, in `remotes.json` of its side folder.
  ///
  /// - Throws: `inputOutput` if the file is there and cannot be read.
  public var remotes: [String] {
    get throws(EventLogError) { try SideFolder(beside: path, fileSystem: fileSystem).remotes }
  }

  /// Remembers a remote, unless it is remembered already, or there is no journal. Where that fails,
  /// it is forgotten, and nothing else.
  public func remember(_ remote: String) {
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    guard let known = try? side.remotes else { return }
    if !known.contains(where: { $0.utf8.elementsEqual(remote.utf8) }) {
      try? side.keep(remotes: known + [remote])
    }
  }

  /// Forgets a remote.
  ///
  /// - Returns: whether it was remembered.
  /// - Throws: `inputOutput`; then it still is.
  @discardableResult
  public func forget(_ remote: String) throws(EventLogError) -> Bool {
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    let known = try side.remotes
    let rest = known.filter { !$0.utf8.elementsEqual(remote.utf8) }
    if rest.count < known.count { try side.keep(remotes: rest) }
    return rest.count < known.count
  }
}
