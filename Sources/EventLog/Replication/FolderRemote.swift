/// A folder that several devices share: on a server, a stick, or in the care of a program that
/// synchronizes folders.
///
/// Nobody changes a file there, so nothing is locked, and what such programs do to files (half
/// copies, late arrivals, copies "in conflict") does no harm.
public struct FolderRemote: Remote {
  private let remote: ObjectRemote

  public var address: String { remote.address }

  /// - Parameter path: the folder; it is made with the first events, if its own folder is there.
  public init(path: String, options: JournalOptions = JournalOptions()) {
    remote = ObjectRemote(
      FolderStorage(path: path, fileSystem: options.fileSystem, random: options.random),
      random: options.random)
  }

  public func connect(_ visit: RemoteVisit) async throws(EventLogError) -> any RemoteSession {
    try await remote.connect(visit)
  }
}
