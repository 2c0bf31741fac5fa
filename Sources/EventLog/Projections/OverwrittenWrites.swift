/// The writes that an event would replace if it were applied now, and that its writer had not seen.
///
/// A register write replaces live values. A counter's set replaces sets and absorbs increments. An
/// exclusion removes inclusions. A deletion hides the events on its entity, and a restoration ends
/// deletions.
struct OverwrittenWrites {
  /// Whether a writer can read all of a value of a field, of an entity or of a day.
  typealias Reading = @Sendable (_ field: String, _ isOfDay: Bool, JSONValue) -> Bool

  private var fold: Fold
  private let ledger: Ledger
  /// Whether to report a value even if the event would write the same value.
  private let countsEqual: Bool
  private let canRead: Reading?
  private let isSeen: (Dot) -> Bool
  private(set) var found: [UnseenWrite] = []
  /// The values that would be replaced although their writer can't read them.
  private(set) var unreadable: [UnseenWrite] = []

  init(
    in fold: Fold, _ ledger: Ledger, countsEqual: Bool, canRead: Reading?,
    isSeen: @escaping (Dot) -> Bool
  ) {
    self.fold = fold
    self.ledger = ledger
    (self.countsEqual, self.canRead) = (countsEqual, canRead)
    self.isSeen = isSeen
  }

  /// Adds the writes that one event would replace, which are none if it changes no field.
  mutating func add(_ layout: LineLayout, _ canonical: Span<UInt8>) {
    var entity: Int32 = -1
    if !layout.entity.isEmpty {
      guard let index = fold.entityNames.find(canonical, layout.entity) else { return }
      entity = Int32(index)
    }
    guard let type = fold.plan(layout, canonical, entity: entity) else { return }
    addPresence(type, entity)
    let row = fold.plannedRow(type, entity: entity)
    guard row >= 0 else { return }
    for step in fold.steps { add(step, row, layout, canonical) }
    for (field, isDated, value) in fold.compiled.types[type].assigns {
      addRegister(row, field, JSONValue(canonical: value[...]), isDated, .only)
    }
  }

  private mutating func addPresence(_ type: Int, _ entity: Int32) {
    guard entity >= 0, fold.entities[Int(entity)].row >= 0 else { return }
    let row = fold.entities[Int(entity)].row
    switch fold.compiled.types[type].lifecycle {
    case .deletes:
      for touch in fold.presences.liveTouches(entity) {
        add(row, "presence", touch.dot, .string(fold.typeNames.text(Int(touch.type))))
      }
    case .restores:
      for deletion in fold.presences.liveDeletions(entity) {
        add(row, "presence", deletion.dot, "deleted")
      }
    case .none, .begins: break
    }
  }

  private mutating func add(
    _ step: StepPlanner.Step, _ row: Int32, _ layout: LineLayout, _ canonical: Span<UInt8>
  ) {
    let member = layout.members[Int(step.member)]
    switch step.action {
    case .ignore, .day, .from, .key, .advance, .include: break
    case .write:
      let value = fold.value(of: step, layout, canonical)
      addRegister(row, step.field, value, step.isDated, step.rank)
    case .set:
      guard let cell = fold.findCounter(row, step.field) else { return }
      let name = fold.fieldText(step.field)
      let shown = fold.counters.shown(Int(cell), ledger)
      let isReadable = shown.json.map { canReadValue($0, name, row) } ?? (shown != .unreadable)
      for dot in fold.counters.liveDots(Int(cell)) {
        add(row, name, dot, shown.json)
        if !isReadable { addUnreadable(row, name, dot, shown.json) }
      }
    case .exclude:
      guard let field = fold.plannedSetField(layout, canonical),
        let cell = fold.findSet(row, field)
      else { return }
      for text in StepPlanner.texts(canonical, member).texts {
        for dot in fold.sets.inclusions(of: text, in: Int(cell)) {
          add(row, fold.fieldText(field), dot, .string(text))
        }
      }
    }
  }

  private mutating func addRegister(
    _ row: Int32, _ field: Int32, _ value: JSONValue, _ isDated: Bool, _ rank: WriteRank
  ) {
    let cell = fold.findRegister(row, field)
    guard cell >= 0 else { return }
    let name = fold.fieldText(field)
    var replaced: [(dot: Dot, value: JSONValue)] = []
    for live in fold.registers.liveValues(Int(cell)) {
      if fold.registers.ranks.low(of: live.dot.point, in: Int(cell)) > rank.high { continue }
      let other = JSONValue(canonical: fold.registers.bytes(live))
      if countsEqual || other != value { add(row, name, live.dot, other) }
      replaced.append((live.dot, other))
    }
    if isDated { replaced += fold.datedValues(of: cell, from: fold.planner.from, rank) }
    for (dot, other) in replaced where other != .null && other != value {
      let breaksRule = fold.doubtfulRegisters.contains(cell) && fold.breaksRule(other, Int(cell))
      if breaksRule || !canReadValue(other, name, row) { addUnreadable(row, name, dot, other) }
    }
  }

  private func canReadValue(_ value: JSONValue, _ field: String, _ row: Int32) -> Bool {
    canRead?(field, fold.rows[Int(row)].day != Fold.Row.noDay, value) ?? true
  }

  private mutating func addUnreadable(
    _ row: Int32, _ field: String, _ dot: Dot, _ value: JSONValue?
  ) {
    let write = fold.write(of: field, row, dot, value, ledger)
    if !unreadable.contains(write) { unreadable.append(write) }
  }

  private mutating func add(_ row: Int32, _ field: String, _ dot: Dot, _ value: JSONValue?) {
    if !isSeen(dot) { found.append(fold.write(of: field, row, dot, value, ledger)) }
  }
}

extension Fold {
  /// A live write of a field, for an error.
  func write(
    of field: String, _ row: Int32, _ dot: Dot, _ value: JSONValue?, _ ledger: Ledger
  ) -> UnseenWrite {
    UnseenWrite(entity: rowText(of: row), field: field, event: dot.id(ledger), value: value)
  }

  /// The counter of a field, or nil if nothing was written to it.
  package func findCounter(_ row: Int32, _ field: Int32) -> Int32? {
    let cell = counters.find(field, from: rows[Int(row)].firstCounter)
    return cell < 0 ? nil : cell
  }
}
