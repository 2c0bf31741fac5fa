/// A folder that several devices share: on a server, a stick, or in the care of a program that
/// synchronizes folders.
///
/// Nobody changes a file there, so nothing is locked, and what such programs do to files (half
/// copies, late arrivals, copies "in conflict") does no harm.
public struct FolderRemote: ReachableRemote {
  private let storage: FolderStorage
  private let remote: ObjectRemote
  let fileSystem: any FileSystem

  /// The folder's path.
  public var address: String { remote.address }

  /// - Parameter path: the folder; it is made with the first events, if its own folder is there.
  public init(path: String, options: JournalOptions = JournalOptions()) {
    storage = FolderStorage(path: path, fileSystem: options.fileSystem, random: options.random)
    remote = ObjectRemote(storage, random: options.random)
    fileSystem = options.fileSystem
  }

  /// - Throws: also `remoteFailed` for a folder with journals in it and nothing that devices share:
  ///   ranges among journals would be taken for some; and for what belongs to a journal, which is
  ///   deleted with it.
  package func connect(_ visit: RemoteVisit) async throws(EventLogError) -> any RemoteSession {
    if address.split(separator: "/").contains(where: { $0.hasSuffix(".eventlog") }) {
      throw EventLogError(
        .remoteFailed,
        "\"\(address)\" belongs to a journal, and may be deleted with it: it is no shared folder."
          + " Nothing was changed.", hint: "Name a folder of its own.")
    }
    try await storage.checkPlace()
    let names = try await storage.names()
    let isShared = names.contains { RangeName($0) != nil || FrontierName($0) != nil }
    if !isShared, names.contains(where: { $0.hasSuffix(".jsonl") || $0.hasSuffix(".eventlog") }) {
      throw EventLogError(
        .remoteFailed,
        "\"\(address)\" holds journals, and nothing that devices share: it is no shared folder."
          + " Nothing was changed.",
        hint:
          "Name a folder of its own in it, which is made then: \"\(Path.join(address, "Shared"))\"."
      )
    }
    return try await remote.connect(visit)
  }
}
