/// What showed before the candidates of conflicts parted, as far as it was read.
///
/// A base stays the same as long as a conflict has the same candidates.
package struct ConflictBases: Sendable {
  /// A conflict with its candidates: the row, the field, and who wrote what is contested.
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

  /// The bases; nil where nothing would show.
  var values: [Key: JSONValue?] = [:]

  package init() {}

  init(_ values: [Key: JSONValue?]) { self.values = values }

  /// Finds the bases of conflicts that are not known yet, and forgets those of conflicts that are
  /// no more.
  ///
  /// Nearly all follow from what the fold keeps. The journal is read for the rest.
  ///
  /// - Parameters:
  ///   - limits: what the fold was limited to, if it was.
  ///   - past: an earlier state of the same fold, where one is at hand: what it tells need not be
  ///     read.
  /// - Returns: whether the journal was read again.
  /// - Complexity: one further reading of the journal, if any does not follow from the fold or
  ///   `past`; only of what stands behind `past`, if that tells how all of them began.
  @discardableResult
  mutating func update(
    for open: [OpenConflict], in fold: Fold, _ ledger: Ledger, within limits: ResolvedCut? = nil,
    past: PastState? = nil, reread: JournalRereading
  ) throws(EventLogError) -> Bool {
    let keys = open.map(Key.init)
    var known: [Key: JSONValue?] = [:]
    for key in keys {
      if let value = values[key] { known.updateValue(value, forKey: key) }
    }
    var (past, closed) = (past, ClosedCuts(keys.count - known.count, ledger))
    var missing: [Missing] = []
    for (index, key) in keys.enumerated() where known[key] == nil {
      if closed.areAll,
        let base = fold.kept(
          of: open[index], in: CommonPast(candidates: open[index].candidates, ledger: ledger))
      {
        known.updateValue(base, forKey: key)
        continue
      }
      let cut = PastCut(of: open[index].candidates, ledger)
      let isClosed = closed.contains(cut, ledger)
      if isClosed, let base = fold.base(of: open[index], in: cut) {
        known.updateValue(base, forKey: key)
      } else if let base = past?.base(of: open[index], cut: cut, ledger) {
        known.updateValue(base, forKey: key)
      } else {
        missing.append(
          Missing(
            conflict: open[index], cut: cut,
            writes: isClosed && limits == nil ? fold.writes(to: open[index], in: cut) : nil))
      }
    }
    try Self.findWrites(&missing, in: fold, ledger, reread)
    Self.keepClosed(&missing, &closed, ledger)
    if let named = try Self.readNamed(missing, in: fold, ledger, reread) {
      for (conflict, base) in named { known.updateValue(base, forKey: Key(conflict)) }
      missing.removeAll(where: \.isNamed)
    }
    let found = try Self.read(
      missing.map(\.conflict), missing.map(\.cut), in: fold, ledger, within: limits, past: past,
      reread: reread)
    for (place, base) in found.enumerated() {
      known.updateValue(base, forKey: Key(missing[place].conflict))
    }
    values = known
    return !missing.isEmpty
  }

  /// A conflict whose base does not follow from what is at hand.
  private struct Missing {
    var conflict: OpenConflict
    var cut: PastCut
    /// Some writes to its field that are in the cut; nil where they are of no use.
    var writes: [Ledger.Point]?

    var isNamed: Bool { writes.map { !$0.isEmpty } ?? false }
  }

  /// Looks for a write where none is known in the cut: most are found among the last events of it.
  private static func findWrites(
    _ missing: inout [Missing], in fold: Fold, _ ledger: Ledger, _ reread: JournalRereading
  ) throws(EventLogError) {
    var count: Int64 = 64
    while count < fold.eventCount {
      let places = missing.indices.filter { missing[$0].writes?.isEmpty ?? false }
      if places.isEmpty || places.count > Self.namedMax { return }
      var reader = NamedBases(
        places.map { missing[$0].conflict }, places.map { missing[$0].cut }, last: count, in: fold,
        ledger)
      // Beyond that, reading all is the lesser cost.
      guard reader.eventCount <= fold.eventCount / 16 else { return }
      for (place, writes) in zip(places, try reader.search(reread)) {
        missing[place].writes = writes
      }
      count *= 8
    }
  }

  /// Gives up writes whose clocks do not hold what their events had seen: what such a write had
  /// replaced does not follow from its clock.
  private static func keepClosed(
    _ missing: inout [Missing], _ closed: inout ClosedCuts, _ ledger: Ledger
  ) {
    guard missing.count(where: \.isNamed) <= namedMax else { return }
    for place in missing.indices {
      missing[place].writes = missing[place].writes?.filter {
        closed.contains(PastCut(ledger.entries(of: $0)), ledger)
      }
    }
  }

  /// Looking for the lines of more conflicts one by one costs more than reading them all.
  private static let namedMax = 256

  /// Reads the bases of those that need few lines; nil where that is not worth it.
  private static func readNamed(
    _ missing: [Missing], in fold: Fold, _ ledger: Ledger, _ reread: JournalRereading
  ) throws(EventLogError) -> [(OpenConflict, JSONValue?)]? {
    let named = missing.filter(\.isNamed)
    guard !named.isEmpty, named.count <= namedMax else { return nil }
    var reader = NamedBases(
      named.map(\.conflict), named.map(\.cut), named.map { $0.writes ?? [] }, in: fold, ledger)
    guard reader.eventCount <= fold.eventCount / 8, let bases = try reader.read(reread) else {
      return nil
    }
    return Array(zip(named.map(\.conflict), bases))
  }

  /// Reads the bases of conflicts.
  ///
  /// - Parameter cuts: per conflict what its candidates had seen.
  static func read(
    _ conflicts: [OpenConflict], _ cuts: [PastCut], in fold: Fold, _ ledger: Ledger,
    within limits: ResolvedCut? = nil, past: PastState? = nil, reread: JournalRereading
  ) throws(EventLogError) -> [JSONValue?] {
    if conflicts.isEmpty { return [] }
    var past = past
    // A single one that needs all lines has all of them read.
    let isTold =
      limits == nil
      && zip(conflicts, cuts).allSatisfy {
        past?.tellsBeginning(of: $0, cut: $1, ledger) ?? false
      }
    if !isTold { past = nil }
    var reading = ledger
    var collector = BaseCollector(
      fold: fold, ledger, conflicts: conflicts, cuts: cuts, after: past)
    if let limits {
      var sink = CutSink(collector, limits)
      reading = try reread.read(into: &sink)
      collector = sink.inner
    } else {
      reading = try reread.read(
        into: &collector, behind: past.map { (ledger: $0.ledger, offset: $0.endOffset ?? 0) })
    }
    return conflicts.indices.map { collector.value($0, reading) }
  }
}

// MARK: - Tables

extension ConflictBases {
  /// A base; an empty slot stands for nothing.
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

  /// - Parameter events: The sequences of the events in each branch of the ledger that belongs to
  ///   them.
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

  /// An order that has no meaning, but is the same each time.
  fileprivate func isBefore(_ other: Self) -> Bool {
    func numbers(_ key: Self) -> [Int64] {
      [Int64(key.row), Int64(key.field)]
        + key.candidates.flatMap { [Int64($0.branch), $0.sequence, $0.at] }
    }
    return numbers(self).lexicographicallyPrecedes(numbers(other))
  }
}

extension Fold {
  /// The conflicts as a person is shown them, by ID.
  func conflicts(
    _ ledger: Ledger, includingDeleted: Bool, bases: ConflictBases
  ) -> [Conflict] {
    conflicts(openConflicts(ledger, includingDeleted: includingDeleted), ledger, bases)
  }

  /// Some of them, by ID.
  func conflicts(
    _ open: [OpenConflict], _ ledger: Ledger, _ bases: ConflictBases
  ) -> [Conflict] {
    open.map { complete($0, base: bases.values[ConflictBases.Key($0)] ?? nil, ledger) }
      .sorted { $0.id.precedes($1.id) }
  }

  func id(of conflict: OpenConflict) -> String {
    placeText(entity: conflict.entity, day: conflict.day, of: conflict.collection)
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
    let entity = placeText(entity: conflict.entity, day: conflict.day, of: conflict.collection)
    return Conflict(
      id: id(of: conflict), entity: entity, field: conflict.field, kind: kind,
      base: base, shown: conflict.shown?.id(ledger),
      candidates: candidates.sorted {
        $0.event.description.precedes($1.event.description)
      })
  }

  /// The candidates' values, in their order.
  private func values(of conflict: OpenConflict, _ ledger: Ledger) -> [JSONValue] {
    switch conflict.subject {
    case .register(let cell):
      return registers.liveValues(Int(cell)).map { JSONValue(canonical: registers.bytes($0)) }
    case .counter(let cell):
      return counters.liveSets(Int(cell)).map { .number(JSONNumber($0.total)) }
    case .presence:
      return presences.liveDeletions(conflict.entity).map { _ in "deleted" }
        + presences.contesting(conflict.entity, ledger).map {
          .string(typeNames.text(Int($0.type)))
        }
    }
  }

  /// The kind of a singleton, `<kind>/<key>` or `<kind>/<key>@<date>`.
  package func placeText(entity: Int32, day: Int32, of collection: Int) -> String {
    if entity < 0 { return catalog.collections[collection].kind }
    let name = entityNames.text(Int(entity))
    return day == Row.noDay ? name : "\(name)@\(Day(number: day))"
  }

  /// The collection of a row.
  func collection(ofRow row: Int32) -> Int {
    let entity = rows[Int(row)].entity
    return entity < 0 ? Int(row) : Int(entities[Int(entity)].collection)
  }

  /// How a row is named: the kind of a singleton, an entity, or a day of one.
  package func placeText(ofRow row: Int32) -> String {
    let place = rows[Int(row)]
    return placeText(entity: place.entity, day: place.day, of: collection(ofRow: row))
  }
}
