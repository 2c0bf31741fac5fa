/// What a journal comes to without the devices of an adopted user.
struct AdoptionRemainder: Sendable {
  /// The state without them.
  let fold: Fold
  /// The state of them alone.
  let leftOut: Fold
  /// What the journal held when it was read, including theirs.
  let ledger: Ledger
  /// The entities that only they began.
  let begun: Set<[UInt8]>
  /// The entities that somebody else has written to, more than to delete or restore them.
  let worked: Set<[UInt8]>

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
  /// Reads the state without the devices of a user who was adopted, and of those whom that user had
  /// adopted.
  ///
  /// - Throws: `invalidInput` where nobody of that name was adopted; `noJournal`, `notAJournal`,
  ///   `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the size of the file, which is read twice: only its last
  ///   line settles who belongs to whom.
  func remainder(without user: String) throws(EventLogError) -> AdoptionRemainder {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let ledger = try read(file, into: LedgerSink()).0.ledger
    guard ledger.users.adopted.contains(Array(user.utf8)) else {
      throw EventLogError.notAdopted(user, ledger)
    }
    let isLeftOut = ledger.areBranches(of: user)
    let left = Set(
      ledger.branches.indices.filter { isLeftOut[$0] }.map { ledger.device(of: $0) })
    let pass = try read(
      file,
      from: JournalPass(
        sink: RemainderSink(Fold(catalog), leavingOut: left),
        users: ledger.users.begun(ledger.names))
    ).0
    return AdoptionRemainder(
      fold: pass.sink.fold, leftOut: pass.sink.theirs, ledger: pass.ledger,
      begun: pass.sink.begunOnlyByOthers,
      worked: pass.sink.worked)
  }
}

extension EventLogError {
  fileprivate static func notAdopted(_ user: String, _ ledger: Ledger) -> EventLogError {
    let adopted = ledger.users.adoptedUsers
    return EventLogError(
      .invalidInput, "This journal's user has not adopted \"\(user)\". Nothing was written.",
      hint: adopted.isEmpty
        ? "No user was adopted into this journal, so there is nothing to undo."
        : "Use the name of an adopted user: \(adopted.firstFew).")
  }
}

/// Folds the events of all but some devices, and notes who began the entities.
private struct RemainderSink: EventSink {
  private(set) var fold: Fold
  /// What those who are left out wrote, alone.
  private(set) var theirs: Fold
  private let devices: Set<DeviceID>
  /// Per branch whether its device is left out; nil where nobody has looked yet.
  private var isLeftOut: [Bool?] = []
  /// The entities that were begun, by those who are left out and by the rest.
  private var begun: (leftOut: Set<[UInt8]>, rest: Set<[UInt8]>) = ([], [])
  /// The entities that the rest has written to.
  private(set) var worked: Set<[UInt8]> = []

  init(_ fold: Fold, leavingOut devices: Set<DeviceID>) {
    self.fold = fold
    theirs = fold
    self.devices = devices
  }

  var begunOnlyByOthers: Set<[UInt8]> { begun.leftOut.subtracting(begun.rest) }

  mutating func restart(_ blank: Self) { self = RemainderSink(blank.fold, leavingOut: devices) }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    let isLeftOut = isLeftOut(branch, ledger)
    switch lifecycle(layout, canonical) {
    case .begins?:
      let entity = canonical.copy(layout.entity)
      if isLeftOut { begun.leftOut.insert(entity) } else { begun.rest.insert(entity) }
    case EventSchema.Lifecycle.none?:
      if !isLeftOut { worked.insert(canonical.copy(layout.entity)) }
    default: break
    }
    if isLeftOut {
      return theirs.apply(
        layout, canonical: canonical, line: line, at: position, branch: branch, ledger: ledger)
    }
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
    let type = name - fold.compiled.storeTypeCount
    return fold.compiled.types.indices.contains(type) ? fold.compiled.types[type].lifecycle : nil
  }

  private mutating func isLeftOut(_ branch: Int, _ ledger: Ledger) -> Bool {
    while isLeftOut.count <= branch { isLeftOut.append(nil) }
    if let known = isLeftOut[branch] { return known }
    let found = devices.contains(ledger.device(of: branch))
    isLeftOut[branch] = found
    return found
  }
}
