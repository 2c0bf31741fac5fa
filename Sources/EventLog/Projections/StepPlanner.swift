/// Determines the effects of an event, or which rule of its type it breaks, from the event alone.
///
/// There is no allocation per event, except for fields with earlier names. Names are interned.
package struct StepPlanner: Sendable {
  /// A member of an event that has an effect.
  package struct Step: Sendable {
    package internal(set) var action: CompiledCatalog.Role.Action
    /// Whether it writes a dated register.
    package internal(set) var isDated: Bool
    package internal(set) var field: Int32
    /// Its index in the layout's members.
    package internal(set) var member: Int32
    /// The register that it writes, if looked up; −1 if there is none yet.
    var cell: Int32 = -1
    /// The value that a counter is set to, or the increment.
    package internal(set) var amount: CounterSum
    /// The number of the day.
    var day: Int32 = 0
    /// Whether the value of the member follows the rule of its field.
    package internal(set) var isReadable = true
    /// For a field with earlier names, the index of its value in ``StepPlanner/converted``, or −1.
    package internal(set) var converted: Int32 = -1
    package var rank = WriteRank.only
  }

  let catalog: SchemaCatalog
  let compiled: CompiledCatalog
  var typeNames: ByteInterner
  var fieldNames: ByteInterner
  /// The steps of the event that was checked last.
  var steps = LineList<Step>()
  /// The values that fields with earlier names show of that event.
  private(set) var converted: [[UInt8]] = []
  /// The first member of that event whose value this version can't read, or −1.
  private(set) var unreadable: Int32 = -1
  /// The field of the n-th member in the last event of each type.
  private var fieldMemo: [Int32]
  private var typeMemo = 0
  /// The types and fields by the name numbers of the current reading.
  private var numberedTypes = NumberedNames()
  private var numberedFields = NumberedNames()
  private var dayMemo = DateMemo()
  private static let memoWidth = 8

  init(_ catalog: SchemaCatalog) {
    self.catalog = catalog
    let names = catalog.memo.value { CompiledNames(catalog.collections) }
    (compiled, typeNames, fieldNames) = (names.compiled, names.typeNames, names.fieldNames)
    // Unknown types are numbered after these, and have no memo.
    fieldMemo = [Int32](repeating: 0, count: typeNames.count * Self.memoWidth)
  }

  /// The number of a type's name. Unknown types are numbered after the known ones.
  @inline(__always)
  mutating func typeIndex(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Int {
    let known = numberedTypes.value(layout.names.type, of: layout.names.reading)
    if known >= 0 { return known }
    if typeNames.isEntry(typeMemo, canonical, layout.type) { return typeMemo }
    typeMemo = typeNames.intern(canonical, layout.type)
    numberedTypes.note(typeMemo, under: layout.names.type, of: layout.names.reading)
    return typeMemo
  }

  // MARK: - Checking

  /// The rule of its type that an event breaks.
  enum Refusal: Sendable {
    case entityNeeded, entityOfOtherKind, entityNotTaken
    case missingMember, missingChange
    /// This member of `data` belongs to a day, but the event has no date.
    case dayNeeded(member: Int)
    /// This member of `data` belongs to the entity, but the event has a date.
    case dayNotTaken(member: Int)
    /// This member of `data` isn't a date, or isn't the key of a set.
    case value(member: Int)
  }

  /// Fills ``steps`` with the effects of an event, or returns the rule of its structure that it
  /// breaks.
  ///
  /// A value that breaks the rule of its field is written as one that can't be read.
  ///
  /// - Parameters:
  ///   - type: The number of its type among those of the catalog.
  ///   - collection: The collection of its entity's kind, −1 for an unknown kind, or nil without an
  ///     entity.
  @inline(__always)
  mutating func check(
    _ type: Int, collection: Int32?, _ layout: LineLayout, _ canonical: Span<UInt8>
  ) -> Refusal? {
    if compiled.types[type].isSingleton {
      if collection != nil { return .entityNotTaken }
    } else {
      guard let collection else { return .entityNeeded }
      if Int(collection) != compiled.types[type].collection { return .entityOfOtherKind }
    }
    steps.clear()
    if !converted.isEmpty { converted.removeAll(keepingCapacity: true) }
    unreadable = -1
    var present: UInt32 = 0
    var levels: CompiledCatalog.Role.Level = []
    for index in layout.members.indices {
      let member = layout.members[index]
      let field = fieldIndex(type, index, member, layout.names.reading, canonical)
      guard field >= 0 else { continue }
      let role = compiled.role(field, in: type)
      if role.action == .ignore { continue }
      if role.chain >= 0 {
        present |= role.required
        levels.formUnion(role.level)
        addWrites(role, index, member, canonical)
        continue
      }
      var step = Step(
        action: role.action, isDated: role.isDated,
        field: role.field >= 0 ? role.field : Int32(truncatingIfNeeded: field),
        member: Int32(truncatingIfNeeded: index), amount: .zero)
      if !read(member, role, canonical, into: &step) {
        if [.day, .from, .key].contains(role.action) { return .value(member: index) }
        step.isReadable = false
        if unreadable < 0 { unreadable = step.member }
      }
      present |= role.required
      levels.formUnion(role.level)
      if role.action == .key {
        let level = keyLevel(type, member, canonical)
        if level.isEmpty { return .value(member: index) }
        levels.formUnion(level)
      }
      steps.append(step)
    }
    if !converted.isEmpty {
      let first = steps.first { !$0.isReadable && $0.converted >= 0 }?.member
      if let first, unreadable < 0 || first < unreadable { unreadable = first }
    }
    let required = compiled.types[type].required
    if present & required != required { return .missingMember }
    return compiled.types[type].needsLevels ? checkLevels(levels, type, layout, canonical) : nil
  }

  /// Adds a write of each field that shows the writes of a name.
  ///
  /// An event that writes several names of a field writes it once, with the value of the latest.
  @inline(never)
  private mutating func addWrites(
    _ role: CompiledCatalog.Role, _ index: Int, _ member: MemberLayout, _ canonical: Span<UInt8>
  ) {
    let value = JSONValue(canonical: canonical.copy(member.value)[...])
    for reader in compiled.chains[Int(role.chain)] {
      let shown = reader.schema.shown(value)
      // A value that can't be converted breaks the rule with its name around it.
      let json = shown ?? [String(decoding: canonical.copy(member.name), as: UTF8.self): value]
      var step = Step(
        action: .write, isDated: reader.isDated, field: reader.field,
        member: Int32(truncatingIfNeeded: index), amount: .zero)
      step.isReadable = shown.map(reader.rule.accepts) ?? false
      (step.converted, step.rank) = (Int32(converted.count), reader.rank)
      converted.append(Array(json.text.utf8))
      let known = steps.indices.first { steps[$0].converted >= 0 && steps[$0].field == step.field }
      guard let known else {
        steps.append(step)
        continue
      }
      let (one, other) = (steps[known].rank, step.rank)
      if other.high > one.high { steps[known] = step }
      steps[known].rank = WriteRank(low: min(one.low, other.low), high: max(one.high, other.high))
    }
  }

  /// The level of the set that a key names.
  private func keyLevel(
    _ type: Int, _ member: MemberLayout, _ canonical: Span<UInt8>
  ) -> CompiledCatalog.Role.Level {
    let name = ByteRange(member.value.start + 1, member.value.end - 1)
    return compiled.keyLevel(fieldNames.find(canonical, name), in: type)
  }

  /// Checks that an event on fields of days has a date, and one on fields of entities has none.
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

  /// The number of a member's name, or −1 if the name has no effect.
  @inline(__always)
  private mutating func fieldIndex(
    _ type: Int, _ position: Int, _ member: MemberLayout, _ reading: UInt32,
    _ canonical: Span<UInt8>
  ) -> Int {
    let known = numberedFields.value(member.number, of: reading)
    if known >= 0 { return known }
    if known == unknownField, compiled.types[type].furtherRole.action == .ignore { return -1 }
    let memo = (type &+ compiled.storeTypeCount) &* Self.memoWidth &+ position
    if position < Self.memoWidth, fieldNames.isEntry(Int(fieldMemo[memo]), canonical, member.name) {
      return Int(fieldMemo[memo])
    }
    return findField(type, member, reading, canonical, memo: position < Self.memoWidth ? memo : nil)
  }

  /// Marks a name as not a field's, as long as the number of fields doesn't change.
  private var unknownField: Int { -2 &- fieldNames.count }

  @inline(never)
  private mutating func findField(
    _ type: Int, _ member: MemberLayout, _ reading: UInt32, _ canonical: Span<UInt8>, memo: Int?
  ) -> Int {
    let field: Int
    if compiled.types[type].furtherRole.action == .ignore {
      guard let found = fieldNames.find(canonical, member.name) else {
        numberedFields.note(unknownField, under: member.number, of: reading)
        return -1
      }
      field = found
    } else {
      field = fieldNames.intern(canonical, member.name)
    }
    if let memo { fieldMemo[memo] = Int32(truncatingIfNeeded: field) }
    numberedFields.note(field, under: member.number, of: reading)
    return field
  }

  /// Reads the value of a member, and returns whether it follows its rule.
  @inline(__always)
  private mutating func read(
    _ member: MemberLayout, _ role: CompiledCatalog.Role, _ canonical: Span<UInt8>,
    into step: inout Step
  ) -> Bool {
    switch role.action {
    case .ignore: return true
    case .write:
      return role.rule == CompiledCatalog.anyRule
        || compiled.rules[Int(role.rule)].accepts(member.kind, canonical, member.value)
    case .day, .from:
      guard member.kind == .string, member.value.count == 12,
        let day = CivilDay.scan(canonical, at: member.value.start &+ 1, memo: &dayMemo)
      else { return false }
      step.day = Int32(truncatingIfNeeded: day)
      return true
    case .set, .advance:
      step.amount = Self.amount(of: member, role.action, canonical)
      return step.amount != .unreadable
    case .key: return member.kind == .string
    case .include, .exclude: return Self.texts(canonical, member).isComplete
    }
  }

  @inline(__always)
  private static func amount(
    of member: MemberLayout, _ action: CompiledCatalog.Role.Action, _ canonical: Span<UInt8>
  ) -> CounterSum {
    if member.kind == .null, action == .set { return .null }
    guard member.kind == .integer || member.kind == .decimal,
      let amount = Amount(canonical, member.value),
      (action == .set ? Amount.totals : Amount.increments).contains(amount)
    else { return .unreadable }
    return CounterSum(amount)
  }

  /// The texts in an array, and whether it contains nothing else.
  package static func texts(
    _ canonical: Span<UInt8>, _ member: MemberLayout
  ) -> (texts: [String], isComplete: Bool) {
    guard member.kind == .array,
      case .array(let values) = JSONValue(canonical: canonical.copy(member.value)[...])
    else { return ([], false) }
    let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    return (texts, texts.count == values.count)
  }

  /// The first day to which the dated fields of the event apply.
  @inline(__always)
  var from: Int32 {
    for index in steps.indices where steps[index].action == .from {
      return steps[index].day
    }
    return DatedValues.beginning
  }

  // MARK: - Sets

  /// The range of the key of the set that the event changes, without its quotes.
  func setKey(_ layout: LineLayout) -> ByteRange? {
    guard let step = steps.first(where: { $0.action == .key }) else { return nil }
    let value = layout.members[Int(step.member)].value
    return ByteRange(value.start + 1, value.end - 1)
  }
}
