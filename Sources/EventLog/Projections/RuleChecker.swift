/// Finds problems of events whose lines are valid: unknown types, broken rules, and values written
/// to a key that is a set.
///
/// It needs no state: the rules of a type apply to each event alone. For the fields of singletons,
/// it records only how they were written.
package struct RuleChecker: EventSink, Sendable {
  /// The way in which a field of a singleton was written.
  private struct Usage: OptionSet, Sendable {
    var rawValue: UInt8
    static let value = Usage(rawValue: 1)
    static let members = Usage(rawValue: 2)
  }

  package private(set) var eventCount = 0
  /// The first notes of each kind.
  package private(set) var notes: [JournalProblem] = []
  /// The number of notes of each kind, including those that aren't kept.
  package private(set) var counts: [JournalProblem.Note: Int] = [:]
  @Boxed private var planner: StepPlanner
  @Boxed private var kinds = ByteInterner()
  /// The collection of each kind, or −1.
  private var collections: [Int32] = []
  /// The way in which each field of each singleton was written, by their numbers.
  private var usages: [[Usage]]

  package init(_ catalog: SchemaCatalog) {
    planner = StepPlanner(catalog)
    usages = Array(repeating: [], count: catalog.collections.count)
  }

  package mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    eventCount &+= 1
    if layout.version == 0 { return }
    if position.number == 1, position.offset == 3 {
      note(.byteOrderMark, nil, layout, canonical, position)
    }
    guard layout.version == 1 else {
      return note(.laterVersion, nil, layout, canonical, position)
    }
    let name = planner.typeIndex(layout, canonical)
    guard let type = planner.compiled.type(named: name) else {
      if name < planner.compiled.storeTypeCount { return }
      return note(.unknownType, nil, layout, canonical, position)
    }
    let collection = collection(of: layout.entity, canonical)
    if let refusal = planner.check(type, collection: collection, layout, canonical) {
      return note(.brokenRule, refusal, layout, canonical, position)
    }
    if planner.unreadable >= 0 { note(.unreadableValue, nil, layout, canonical, position) }
    if planner.compiled.types[type].isSingleton { noteUsage(type, layout, canonical, position) }
  }

  /// The collection of an entity's kind, −1 for an unknown kind, or nil without an entity.
  @inline(__always)
  private mutating func collection(of entity: ByteRange, _ canonical: Span<UInt8>) -> Int32? {
    if entity.isEmpty { return nil }
    var end = entity.start
    while end < entity.end, canonical[end] != UInt8(ascii: "/") { end &+= 1 }
    let kind = kinds.intern(canonical, ByteRange(entity.start, end))
    if kind == collections.count {
      collections.append(Int32(planner.compiled.collection(ofKind: kinds.text(kind))))
    }
    return collections[kind]
  }

  // MARK: - Sets

  /// Whether a value was written to a key that is a set, so that the journal must be read once
  /// more, into ``secondPass``.
  ///
  /// Which keys are sets is known only after the last line.
  package var needsSecondReading: Bool {
    usages.contains { $0.contains([.value, .members]) }
  }

  /// A copy for a second reading, which knows the sets and has no notes.
  package var secondPass: RuleChecker {
    var copy = self
    (copy.eventCount, copy.notes, copy.counts) = (0, [], [:])
    return copy
  }

  private mutating func noteUsage(
    _ type: Int, _ layout: LineLayout, _ canonical: Span<UInt8>, _ position: LinePosition
  ) {
    let row = planner.compiled.types[type].collection
    var isSet = false
    for step in planner.steps {
      switch step.action {
      case .write:
        isSet = use(.value, Int(step.field), row).contains(.members) || isSet
      case .include, .exclude:
        guard let key = planner.setKey(layout) else { continue }
        use(.members, planner.fieldNames.intern(canonical, key), row)
      case .ignore, .day, .from, .key, .set, .advance: break
      }
    }
    if isSet { note(.setKey, nil, layout, canonical, position) }
  }

  @discardableResult
  private mutating func use(_ usage: Usage, _ field: Int, _ row: Int) -> Usage {
    while usages[row].count <= field { usages[row].append([]) }
    usages[row][field].formUnion(usage)
    return usages[row][field]
  }

  // MARK: - Notes

  @inline(never)
  private mutating func note(
    _ note: JournalProblem.Note, _ refusal: StepPlanner.Refusal?, _ layout: LineLayout,
    _ canonical: Span<UInt8>, _ position: LinePosition
  ) {
    counts[note, default: 0] += 1
    guard counts[note, default: 0] <= FindingLog.keptMax else { return }
    let device = String(decoding: canonical.copy(layout.device), as: UTF8.self)
    let type = String(decoding: canonical.copy(layout.type), as: UTF8.self)
    let message =
      switch note {
      case .unknownType:
        "Unknown type \"\(type)\"; the event is kept, but changes no field."
      case .brokenRule:
        "\(describe(refusal, layout, canonical, type)); the event is kept, but changes no field."
      case .unreadableValue:
        "\(name(Int(planner.unreadable), layout, canonical)) has a value that this version can't"
          + " read; it is kept, but not shown."
      case .setKey: "It writes a value to a key that is a set; the set is shown."
      case .byteOrderMark: "A byte-order mark comes before it, and is skipped."
      case .repeatedLine, .fork, .deadBytes, .acknowledgedLoss, .unfinishedBatch:
        // The reading itself reports these.
        note.rawValue
      case .laterVersion:
        "It has format version \(layout.version); it is kept, but not applied."
      }
    notes.append(
      JournalProblem(
        code: .note(note), line: position.number, byte: position.offset, message: message,
        device: device, sequence: layout.sequence))
  }

  private func describe(
    _ refusal: StepPlanner.Refusal?, _ layout: LineLayout, _ canonical: Span<UInt8>, _ type: String
  ) -> String {
    func name(_ member: Int) -> String { self.name(member, layout, canonical) }
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

  /// The name of a member of `data`, in quotes.
  private func name(_ member: Int, _ layout: LineLayout, _ canonical: Span<UInt8>) -> String {
    "\"\(String(decoding: canonical.copy(layout.members[member].name), as: UTF8.self))\""
  }
}
