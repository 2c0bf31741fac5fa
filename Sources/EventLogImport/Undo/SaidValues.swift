import EventLog

/// The values that a source has stated since its imports were undone.
struct SaidValues: Sendable {
  let marks: SourceMarks
  let source: ImportSource
  /// The state of one device's events, or nil if there are none.
  let own: Snapshot?
  /// The state of all imports, or nil if there are none.
  let all: Snapshot?
  /// The state of what open marks have seen, which counts as not said.
  let before: Snapshot?

  /// The marks that the writer of an event hadn't seen, for the `seen` of its next line: the open
  /// ones of its source, and those of the undos whose deletions it ends.
  func marks(unseenBy event: FullEventID?, ending ended: [SourceMarks.Mark] = []) -> [FullEventID] {
    let own = marks.open.filter { $0.source == source }
    return (own + ended).filter { !marks.isSeen($0, by: event) }
      .map { marks.ledger.fullID($0.point) }
  }

  /// Whether an open mark of the source has seen an event of another reading.
  func isUnsaid(_ event: Ledger.Point, of other: Ledger) -> Bool {
    guard let point = marks.ledger.translated(event, from: other) else { return false }
    return marks.open.contains { $0.source == source && marks.ledger.hasSeen($0.point, point) }
  }
}

extension Journal {
  /// Reads what a source has said, if its device has seen an undo or has to see one with its next
  /// line; otherwise returns nil.
  ///
  /// The line of a source that has seen a mark has also seen what people wrote before the mark, so
  /// a cut would contain their edits.
  ///
  /// - Parameters:
  ///   - device: The device whose events are also folded by themselves.
  ///   - last: The last event of the device.
  ///   - hidden: The hidden entities about which the source makes statements.
  ///   - state: The state of the journal.
  /// - Complexity: O(*n*), where *n* is the size of the file, which is read up to twice.
  func saidValues(
    of source: ImportSource, by device: DeviceID, after last: FullEventID?,
    on hidden: Set<EntityID>, in state: Snapshot
  ) throws(EventLogError) -> SaidValues? {
    let marks = try sourceMarks()
    let undoEvents = marks.undoEvents()
    let isAfterUndo =
      marks.marks.contains { $0.source == source || marks.isSeen($0, by: last) }
      || hidden.contains { marks.marks(deleting: $0, in: state, undoEvents) != nil }
    guard isAfterUndo else { return nil }
    var sink = SaidValuesSink(marks, source, device, Fold(catalog))
    let ledger = try read(into: &sink, like: marks.ledger)
    func folded(_ fold: Fold) -> Snapshot? {
      fold.eventCount == 0
        ? nil : Snapshot(fold: fold, ledger: ledger, damage: [], bases: ConflictBases())
    }
    return SaidValues(
      marks: marks, source: source, own: folded(sink.own), all: folded(sink.all),
      before: folded(sink.before))
  }
}

/// Folds only the events of a source, apart from those that count as not said.
private struct SaidValuesSink: EventSink {
  @Boxed private(set) var own: Fold
  @Boxed private(set) var all: Fold
  @Boxed private(set) var before: Fold
  private let marks: SourceMarks
  private let open: [Ledger.Point]
  private let devices: Set<DeviceID>
  private let device: DeviceID
  /// For each branch, whether it is of the source, and of the device; nil before its first event.
  private var writers: [(isSource: Bool, isOwn: Bool)?] = []

  init(_ marks: SourceMarks, _ source: ImportSource, _ device: DeviceID, _ fold: Fold) {
    (own, all, before) = (fold, fold, fold)
    (self.marks, self.device) = (marks, device)
    open = marks.open.filter { $0.source == source }.map(\.point)
    devices = marks.devices[source] ?? []
  }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    let writer = writer(branch, ledger)
    guard writer.isSource else { return }
    let point = Ledger.Point(branch: Int32(branch), sequence: layout.sequence)
    if !open.isEmpty, let known = marks.ledger.translated(point, from: ledger),
      open.contains(where: { marks.ledger.hasSeen($0, known) })
    {
      return before.apply(
        layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
    }
    all.apply(
      layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
    guard writer.isOwn else { return }
    own.apply(
      layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
  }

  private mutating func writer(
    _ branch: Int, _ ledger: Ledger
  ) -> (isSource: Bool, isOwn: Bool) {
    while writers.count <= branch { writers.append(nil) }
    if let known = writers[branch] { return known }
    let name = ledger.device(of: branch)
    let found = (
      isSource: ledger.isSource(Int32(branch)) && devices.contains(name), isOwn: name == device
    )
    writers[branch] = found
    return found
  }
}
