/// The state of a journal without some writes.
struct StateWithout: Sendable {
  let writes: LeftOutWrites
  /// The state without them, and without the events of earlier undos.
  @Boxed private(set) var fold: Fold
  /// The state of only those writes that are left out from now on.
  @Boxed private(set) var leftOut: Fold
  /// What the journal held when it was read, including the writes.
  let ledger: Ledger
  /// The entities that only left-out devices began.
  let begun: Set<[UInt8]>
  /// The entities that devices began whose writes are left out from now on.
  let begunByAdded: Set<[UInt8]>
  /// The entities that other devices have written to, more than to delete or restore them.
  let worked: Set<[UInt8]>

  /// Whether `other` contains the same events as the readings that found the writes and the state.
  func isOf(_ other: Ledger) -> Bool {
    let frontier = other.frontier
    return ledger.frontier == frontier && writes.ledger.frontier == frontier
  }

  /// Whether a register shows a value that they had written first, and that whoever wrote it again
  /// had seen.
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

  /// The number of a row in the state of them alone.
  private func theirs(_ row: Int32) -> Int32? {
    let place = fold.rows[Int(row)]
    guard place.entity >= 0 else { return row }
    guard let entity = leftOut.entityNames.find(fold.entityNames.text(Int(place.entity))) else {
      return nil
    }
    if place.day == Fold.Row.noDay {
      let row = leftOut.entities[entity].row
      return row >= 0 ? row : nil
    }
    let row = leftOut.dayRow(of: Int32(entity), place.day)
    return row >= 0 ? row : nil
  }
}

extension Journal {
  /// Reads the state without some writes.
  ///
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  func state(without writes: LeftOutWrites) throws(EventLogError) -> StateWithout {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let pass = try read(
      file,
      from: JournalPass(
        sink: SinkWithout(writes, Fold(catalog)),
        users: writes.ledger.users.begun(writes.ledger.names))
    ).0
    return StateWithout(
      writes: writes, fold: pass.sink.fold, leftOut: pass.sink.leftOut, ledger: pass.ledger,
      begun: pass.sink.begunOnlyByLeftOut, begunByAdded: pass.sink.begunByAdded,
      worked: pass.sink.worked)
  }
}

/// Folds all events but those of some writes, and notes which devices began the entities.
private struct SinkWithout: EventSink {
  /// What is asked of each event of a branch.
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
      if !writer.isLeftOut { worked.insert(canonical.copy(layout.entity)) }
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

  /// What an event does to the presence of its entity; nil for one of another sort.
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
