/// The erasures that a journal's `event.erased` events state, and the erased lines in it.
///
/// The statements stand after the events that they name. So a reading starts with what an earlier
/// one has found, and is repeated if an event was applied that is erased.
package struct Erasures: Sendable {
  /// The erased part of an event: all of it, or members of its `data`, spelled as in a line.
  package enum Extent: Sendable, Hashable {
    case whole
    case members(Set<[UInt8]>)

    func union(_ other: Extent) -> Extent {
      guard case .members(let left) = self, case .members(let right) = other else { return .whole }
      return .members(left.union(right))
    }
  }

  /// Consecutive events of a history, and what is erased of each.
  package struct Statement: Sendable, Hashable {
    package var range: EventRange
    package var extent: Extent

    package init(_ range: EventRange, _ extent: Extent = .whole) {
      (self.range, self.extent) = (range, extent)
    }
  }

  /// The statements of all held events.
  package private(set) var statements: [Statement] = []
  /// The statements whose events may not be in ``extents`` yet.
  private var open: [Statement] = []
  /// The erased part of each event that a statement names.
  package private(set) var extents: [FullEventID: Extent] = [:]
  /// The chains of these events.
  private var chains: Set<UInt32> = []
  /// The held events whose line is erased although no statement names them yet.
  private(set) var unnamed: [FullEventID: ErasedContent] = [:]
  /// The number of ``extents`` when the erasures were stored.
  private var extentCount = 0
  /// The unnamed events of which the journal also contains a better line, and whether that is the
  /// original.
  var restored: [FullEventID: Bool] = [:]

  package init() {}

  /// The initial value for a repeated reading.
  var begun: Erasures {
    var erasures = self
    (erasures.statements, erasures.open, erasures.unnamed) = ([], [], [:])
    return erasures
  }

  /// A line from which something was erased.
  struct ErasedContent: Sendable, Hashable {
    /// The members that are left, or nil if not even the type is.
    var left: Set<[UInt8]>?
    var line: Int
    var byte: Int64

    /// Whether the line contains something of an extent.
    func hasAny(of extent: Extent) -> Bool {
      switch extent {
      case .whole: left != nil
      case .members(let names): left?.isDisjoint(with: names) == false
      }
    }
  }

  /// Adds what statements would erase.
  package mutating func assume(_ statements: [Statement], in ledger: Ledger) {
    var assumed = self
    assumed.open = statements
    _ = assumed.settle(ledger)
    (extents, chains) = (assumed.extents, assumed.chains)
  }

  /// Whether lines have to be looked up.
  @inline(__always)
  var isEmpty: Bool { chains.isEmpty && restored.isEmpty }

  /// Whether ``settle(_:)`` may find events.
  var isOpen: Bool { !open.isEmpty }

  /// The erased part of a line's event, or nil.
  func extent(of layout: LineLayout, _ canonical: Span<UInt8>) -> Extent? {
    guard chains.contains(layout.checksum.chain) else { return nil }
    return extents[FullEventID(layout, canonical)]
  }

  /// Whether a line is skipped, because the journal contains a better one of its event.
  func isReplaced(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Bool {
    guard layout.isErased, !restored.isEmpty else { return false }
    let event = FullEventID(layout, canonical)
    // Once a statement names the event, its original is erased, too.
    guard let isOriginal = restored[event], extents[event] != .whole else { return false }
    return layout.version == 0 || isOriginal && extents[event] == nil
  }

  /// Whether a person has to agree before lines are overwritten: they are most of a journal, and
  /// another device may have named them by mistake.
  package func needAgreement(_ count: Int, of lineCount: Int, _ side: SideFolder) -> Bool {
    if count == 0 { return false }
    let (agreed, _, kept, _) = side.erasureCounts
    return agreed < extents.count && (kept > 0 || count > 1000 && count > lineCount / 2)
  }

  mutating func add(_ statement: Statement) {
    statements.append(statement)
    open.append(statement)
  }

  /// Records an admitted line that is erased.
  mutating func noteErased(
    _ layout: LineLayout, _ canonical: Span<UInt8>, at position: LinePosition
  ) {
    let event = FullEventID(layout, canonical)
    let left =
      layout.version == 0 ? nil : Set(layout.members.map { canonical.copy($0.name) })
    let content = ErasedContent(left: left, line: position.number, byte: position.offset)
    if !isNamed(content, extents[event]) { unnamed[event] = content }
  }

  /// Whether an extent explains what is erased of a line.
  private func isNamed(_ content: ErasedContent, _ extent: Extent?) -> Bool {
    extent == .whole || extent != nil && content.left != nil
  }

  /// Records a further line of an event that was admitted from an erased line.
  ///
  /// - Returns: Whether the event has to be admitted from this line instead.
  mutating func noteRepeated(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Bool {
    if unnamed.isEmpty { return false }
    let event = FullEventID(layout, canonical)
    guard let known = unnamed[event],
      !layout.isErased || known.left == nil && layout.version != 0
    else { return false }
    restored[event] = restored[event] == true || !layout.isErased
    return true
  }

  /// Finds the events that new statements name.
  ///
  /// A range names an event only if held lines chain it to the range's end: what is presumed may
  /// differ between journals.
  ///
  /// - Returns: Whether one of them was applied with what is erased of it.
  /// - Complexity: O(statements · branches + named events), however often each is named.
  mutating func settle(_ ledger: Ledger) -> Bool {
    let ranges = open.filter { $0.extent == .whole }.compactMap { ledger.held($0.range) }
    var hasApplied = false
    for point in WantedEvents(ranges, ledger).points {
      if name(ledger.fullID(point), .whole) { hasApplied = true }
    }
    for part in open where part.extent != .whole && ledger.holds(part.range.end) {
      if name(part.range.end, part.extent) { hasApplied = true }
    }
    // The others name events that may still arrive.
    open.removeAll { ledger.holds($0.range.end) }
    return hasApplied
  }

  /// Records that something of an event is erased, and returns whether it was applied with that.
  private mutating func name(_ event: FullEventID, _ added: Extent) -> Bool {
    let known = extents[event]
    let extent = known?.union(added) ?? added
    if extent == known { return false }
    extents[event] = extent
    chains.insert(event.chain)
    guard let content = unnamed[event] else { return true }
    if isNamed(content, extent) { unnamed[event] = nil }
    return content.hasAny(of: added)
  }
}

extension Erasures {
  mutating func forEachTable(_ visitor: inout TableVisitor) throws(ColumnFault) {
    var texts = statements.map(\.text)
    try visitor.list(&texts, "") { (text, visitor) throws(ColumnFault) in try visitor.text(&text) }
    var erased = unnamed.sorted { $0.key < $1.key }.map { (event: Optional($0.key), $0.value) }
    try visitor.list(&erased, (nil, ErasedContent(left: [], line: 0, byte: 0))) {
      (entry, visitor) throws(ColumnFault) in
      try visitor.optional(&entry.event, \.description, { FullEventID($0) })
      try visitor.number(&entry.1.line)
      try visitor.number(&entry.1.byte)
      var isWhole = entry.1.left == nil ? 1 : 0
      try visitor.number(&isWhole)
      var left = (entry.1.left ?? []).sorted { $0.precedes($1) }
        .map { String(decoding: $0, as: UTF8.self) }
      try visitor.list(&left, "") { (name, visitor) throws(ColumnFault) in
        try visitor.text(&name)
      }
      entry.1.left = isWhole == 1 ? nil : Set(left.map { Array($0.utf8) })
    }
    var count = extents.count
    try visitor.number(&count)
    guard visitor.isReading else { return }
    extentCount = count
    statements = texts.flatMap { text -> [Statement] in
      guard case .object(let data)? = try? JSONValue(parsing: Array(text.utf8)) else { return [] }
      return Statement.statements(in: data)
    }
    open = statements
    for case (let event?, let content) in erased { unnamed[event] = content }
  }

  /// Finds the events of stored statements.
  ///
  /// - Throws: `ColumnFault` if the stored state was made with others.
  mutating func restore(_ ledger: Ledger) throws(ColumnFault) {
    _ = settle(ledger)
    if extents.count != extentCount { throw ColumnFault() }
  }
}

extension Ledger {
  /// The part of a range that held lines chain to its end, or nil if that isn't held.
  fileprivate func held(_ range: EventRange) -> EventRange? {
    guard let end = locate(range.end), isHeld(end) else { return nil }
    return EventRange(from: max(range.first, runStart(of: end)), to: range.end)
  }

  /// Records what an `event.erased` names.
  @inline(never)
  mutating func noteErasure(_ layout: LineLayout, _ canonical: Span<UInt8>) {
    guard case .object(let data) = JSONValue(canonical: canonical.copy(layout.data)[...]) else {
      return
    }
    for statement in Erasures.Statement.statements(in: data) { erasures.add(statement) }
  }
}

extension Erasures.Statement {
  /// The statements of an event's `data`. Anything else in it has no meaning.
  package static func statements(in data: JSONObject) -> [Erasures.Statement] {
    func objects(_ name: String) -> [JSONObject] {
      guard case .array(let values)? = data[name] else { return [] }
      return values.compactMap { if case .object(let object) = $0 { object } else { nil } }
    }
    func event(_ name: String, of object: JSONObject) -> FullEventID? {
      guard case .string(let text)? = object[name] else { return nil }
      return FullEventID(text)
    }
    let ranges = objects("ranges").compactMap { object -> Erasures.Statement? in
      guard let last = event("last", of: object), case .number(let number)? = object["first"],
        let first = number.integer, (1...last.sequence).contains(first)
      else { return nil }
      return .init(EventRange(from: first, to: last))
    }
    let parts = objects("parts").compactMap { object -> Erasures.Statement? in
      guard let event = event("event", of: object), case .array(let values)? = object["members"]
      else { return nil }
      let names = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
      let range = EventRange(from: event.sequence, to: event)
      return .init(range, .members(Set(names.map(spelled))))
    }
    return ranges + parts
  }

  /// The `data` of an `event.erased` with some statements.
  package static func data(of statements: [Erasures.Statement], reason: String) -> JSONObject {
    var (ranges, parts): ([JSONValue], [JSONValue]) = ([], [])
    for statement in statements {
      let end = JSONValue.string(statement.range.end.description)
      switch statement.extent {
      case .whole:
        ranges.append(["first": .number(JSONNumber(statement.range.first)), "last": end])
      case .members(let names):
        let texts = names.sorted { $0.precedes($1) }.map { JSONValue.string(text($0)) }
        parts.append(["event": end, "members": .array(texts)])
      }
    }
    var data: JSONObject = [:]
    if !ranges.isEmpty { data["ranges"] = .array(ranges) }
    if !parts.isEmpty { data["parts"] = .array(parts) }
    data["reason"] = .string(reason)
    return data
  }

  fileprivate var text: String {
    String(writing: Self.data(of: [self], reason: "").write(to:))
  }

  /// A member's name as a line spells it, without quotes.
  package static func spelled(_ name: String) -> [UInt8] {
    var bytes: [UInt8] = []
    JSONValue.write(string: name.utf8, to: &bytes)
    return Array(bytes.dropFirst().dropLast())
  }

  private static func text(_ name: [UInt8]) -> String {
    String(decoding: StringSpelling.unescaped(name[...]), as: UTF8.self)
  }
}
