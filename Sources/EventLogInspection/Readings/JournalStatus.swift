public import EventLog
public import EventLogRemotes

/// A journal's user, devices, size, and health.
public struct JournalStatus: Sendable {
  /// The user that the journal belongs to, or `nil` if the journal doesn't determine one.
  public let user: String?
  /// The users whom the journal's user has adopted, sorted by bytes.
  public let adoptedUsers: [String]
  /// The device ID under which this copy writes, or `nil` if the next append takes a new ID.
  public let device: DeviceID?
  /// A message for the user that explains why the next append takes a new device ID, or `nil` if
  /// there is nothing to explain.
  public let notice: String?
  /// All devices that have written the journal's events.
  public let devices: [Device]
  /// The number of valid events.
  public let eventCount: Int
  /// The size of the file in bytes, without spaces that a writer keeps at its end for later lines.
  public let byteCount: Int64
  /// The last event of each history.
  public let frontier: VectorClock
  /// The points where a device's history diverges because several copies wrote under its ID. All
  /// branches count.
  package let forks: [JournalFork]
  /// The events that are missing and not acknowledged as lost.
  public let missing: [EventRange]
  /// The number of open conflicts.
  public let conflictCount: Int
  /// The kinds and event types that the catalog doesn't contain: their conflicts are not counted.
  package let unknownNames: [String]
  /// The addresses of the remembered remotes.
  public let remotes: [String]
  /// The status of each remote, as known without contacting it.
  package let remoteStatuses: [RemoteStatus]
  /// The names of the files to which torn writes were moved, in the side folder's `quarantine`.
  public let quarantined: [String]
  /// The first problem in the file that is damage, or `nil` if there is none.
  public let firstDamage: JournalProblem?
  /// The number of problems in the file that are damage.
  public let damageCount: Int
  /// A warning if the end of the file may be a torn write.
  ///
  /// Empty otherwise.
  public let warnings: [JournalProblem]

  /// The status of each remote, as a `Replicator` would report it.
  ///
  /// These are the remembered remotes, and those of an app's replicators. No remote is contacted:
  /// `synced` means that the remote had every event of the journal when the last sync with it
  /// ended, and that no event was added after it. `waiting` means that no sync with it was recorded
  /// on this device.
  public var places: [Replicator.Status] { remoteStatuses.map(\.status) }

  /// A device that has written events.
  public struct Device: Sendable, Hashable {
    /// The device's ID.
    public let id: DeviceID
    /// The name that the device gave itself when it joined.
    public let name: String
    /// The number of the device's valid events.
    public let eventCount: Int
    /// The time of the device's last event.
    public let last: Timestamp
  }
}

extension JournalStatus: CustomStringConvertible {
  /// A summary on one line, such as `user ada, 6 events from 2 devices in 1010 bytes`.
  public var description: String {
    Summary.line([
      user.map { "user \($0)" },
      "\(Summary.count(eventCount, "event")) from \(Summary.count(devices.count, "device")) in"
        + " \(byteCount) bytes",
      Summary.some(conflictCount, "conflict"),
      Summary.some(missing.saturatingCount, "event", "missing"),
      Summary.some(damageCount, "problem"),
    ])
  }
}

extension Journal {
  /// Returns the journal's user, devices, size, and health.
  ///
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the size of the checkpoint and the lines after it, or of
  ///   the file if no checkpoint fits.
  public func status() throws(EventLogError) -> JournalStatus {
    let meaning =
      "A status needs it, to name the device that writes here. The events can be read."
    return try readLatest(withoutRecord: meaning) { (pass, end, file) throws(EventLogError) in
      try status(pass, end, file)
    }
  }

  private func status(
    _ pass: JournalPass<Fold>, _ end: JournalReading.End, _ file: JournalFile
  ) throws(EventLogError) -> JournalStatus {
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    let (remotes, noted) = (try side.remotes, try side.notedRemotes)
    let ledger = pass.ledger
    let report = pass.report
    let size = end.lacksLineFeed ? end.size : pass.endOffset
    let statuses = try remoteStatuses(noted, ledger) { (ranges) throws(EventLogError) in
      try oldest(of: ranges, ledger, file, upTo: size)
    }
    let devices = ledger.devices.indices.filter { ledger.eventCount(of: $0) > 0 }.map { index in
      JournalStatus.Device(
        id: DeviceID(trusted: ledger.names.text(index)), name: ledger.name(of: index),
        eventCount: ledger.eventCount(of: index),
        last: Timestamp(trusted: ledger.lastAt(of: index)))
    }
    return JournalStatus(
      user: ledger.user, adoptedUsers: ledger.users.adoptedUsers, device: end.decision.device,
      notice: end.decision.reason?.sentence,
      devices: devices.sorted { $0.id < $1.id }, eventCount: pass.sink.eventCount,
      byteCount: end.size, frontier: ledger.frontier,
      forks: ledger.forks,
      missing: report.missing,
      conflictCount: pass.sink.conflictCount(ledger),
      unknownNames: pass.sink.unknownNames, remotes: remotes,
      remoteStatuses: statuses,
      quarantined: try side.quarantined, firstDamage: report.firstDamage,
      damageCount: report.problemCount, warnings: tailProblems(end))
  }
}
