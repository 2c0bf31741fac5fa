import EventLog

/// Collects all writes of one field in another reading.
struct WriteCollector: EventSink {
  struct Write {
    var dot: Dot
    var type: String
    var value: JSONValue
    var action: FieldHistory.Action
    var rank = WriteRank.only
  }

  /// A copy of the fold that plans events, but never applies them.
  private var fold: Fold
  /// The ledger of the first reading.
  private let main: Ledger
  private let row: Int32
  private let entity: Int32
  /// The field's number, or −1 for presence.
  private let field: Int32
  private(set) var writes: [Write] = []
  /// For presence, the first valid event of each branch.
  ///
  /// If no event begins the entity, one of these created it.
  private(set) var firsts: [Int32: Write] = [:]

  init(fold: Fold, _ main: Ledger, row: Int32, entity: Int32, field: Int32) {
    self.fold = fold
    self.main = main
    self.row = row
    self.entity = entity
    self.field = field
  }

  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool {
    isConcerned(layout, canonical)
  }

  private func isConcerned(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Bool {
    if layout.entity.isEmpty { return entity < 0 }
    return entity >= 0 && fold.entityNames.isEntry(Int(entity), canonical, layout.entity)
  }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    // This reading may number branches differently than the first one.
    guard layout.version == 1, isConcerned(layout, canonical),
      let point = main.translated(
        .init(branch: Int32(branch), sequence: layout.sequence), from: ledger)
    else { return }
    let dot = Dot(branch: point.branch, sequence: point.sequence, at: layout.atMilliseconds)
    let name = String(decoding: canonical.copy(layout.type), as: UTF8.self)
    let type = fold.plan(layout, canonical, entity: entity)
    if field < 0 {
      // Unknown and invalid events create no entity, and contesting ones are in the fold.
      if let type { addPresence(name, fold.compiled.types[type].lifecycle, dot) }
    } else if let type, fold.plannedRow(type, entity: entity) == row {
      for step in fold.steps { add(step, layout, canonical, name, dot) }
      for (assigned, _, value) in fold.compiled.types[type].assigns where assigned == field {
        add(name, JSONValue(canonical: value[...]), .written, dot)
      }
    }
  }

  private mutating func addPresence(
    _ name: String, _ lifecycle: EventSchema.Lifecycle, _ dot: Dot
  ) {
    if firsts[dot.branch] == nil {
      firsts[dot.branch] = Write(dot: dot, type: name, value: .string(name), action: .created)
    }
    switch lifecycle {
    case .deletes: add(name, "deleted", .deleted, dot)
    case .restores: add(name, .string(name), .restored, dot)
    case .begins: add(name, .string(name), .created, dot)
    case .none: break
    }
  }

  private mutating func add(
    _ step: StepPlanner.Step, _ layout: LineLayout, _ canonical: Span<UInt8>, _ name: String,
    _ dot: Dot
  ) {
    let member = layout.members[Int(step.member)]
    func value() -> JSONValue { JSONValue(canonical: canonical.copy(member.value)[...]) }
    switch step.action {
    case .ignore, .day, .from, .key: break
    case .write where step.field == field:
      add(name, fold.value(of: step, layout, canonical), .written, dot, step.rank)
    case .set where step.field == field: add(name, value(), .set, dot)
    case .advance where step.field == field: add(name, value(), .advanced, dot)
    case .include where fold.plannedSetField(layout, canonical) == field:
      add(name, value(), .included, dot)
    case .exclude where fold.plannedSetField(layout, canonical) == field:
      add(name, value(), .excluded, dot)
    case .write, .set, .advance, .include, .exclude: break
    }
  }

  private mutating func add(
    _ type: String, _ value: JSONValue, _ action: FieldHistory.Action, _ dot: Dot,
    _ rank: WriteRank = .only
  ) {
    writes.append(Write(dot: dot, type: type, value: value, action: action, rank: rank))
  }
}
