public import EventLog

extension Journal {
  /// The addresses that were passed to ``remember(_:)``.
  ///
  /// They are stored in `remotes.json` in the journal's side folder.
  ///
  /// - Throws: `inputOutput` if the file exists and can't be read.
  public var remotes: [String] {
    get throws(EventLogError) { try SideFolder(beside: path, fileSystem: fileSystem).remotes }
  }

  /// Remembers the address of a remote.
  ///
  /// Nothing happens if the address is already remembered or the journal doesn't exist. A failure
  /// to write the file is ignored.
  ///
  /// - Parameter remote: The address of the remote.
  public func remember(_ remote: String) {
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    guard let known = try? side.remotes else { return }
    if !known.contains(where: { $0.hasBytes(of: remote) }) {
      try? side.keep(remotes: known + [remote])
    }
  }

  /// The addresses of the remotes with a recorded status, whether or not they are remembered.
  ///
  /// - Throws: `inputOutput` if they can't be read.
  package var recordedRemotes: [String] {
    get throws(EventLogError) {
      try SideFolder(beside: path, fileSystem: fileSystem).recordedRemotes
    }
  }

  /// Forgets the address of a remote and its status.
  ///
  /// - Parameter remote: The address of the remote.
  /// - Returns: Whether the address was remembered.
  /// - Throws: `inputOutput`. The address then stays remembered.
  @discardableResult
  public func forget(_ remote: String) throws(EventLogError) -> Bool {
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    let known = try side.remotes
    for kind in ["place", "remote", "replicator"] {
      try? fileSystem.remove(side.path(of: remote, kind))
    }
    let rest = known.filter { !$0.hasBytes(of: remote) }
    if rest.count < known.count { try side.keep(remotes: rest) }
    return rest.count < known.count
  }
}
