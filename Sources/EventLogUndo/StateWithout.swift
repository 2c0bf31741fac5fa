import EventLog

/// The state of a journal without some writes.
struct StateWithout: Sendable {
  let writes: LeftOutWrites
  /// The state without them, and without the events of earlier undos.
  @Boxed private(set) var fold: Fold
  /// The state of only the writes that weren't left out before.
  @Boxed private(set) var leftOut: Fold
  /// The ledger of the reading, including the writes.
  let ledger: Ledger
  /// The entities that only left-out devices began.
  let begun: Set<[UInt8]>
  /// The entities that were begun by devices whose writes weren't left out before.
  let begunByAdded: Set<[UInt8]>
  /// The entities that other devices have edited: more than created, deleted or restored.
  let worked: Set<[UInt8]>
  /// The entities that other imports have edited, if only to take back earlier values.
  let imported: Set<[UInt8]>

  /// Whether `other` contains the same events as the readings that found the writes and the state.
  func isOf(_ other: Ledger) -> Bool {
    let frontier = other.frontier
    return ledger.frontier == frontier && writes.ledger.frontier == frontier
  }

  /// Whether a register shows a value that a left-out device wrote first, and that another device
  /// had seen when it wrote the same value.
  func isTaken(_ cell: Int, row: Int32, field: Int32?) -> Bool {
    guard let field, let theirRow = theirs(row),
      let theirField = leftOut.fieldNames.find(fold.fieldNames.text(Int(field)))
    else { return false }
    let their = leftOut.findRegister(theirRow, Int32(theirField))
    guard their >= 0 else { return false }
    let shown = fold.registers.shown(cell, ledger)
    let bytes = fold.registers.bytes(shown)
    return leftOut.registers.liveValues(Int(their)).contains { value in
      ledger.hasSeen(shown.dot.point, value.dot.point)
        && JSONValue(canonical: leftOut.registers.bytes(value)) == JSONValue(canonical: bytes)
    }
  }

  /// The number of a row in ``leftOut``, or nil if it doesn't exist there.
  private func theirs(_ row: Int32) -> Int32? {
    let stored = fold.rows[Int(row)]
    guard stored.entity >= 0 else { return row }
    guard let entity = leftOut.entityNames.find(fold.entityNames.text(Int(stored.entity))) else {
      return nil
    }
    if stored.day == Fold.Row.noDay {
      let row = leftOut.entities[entity].row
      return row >= 0 ? row : nil
    }
    let row = leftOut.dayRow(of: Int32(entity), stored.day)
    return row >= 0 ? row : nil
  }
}

extension Journal {
  /// Reads the state without some writes.
  ///
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  func state(without writes: LeftOutWrites) throws(EventLogError) -> StateWithout {
    var sink = SinkWithout(writes, Fold(catalog))
    let ledger = try read(into: &sink, like: writes.ledger)
    return StateWithout(
      writes: writes, fold: sink.fold, leftOut: sink.leftOut, ledger: ledger,
      begun: sink.begunOnlyByLeftOut, begunByAdded: sink.begunByAdded, worked: sink.worked,
      imported: sink.imported)
  }
}

/// Folds all events except some writes and records which devices began the entities.
private struct SinkWithout: EventSink {
  /// The properties of a branch's device.
  private struct Writer {
    var isLeftOut: Bool
    var isAdded: Bool
    var hasUndos: Bool
  }

  @Boxed private(set) var fold: Fold
  @Boxed private(set) var leftOut: Fold
  private let writes: LeftOutWrites
  /// For each branch, its writer, or nil before its first event.
  private var writers: [Writer?] = []
  /// The entities that left-out devices began, and those that others began.
  private var begun: (leftOut: Set<[UInt8]>, rest: Set<[UInt8]>) = ([], [])
  private(set) var begunByAdded: Set<[UInt8]> = []
  private(set) var worked: Set<[UInt8]> = []
  private(set) var imported: Set<[UInt8]> = []

  init(_ writes: LeftOutWrites, _ fold: Fold) {
    (self.writes, self.fold) = (writes, fold)
    leftOut = fold
  }

  var begunOnlyByLeftOut: Set<[UInt8]> { begun.leftOut.subtracting(begun.rest) }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    let writer = writer(branch, ledger)
    let point = Ledger.Point(branch: Int32(branch), sequence: layout.sequence)
    if writer.hasUndos, writes.isUndo(point, of: ledger) { return }
    switch lifecycle(layout, canonical) {
    case .begins?:
      let entity = canonical.copy(layout.entity)
      if writer.isLeftOut { begun.leftOut.insert(entity) } else { begun.rest.insert(entity) }
      if writer.isAdded { begunByAdded.insert(entity) }
    case EventSchema.Lifecycle.none?:
      if writer.isLeftOut { break }
      let entity = canonical.copy(layout.entity)
      if ledger.isSource(Int32(branch)) { imported.insert(entity) } else { worked.insert(entity) }
    default: break
    }
    if writer.isAdded {
      leftOut.apply(
        layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
    }
    if writer.isLeftOut { return }
    fold.apply(
      layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
  }

  /// The effect of an event on the presence of its entity, or nil if it has no entity or an unknown
  /// type.
  private func lifecycle(
    _ layout: LineLayout, _ canonical: Span<UInt8>
  ) -> EventSchema.Lifecycle? {
    guard layout.version == 1, !layout.entity.isEmpty,
      let name = fold.typeNames.find(canonical, layout.type)
    else { return nil }
    return fold.compiled.type(named: name).map { fold.compiled.types[$0].lifecycle }
  }

  private mutating func writer(_ branch: Int, _ ledger: Ledger) -> Writer {
    while writers.count <= branch { writers.append(nil) }
    if let known = writers[branch] { return known }
    let device = ledger.device(of: branch)
    let found = Writer(
      isLeftOut: writes.devices.contains(device), isAdded: writes.added.contains(device),
      hasUndos: writes.hasUndos(of: device))
    writers[branch] = found
    return found
  }
}
