/// Folds events into the state of all collections: the same state for every order that respects
/// causality.
///
/// Everything of one field is one cell of one of the mechanisms; a cell belongs to a row: a
/// singleton, an entity, or a day of an entity. Names are small numbers. Nothing is allocated per
/// event; memory follows the state, and the increments of its counters.
package struct Fold: EventSink, Sendable {
  /// The cells of a singleton, an entity, or a day.
  struct Row: Sendable {
    var entity: Int32
    /// The day, or `Row.noDay`.
    var day: Int32
    /// The entity's next day row, or −1.
    var nextDay: Int32 = -1
    var firstRegister: Int32 = -1
    var firstCounter: Int32 = -1
    var firstSet: Int32 = -1

    static let noDay = Int32.min
  }

  /// An entity that some event names.
  struct Entity: Sendable {
    /// The collection of its kind, or −1.
    var collection: Int32
    /// Its row, or −1 while no valid, known event on it is held.
    var row: Int32 = -1
    var firstDay: Int32 = -1
    /// The one of its collection that was named before it, or −1.
    var before: Int32 = -1
    /// Which event was the last about it, counted as they were applied: another one in another
    /// state of the same reading means that it may show something else.
    var version: Int32 = 0
  }

  /// What is known of a collection as a whole.
  struct CollectionState: Sendable {
    /// The entity that was named last, or −1.
    var lastEntity: Int32 = -1
    /// Which event was the last about any of it.
    var version: Int32 = 0
  }

  /// A member of the event at hand that does something.
  struct Step: Sendable {
    var action: CompiledCatalog.Role.Action
    var field: Int32
    /// Its place in the layout's members.
    var member: Int32
    /// The register it writes, once looked up; −1 if there is none yet.
    var cell: Int32 = -1
    var number: Int64
  }

  package internal(set) var eventCount = 0
  let compiled: CompiledCatalog
  var typeNames = ByteInterner()
  var fieldNames = ByteInterner()
  var entityNames = ByteInterner()
  var entities = PagedArray<Entity>()
  private(set) var collections: [CollectionState]
  var rows = PagedArray<Row>()
  var registers = Registers()
  var counters = Counters()
  var sets = MemberSets()
  var presences = Presences()
  var registerTable = IndexTable()
  var dayTable = IndexTable()
  var setTable = IndexTable()
  /// What the event at hand does.
  private(set) var steps: [Step] = []
  /// The field that the n-th member of a type's last event named.
  private var fieldMemo: [Int32]
  private var typeMemo = 0
  private var dayMemo = DateMemo()
  /// The sum of what was loaded ahead; it means nothing.
  private var warmth: Int32 = 0
  private static let memoWidth = 8

  /// What is wrong with an event that is sound as a line; collected where a caller asks for it.
  package var notes: [JournalProblem]?
  /// How many of each sort there are, also beyond those that are kept.
  package private(set) var noteCounts: [JournalProblem.Note: Int] = [:]
  /// Sets that begin somewhere in the journal, where a reading before has found them.
  package var knownSets: Set<SetName> = []
  /// The `ref`s held, collected where a caller asks for it.
  package var refs: ByteInterner?

  package init(_ catalog: SchemaCatalog) {
    compiled = CompiledCatalog(catalog, typeNames: &typeNames, fieldNames: &fieldNames)
    // Unknown types get numbers behind these, and no memo.
    fieldMemo = [Int32](repeating: 0, count: typeNames.count * Self.memoWidth)
    // The rows of singletons come first, in the catalog's order.
    for _ in catalog.collections { rows.append(Row(entity: -1, day: Row.noDay)) }
    collections = Array(repeating: CollectionState(), count: catalog.collections.count)
  }

  package var catalog: SchemaCatalog { compiled.catalog }

  /// Whether copies share pages.
  var isPaginated: Bool { rows.isPaginated }

  /// Lets copies share what neither changes, for one that is handed out after every append.
  package mutating func paginate() {
    typeNames.paginate()
    fieldNames.paginate()
    entityNames.paginate()
    refs?.paginate()
    entities.paginate()
    rows.paginate()
    registers.paginate()
    counters.paginate()
    sets.paginate()
    presences.paginate()
    registerTable.paginate()
    dayTable.paginate()
    setTable.paginate()
  }

  // MARK: - Applying

  package mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    eventCount &+= 1
    if refs != nil, !layout.ref.isEmpty { _ = refs?.intern(canonical, layout.ref) }
    guard layout.version == 1 else {
      return note(.laterVersion, nil, layout, canonical, position)
    }
    let dot = Dot(
      branch: Int32(truncatingIfNeeded: branch), sequence: layout.sequence,
      at: layout.atMilliseconds)
    let entity = layout.entity.isEmpty ? -1 : entityIndex(canonical, layout.entity)
    if entity >= 0 { noteChange(of: entity) }
    let name = typeIndex(canonical, layout.type)
    let touch = Presences.Touch(dot: dot, type: Int32(truncatingIfNeeded: name))
    let type = name &- compiled.storeTypeCount
    guard type >= 0, type < compiled.types.count else {
      if entity >= 0 { presences.touch(entity, by: touch, ledger) }
      if type >= 0 { note(.unknownType, nil, layout, canonical, position) }
      return
    }
    if let reason = check(type, entity: entity, layout, canonical) {
      if entity >= 0 { presences.touch(entity, by: touch, ledger) }
      return note(.brokenRule, reason, layout, canonical, position)
    }
    write(type, entity: entity, layout, canonical, by: touch, ledger)
    if notes != nil { noteSetKeys(type, layout, canonical, position) }
  }

  /// The number of a type's name; unknown types are numbered behind the known ones.
  @inline(__always)
  private mutating func typeIndex(_ canonical: Span<UInt8>, _ range: ByteRange) -> Int {
    if typeNames.isEntry(typeMemo, canonical, range) { return typeMemo }
    typeMemo = typeNames.intern(canonical, range)
    return typeMemo
  }

  @inline(__always)
  private mutating func entityIndex(_ canonical: Span<UInt8>, _ range: ByteRange) -> Int32 {
    let index = entityNames.intern(canonical, range)
    if index == entities.count {
      let kind = String(entityNames.text(index).prefix { $0 != "/" })
      addEntity(of: Int32(compiled.collection(ofKind: kind)))
      presences.addEntity()
    }
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

  /// Notes that the event at hand is about an entity.
  @inline(__always)
  private mutating func noteChange(of entity: Int32) {
    let version = Int32(truncatingIfNeeded: eventCount)
    entities.update(Int(entity)) { $0.version = version }
    let collection = entities[Int(entity)].collection
    if collection >= 0 { collections[Int(collection)].version = version }
  }

  /// The entities of a collection that hold a valid event, the last that was named first.
  func entities(of collection: Int) -> [Int32] {
    var found: [Int32] = []
    var entity = collections[collection].lastEntity
    while entity >= 0 {
      let state = entities[Int(entity)]
      if state.row >= 0 { found.append(entity) }
      entity = state.before
    }
    return found
  }

  // MARK: - Checking

  /// Why an event breaks a rule of its type.
  enum Refusal: Sendable {
    case entityNeeded, entityOfOtherKind, entityNotTaken
    case missingMember, missingChange
    /// This member of `data` is about a day, and the event names none.
    case dayNeeded(member: Int)
    /// This member of `data` is about the entity, and the event names a day.
    case dayNotTaken(member: Int)
    /// The value of this member of `data`.
    case value(member: Int)
  }

  /// Collects what the event does in `steps`; what it breaks, if it breaks something.
  @inline(__always)
  private mutating func check(
    _ type: Int, entity: Int32, _ layout: LineLayout, _ canonical: Span<UInt8>
  ) -> Refusal? {
    if compiled.types[type].isSingleton {
      if entity >= 0 { return .entityNotTaken }
    } else {
      if entity < 0 { return .entityNeeded }
      if Int(entities[Int(entity)].collection) != compiled.types[type].collection {
        return .entityOfOtherKind
      }
    }
    while !steps.isEmpty { steps.removeLast() }
    var given: UInt32 = 0
    var levels: CompiledCatalog.Role.Level = []
    for index in layout.members.indices {
      let member = layout.members[index]
      let field = fieldIndex(type, index, member, canonical)
      guard field >= 0 else { continue }
      let role = compiled.role(field, in: type)
      if role.action == .ignore { continue }
      var number: Int64 = 0
      if !accepts(role, member, canonical, &number) { return .value(member: index) }
      given |= role.required
      levels.formUnion(role.level)
      if role.action == .key {
        let level = keyLevel(type, member, canonical)
        if level.isEmpty { return .value(member: index) }
        levels.formUnion(level)
      }
      steps.append(
        Step(
          action: role.action,
          field: role.field >= 0 ? role.field : Int32(truncatingIfNeeded: field),
          member: Int32(truncatingIfNeeded: index), number: number))
    }
    let required = compiled.types[type].required
    if given & required != required { return .missingMember }
    return compiled.types[type].needsLevels ? checkLevels(levels, type, layout, canonical) : nil
  }

  /// Where the set stands that a key names.
  private func keyLevel(
    _ type: Int, _ member: MemberLayout, _ canonical: Span<UInt8>
  ) -> CompiledCatalog.Role.Level {
    let name = ByteRange(member.value.start + 1, member.value.end - 1)
    return compiled.keyLevel(fieldNames.find(canonical, name), in: type)
  }

  /// Fields of days need a day, fields of entities exclude one.
  private func checkLevels(
    _ levels: CompiledCatalog.Role.Level, _ type: Int, _ layout: LineLayout,
    _ canonical: Span<UInt8>
  ) -> Refusal? {
    if compiled.types[type].needsChange, levels.isDisjoint(with: [.entity, .ofDay]) {
      return .missingChange
    }
    let wrong: CompiledCatalog.Role.Level = levels.contains(.date) ? .entity : .ofDay
    guard levels.contains(wrong) else { return nil }
    let step = steps.first { step in
      let member = layout.members[Int(step.member)]
      let level =
        step.action == .key
        ? keyLevel(type, member, canonical)
        : compiled.role(fieldNames.find(canonical, member.name) ?? 0, in: type).level
      return level.contains(wrong)
    }
    let member = Int(step?.member ?? 0)
    return wrong == .entity ? .dayNotTaken(member: member) : .dayNeeded(member: member)
  }

  /// The number of a member's name; −1 for a name that does nothing here.
  @inline(__always)
  private mutating func fieldIndex(
    _ type: Int, _ position: Int, _ member: MemberLayout, _ canonical: Span<UInt8>
  ) -> Int {
    let memo = (type &+ compiled.storeTypeCount) &* Self.memoWidth &+ position
    if position < Self.memoWidth, fieldNames.isEntry(Int(fieldMemo[memo]), canonical, member.name) {
      return Int(fieldMemo[memo])
    }
    let field: Int
    if compiled.types[type].furtherRole.action == .ignore {
      guard let found = fieldNames.find(canonical, member.name) else { return -1 }
      field = found
    } else {
      field = fieldNames.intern(canonical, member.name)
    }
    if position < Self.memoWidth { fieldMemo[memo] = Int32(truncatingIfNeeded: field) }
    return field
  }

  @inline(__always)
  private mutating func accepts(
    _ role: CompiledCatalog.Role, _ member: MemberLayout, _ canonical: Span<UInt8>,
    _ number: inout Int64
  ) -> Bool {
    switch role.action {
    case .ignore: return true
    case .write:
      return role.rule == CompiledCatalog.anyRule
        || compiled.rules[Int(role.rule)].accepts(member.kind, canonical, member.value)
    case .day:
      guard member.kind == .string, member.value.count == 12,
        let day = CivilDay.scan(canonical, at: member.value.start &+ 1, memo: &dayMemo)
      else { return false }
      number = Int64(day)
      return true
    case .set, .advance:
      guard member.kind == .integer, let value = ValueRule.integer(canonical, member.value),
        value <= 1_000_000_000, value >= (role.action == .set ? 0 : -1_000_000_000)
      else { return false }
      number = value
      return true
    case .key: return member.kind == .string
    case .include, .exclude: return Self.texts(canonical, member) != nil
    }
  }

  /// The elements of an array of strings; nil if it is anything else.
  static func texts(_ canonical: Span<UInt8>, _ member: MemberLayout) -> [String]? {
    guard member.kind == .array,
      case .array(let values) = JSONValue(canonical: canonical.copy(member.value)[...])
    else { return nil }
    var texts: [String] = []
    for value in values {
      guard case .string(let text) = value else { return nil }
      texts.append(text)
    }
    return texts
  }

  // MARK: - Planning

  /// Fills `steps` with what an event would do, and does none of it; the number of its type, or nil
  /// if it changes no field.
  mutating func plan(
    _ layout: LineLayout, _ canonical: Span<UInt8>, entity: Int32
  ) -> Int? {
    let type = typeIndex(canonical, layout.type) - compiled.storeTypeCount
    guard type >= 0, type < compiled.types.count,
      check(type, entity: entity, layout, canonical) == nil
    else { return nil }
    return type
  }

  /// Plans an event that was applied before, and finds what it wrote to; nil if it changed no
  /// field. A singleton has no entity: −1.
  mutating func planned(
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
  func plannedRow(_ type: Int, entity: Int32) -> Int32 {
    guard entity >= 0 else { return Int32(compiled.types[type].collection) }
    guard let day = steps.first(where: { $0.action == .day })?.number else {
      return entities[Int(entity)].row
    }
    return dayTable.find(entity, Int32(truncatingIfNeeded: day))
  }

  /// The field whose members the planned event changes; nil if nothing was ever written under it.
  func plannedSetField(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Int32? {
    plannedKey(layout).flatMap { fieldNames.find(canonical, $0) }.map { Int32($0) }
  }

  /// Where the key of the set stands, without its quotes.
  private func plannedKey(_ layout: LineLayout) -> ByteRange? {
    guard let step = steps.first(where: { $0.action == .key }) else { return nil }
    let value = layout.members[Int(step.member)].value
    return ByteRange(value.start + 1, value.end - 1)
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
      switch compiled.types[type].lifecycle {
      case .deletes: presences.delete(entity, by: touch, ledger)
      case .restores:
        presences.restore(entity, by: dot, ledger)
        presences.touch(entity, by: touch, ledger)
      case .none, .begins: presences.touch(entity, by: touch, ledger)
      }
    } else {
      row = Int32(compiled.types[type].collection)
      collections[Int(row)].version = Int32(truncatingIfNeeded: eventCount)
    }
    for step in steps where step.action == .day {
      row = dayRow(entity, Int32(truncatingIfNeeded: step.number))
    }
    lookUpRegisters(of: row)
    for index in steps.indices {
      let step = steps[index]
      switch step.action {
      case .ignore, .day, .key: break
      case .write:
        let value = layout.members[Int(step.member)].value
        writeRegister(step.cell, row, step.field, canonical, value, by: dot, ledger)
      case .set: counters.set(counter(row, step.field), to: step.number, by: dot, ledger)
      case .advance: counters.advance(counter(row, step.field), by: step.number, dot: dot)
      case .include, .exclude: changeSet(row, step, layout, canonical, by: dot, ledger)
      }
    }
    if !compiled.types[type].hasAssigns { return }
    for (field, value) in compiled.types[type].assigns {
      writeRegister(
        registerTable.find(row, field), row, field, value.span, ByteRange(0, value.count),
        by: dot, ledger)
    }
  }

  /// Finds the registers of all steps before the first is written: the loads do not depend on one
  /// another, so that waiting for memory, most of the cost of a large state, happens once.
  @inline(__always)
  private mutating func lookUpRegisters(of row: Int32) {
    for index in steps.indices where steps[index].action == .write {
      let cell = registerTable.find(row, steps[index].field)
      steps[index].cell = cell
      if cell >= 0 { warmth &+= registers.cells[Int(cell)].next }
    }
  }

  @inline(__always)
  private mutating func writeRegister(
    _ cell: Int32, _ row: Int32, _ field: Int32, _ source: Span<UInt8>, _ value: ByteRange,
    by dot: Dot, _ ledger: Ledger
  ) {
    if cell >= 0 {
      registers.write(cell, source, value, by: dot, ledger)
    } else {
      let added = registers.add(
        row: row, field: field, next: rows[Int(row)].firstRegister, source, value, by: dot)
      rows[Int(row)].firstRegister = added
      registerTable.insert(row, field, added)
    }
  }

  private mutating func counter(_ row: Int32, _ field: Int32) -> Int32 {
    if let cell = findCounter(row, field) { return cell }
    let cell = counters.add(row: row, field: field, next: rows[Int(row)].firstCounter)
    rows[Int(row)].firstCounter = cell
    return cell
  }

  private mutating func changeSet(
    _ row: Int32, _ step: Step, _ layout: LineLayout, _ canonical: Span<UInt8>, by dot: Dot,
    _ ledger: Ledger
  ) {
    guard let key = plannedKey(layout),
      let texts = Self.texts(canonical, layout.members[Int(step.member)])
    else { return }
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
    if let cell = findSet(row, field) { return cell }
    let cell = sets.add(field: field, next: rows[Int(row)].firstSet)
    rows[Int(row)].firstSet = cell
    setTable.insert(row, field, cell)
    return cell
  }

  func findSet(_ row: Int32, _ field: Int32) -> Int32? {
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
  func dayRow(of entity: Int32, _ day: Int32) -> Int32 { dayTable.find(entity, day) }

  func findRegister(_ row: Int32, _ field: Int32) -> Int32 { registerTable.find(row, field) }

  // MARK: - Notes

  @inline(never)
  private mutating func note(
    _ note: JournalProblem.Note, _ refusal: Refusal?, _ layout: LineLayout,
    _ canonical: Span<UInt8>, _ position: LinePosition
  ) {
    if notes == nil { return }
    noteCounts[note, default: 0] += 1
    guard noteCounts[note, default: 0] <= FindingLog.keptMax else { return }
    let device = String(decoding: canonical.copy(layout.device), as: UTF8.self)
    let type = String(decoding: canonical.copy(layout.type), as: UTF8.self)
    let message =
      switch note {
      case .unknownType:
        "Unknown type \"\(type)\"; the event is kept, but changes no field."
      case .brokenRule:
        "\(describe(refusal, layout, canonical, type)); the event is kept, but changes no field."
      case .setKey: "It writes a value to a key that is a set; the set is shown."
      case .repeatedLine, .fork, .deadBytes, .acknowledgedLoss, .unfinishedBatch:
        // A reading tells those.
        note.rawValue
      case .laterVersion:
        "It has format version \(layout.version); it is kept, but not applied."
      }
    notes?.append(
      JournalProblem(
        code: .note(note), line: position.number, byte: position.offset, message: message,
        device: device, sequence: layout.sequence))
  }

  private func describe(
    _ refusal: Refusal?, _ layout: LineLayout, _ canonical: Span<UInt8>, _ type: String
  ) -> String {
    func name(_ member: Int) -> String {
      "\"\(String(decoding: canonical.copy(layout.members[member].name), as: UTF8.self))\""
    }
    switch refusal {
    case .entityNeeded: return "\(type) needs an entity"
    case .entityOfOtherKind: return "\(type) refers to an entity of another kind"
    case .entityNotTaken: return "\(type) takes no entity"
    case .missingMember: return "\(type) is missing a required field"
    case .missingChange: return "\(type) contains no field that it can change"
    case .dayNeeded(let member):
      return "\(name(member)) is a field of a day, but \(type) has no date"
    case .dayNotTaken(let member):
      return "\(name(member)) is not a field of a day, but \(type) has a date"
    case .value(let member): return "The value of \(name(member)) is not valid for \(type)"
    case nil: return type
    }
  }

  /// Reports register writes to keys that are sets here, or in the whole journal.
  private mutating func noteSetKeys(
    _ type: Int, _ layout: LineLayout, _ canonical: Span<UInt8>, _ position: LinePosition
  ) {
    guard compiled.types[type].isSingleton else { return }
    let row = Int32(compiled.types[type].collection)
    for step in steps where step.action == .write {
      if findSet(row, step.field) != nil || knownSets.contains(setName(row, step.field)) {
        return note(.setKey, nil, layout, canonical, position)
      }
    }
  }

  private func setName(_ row: Int32, _ field: Int32) -> SetName {
    SetName(row: row, field: Array(fieldNames.bytes(Int(field))))
  }

  /// The sets of all singletons.
  package var setNames: Set<SetName> {
    var found: Set<SetName> = []
    for row in catalog.collections.indices {
      var cell = rows[row].firstSet
      while cell >= 0 {
        found.insert(setName(Int32(row), sets.cells[Int(cell)].field))
        cell = sets.cells[Int(cell)].next
      }
    }
    return found
  }

  /// The name of a set of a singleton.
  package struct SetName: Sendable, Hashable {
    fileprivate var row: Int32
    fileprivate var field: [UInt8]
  }
}
