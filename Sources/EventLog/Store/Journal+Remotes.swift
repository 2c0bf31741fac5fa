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

  /// Records why a sync with a remote failed, if it is one of the journal's remotes.
  ///
  /// - Parameter isRetried: Whether a replicator continues to sync with it. The replicator then
  ///   waits for as long as the remote asks.
  package func note(_ error: EventLogError, of remote: String, isRetried: Bool = false) {
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    let now = JournalOptions().now
    side.note(error, of: remote, at: now, isKnown: isRetried)
    guard isRetried, let delay = error.retryAfter, wait(of: remote) == nil else { return }
    var memory = ReplicatorMemory(of: remote, in: side)
    memory.retry = .init(
      at: now.advanced(by: delay), delay: delay, because: error,
      since: memory.retry?.since ?? now)
    memory.keep(of: remote, in: side)
  }

  /// The failure of a remote that has asked a replicator to wait beyond now, or nil.
  package func wait(of remote: String) -> EventLogError? {
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    guard let record = try? side.remoteRecord(of: remote), record.failure != nil,
      let retry = ReplicatorMemory(of: remote, in: side).retry,
      let requestedDelay = retry.because.retryAfter,
      // The system clock may have been changed.
      (1...max(1, requestedDelay.milliseconds)).contains(
        retry.at.milliseconds - JournalOptions().now.milliseconds)
    else { return nil }
    return retry.because
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
    side.forgetRecord(of: remote)
    let rest = known.filter { !$0.hasBytes(of: remote) }
    if rest.count < known.count { try side.keep(remotes: rest) }
    return rest.count < known.count
  }
}
