import EventLog
import EventLogPipe
import EventLogRemotes
import EventLogTesting

/// The kinds of remotes that share one contract.
enum RemoteKind: String, CaseIterable, Sendable {
  case journal, folder, objects, pipe, program

  /// The options of another machine.
  private static var farOptions: JournalOptions {
    .repeatable(
      device: "far", user: nil, clock: AdjustableClock(), seed: 9,
      fileSystem: InstrumentedFileSystem(machineIdentity: "far"))
  }

  /// Creates an empty remote.
  func make() throws -> RemoteFixture {
    let folder = try TemporaryFolder()
    switch self {
    case .journal:
      return RemoteFixture(
        remote: JournalRemote(path: folder.file("far.jsonl"), options: Self.farOptions),
        folder: folder)
    case .pipe:
      return RemoteFixture(
        remote: PipeRemote(servingInMemory: folder.file("far.jsonl"), options: Self.farOptions),
        folder: folder)
    case .program:
      let path = folder.file("far.jsonl")
      return RemoteFixture(
        remote: PipeRemote(address: path, command: [try ServeProgram.path, "serve", path]),
        folder: folder)
    case .folder:
      return RemoteFixture(remote: FolderRemote(path: folder.file("Shared")), folder: folder)
    case .objects:
      // Small pages make a listing take several.
      let storage = MemoryStorage(pageCount: 2)
      return RemoteFixture(
        remote: ObjectRemote(storage, random: .seeded(1)), folder: folder, storage: storage)
    }
  }
}
