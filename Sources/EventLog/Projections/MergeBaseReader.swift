/// Computes the bases of conflicts by reading the journal again.
///
/// For each conflict, the events in its cut are applied to one cell of its mechanism. The cost is
/// one reading, and memory is proportional to the number of conflicts.
struct MergeBaseReader: EventSink {
  /// A copy of the fold, used only for its names and for planning events.
  @Boxed private var fold: Fold
  /// The ledger of the first reading, whose branch numbers the cuts use. This reading may number
  /// the branches differently.
  private let main: Ledger
  /// The current event, in the branch numbers of the first reading.
  private var at: Ledger.Point?
  private let conflicts: [OpenConflict]
  /// The cut of each conflict.
  private let cuts: [PastCut]
  /// The value conflict of each row and field.
  private var valueConflicts = IndexTable()
  /// The presence conflict of each entity.
  private var presenceConflicts: [Int32: Int] = [:]
  /// The register or counter of each conflict, or −1 before its first write.
  private var cells: [Int32]
  /// For each conflict, whether the field was a set within the cut.
  private var isSet: [Bool]
  @Boxed private var registers = Registers()
  @Boxed private var counters = Counters()
  @Boxed private var presences = Presences()
  /// The entity in `presences` of each presence conflict, or −1 for other conflicts.
  private var presenceEntities: [Int32]
  /// For each entity, whether it has a conflict. The last element is for the singletons.
  private var isConcerned: [Bool]

  init(fold: Fold, _ main: Ledger, conflicts: [OpenConflict], cuts: [PastCut]) {
    self.fold = fold
    self.main = main
    self.conflicts = conflicts
    self.cuts = cuts
    cells = [Int32](repeating: -1, count: conflicts.count)
    presenceEntities = cells
    isSet = [Bool](repeating: false, count: conflicts.count)
    isConcerned = [Bool](repeating: false, count: fold.entities.count + 1)
    // Overwritten values aren't needed here.
    (registers.keepsPast, counters.keepsPast) = (false, false)
    for (index, conflict) in conflicts.enumerated() {
      isConcerned[conflict.entity < 0 ? fold.entities.count : Int(conflict.entity)] = true
      if case .presence = conflict.subject {
        presenceConflicts[conflict.entity] = index
        presenceEntities[index] = presences.addEntity()
      } else {
        valueConflicts.insert(conflict.row, conflict.fieldIndex, Int32(index))
      }
    }
  }

  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool {
    if layout.entity.isEmpty { return isConcerned[fold.entities.count] }
    return fold.entityNames.find(canonical, layout.entity).map { isConcerned[$0] } ?? false
  }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    guard layout.version == 1 else { return }
    var entity: Int32 = -1
    if !layout.entity.isEmpty {
      guard let index = fold.entityNames.find(canonical, layout.entity) else { return }
      guard index < isConcerned.count - 1, isConcerned[index] else { return }
      entity = Int32(index)
    } else if !isConcerned[isConcerned.count - 1] {
      return
    }
    let dot = Dot(
      branch: Int32(branch), sequence: layout.sequence, at: layout.atMilliseconds)
    at = main.translated(dot.point, from: ledger)
    let type = fold.plan(layout, canonical, entity: entity)
    if let conflict = presenceConflicts[entity], isWithin(conflict) {
      applyPresence(
        presenceEntities[conflict], type, by: Presences.Touch(dot: dot, type: 0), ledger)
    }
    guard let type else { return }
    let row = fold.plannedRow(type, entity: entity)
    guard row >= 0 else { return }
    for index in fold.steps.indices {
      apply(fold.steps[index], row, layout, canonical, by: dot, ledger)
    }
    for (field, _, value) in fold.compiled.types[type].assigns {
      write(row, field, value.span, ByteRange(0, value.count), by: dot, ledger, nil)
    }
  }

  /// Whether the cut of a conflict contains the current event.
  private func isWithin(_ conflict: Int) -> Bool {
    at.map(cuts[conflict].contains) ?? false
  }

  /// The conflict about a field, or −1 if there is none or its cut doesn't contain the event.
  private func conflict(_ row: Int32, _ field: Int32) -> Int {
    let found = Int(valueConflicts.find(row, field))
    return found >= 0 && isWithin(found) ? found : -1
  }

  private mutating func applyPresence(
    _ entity: Int32, _ type: Int?, by touch: Presences.Touch, _ ledger: Ledger
  ) {
    switch type.map({ fold.compiled.types[$0].lifecycle }) {
    case .deletes?: presences.delete(entity, by: touch, ledger)
    case .restores?:
      presences.restore(entity, by: touch.dot, ledger)
      presences.touch(entity, by: touch, ledger)
    default: presences.touch(entity, by: touch, ledger)
    }
  }

  private mutating func apply(
    _ step: StepPlanner.Step, _ row: Int32, _ layout: LineLayout, _ canonical: Span<UInt8>,
    by dot: Dot,
    _ ledger: Ledger
  ) {
    switch step.action {
    case .ignore, .day, .from, .key: break
    case .write:
      if step.converted < 0 {
        let value = layout.members[Int(step.member)].value
        return write(row, step.field, canonical, value, by: dot, ledger, nil)
      }
      let value = fold.planner.converted[Int(step.converted)]
      write(row, step.field, value.span, ByteRange(0, value.count), by: dot, ledger, step.rank)
    case .set, .advance:
      let conflict = conflict(row, step.field)
      guard conflict >= 0 else { return }
      if cells[conflict] < 0 {
        cells[conflict] = counters.add(row: row, field: step.field, next: -1)
      }
      if step.action == .set {
        counters.set(cells[conflict], to: step.amount, by: dot, ledger)
      } else {
        counters.advance(cells[conflict], by: step.amount, dot: dot, ledger)
      }
    case .include, .exclude:
      guard let field = fold.plannedSetField(layout, canonical) else { return }
      let conflict = conflict(row, field)
      if conflict >= 0 { isSet[conflict] = true }
    }
  }

  private mutating func write(
    _ row: Int32, _ field: Int32, _ source: Span<UInt8>, _ value: ByteRange, by dot: Dot,
    _ ledger: Ledger, _ rank: WriteRank?
  ) {
    let conflict = conflict(row, field)
    guard conflict >= 0 else { return }
    if cells[conflict] < 0 {
      cells[conflict] = registers.add(
        row: row, field: field, next: -1, source, value, by: dot, rank ?? .only)
    } else {
      registers.write(cells[conflict], source, value, by: dot, ledger, rank)
    }
  }

  /// The base of the conflict at `index`, or nil if nothing would be shown.
  func value(_ index: Int, _ ledger: Ledger) -> JSONValue? {
    let cell = Int(cells[index])
    switch conflicts[index].subject {
    case .presence: return presences.isHidden(presenceEntities[index]) ? "deleted" : nil
    case .register:
      guard cell >= 0, !isSet[index] else { return nil }
      return JSONValue(canonical: registers.bytes(registers.shown(cell, ledger)))
    case .counter:
      return cell < 0 ? nil : counters.shown(cell, ledger).json
    }
  }
}
