/// The writes that an event would replace if it were applied now, and that its writer had not seen.
///
/// A register write replaces live values. A counter's set replaces sets and absorbs increments. An
/// exclusion removes inclusions. A deletion hides the events on its entity, and a restoration ends
/// deletions.
struct OverwrittenWrites {
  private var fold: Fold
  private let ledger: Ledger
  /// Whether to report a value even if the event would write the same value.
  private let countsEqual: Bool
  private let isSeen: (Dot) -> Bool
  private(set) var found: [UnseenWrite] = []
  /// The values that would be replaced although they break the rules of their fields.
  private(set) var unreadable: [UnseenWrite] = []

  init(in fold: Fold, _ ledger: Ledger, countsEqual: Bool, isSeen: @escaping (Dot) -> Bool) {
    self.fold = fold
    self.ledger = ledger
    self.countsEqual = countsEqual
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
    for (field, _, value) in fold.compiled.types[type].assigns {
      addRegister(row, field, JSONValue(canonical: value[...]))
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
      addRegister(row, step.field, JSONValue(canonical: canonical.copy(member.value)[...]))
    case .set:
      guard let cell = fold.findCounter(row, step.field) else { return }
      let shown = fold.counters.shown(Int(cell), ledger).json
      for dot in fold.counters.liveDots(Int(cell)) {
        add(row, fold.fieldText(step.field), dot, shown)
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

  private mutating func addRegister(_ row: Int32, _ field: Int32, _ value: JSONValue) {
    let cell = fold.findRegister(row, field)
    guard cell >= 0 else { return }
    for live in fold.registers.liveValues(Int(cell)) {
      let other = JSONValue(canonical: fold.registers.bytes(live))
      if countsEqual || other != value { add(row, fold.fieldText(field), live.dot, other) }
      if other != .null, other != value, fold.doubtfulRegisters.contains(cell),
        fold.breaksRule(other, Int(cell))
      {
        unreadable.append(fold.write(of: fold.fieldText(field), row, live.dot, other, ledger))
      }
    }
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
