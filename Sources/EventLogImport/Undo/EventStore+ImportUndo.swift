public import EventLog
public import EventLogUndo

extension EventStore {
  /// Undoes all imports of a source: restores the state without what it has said.
  ///
  /// The entities of the source are deleted, and fields show the values that others wrote. The
  /// store appends ordinary events for this, so the undo replicates, and every event stays in the
  /// journal: an undo hides, it doesn't erase. Later writes of people stay, and so does an
  /// entity that they have worked on, with only what they wrote. A later import says everything
  /// again, and restores the entities that the undo has deleted. It leaves fields that people have
  /// written, and lists them.
  ///
  /// After a crash, undo again to finish.
  ///
  /// - Parameter source: The name of the source, such as `loop`, or of one place of it, such as
  ///   `defaults-account`.
  /// - Returns: The values that changed, and what stays.
  /// - Throws: `invalidInput` if the journal has no imports of the source; `userNeeded`;
  ///   `changedMeanwhile` if other processes keep appending; and the errors of
  ///   `EventStore.append(_:asOf:durability:allowingUnknownTypes:)`.
  /// - Complexity: O(*n*), where *n* is the size of the file, which is read several times.
  @discardableResult
  public func undoImport(of source: String) async throws(EventLogError) -> DeviceUndoReport {
    let plan = try await leaveOutImports(of: source, dryRun: true)
    try await takeBackTotals(of: source, plan)
    var report = try await leaveOutImports(of: source, dryRun: false)
    // The totals have changed values and ended conflicts, too.
    report.changes = plan.changes + report.changes.filter { !plan.changes.contains($0) }
    report.resolved = plan.resolved + report.resolved.filter { !plan.resolved.contains($0) }
    return report
  }

  /// Reports what ``EventStore/undoImport(of:)`` would do, without changing anything.
  ///
  /// - Parameter source: The name of the source.
  /// - Returns: The report that an undo would return.
  /// - Throws: The errors of ``EventStore/undoImport(of:)``.
  public func dryRunUndoOfImport(
    of source: String
  ) async throws(EventLogError) -> DeviceUndoReport {
    try await leaveOutImports(of: source, dryRun: true)
  }

  private func leaveOutImports(
    of source: String, dryRun isDryRun: Bool
  ) async throws(EventLogError) -> DeviceUndoReport {
    let result = try await leaveOut(dryRun: isDryRun) { (journal) throws(EventLogError) in
      try journal.writes(hidingImportsOf: source)
    }
    guard let result else { preconditionFailure("There are writes to hide, or an error.") }
    return result
  }

  /// Writes the totals that counters show without a source, as the source.
  ///
  /// A later import doesn't replace totals that people have set, so the undo must not set them in
  /// the name of a person.
  private func takeBackTotals(
    of name: String, _ plan: DeviceUndoReport
  ) async throws(EventLogError) {
    guard let user else {
      throw EventLogError(.userNeeded, "A new journal needs a user. Nothing was written.")
    }
    let (marks, said) = try await reading { (journal) throws(EventLogError) in
      let marks = try journal.sourceMarks()
      var said: [ImportSource: Snapshot] = [:]
      for source in marks.sources(named: name) {
        said[source] = try journal.state(of: source, marks)
      }
      return (marks, said)
    }
    var stores: [SourceLines] = []
    for source in marks.sources(named: name) {
      guard let stated = said[source] else { continue }
      let totals = CounterTotals(
        plan, state: snapshot, said: stated, devices: marks.devices[source] ?? [])
      let drafts = try totals.drafts()
      if drafts.isEmpty { continue }
      let device = MintedKey.device(of: source.name, place: source.place, for: user)
      let last = snapshot.tips(of: device).max()
      var writer = SourceLineWriter(
        of: device, named: source.text, user: user, from: source, at: SourceLines.timeOfOld,
        after: last, seen: snapshot.ledger.tips(of: source, unseenBy: last), random: options.random)
      for draft in drafts { try writer.add(draft) }
      stores.append(writer.finish())
    }
    if stores.isEmpty { return }
    let remote = SourceRemote(address: "undo:\(name)", user: user, stores: stores)
    for try await _ in replication(with: remote, .pull, dryRun: false) {}
  }
}

extension Journal {
  /// Returns the writes to hide: those of a source, and of those undone before.
  ///
  /// - Throws: `invalidInput` if the journal has no such source; `noJournal`, `notAJournal`,
  ///   `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  fileprivate func writes(hidingImportsOf name: String) throws(EventLogError) -> LeftOutWrites {
    let marks = try sourceMarks()
    let sources = marks.sources(named: name)
    guard !sources.isEmpty else { throw .noSource(name, marks) }
    let devices = sources.reduce(into: Set<DeviceID>()) { $0.formUnion(marks.devices[$1] ?? []) }
    return LeftOutWrites(
      of: devices, added: devices, undos: marks.events + marks.unsaid(exceptOf: Set(sources)),
      in: marks.ledger, isRepeated: sources.allSatisfy(marks.isHidden),
      mark: .imports(of: sources), dividesKept: true)
  }

  /// Reads the state of only the events of a source.
  fileprivate func state(
    of source: ImportSource, _ marks: SourceMarks
  ) throws(EventLogError) -> Snapshot {
    var sink = SourceSink(fold: Fold(catalog), devices: marks.devices[source] ?? [])
    let ledger = try read(into: &sink, like: marks.ledger)
    return Snapshot(fold: sink.fold, ledger: ledger, damage: [], bases: ConflictBases())
  }
}

private struct SourceSink: EventSink {
  @Boxed private(set) var fold: Fold
  private let devices: Set<DeviceID>

  init(fold: Fold, devices: Set<DeviceID>) { (self.fold, self.devices) = (fold, devices) }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    guard devices.contains(ledger.device(of: branch)) else { return }
    fold.apply(
      layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
  }
}

extension EventLogError {
  fileprivate static func noSource(_ name: String, _ marks: SourceMarks) -> EventLogError {
    let known = Set(marks.devices.keys.map(\.name)).sorted { $0.precedes($1) }
    return EventLogError(
      .invalidInput, "Nothing was imported from a source \"\(name)\". Nothing was written.",
      hint: known.isEmpty
        ? "Nothing was imported into this journal, so there is nothing to undo."
        : "Use the name of a source: \(known.firstFew).")
  }
}
