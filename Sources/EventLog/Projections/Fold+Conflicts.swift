/// Caches the bases of conflicts.
///
/// A base stays the same as long as its conflict has the same candidates.
package struct ConflictBases: Sendable {
  /// Identifies a conflict with its candidates.
  struct Key: Hashable, Sendable {
    var row: Int32
    /// The field's number in the fold; −1 for presence.
    var field: Int32
    var candidates: [Dot]

    init(_ conflict: OpenConflict) {
      row = conflict.row
      field = conflict.fieldIndex
      candidates = conflict.candidates
    }
  }

  /// The bases, which are nil if nothing would be shown.
  var values: [Key: JSONValue?] = [:]

  package init() {}

  init(_ values: [Key: JSONValue?]) { self.values = values }

  /// Finds the missing bases of the given conflicts and removes those of all other conflicts.
  ///
  /// Nearly all follow from the values that the fold keeps. The journal is read again for the rest.
  ///
  /// - Parameter limits: The cut that the fold is limited to, or nil.
  /// - Returns: Whether the journal was read again.
  /// - Complexity: One more reading of the journal if any base doesn't follow from the fold.
  @discardableResult
  mutating func update(
    for open: [OpenConflict], in fold: Fold, _ ledger: Ledger, within limits: ResolvedCut? = nil,
    reread: JournalRereading
  ) throws(EventLogError) -> Bool {
    var known: [Key: JSONValue?] = [:]
    var missing: [(conflict: OpenConflict, cut: PastCut)] = []
    // Conflicts that began together share a cut.
    var closed: [PastCut: Bool] = [:]
    // After this many comparisons, reading the journal again is cheaper.
    var comparisonsLeft = max(1 << 16, 8 * fold.eventCount)
    for conflict in open {
      let key = Key(conflict)
      if let base = values[key] {
        known.updateValue(base, forKey: key)
        continue
      }
      let cut = PastCut(of: conflict.candidates, ledger)
      if let base = fold.base(of: conflict, in: cut) {
        let isClosed = closed[cut] ?? cut.isClosed(ledger, &comparisonsLeft)
        closed[cut] = isClosed
        if isClosed {
          known.updateValue(base, forKey: key)
          continue
        }
      }
      missing.append((conflict, cut))
    }
    let found = try Self.read(
      missing.map(\.conflict), missing.map(\.cut), in: fold, ledger, within: limits,
      reread: reread)
    for (index, base) in found.enumerated() {
      known.updateValue(base, forKey: Key(missing[index].conflict))
    }
    values = known
    return !missing.isEmpty
  }

  /// Reads the bases of conflicts.
  ///
  /// - Parameter cuts: For each conflict, the events that all of its candidates had seen.
  static func read(
    _ conflicts: [OpenConflict], _ cuts: [PastCut], in fold: Fold, _ ledger: Ledger,
    within limits: ResolvedCut? = nil, reread: JournalRereading
  ) throws(EventLogError) -> [JSONValue?] {
    if conflicts.isEmpty { return [] }
    var sink = CutSink(
      MergeBaseReader(fold: fold, ledger, conflicts: conflicts, cuts: cuts),
      limits ?? ResolvedCut())
    let reading = try reread.read(into: &sink)
    return conflicts.indices.map { sink.inner.value($0, reading) }
  }
}

// MARK: - Tables

extension ConflictBases {
  /// A base. An empty slot means that nothing would be shown.
  private struct StoredBase {
    var row: Int32 = 0
    var field: Int32 = 0
    var candidateCount: Int32 = 0
    var value = ByteArena.Slot.empty
  }

  package var bytes: [UInt8] {
    var bases = self
    return TableVisitor.bytes { (visitor) throws(ColumnFault) in try bases.forEachTable(&visitor) }
  }

  /// - Parameter events: The sequences of the events in each branch of the ledger that the bases
  ///   belong to.
  package init(
    from bytes: ArraySlice<UInt8>, events: [ClosedRange<Int64>]
  ) throws(ColumnFault) {
    self = try TableVisitor.read(bytes, events: events) { (visitor) throws(ColumnFault) in
      var bases = ConflictBases()
      try bases.forEachTable(&visitor)
      return bases
    }
  }

  private mutating func forEachTable(_ visitor: inout TableVisitor) throws(ColumnFault) {
    var arena = ByteArena()
    let entries = values.sorted { $0.key.isBefore($1.key) }
    var stored = entries.map { key, value in
      StoredBase(
        row: key.row, field: key.field, candidateCount: Int32(key.candidates.count),
        value: value.map { arena.store(Array($0.text.utf8)) } ?? .empty)
    }
    var candidates = entries.flatMap(\.key.candidates)
    let counts = 0...Int64(Int32.max)
    try visitor.rows(
      &stored, StoredBase(),
      [
        Column(\.row, in: counts), Column(\.field, in: -1...Int64(Int32.max)),
        Column(\.candidateCount, in: counts),
      ])
    try visitor.values(of: &stored, \.value, in: &arena, orNone: true)
    try visitor.rows(&candidates, Dot(branch: 0, sequence: 0, at: 0), Column.dot(\.self))
    guard visitor.isReading else { return }
    var rest = candidates[...]
    for base in stored {
      let own = rest.prefix(Int(base.candidateCount))
      guard own.count == base.candidateCount else { throw ColumnFault() }
      rest = rest.dropFirst(own.count)
      let value = base.value.count > 0 ? JSONValue(canonical: arena.bytes(base.value)) : nil
      values.updateValue(
        value, forKey: Key(row: base.row, field: base.field, candidates: Array(own)))
    }
    guard rest.isEmpty else { throw ColumnFault() }
  }
}

extension ConflictBases.Key {
  fileprivate init(row: Int32, field: Int32, candidates: [Dot]) {
    (self.row, self.field, self.candidates) = (row, field, candidates)
  }

  /// An arbitrary but deterministic order.
  fileprivate func isBefore(_ other: Self) -> Bool {
    func numbers(_ key: Self) -> [Int64] {
      [Int64(key.row), Int64(key.field)]
        + key.candidates.flatMap { [Int64($0.branch), $0.sequence, $0.at] }
    }
    return numbers(self).lexicographicallyPrecedes(numbers(other))
  }
}

extension Fold {
  /// The conflicts as shown to users, sorted by ID.
  package func conflicts(
    _ ledger: Ledger, includingDeleted: Bool, bases: ConflictBases
  ) -> [Conflict] {
    conflicts(openConflicts(ledger, includingDeleted: includingDeleted), ledger, bases)
  }

  /// The given conflicts as shown to users, sorted by ID.
  func conflicts(
    _ open: [OpenConflict], _ ledger: Ledger, _ bases: ConflictBases
  ) -> [Conflict] {
    open.map { complete($0, base: bases.values[ConflictBases.Key($0)] ?? nil, ledger) }
      .sorted { $0.id.precedes($1.id) }
  }

  func id(of conflict: OpenConflict) -> String {
    rowText(entity: conflict.entity, day: conflict.day, of: conflict.collection)
      + "#\(conflict.field)"
  }

  func complete(_ conflict: OpenConflict, base: JSONValue?, _ ledger: Ledger) -> Conflict {
    var kind = Conflict.Kind.values
    if case .presence = conflict.subject { kind = .presence }
    let candidates = zip(conflict.candidates, values(of: conflict, ledger)).map { dot, value in
      Conflict.Candidate(
        event: dot.id(ledger), fullID: ledger.fullID(dot.point), at: Timestamp(trusted: dot.at),
        value: value, isDeletion: kind == .presence && value == "deleted")
    }
    let entity = rowText(entity: conflict.entity, day: conflict.day, of: conflict.collection)
    return Conflict(
      id: id(of: conflict), entity: entity, field: conflict.field, kind: kind,
      base: base, shown: conflict.shown?.id(ledger),
      candidates: candidates.sorted {
        $0.event.description.precedes($1.event.description)
      })
  }

  /// The values of the candidates, in the same order.
  private func values(of conflict: OpenConflict, _ ledger: Ledger) -> [JSONValue] {
    switch conflict.subject {
    case .register(let cell):
      return registers.liveValues(Int(cell)).map { JSONValue(canonical: registers.bytes($0)) }
    case .counter(let cell):
      return counters.candidates(Int(cell)).map { $0.total.json ?? .null }
    case .presence:
      return presences.liveDeletions(conflict.entity).map { _ in "deleted" }
        + presences.contesting(conflict.entity, ledger).map {
          .string(typeNames.text(Int($0.type)))
        }
    }
  }

  /// The kind of a singleton, `<kind>/<key>` or `<kind>/<key>@<date>`.
  package func rowText(entity: Int32, day: Int32, of collection: Int) -> String {
    if entity < 0 { return catalog.collections[collection].kind }
    let name = entityNames.text(Int(entity))
    return day == Row.noDay ? name : "\(name)@\(Day(number: day))"
  }

  /// The collection of a row.
  package func collection(ofRow row: Int32) -> Int {
    let entity = rows[Int(row)].entity
    return entity < 0 ? Int(row) : Int(entities[Int(entity)].collection)
  }

  /// The name of a row: `<kind>`, `<kind>/<key>` or `<kind>/<key>@<date>`.
  package func rowText(of row: Int32) -> String {
    let stored = rows[Int(row)]
    return rowText(entity: stored.entity, day: stored.day, of: collection(ofRow: row))
  }
}
