import EventLog

/// Collects the writes of lines, for an undo.
struct UndoneWrites: LineSink {
  struct Write {
    enum Action {
      /// An event on the entity, whether or not it writes fields.
      case presence
      case register
      case total(CounterSum)
      case increment(CounterSum)
      case members([String])
    }

    var point: Ledger.Point
    var entity: Int32
    var row: Int32
    var field: Int32
    var action: Action
  }

  private(set) var found: [Write] = []
  var point = Ledger.Point(branch: 0, sequence: 0)
  /// A copy of the fold, used only for planning events.
  private var fold: Fold

  init(_ fold: Fold) {
    self.fold = fold
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    guard let (type, entity, row) = fold.planned(layout, canonical) else { return }
    func add(_ field: Int32, _ action: Write.Action) {
      found.append(
        Write(point: point, entity: entity, row: row, field: field, action: action))
    }
    if entity >= 0 { add(-1, .presence) }
    for step in fold.steps {
      switch step.action {
      case .ignore, .day, .from, .key: break
      case .write: add(step.field, .register)
      case .set: add(step.field, .total(step.amount))
      case .advance: add(step.field, .increment(step.amount))
      case .include, .exclude:
        guard let field = fold.plannedSetField(layout, canonical) else { continue }
        let member = layout.members[Int(step.member)]
        add(field, .members(StepPlanner.texts(canonical, member).texts))
      }
    }
    for (field, _, _) in fold.compiled.types[type].assigns { add(field, .register) }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
