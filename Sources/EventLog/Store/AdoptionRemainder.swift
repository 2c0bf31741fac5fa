/// What a journal comes to where some adopted users are hidden, and all others are not.
struct AdoptionRemainder: Sendable {
  /// Whom that hides now, or shows again.
  let turn: AdoptionTurn
  /// Whether whom it hides was hidden before.
  let wasHidden: Bool
  /// The users whose devices are left out: also those who were hidden before.
  let hidden: [String]
  /// The state without them, and without what undone adoptions have appended.
  @Boxed private(set) var fold: Fold
  /// The state of those alone who are hidden now.
  @Boxed private(set) var leftOut: Fold
  /// What the journal held when it was read, including theirs.
  let ledger: Ledger
  /// What undone adoptions have appended.
  let marks: AdoptionMarks
  /// The entities that only those who are left out began.
  let begun: Set<[UInt8]>
  /// The entities that those have begun who are hidden now.
  let turned: Set<[UInt8]>
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
  func remainder(hiding user: String) throws(EventLogError) -> AdoptionRemainder {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let (marks, ledger) = try marks(file)
    guard ledger.users.adopted.contains(Array(user.utf8)) else {
      throw EventLogError.notAdopted(user, ledger)
    }
    return try remainder(
      AdoptionTurn(users: [user], hides: true), marks.open.map(\.user) + [user], marks, ledger,
      file)
  }

  /// Reads the state with the devices of an adopted user, and of those whom that user had adopted,
  /// as far as an undone adoption hides them.
  ///
  /// - Returns: nil where nobody of them is hidden.
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`.
  /// - Complexity: that of ``remainder(hiding:)``; the file is read once where nobody is hidden.
  func remainder(showing user: String) throws(EventLogError) -> AdoptionRemainder? {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let (marks, ledger) = try marks(file)
    let family = ledger.users.family(of: user)
    // What the user has undone before the adoption stays undone.
    let isTheirs = ledger.areBranches(of: user)
    let turned = marks.open.filter {
      family.contains(Array($0.user.utf8)) && !isTheirs[Int($0.point.branch)]
    }.map(\.user)
    if turned.isEmpty { return nil }
    let hidden = marks.open.map(\.user).filter { !turned.contains($0) }
    return try remainder(
      AdoptionTurn(users: Set(turned).sorted(), hides: false), hidden, marks, ledger, file)
  }

  private func marks(_ file: JournalFile) throws(EventLogError) -> (AdoptionMarks, Ledger) {
    let pass = try read(file, into: AdoptionMarkSink()).0
    return (AdoptionMarks(pass.sink.marks, pass.ledger), pass.ledger)
  }

  private func remainder(
    _ turn: AdoptionTurn, _ hidden: [String], _ marks: AdoptionMarks, _ ledger: Ledger,
    _ file: JournalFile
  ) throws(EventLogError) -> AdoptionRemainder {
    func devices(of users: [String]) -> Set<DeviceID> {
      var devices: Set<DeviceID> = []
      for isTheirs in users.map(ledger.areBranches) {
        devices.formUnion(
          ledger.branches.indices.filter { isTheirs[$0] }.map { ledger.device(of: $0) })
      }
      return devices
    }
    let pass = try read(
      file,
      from: JournalPass(
        sink: RemainderSink(
          Fold(catalog), leavingOut: devices(of: hidden), marks,
          turned: turn.hides ? devices(of: turn.users) : []),
        users: ledger.users.begun(ledger.names))
    ).0
    return AdoptionRemainder(
      turn: turn,
      wasHidden: turn.hides && marks.open.contains { turn.users.contains($0.user) },
      hidden: hidden, fold: pass.sink.fold, leftOut: pass.sink.theirs, ledger: pass.ledger,
      marks: marks,
      begun: pass.sink.begunOnlyByOthers, turned: pass.sink.begunByTurned,
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

/// Folds the events of all but some devices, without what undone adoptions have appended, and notes
/// who began the entities.
private struct RemainderSink: EventSink {
  /// Whose events a branch has.
  private struct Writer {
    var isLeftOut: Bool
    var isTurned: Bool
    /// Whether any of them may be marked.
    var hasMarks: Bool
  }

  @Boxed private(set) var fold: Fold
  /// What those who are hidden now wrote, alone.
  @Boxed private(set) var theirs: Fold
  private let devices: Set<DeviceID>
  private let turned: Set<DeviceID>
  private let marks: AdoptionMarks
  /// Per branch whose it is; nil where nobody has looked yet.
  private var writers: [Writer?] = []
  /// The entities that were begun, by those who are left out and by the rest.
  private var begun: (leftOut: Set<[UInt8]>, rest: Set<[UInt8]>) = ([], [])
  private(set) var begunByTurned: Set<[UInt8]> = []
  /// The entities that the rest has written to.
  private(set) var worked: Set<[UInt8]> = []

  init(
    _ fold: Fold, leavingOut devices: Set<DeviceID>, _ marks: AdoptionMarks,
    turned: Set<DeviceID>
  ) {
    (self.fold, self.devices, self.marks, self.turned) = (fold, devices, marks, turned)
    theirs = fold
  }

  var begunOnlyByOthers: Set<[UInt8]> { begun.leftOut.subtracting(begun.rest) }

  mutating func restart(_ blank: Self) {
    self = RemainderSink(blank.fold, leavingOut: devices, marks, turned: turned)
  }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    let writer = writer(branch, ledger)
    let point = Ledger.Point(branch: Int32(branch), sequence: layout.sequence)
    if writer.hasMarks, marks.contains(point, in: ledger) { return }
    switch lifecycle(layout, canonical) {
    case .begins?:
      let entity = canonical.copy(layout.entity)
      if writer.isLeftOut { begun.leftOut.insert(entity) } else { begun.rest.insert(entity) }
      if writer.isTurned { begunByTurned.insert(entity) }
    case EventSchema.Lifecycle.none?:
      if !writer.isLeftOut { worked.insert(canonical.copy(layout.entity)) }
    default: break
    }
    if writer.isTurned {
      theirs.apply(
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
      isLeftOut: devices.contains(device), isTurned: turned.contains(device),
      hasMarks: marks.hasAny(of: device))
    writers[branch] = found
    return found
  }
}
