extension Journal {
  /// The addresses of the remotes that the journal is replicated with, as ``remember(_:)`` was
  /// told.
  ///
  /// They are a cache beside the journal: deleting it costs giving them again.
  public var remotes: [String] { SideFolder(beside: path, fileSystem: fileSystem).remotes }

  /// Remembers a remote, unless it is remembered already. Where that fails, it is forgotten, and
  /// nothing else.
  public func remember(_ remote: String) {
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    let known = side.remotes
    if !known.contains(where: { $0.utf8.elementsEqual(remote.utf8) }) {
      side.remotes = known + [remote]
    }
  }

  /// Forgets a remote.
  ///
  /// - Returns: whether it was remembered.
  @discardableResult
  public func forget(_ remote: String) -> Bool {
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    let known = side.remotes
    let rest = known.filter { !$0.utf8.elementsEqual(remote.utf8) }
    if rest.count < known.count { side.remotes = rest }
    return rest.count < known.count
  }
}
