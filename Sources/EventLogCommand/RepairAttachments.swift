import EventLog
import EventLogAttachments

/// The attachments of one `eventlog repair`.
struct RepairAttachments {
  let fetched: [Attachment]
  let missing: [Attachment]
  let damaged: [Attachment]

  /// The attachments that `--attachments` leaves at the remotes.
  let left: [Attachment]

  var isWhole: Bool { missing.isEmpty && damaged.isEmpty }

  /// Fetches what is missing or damaged, as far as `--attachments` wants it.
  ///
  /// Failures are notes: one unreadable content doesn't end the repair of the others.
  ///
  /// - Parameter remotes: The remotes that were reached.
  /// - Returns: Nil if the journal names no attachments.
  init?(
    of path: String, from remotes: [any Remote], _ arguments: Arguments, _ console: Console
  ) async throws {
    let folder = AttachmentFolder(beside: path, fileSystem: console.progress.fileSystem)
    if Terminal.isMissing(path) || !folder.mayBeNamed(in: path) { return nil }
    let store = EventStore.unread(
      path: path, options: JournalOptions(user: arguments["user"]),
      catalog: try arguments.catalog())
    try await store.refresh()
    let uses = store.snapshot.attachmentUses
    if uses.isEmpty { return nil }
    var list = AttachmentList(uses: uses, folder: folder)
    let policy = try AttachmentPolicy(arguments, "repair")
    if policy == .none {
      (fetched, missing, damaged) = ([], [], [])
      left = list.attachments.filter { list.state(of: $0) == .missing }
      return
    }
    console.progress.begin("checking attachments")
    try list.check()
    console.onInterrupt(reporting: "What was fetched so far is kept.")
    let transfer = AttachmentTransfer(of: store, at: remotes, console)
    var (all, unwanted) = ([Attachment](), Set<Attachment>())
    if let transfer {
      unwanted = try list.beyond(policy)
      all = try await transfer.fetch(for: &list, except: unwanted)
    }
    console.progress.end()
    let checked = list
    fetched = all
    left = checked.attachments.filter(unwanted.contains)
    missing = checked.attachments.filter {
      checked.state(of: $0) == .missing && !unwanted.contains($0)
    }
    damaged = checked.attachments.filter { checked.state(of: $0) == .damaged }
  }

  /// The sentence about what no remote had, or nil.
  var warning: String? {
    var parts: [String] = []
    if !missing.isEmpty { parts.append("\(plural(missing.count, "attachment")) missing") }
    if !damaged.isEmpty { parts.append("\(plural(damaged.count, "attachment")) damaged") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  var json: JSONValue {
    func hashes(_ attachments: [Attachment]) -> JSONValue {
      .array(attachments.map { .string($0.sha256) })
    }
    return .sorted([
      .init(name: "received", value: hashes(fetched)),
      .init(name: "missing", value: hashes(missing)),
      .init(name: "damaged", value: hashes(damaged)), .init(name: "left", value: hashes(left)),
    ])
  }
}
