import EventLog
import EventLogAttachments
import EventLogRemotes

/// The attachments of one `eventlog sync`.
struct SyncAttachments {
  private let path: String
  private let console: Console
  private let options: AttachmentOptions
  private let isOff: Bool

  /// - Throws: `usage` for an invalid `--attachments`.
  init(_ arguments: Arguments, _ path: String, _ console: Console) throws(EventLogError) {
    (self.path, self.console) = (path, console)
    let policy = try AttachmentPolicy(arguments, "sync")
    (options, isOff) = (policy.options, policy == .none)
  }

  /// Returns the attachments of a store, or nil if its journal names none.
  func attachments(
    of store: EventStore, at remotes: [any Remote], _ directions: ReplicationPlan.Directions
  ) -> Attachments? {
    isOff || !store.attachmentFolder.mayBeNamed(in: path)
      ? nil : Attachments(of: store, at: remotes, directions, options)
  }

  /// Returns an object that sends and fetches after each sync of a replicator, as long as it is
  /// kept.
  func following(
    _ replicator: Replicator, of store: EventStore, at remotes: [any Remote]
  ) -> Attachments? {
    if isOff { return nil }
    let attachments = Attachments(of: store, at: remotes, .both, options)
    attachments.follow(replicator)
    return attachments
  }

  /// Sends and fetches after the events.
  ///
  /// Failures are notes, because the events are complete.
  ///
  /// - Parameter remotes: The remotes that were synced, with the user's names for them.
  /// - Returns: A report for each remote that keeps attachments.
  func sync(
    _ store: EventStore, with remotes: [(remote: any Remote, name: String)],
    _ directions: ReplicationPlan.Directions
  ) async throws(EventLogError) -> [AttachmentReport] {
    guard let attachments = attachments(of: store, at: remotes.map(\.remote), directions) else {
      return []
    }
    console.progress.begin("syncing attachments")
    let work = Task { await attachments.sync() }
    Terminal.onInterrupt { work.cancel() }
    let reports = await work.value
    console.progress.end()
    if let error = reports.lazy.compactMap(\.error).first(where: { $0.code == .canceled }) {
      throw EventLogError(
        .canceled, "Syncing the attachments was canceled. All events were synced.",
        hint: error.hint ?? "Sync again to continue.")
    }
    await noteUndeclared(of: store)
    if !attachments.remotesWithout.isEmpty {
      try await store.refresh()
      // The search for bytes may have found another text.
      if store.snapshot.attachmentUses.isEmpty { return reports }
      for address in attachments.remotesWithout {
        let name = remotes.first { $0.remote.address == address }?.name ?? address
        console.note(
          "Note: \(Visible.text(name)) keeps no attachments. A folder, a cloud or another journal"
            + " does.")
      }
    }
    return reports
  }
}

extension SyncAttachments {
  /// Notes that only a schema finds the attachments of some collections.
  ///
  /// - Returns: Whether there are such collections.
  @discardableResult
  func noteUndeclared(of store: EventStore) async -> Bool {
    let names = (try? await store.unknownNames()) ?? []
    if isOff || names.isEmpty || !store.attachmentFolder.mayBeNamed(in: path) { return false }
    console.note(
      undeclared: names, in: path, "Attachments that only they name were not synced")
    return true
  }
}

extension AttachmentReport {
  /// A sentence about what was done, or nil for nothing.
  var sentence: String? {
    var parts: [String] = []
    if !sent.isEmpty { parts.append("sent \(plural(sent.count, "attachment"))") }
    if !received.isEmpty { parts.append("fetched \(plural(received.count, "attachment"))") }
    if !missing.isEmpty {
      parts.append("\(plural(missing.count, "attachment")) neither here nor there")
    }
    if !removed.isEmpty { parts.append("removed \(plural(removed.count, "attachment")) here") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  var isSuccess: Bool { error == nil && problems.isEmpty }

  var json: JSONValue {
    func hashes(_ attachments: [Attachment]) -> JSONValue {
      .array(attachments.map { .string($0.sha256) })
    }
    var members: [JSONObject.Member] = [
      .init(name: "remote", value: .string(remote)),
      .init(name: "sent", value: hashes(sent)), .init(name: "received", value: hashes(received)),
      .init(name: "missing", value: hashes(missing)), .init(name: "left", value: hashes(left)),
      .init(name: "removed", value: hashes(removed)),
    ]
    let errors = problems + (error.map { [$0] } ?? [])
    if !errors.isEmpty {
      members.append(.init(name: "errors", value: .array(errors.map(\.codeJSON))))
    }
    return .sorted(members)
  }

  func print(as name: String, of path: String, _ console: Console) throws {
    if let sentence, !console.isJSON {
      try console.print("\(Visible.text(path)) and \(Visible.text(name)): \(sentence).")
    }
    for error in problems + (error.map { [$0] } ?? []) {
      console.note("Could not sync all attachments: \(error.message)")
      if let hint = error.hint { console.note("Hint: \(hint)") }
    }
  }
}
