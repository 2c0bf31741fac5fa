public import EventLog

/// A folder that several devices share, such as on a server, on a removable drive, or in a cloud
/// drive.
///
/// Files in the folder are never changed once they are written, so no locks are required. Files
/// that a cloud drive has copied only in part, delivers late, or duplicates as "conflicted copies"
/// do no harm.
public struct FolderRemote: ReachableRemote {
  let storage: FolderStorage
  private let remote: ObjectRemote
  private let fileSystem: any FileSystem

  /// The path of the folder.
  public var address: String { remote.address }

  /// Creates a remote for a shared folder.
  ///
  /// - Parameters:
  ///   - path: The path of the folder. The first sync that sends events creates the folder, if its
  ///     parent folder exists.
  ///   - options: Options for tests. Only their disk and randomness are used.
  public init(path: String, options: JournalOptions = JournalOptions()) {
    storage = FolderStorage(path: path, fileSystem: options.fileSystem, random: options.random)
    remote = ObjectRemote(storage, random: options.random)
    fileSystem = options.fileSystem
  }

  /// Returns the sorted names of the files in a folder that isn't shared yet.
  ///
  /// Files that operating systems and cloud drives create are left out.
  package func unknownFiles() async throws(EventLogError) -> [String] {
    let names = try await storage.names()
    if names.contains(where: Self.isShared) { return [] }
    return names.filter {
      !$0.hasPrefix(".") && !Self.customary.contains($0) && SchemaFile.Name($0) == nil
    }.sorted()
  }

  private static func belongsToJournal(_ name: Substring) -> Bool {
    name.hasSuffix(".eventlog") || name.hasSuffix(".attachments")
  }

  private static let customary: Set<String> = ["desktop.ini", "Thumbs.db", "Icon\r", "lost+found"]

  private static func isShared(_ name: String) -> Bool {
    RangeName(name) != nil || FrontierName(name) != nil
  }

  /// Begins a run with the folder.
  ///
  /// - Throws: `usage` for a folder that contains journals but no shared files, because files among
  ///   journals could be mistaken for shared ones, and for a folder that belongs to a journal,
  ///   because it is deleted with the journal.
  package func connect(_ request: SyncRequest) async throws(EventLogError) -> any RemoteSession {
    if address.split(separator: "/").contains(where: Self.belongsToJournal) {
      throw EventLogError(
        .usage,
        "\"\(address)\" is not a shared folder: it belongs to a journal and may be deleted with it."
          + " Nothing was changed.", hint: "Use a separate folder.")
    }
    try await storage.checkParentExists()
    let names = try await storage.names()
    if !names.contains(where: Self.isShared),
      names.contains(where: { $0.hasSuffix(".jsonl") || $0.hasSuffix(".eventlog") })
    {
      throw EventLogError(
        .usage,
        "\"\(address)\" is not a shared folder: it contains journals. Nothing was changed.",
        hint: "Use a folder in it, which is then created: \"\(Path.join(address, "Shared"))\".")
    }
    // iCloud Drive renames a file whose content is only in iCloud.
    let count = names.count {
      $0.hasPrefix(".") && $0.hasSuffix(".icloud")
        && Self.isShared(String($0.dropFirst().dropLast(7)))
    }
    if count == 0 { return try await remote.connect(request) }
    let notice = "\(count) file\(count == 1 ? " is" : "s are") still in iCloud"
    let advice = "download \(count == 1 ? "it" : "them")"
    guard names.contains(where: Self.isShared) else {
      throw EventLogError(
        .remoteFailed, "\(notice), and nothing else is in \"\(address)\". Nothing was changed.",
        hint: "In Finder, \(advice), then sync again.")
    }
    return try await remote.connect(request, noting: ["\(notice) in \"\(address)\": \(advice)."])
  }
}

extension FolderRemote: LocalRemote {
  package func observe(_ onChange: @escaping @Sendable () -> Void) -> FileObserver {
    FileObserver(address, in: fileSystem, onChange: onChange)
  }
}
