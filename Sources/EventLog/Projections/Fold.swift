/// Folds events into the state of all collections, which is the same for every causal order.
///
/// A field is a cell of a mechanism, and belongs to a row: a singleton, an entity, or a day of an
/// entity. Names are small integers. Memory is proportional to the state, including the increments
/// of its counters; there is no allocation per event.
package struct Fold: EventSink, Sendable {
  /// The cells of a singleton, an entity, or a day.
  package struct Row: BitwiseCopyable, Sendable {
    package internal(set) var entity: Int32
    /// The day, or `Row.noDay`.
    package internal(set) var day: Int32
    /// The entity's next day row, or −1.
    package internal(set) var nextDay: Int32 = -1
    package internal(set) var firstRegister: Int32 = -1
    package internal(set) var firstCounter: Int32 = -1
    package internal(set) var firstSet: Int32 = -1

    package static let noDay = Int32.min
  }

  /// An entity that an event refers to.
  package struct Entity: Sendable {
    /// The collection of its kind, or −1.
    package internal(set) var collection: Int32
    /// Its row, or −1 before its first valid event of a known type.
    package internal(set) var row: Int32 = -1
    package internal(set) var firstDay: Int32 = -1
    /// The entity of its collection that was added before it, or −1.
    var before: Int32 = -1
    /// The number of the last event on it, in the order of application. If two states of one
    /// reading have the same version, they show the same entity.
    var version: Int32 = 0
  }

  /// The state of a collection as a whole.
  struct CollectionState: Sendable {
    /// The entity that was added last, or −1.
    var lastEntity: Int32 = -1
    /// The number of the last event on the collection.
    var version: Int32 = 0
  }

  package internal(set) var eventCount = 0
  /// Plans events and interns the names of types and fields.
  @Boxed var planner: StepPlanner
  @Boxed package internal(set) var entityNames = ByteInterner()
  package internal(set) var entities = PagedArray<Entity>()
  private(set) var collections: [CollectionState]
  package internal(set) var rows = PagedArray<Row>()
  @Boxed package internal(set) var registers = Registers()
  @Boxed var datedValues = DatedValues()
  @Boxed package internal(set) var counters = Counters()
  @Boxed package internal(set) var sets = MemberSets()
  @Boxed package internal(set) var presences = Presences()
  @Boxed var registerTable = IndexTable()
  @Boxed var dayTable = IndexTable()
  @Boxed var setTable = IndexTable()
  /// The entities by the name numbers of the current reading.
  private var numberedEntities = NumberedNames()
  /// For each field, the offset of its register from the first one of its row, as found last.
  private var registerOffsets: [Int32] = []

  /// The registers that were written a value that this version can't read. Most have a readable one
  /// by now.
  var doubtfulRegisters: Set<Int32> = []

  /// The `ref`s of all events, or nil if the caller doesn't need them.
  @Boxed package var refs: ByteInterner?

  package init(_ catalog: SchemaCatalog) {
    planner = StepPlanner(catalog)
    // The rows of singletons come first, in the catalog's order.
    for _ in catalog.collections { rows.append(Row(entity: -1, day: Row.noDay)) }
    collections = Array(repeating: CollectionState(), count: catalog.collections.count)
  }

  package var compiled: CompiledCatalog { planner.compiled }
  package var catalog: SchemaCatalog { planner.catalog }
  package var typeNames: ByteInterner {
    get { planner.typeNames }
    _modify { yield &planner.typeNames }
  }
  package var fieldNames: ByteInterner {
    get { planner.fieldNames }
    _modify { yield &planner.fieldNames }
  }
  /// The steps of the current event.
  package var steps: LineList<StepPlanner.Step> { planner.steps }

  // MARK: - Applying

  package mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    eventCount &+= 1
    if refs != nil, !layout.ref.isEmpty { _ = refs?.intern(canonical, layout.ref) }
    guard layout.version == 1 else { return }
    let dot = Dot(
      branch: Int32(truncatingIfNeeded: branch), sequence: layout.sequence,
      at: layout.atMilliseconds)
    let entity = layout.entity.isEmpty ? -1 : entityIndex(layout, canonical)
    if entity >= 0 { noteChange(of: entity) }
    let name = planner.typeIndex(layout, canonical)
    let touch = Presences.Touch(dot: dot, type: Int32(truncatingIfNeeded: name))
    guard let type = planner.compiled.type(named: name),
      planner.check(type, collection: collection(of: entity), layout, canonical) == nil
    else {
      // An event that changes no field may still contest a deletion.
      if entity >= 0 { presences.touch(entity, by: touch, ledger) }
      return
    }
    write(type, entity: entity, layout, canonical, by: touch, ledger)
  }

  /// The collection of an entity's kind, −1 for an unknown kind, or nil without an entity.
  @inline(__always)
  private func collection(of entity: Int32) -> Int32? {
    entity < 0 ? nil : entities[Int(entity)].collection
  }

  @inline(__always)
  private mutating func entityIndex(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Int32 {
    let known = numberedEntities.value(layout.names.entity, of: layout.names.reading)
    return known >= 0 ? Int32(truncatingIfNeeded: known) : findEntity(layout, canonical)
  }

  private mutating func findEntity(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Int32 {
    let index = entityNames.intern(canonical, layout.entity)
    if index == entities.count {
      let kind = String(entityNames.text(index).prefix { $0 != "/" })
      addEntity(of: Int32(compiled.collection(ofKind: kind)))
      presences.addEntity()
    }
    numberedEntities.note(index, under: layout.names.entity, of: layout.names.reading)
    return Int32(truncatingIfNeeded: index)
  }

  mutating func addEntity(of collection: Int32) {
    var entity = Entity(collection: collection)
    if collection >= 0 {
      entity.before = collections[Int(collection)].lastEntity
      collections[Int(collection)].lastEntity = Int32(truncatingIfNeeded: entities.count)
    }
    entities.append(entity)
  }

  /// Records the current event as the last one on an entity.
  @inline(__always)
  private mutating func noteChange(of entity: Int32) {
    let version = Int32(truncatingIfNeeded: eventCount)
    entities.update(Int(entity)) { $0.version = version }
    let collection = entities[Int(entity)].collection
    if collection >= 0 { collections[Int(collection)].version = version }
  }

  /// The entities of a collection with a valid event, the last added first.
  package func entities(of collection: Int) -> [Int32] {
    var found: [Int32] = []
    var entity = collections[collection].lastEntity
    while entity >= 0 {
      let state = entities[Int(entity)]
      if state.row >= 0 { found.append(entity) }
      entity = state.before
    }
    return found
  }

  // MARK: - Planning

  /// Fills `steps` with the effects of an event, without applying them.
  ///
  /// - Returns: The number of its type, or nil if it changes no field.
  package mutating func plan(
    _ layout: LineLayout, _ canonical: Span<UInt8>, entity: Int32
  ) -> Int? {
    let name = planner.typeIndex(layout, canonical)
    guard let type = planner.compiled.type(named: name),
      planner.check(type, collection: collection(of: entity), layout, canonical) == nil
    else { return nil }
    return type
  }

  /// Plans an already applied event and finds the row that it wrote to.
  ///
  /// - Returns: nil if the event changed no field. For a singleton, `entity` is −1.
  package mutating func planned(
    _ layout: LineLayout, _ canonical: Span<UInt8>
  ) -> (type: Int, entity: Int32, row: Int32)? {
    var entity: Int32 = -1
    if !layout.entity.isEmpty {
      guard let index = entityNames.find(canonical, layout.entity) else { return nil }
      entity = Int32(index)
    }
    guard let type = plan(layout, canonical, entity: entity) else { return nil }
    let row = plannedRow(type, entity: entity)
    return row >= 0 ? (type, entity, row) : nil
  }

  /// The row that the planned event writes to, or −1 if there is none.
  package func plannedRow(_ type: Int, entity: Int32) -> Int32 {
    guard entity >= 0 else { return Int32(compiled.types[type].collection) }
    guard let day = steps.first(where: { $0.action == .day })?.day else {
      return entities[Int(entity)].row
    }
    return dayTable.find(entity, day)
  }

  /// The set field that the planned event changes, or nil if its name is unknown.
  package func plannedSetField(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Int32? {
    planner.setKey(layout).flatMap { fieldNames.find(canonical, $0) }.map { Int32($0) }
  }

  // MARK: - Writing

  @inline(__always)
  private mutating func write(
    _ type: Int, entity: Int32, _ layout: LineLayout, _ canonical: Span<UInt8>,
    by touch: Presences.Touch, _ ledger: Ledger
  ) {
    let dot = touch.dot
    var row: Int32
    if entity >= 0 {
      row = entityRow(entity)
      switch planner.compiled.types[type].lifecycle {
      case .deletes: presences.delete(entity, by: touch, ledger)
      case .restores:
        presences.restore(entity, by: dot, ledger)
        presences.touch(entity, by: touch, ledger)
      case .none, .begins: presences.touch(entity, by: touch, ledger)
      }
    } else {
      row = Int32(planner.compiled.types[type].collection)
      collections[Int(row)].version = Int32(truncatingIfNeeded: eventCount)
    }
    for index in planner.steps.indices where planner.steps[index].action == .day {
      row = dayRow(entity, planner.steps[index].day)
    }
    lookUpRegisters(of: row)
    for index in planner.steps.indices {
      let step = planner.steps[index]
      switch step.action {
      case .ignore, .day, .from, .key: break
      case .write:
        let value = layout.members[Int(step.member)].value
        let cell: Int32
        if step.converted >= 0 {
          cell = writeConverted(step, row, by: dot, ledger)
        } else if step.isDated {
          cell = writeDated(step.cell, row, step.field, canonical, value, by: dot, ledger)
        } else {
          cell = writeRegister(step.cell, row, step.field, canonical, value, by: dot, ledger)
        }
        if !step.isReadable { doubtfulRegisters.insert(cell) }
      case .set: counters.set(counter(row, step.field), to: step.amount, by: dot, ledger)
      case .advance:
        counters.advance(counter(row, step.field), by: step.amount, dot: dot, ledger)
      case .include, .exclude: changeSet(row, step, layout, canonical, by: dot, ledger)
      }
    }
    if !planner.compiled.types[type].hasAssigns { return }
    for (field, isDated, value) in planner.compiled.types[type].assigns {
      let range = ByteRange(0, value.count)
      let cell = registerTable.find(row, field)
      if isDated {
        _ = writeDated(cell, row, field, value.span, range, by: dot, ledger)
      } else {
        _ = writeRegister(cell, row, field, value.span, range, by: dot, ledger)
      }
    }
  }

  /// Writes a register with earlier names. Returns the register.
  @inline(never)
  private mutating func writeConverted(
    _ step: StepPlanner.Step, _ row: Int32, by dot: Dot, _ ledger: Ledger
  ) -> Int32 {
    let value = planner.converted[Int(step.converted)]
    let range = ByteRange(0, value.count)
    // An event can write several names of a field, and so a register that it has just added.
    let cell = registerTable.find(row, step.field)
    return step.isDated
      ? writeDated(cell, row, step.field, value.span, range, by: dot, ledger, step.rank)
      : writeRegister(cell, row, step.field, value.span, range, by: dot, ledger, step.rank)
  }

  /// The value that a step writes to a register.
  package func value(
    of step: StepPlanner.Step, _ layout: LineLayout, _ canonical: Span<UInt8>
  ) -> JSONValue {
    let bytes =
      step.converted >= 0
      ? planner.converted[Int(step.converted)]
      : canonical.copy(layout.members[Int(step.member)].value)
    return JSONValue(canonical: bytes[...])
  }

  /// Writes a register, and what it shows from a day on. Returns the register.
  @inline(never)
  private mutating func writeDated(
    _ before: Int32, _ row: Int32, _ field: Int32, _ source: Span<UInt8>, _ value: ByteRange,
    by dot: Dot, _ ledger: Ledger, _ rank: WriteRank? = nil
  ) -> Int32 {
    let from = Self.from(of: &_planner.wrappedValue)
    if from != DatedValues.beginning, before >= 0 { datedValues.begin(before, registers) }
    let cell = writeRegister(before, row, field, source, value, by: dot, ledger, rank)
    if from != DatedValues.beginning || datedValues.hasEntries(cell) {
      datedValues.write(
        cell, from: from, source, value, by: dot, registers, ledger, rank ?? .only)
    }
    return cell
  }

  /// The first day to which dated values of the current event apply.
  @inline(__always)
  private static func from(of planner: inout StepPlanner) -> Int32 { planner.from }

  /// Finds the registers of all steps before the first one is written.
  ///
  /// The loads don't depend on one another, so their cache misses overlap. Such misses are most of
  /// the cost of a large state.
  @inline(__always)
  private mutating func lookUpRegisters(of row: Int32) {
    let first = rows[Int(row)].firstRegister
    Self.lookUp(
      &_planner.wrappedValue.steps, row, near: first, in: &_registers.wrappedValue,
      &_registerTable.wrappedValue, offsets: &registerOffsets)
  }

  /// Takes the members one by one, so that none of them is copied during the access.
  @inline(__always)
  private static func lookUp(
    _ steps: inout LineList<StepPlanner.Step>, _ row: Int32, near first: Int32,
    in registers: inout Registers, _ table: inout IndexTable, offsets: inout [Int32]
  ) {
    for index in steps.indices where steps[index].action == .write {
      let field = steps[index].field
      // Tries the offset of the previous row first: rows of one kind usually got their fields in
      // the same order.
      var cell = Int(field) < offsets.count ? first &+ offsets[Int(field)] : -1
      if !registers.isRegister(cell, row, field) {
        cell = table.find(row, field)
        if cell >= 0 {
          while offsets.count <= Int(field) { offsets.append(0) }
          offsets[Int(field)] = cell &- first
        }
      }
      steps[index].cell = cell
    }
  }

  @inline(__always)
  private mutating func writeRegister(
    _ cell: Int32, _ row: Int32, _ field: Int32, _ source: Span<UInt8>, _ value: ByteRange,
    by dot: Dot, _ ledger: Ledger, _ rank: WriteRank? = nil
  ) -> Int32 {
    if cell >= 0 {
      registers.write(cell, source, value, by: dot, ledger, rank)
      return cell
    }
    let added = registers.add(
      row: row, field: field, next: rows[Int(row)].firstRegister, source, value, by: dot,
      rank ?? .only)
    rows[Int(row)].firstRegister = added
    registerTable.insert(row, field, added)
    return added
  }

  private mutating func counter(_ row: Int32, _ field: Int32) -> Int32 {
    let before = rows[Int(row)].firstCounter
    let (cell, first) = counters.cell(row: row, field: field, from: before)
    if first != before { rows[Int(row)].firstCounter = first }
    return cell
  }

  private mutating func changeSet(
    _ row: Int32, _ step: StepPlanner.Step, _ layout: LineLayout, _ canonical: Span<UInt8>,
    by dot: Dot,
    _ ledger: Ledger
  ) {
    guard let key = planner.setKey(layout) else { return }
    let texts = StepPlanner.texts(canonical, layout.members[Int(step.member)]).texts
    let cell = set(row, Int32(fieldNames.intern(canonical, key)))
    for text in texts {
      if step.action == .include {
        sets.include(text, in: cell, by: dot)
      } else {
        sets.exclude(text, from: cell, by: dot, ledger)
      }
    }
  }

  private mutating func set(_ row: Int32, _ field: Int32) -> Int32 {
    let found = setTable.find(row, field)
    if found >= 0 { return found }
    let cell = sets.add(row: row, field: field, next: rows[Int(row)].firstSet)
    rows[Int(row)].firstSet = cell
    setTable.insert(row, field, cell)
    return cell
  }

  package func findSet(_ row: Int32, _ field: Int32) -> Int32? {
    let cell = setTable.find(row, field)
    return cell < 0 ? nil : cell
  }

  // MARK: - Rows

  @inline(__always)
  private mutating func entityRow(_ entity: Int32) -> Int32 {
    if entities[Int(entity)].row < 0 {
      rows.append(Row(entity: entity, day: Row.noDay))
      entities[Int(entity)].row = Int32(rows.count - 1)
    }
    return entities[Int(entity)].row
  }

  @inline(__always)
  private mutating func dayRow(_ entity: Int32, _ day: Int32) -> Int32 {
    let found = dayTable.find(entity, day)
    if found >= 0 { return found }
    let added = Int32(rows.count)
    rows.append(Row(entity: entity, day: day, nextDay: entities[Int(entity)].firstDay))
    entities[Int(entity)].firstDay = added
    dayTable.insert(entity, day, added)
    return added
  }

  /// The row of an entity's day, or −1.
  package func dayRow(of entity: Int32, _ day: Int32) -> Int32 { dayTable.find(entity, day) }

  package func findRegister(_ row: Int32, _ field: Int32) -> Int32 {
    registerTable.find(row, field)
  }
}
