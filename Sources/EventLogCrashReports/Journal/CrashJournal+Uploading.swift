public import EventLog
public import EventLogRemotes

/// Whether a recipient has a report.
public enum UploadStatus: String, Sendable, Hashable, CaseIterable {
  /// The report waits for consent, or for the next sync.
  case pending
  /// The recipient has the report.
  case uploaded
}

extension CrashJournal {
  /// Returns whether the person has agreed that a recipient gets reports.
  public func consent(for recipient: CrashRecipient) -> Consent {
    state.consents[recipient] ?? .undecided
  }

  /// Notes the person's choice for a recipient, and keeps it.
  ///
  /// After a refusal, the replication with the person's place ends, and nothing more leaves the
  /// device for the recipient. Uploaded reports stay there. The choice for the other recipient
  /// stays as it is.
  ///
  /// - Throws: `inputOutput`. The previous choice applies then.
  public func setConsent(
    _ consent: Consent, for recipient: CrashRecipient
  ) async throws(EventLogError) {
    var changed = state
    changed.consents[recipient] = consent
    try folder.write(changed)
    state.consents[recipient] = consent
    guard recipient == .person, consent != .given else { return }
    for replicator in replicators.values { await replicator.stop() }
    replicators = [:]
  }

  /// Syncs the reports with the person's place once.
  ///
  /// Each random user has a part of the place of its own, because events of several users in one
  /// place are an error. If the person hasn't agreed, nothing is sent.
  ///
  /// - Parameter place: Returns the part for a user, such as the folder with the user's name in a
  ///   folder, or the prefix with the user's name in a bucket. The reports must not be in a place
  ///   of the person's own events.
  /// - Returns: The number of reports that were pending and are uploaded now.
  /// - Throws: `usage` without consent; the errors of `EventStore.sync(with:_:)`. Reports that were
  ///   uploaded until then are noted as such.
  @discardableResult
  public func sync(
    with place: @Sendable (_ user: String) throws(EventLogError) -> any Remote
  ) async throws(EventLogError) -> Int {
    try checkConsent(for: .person)
    let before = state.uploaded[.person] ?? []
    for entry in state.entries {
      guard let store = stores[entry.user], store.snapshot.eventCount > 0 else { continue }
      // It may have been withdrawn during the last sync.
      try checkConsent(for: .person)
      let reports = CrashReport.all(in: store.snapshot).reports
      let result = try await store.sync(with: try place(entry.user))
      guard result.refused.isEmpty, result.notPushed.isEmpty else { continue }
      state.uploaded[.person, default: []].formUnion(reports.map(\.id))
      try folder.write(state)
    }
    return (state.uploaded[.person] ?? []).subtracting(before).count
  }

  /// Keeps the reports in sync with the person's place, until the journal is closed or consent is
  /// withdrawn.
  ///
  /// Failures are retried as `EventStore.replicate(with:_:)` describes. A new user, after 90 days,
  /// is replicated after the next call.
  ///
  /// - Parameters:
  ///   - place: Returns the part of the place for a user, as for ``sync(with:)``.
  ///   - schedule: The delays between syncs.
  /// - Throws: `usage` without consent; the errors of `place`.
  public func replicate(
    with place: @Sendable (_ user: String) throws(EventLogError) -> any Remote,
    _ schedule: ReplicationSchedule = ReplicationSchedule()
  ) throws(EventLogError) {
    try checkConsent(for: .person)
    for (user, store) in stores where replicators[user] == nil {
      replicators[user] = store.replicate(with: [try place(user)], schedule)
    }
  }

  /// Puts each report that is pending for the developer as an object of its own into the
  /// developer's storage.
  ///
  /// Nothing is listed or read there, so the storage's rules only have to let apps add objects. An
  /// object is an exported file with one report; its name is the report's ID and `.json`. If the
  /// person hasn't agreed, nothing is sent.
  ///
  /// - Parameter storage: The storage, such as a prefix of a bucket.
  /// - Returns: The number of reports that were pending and are uploaded now.
  /// - Throws: `usage` without consent; the errors of the storage. Reports that were uploaded until
  ///   then are noted as such.
  @discardableResult
  public func upload(to storage: some ObjectStorage) async throws(EventLogError) -> Int {
    try checkConsent(for: .developer)
    var count = 0
    for report in reports where !state.has(.developer, report.id) {
      // It may have been withdrawn, or the report removed, during the last upload.
      try checkConsent(for: .developer)
      guard reports.contains(where: { $0.id == report.id }) else { continue }
      // A name is taken if an earlier answer was lost. The object is the same then.
      let bytes = CrashReportFile.bytes(of: [report])
      _ = try await storage.put(CrashReportFile.name(of: report), bytes)
      state.uploaded[.developer, default: []].insert(report.id)
      try folder.write(state)
      count += 1
    }
    return count
  }

  /// The statuses of the person's places, such as the reason why one can't be reached.
  public var places: [Replicator.Status] { replicators.values.flatMap(\.statuses) }

  /// Returns whether a recipient has a report, or `nil` if it doesn't exist on this device.
  ///
  /// - Throws: `inputOutput` if the result of the replication can't be kept.
  public func status(
    of report: CrashReport.ID, for recipient: CrashRecipient
  ) throws(EventLogError) -> UploadStatus? {
    try noteUploads()
    guard reports.contains(where: { $0.id == report }) else { return nil }
    return state.has(recipient, report) ? .uploaded : .pending
  }

  /// Keeps which reports the replicators have uploaded.
  func noteUploads() throws(EventLogError) {
    var uploaded = state.uploaded
    for (user, replicator) in replicators {
      guard let store = stores[user], replicator.statuses.allSatisfy(\.hasAll) else { continue }
      uploaded[.person, default: []].formUnion(
        CrashReport.all(in: store.snapshot).reports.map(\.id))
    }
    // Reports that were deleted need no status.
    let present = reports.map(\.id)
    uploaded = uploaded.mapValues { $0.intersection(present) }
    guard uploaded != state.uploaded else { return }
    state.uploaded = uploaded
    try folder.write(state)
  }

  private func checkConsent(for recipient: CrashRecipient) throws(EventLogError) {
    guard consent(for: recipient) != .given else { return }
    let name = recipient == .person ? "their own place" : "the developer"
    throw EventLogError(
      usage: "The person hasn't agreed that \(name) gets crash reports. Nothing was sent.",
      hint: "Ask first, then call setConsent(.given, for: .\(recipient.rawValue)).")
  }
}

extension Replicator.Status {
  /// Whether the place had every event when the last sync ended, and nothing was added since.
  fileprivate var hasAll: Bool {
    guard case .synced = phase, let lastReport else { return false }
    return lastReport.refused.isEmpty && lastReport.notPushed.isEmpty
  }
}
