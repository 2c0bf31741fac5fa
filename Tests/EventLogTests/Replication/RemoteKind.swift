import EventLog
import EventLogTesting

/// The sorts of remotes that keep one contract.
enum RemoteKind: String, CaseIterable, Sendable {
  case journal, folder, objects

  /// A remote that holds nothing yet.
  func make() throws -> RemotePlace {
    let folder = try TemporaryFolder()
    switch self {
    case .journal:
      return RemotePlace(
        remote: JournalRemote(
          path: folder.file("far.jsonl"),
          options: .repeatable(
            device: "far", user: nil, clock: AdjustableClock(), seed: 9,
            fileSystem: InstrumentedFileSystem(machineIdentity: "far"))),
        folder: folder)
    case .folder:
      return RemotePlace(remote: FolderRemote(path: folder.file("Shared")), folder: folder)
    case .objects:
      // Small pages, so that listings take several.
      return RemotePlace(
        remote: ObjectRemote(MemoryStorage(pageCount: 2), random: .seeded(1)), folder: folder)
    }
  }
}

/// A remote and what keeps it alive.
struct RemotePlace: Sendable {
  let remote: any Remote
  let folder: TemporaryFolder
}
