public import EventLog

extension CrashJournal {
  /// Takes in what earlier processes have recorded.
  ///
  /// Each report is on disk in the journal before its file is removed. After a crash in between,
  /// the next call finds it in the journal, so it is taken in once. A file that is torn, or isn't
  /// the recorder's, is left out, and a note says so; the others are taken in. A file whose process
  /// still runs is left for later.
  ///
  /// Calls wait for each other.
  ///
  /// - Returns: The new reports.
  /// - Throws: The errors of an append; `inputOutput`; `canceled` if the task was canceled while it
  ///   waited for another call. The files that weren't taken in stay.
  @discardableResult
  public func takeIn() async throws(EventLogError) -> CrashIntake {
    try await inTurn { () async throws(EventLogError) in try await takeInAll() }
  }

  private func takeInAll() async throws(EventLogError) -> CrashIntake {
    var intake = CrashIntake()
    let names = try await perform { [raw] () throws(EventLogError) in try raw.names() }
    let omitted = raw.omittedStarts
    for name in names.raw {
      let attempt = try await perform { [raw] () throws(EventLogError) in try raw.begin(name) }
      switch attempt {
      case .skipped: continue
      case .setAside(let aside):
        intake.notes.append(
          "\(shown(name)) could not be taken in \(RawFolder.attemptsMax) times. It"
            + " \(aside.phrase).")
      case .foreign(let aside):
        intake.notes.append(
          "\(shown(name)) is no recording. It was not taken in, and \(aside.phrase).")
      case .unreadable(let error):
        intake.notes.append(
          "\(shown(name)) could not be read: \(error). It stays there, and is tried again.")
      case .read(let bytes, let counted):
        try await takeIn(bytes, counted, &intake)
      }
    }
    if omitted > 0 {
      intake.notes.append(
        "\(omitted) starts of the app recorded nothing, because \(RawFolder.filesMax) files waited"
          + " to be taken in.")
      raw.forgetOmittedStarts()
    }
    try await prune(&intake)
    try await removeEarlierJournals()
    return intake
  }

  /// The name of a file for a note. One that isn't the recorder's may contain anything.
  private func shown(_ name: String) -> String {
    ReportTexts.name(name) ?? JSONValue.string(name).text
  }

  private func takeIn(
    _ bytes: [UInt8], _ name: String, _ intake: inout CrashIntake
  ) async throws(EventLogError) {
    guard let file = RawFile(bytes) else {
      if bytes.allSatisfy({ $0 == 0 }) {
        // The process ended, or the power failed, before it wrote anything.
        return try await perform { [raw] () throws(EventLogError) in try raw.remove(name) }
      }
      let aside = try await perform { [raw] () throws(EventLogError) in try raw.setAside(name) }
      intake.notes.append(
        "\(shown(name)) is torn, or no recording of this version. It was not taken in, and"
          + " \(aside.phrase).")
      return
    }
    if file.isTorn {
      intake.notes.append("A part of \(shown(name)) is torn, and was left out.")
    }
    do throws(EventLogError) { intake.reports += try await append(file.reports) } catch {
      // The recording didn't cause the error, so this attempt isn't counted.
      try? await perform { [raw] () throws(EventLogError) in try raw.takeBack(name) }
      throw error
    }
    // Only now, when the reports are on disk.
    try await perform { [raw] () throws(EventLogError) in try raw.remove(name) }
  }

  /// Takes in the diagnostics that MetricKit delivers.
  ///
  /// - Parameter payload: The bytes of `MXDiagnosticPayload.jsonRepresentation()`.
  /// - Returns: The new reports. They are on disk.
  /// - Throws: `invalidInput` if the bytes are no payload; the errors of an append; `canceled` if
  ///   the task was canceled while it waited for another call.
  @discardableResult
  public func takeIn(
    metricKit payload: some Sequence<UInt8>
  ) async throws(EventLogError) -> CrashIntake {
    let reports = try MetricKitPayload.reports(of: Array(payload))
    return try await inTurn { () async throws(EventLogError) in
      var intake = CrashIntake()
      intake.reports = try await append(reports)
      try await prune(&intake)
      return intake
    }
  }

  /// Takes in the logs that Swift's runtime has written, if the app's environment sets
  /// `SWIFT_BACKTRACE`, and removes them.
  ///
  /// The logs contain registers, memory and paths, so they are removed once the reports are on
  /// disk. If signals are handled as well, a crash becomes two reports.
  ///
  /// - Parameters:
  ///   - folder: The folder of the logs: that of `output-to`. Other files in it are left alone.
  ///   - app: The version of the app that wrote them.
  /// - Returns: The new reports.
  /// - Throws: The errors of an append; `inputOutput`; `canceled` if the task was canceled while it
  ///   waited for another call.
  @discardableResult
  public func takeIn(
    backtraces folder: String, app: String
  ) async throws(EventLogError) -> CrashIntake {
    try await inTurn { () async throws(EventLogError) in
      try await takeInLogs(in: folder, app: app)
    }
  }

  private func takeInLogs(
    in folder: String, app: String
  ) async throws(EventLogError) -> CrashIntake {
    var intake = CrashIntake()
    let logs = try await perform { [fileSystem = options.fileSystem] () throws(EventLogError) in
      try BacktraceLogs.read(folder, app, fileSystem)
    }
    for log in logs {
      intake.reports += try await append([log.report])
      try await perform { [fileSystem = options.fileSystem] () throws(EventLogError) in
        try BacktraceLogs.remove(log.path, fileSystem)
      }
    }
    try await prune(&intake)
    return intake
  }

  /// Appends the reports that no journal has yet, durably, and returns them.
  private func append(_ reports: [CrashReport]) async throws(EventLogError) -> [CrashReport] {
    if reports.isEmpty { return [] }
    // A report may be in the journal of an earlier user, if the app ended before its file was
    // removed.
    var known: Set<String> = []
    for store in stores.values {
      known.formUnion(
        store.snapshot.entities(CollectionSchema.crashReport.kind, includingDeleted: true)
          .map(\.id.key))
    }
    let new = reports.filter { !known.contains($0.id) }
    if new.isEmpty { return [] }
    _ = try await currentStore().append(new.map(\.draft))
    return new
  }

  /// Deletes the oldest reports beyond the limit.
  private func prune(_ intake: inout CrashIntake) async throws(EventLogError) {
    let extra = reports.dropFirst(Self.reportsMax)
    if extra.isEmpty { return }
    let lost = extra.count { !state.isUploaded($0.id) }
    try await remove(Array(extra))
    if lost > 0 {
      intake.notes.append(
        "The \(lost) oldest reports were deleted before they were uploaded, because at most"
          + " \(Self.reportsMax) are kept.")
    }
  }
}

/// The calls that take in reports: one at a time. If two ran at once, each would rename files that
/// the other one reads, both could append a report, and both could begin a user.
struct IntakeTurns {
  fileprivate var isBusy = false
  /// Each continuation returns whether its call has the turn.
  fileprivate var waiting: [(number: Int, turn: CheckedContinuation<Bool, Never>)] = []
  fileprivate var nextNumber = 0
}

extension CrashJournal {
  /// Runs `body` after the bodies of previous calls.
  ///
  /// - Throws: `canceled` if the task is canceled before its turn; the errors of `body`.
  fileprivate func inTurn<Value>(
    _ body: () async throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    if turns.isBusy { try await waitForTurn() }
    turns.isBusy = true
    defer { passTurn() }
    return try await body()
  }

  private func waitForTurn() async throws(EventLogError) {
    let number = turns.nextNumber
    turns.nextNumber += 1
    let hasTurn = await withTaskCancellationHandler {
      await withCheckedContinuation { turn in
        if Task.isCancelled {
          turn.resume(returning: false)
        } else {
          turns.waiting.append((number, turn))
        }
      }
    } onCancel: {
      Task { await self.stopWaiting(number) }
    }
    if hasTurn { return }
    throw EventLogError(
      .canceled, "The call was canceled while it waited for another one. Nothing was taken in.",
      hint: "Call it again.")
  }

  private func passTurn() {
    // With a waiting call, the turn stays taken, so that no other call gets it before that one.
    turns.isBusy = !turns.waiting.isEmpty
    if turns.isBusy { turns.waiting.removeFirst().turn.resume(returning: true) }
  }

  private func stopWaiting(_ number: Int) {
    guard let index = turns.waiting.firstIndex(where: { $0.number == number }) else { return }
    turns.waiting.remove(at: index).turn.resume(returning: false)
  }
}

/// The logs of Swift's runtime in a folder.
private enum BacktraceLogs {
  struct Log: Sendable {
    let path: String
    let report: CrashReport
  }

  static func read(
    _ folder: String, _ app: String, _ fileSystem: any FileSystem
  ) throws(EventLogError) -> [Log] {
    do throws(Errno) {
      var logs: [Log] = []
      for name in try fileSystem.contents(of: folder) where name.hasSuffix(".log") {
        let path = Path.join(folder, name)
        let status = try fileSystem.status(at: path)
        guard status.kind == .regular, status.size <= Int64(RawFolder.bytesMax) else { continue }
        let bytes = try fileSystem.contents(ofFile: path, maximumBytes: RawFolder.bytesMax)
        let time = status.modified / 1_000_000
        guard let report = RuntimeBacktrace.report(of: bytes, time: time, app: app) else {
          continue
        }
        logs.append(Log(path: path, report: report))
      }
      return logs
    } catch {
      if error == .noSuchFile { return [] }
      throw .inputOutput("read", folder, error, meaning: "No log was taken in.")
    }
  }

  static func remove(_ path: String, _ fileSystem: any FileSystem) throws(EventLogError) {
    do throws(Errno) { try fileSystem.remove(path) } catch {
      if error == .noSuchFile { return }
      throw .inputOutput(
        "remove", path, error, meaning: "Its report is in the journal, once.")
    }
  }
}
