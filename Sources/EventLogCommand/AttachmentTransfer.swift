import EventLog
import EventLogAttachments

/// Transfers attachments for `eventlog attachments`.
struct AttachmentTransfer {
  private let attachments: Attachments
  private let console: Console

  /// - Returns: Nil if no remote keeps attachments.
  init?(of store: EventStore, at remotes: [any Remote], _ console: Console) {
    attachments = Attachments(of: store, at: remotes)
    if attachments.remotesWithout.count == remotes.count { return nil }
    self.console = console
  }

  /// - Throws: `usage` without a remote.
  init(_ arguments: Arguments, _ path: String, _ console: Console) throws {
    self.console = console
    let targets = try SyncTarget.read(
      arguments.operands.dropFirst(), of: Journal(path: path), "attachments")
    guard !targets.isEmpty else {
      throw EventLogError.usage(
        "\(Visible.text(path)) has no remembered remotes.", "attachments",
        hint: "Specify one: eventlog attachments \(ShellWord.path(path)) REMOTE --fetch")
    }
    var remotes: [any Remote] = []
    for target in targets { remotes.append(try Verb.remote(target.address)) }
    let store = EventStore.unread(
      path: path, options: JournalOptions(user: arguments["user"]),
      catalog: try arguments.catalog())
    attachments = Attachments(of: store, at: remotes)
  }

  /// Removes what nothing names any more.
  ///
  /// Without remotes, this is done here alone.
  static func release(
    _ arguments: Arguments, _ path: String, _ console: Console
  ) async throws -> Verb.ExitStatus {
    if let other = ["fetch", "restore", "check"].first(where: arguments.has) {
      throw EventLogError.usage("--release can't be combined with --\(other).", "attachments")
    }
    let catalog = try arguments.catalog()
    let targets = try SyncTarget.read(
      arguments.operands.dropFirst(), of: Journal(path: path, catalog: catalog), "attachments")
    var (remotes, names) = ([any Remote](), [String: String]())
    for target in targets {
      if target.isMissing { throw target.missingError("is not there", from: path) }
      let remote = try Verb.remote(target.address)
      remotes.append(remote)
      names[remote.address] = target.name
    }
    var options = JournalOptions(user: Terminal.isMissing(path) ? nil : arguments["user"])
    options.fileSystem = console.progress.fileSystem
    console.showReadingProgress([path])
    let store = try await EventStore.open(path: path, options: options, catalog: catalog)
    let isPlan = arguments.has("plan")
    let report = try await Attachments(of: store, at: remotes).release(dryRun: isPlan)
    console.progress.end()
    let output = ReleaseOutput(report: report, isPlan: isPlan, console: console, names: names)
    try output.print()
    let places = report.places.map(\.remote)
    for remote in remotes where !places.contains(where: { $0.hasBytes(of: remote.address) }) {
      let name = Visible.text(names[remote.address] ?? remote.address)
      console.note("Note: \(name) removes its own attachments, if any: use --release there.")
    }
    try await store.close()
    return output.isSuccess ? .yes : .no
  }

  /// Replaces what is damaged at the remotes.
  func restore() async throws {
    console.progress.begin("reading back")
    for report in await attachments.restore() {
      let count = plural(report.sent.count, "damaged attachment")
      console.note("Note: \(Visible.text(report.remote)): \(count) replaced.")
      for error in report.problems { console.note("Could not restore: \(error.message)") }
      if let error = report.error { throw error }
    }
  }

  /// Fetches what is missing or damaged. Failures are notes: the list shows what is still missing.
  ///
  /// - Parameter unwanted: The attachments to leave where they are.
  /// - Returns: What was fetched.
  @discardableResult
  func fetch(
    for list: inout AttachmentList, except unwanted: Set<Attachment> = []
  ) async throws -> [Attachment] {
    var fetched: [Attachment] = []
    var messages: Set<String> = []
    for attachment in list.attachments where !unwanted.contains(attachment) {
      let state = list.state(of: attachment)
      if state == .here { continue }
      console.progress.begin("fetching \(attachment.shortHash)")
      do throws(EventLogError) {
        if state == .damaged {
          try await attachments.fetchAgain(attachment)
        } else {
          _ = try await attachments.file(of: attachment)
        }
        list.noteFetched(attachment)
        fetched.append(attachment)
      } catch {
        if error.code == .canceled { throw error }
        guard messages.insert(error.message).inserted else { continue }
        console.note("Could not fetch: \(error.message)")
        if let hint = error.hint { console.note("Hint: \(hint)") }
      }
    }
    return fetched
  }
}
