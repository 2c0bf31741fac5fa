/// Another journal in a file that this device can access, such as a second copy or one on a
/// removable drive.
///
/// Each journal is written under its own lock, so other processes can use both during a sync.
public struct JournalRemote: ReachableRemote {
  /// The path of the journal's file.
  public let path: String
  let options: JournalOptions

  /// The path of the journal's file.
  public var address: String { path }

  /// Creates a remote for a journal's file.
  ///
  /// - Parameters:
  ///   - path: The path of the journal's file. A sync that sends events creates the file if it
  ///     doesn't exist.
  ///   - options: How to access the journal, such as the time to wait for its lock. The user is
  ///     ignored.
  public init(path: String, options: JournalOptions = JournalOptions()) {
    self.path = path
    self.options = options
  }

  /// The schema file beside the journal, or nil if there is none.
  package var schema: SchemaFile? {
    SideFolder(beside: path, fileSystem: options.fileSystem).schema
  }

  /// Checks that the remote isn't the journal that syncs with it.
  ///
  /// - Throws: `usage` if it is.
  func checkIsOther(
    than path: String, _ fileSystem: any FileSystem
  ) throws(EventLogError) {
    guard Self.isSame(fileSystem, options.fileSystem) else { return }
    let (own, other) = (try? fileSystem.status(at: path), try? fileSystem.status(at: self.path))
    let isSame =
      if let own, let other {
        own.device == other.device && own.inode == other.inode
      } else { path == self.path }
    guard isSame else { return }
    throw EventLogError(
      .usage, "\"\(self.path)\" is the journal itself. Nothing was changed.",
      hint: "Sync with another copy of it, or with a shared folder.")
  }

  /// Whether two values are the same file system.
  private static func isSame(_ one: any FileSystem, _ other: any FileSystem) -> Bool {
    if one is SystemFileSystem { return other is SystemFileSystem }
    guard type(of: one) is AnyClass, type(of: other) is AnyClass else { return false }
    return one as AnyObject === other as AnyObject
  }

  /// Begins a run with the journal.
  ///
  /// - Throws: `notAJournal` for a file that belongs to a shared folder.
  package func connect(_ request: SyncRequest) async throws(EventLogError) -> any RemoteSession {
    try await open(request).session
  }

  /// Begins a run with the journal and returns the damage found in it.
  ///
  /// - Throws: The errors of ``connect(_:)``.
  package func open(
    _ request: SyncRequest
  ) async throws(EventLogError) -> (session: any RemoteSession, damage: JournalProblem?) {
    try RangeName.refuse(journal: path)
    var options = options
    options.user = nil
    var replica = Replica(path, options, prefix: request.prefix, initiator: request.side)
    var state: ReplicaState
    do throws(EventLogError) {
      // Read now, while the initiator reads its own journal.
      state = try await replica.open(dryRun: request.isDryRun)
    } catch {
      // If the journal belongs to one of several users, assume the initiator's.
      guard error.code == .userNeeded, let user = request.user else { throw error }
      options.user = user
      replica = Replica(path, options, prefix: nil, initiator: request.side)
      state = try await replica.open(dryRun: request.isDryRun)
    }
    if state.ledger.devices.isEmpty, request.user == nil {
      throw EventLogError(
        .noJournal, "There is no journal at \"\(path)\".", hint: "Check the path.",
        at: .init(file: path))
    }
    return (JournalSession(replica, request), state.damage)
  }
}

extension JournalRemote: LocalRemote {
  package func observe(_ onChange: @escaping @Sendable () -> Void) -> FileObserver {
    FileObserver(path, in: options.fileSystem, onChange: onChange)
  }
}
