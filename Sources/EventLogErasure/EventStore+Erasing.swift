public import EventLog

extension EventStore {
  /// Erases the contents of events, here and, after syncing, at every place and device.
  ///
  /// An `event.erased` event is written first, and synced. Then the lines of the named events are
  /// overwritten in place: their bytes keep their length, their IDs and chains, and lose everything
  /// else. Places replace what they store at the next sync, other devices when they receive the
  /// event.
  ///
  /// After a crash, the next append or sync completes it. It can't be undone.
  ///
  /// - Parameters:
  ///   - erasure: What to erase.
  ///   - isDryRun: Whether only to report what would be erased.
  /// - Returns: What was erased.
  /// - Throws: `noEntity` or `noEvent` if there is nothing to erase; `invalidInput` if something
  ///   that is shown would change; `changedMeanwhile` if others write to the journal all the time;
  ///   and the errors of an append.
  /// - Complexity: O(*n*), where *n* is the size of the file, which is read several times.
  @discardableResult
  public func erase(
    _ erasure: Erasure, dryRun isDryRun: Bool = false
  ) async throws(EventLogError) -> ErasureReport {
    let first = try await reading { (journal) throws(EventLogError) in
      try ErasurePlan(erasure, of: journal)
    }
    if isDryRun || first.statements.isEmpty { return first.report }
    let plan = first.restating.isEmpty ? first : try await restated(first, erasure)
    let report = plan.report
    // An agreement to this erasure must not be one to those of other devices.
    let isKept = SideFolder(beside: path, fileSystem: options.fileSystem).erasureCounts.kept > 0
    if report.eventCount > 1000, !isKept { try await agree(toFurther: Int(report.eventCount)) }
    let mark = UndoMark { _, isReversed in isReversed ? [] : plan.drafts }
    _ = try await append(markedBy: mark, evenWithoutEvents: true) { _, _ in
      let deletion = report.deleted.map {
        EventDraft(type: "\($0.kind).deleted", entity: $0, data: [:])
      }
      return (deletion.map { [$0] } ?? [], ())
    }
    try await refresh()
    return report
  }

  /// The maximum number of attempts while others write to the journal.
  private static var attemptsMax: Int { 20 }

  /// Writes the values again that a plan's events show, and returns the plan after that.
  private func restated(
    _ first: ErasurePlan, _ erasure: Erasure
  ) async throws(EventLogError) -> ErasurePlan {
    var plan = first
    let none = UndoMark { _, _ in [] }
    for _ in 0..<Self.attemptsMax {
      let (drafts, frontier) = (plan.restating, plan.frontier)
      // A total must contain every event that its own event has seen.
      let written = try await append(markedBy: none, evenWithoutEvents: false) { _, ledger in
        ledger.frontier == frontier ? (events: drafts, value: true) : nil
      }
      let start = written?.receipt.appended.first?.id
      let fields = plan.report.restated
      plan = try await reading { (journal) throws(EventLogError) in
        try ErasurePlan(erasure, of: journal, after: start)
      }
      if start != nil { plan.report.restated = fields }
      if start != nil || plan.restating.isEmpty { return plan }
    }
    throw EventLogError(
      .changedMeanwhile,
      "\"\(path)\" was changed again and again meanwhile. Nothing was erased.",
      hint: "Try again later.")
  }

  /// Agrees to overwrite what other devices have erased.
  ///
  /// If they erase more than 1,000 events, and more than half of a journal, the events have no
  /// effect from then on, but their contents are kept here, and this device replaces none at
  /// places: it could be a mistake or an attack. The report of a sync says so.
  ///
  /// After a crash, the next append or sync completes it.
  ///
  /// - Returns: The number of lines whose contents were still here.
  /// - Throws: `inputOutput`, and the errors of an append.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  @discardableResult
  public func agreeToErasures() async throws(EventLogError) -> Int {
    let proof = try await reading { (journal) throws(EventLogError) in try ErasureProof(journal) }
    try await agree(toFurther: 0)
    // Any append overwrites them.
    let none = UndoMark { _, _ in [] }
    _ = try await append(markedBy: none, evenWithoutEvents: false) { _, _ in
      Optional<(events: [EventDraft], value: Bool)>.none
    }
    try await refresh()
    return proof.remainders.count { $0.event != nil }
  }

  /// Records that a person agrees to all erasures in the journal, and to the next ones.
  private func agree(toFurther count: Int) async throws(EventLogError) {
    let erasures = try await reading { (journal) throws(EventLogError) in
      try journal.erasures()
    }
    let side = SideFolder(beside: path, fileSystem: options.fileSystem)
    var counts = side.erasureCounts
    counts.agreed = erasures.extents.count + count
    try side.record(erasureCounts: counts)
  }
}
