/// The first further reading: collects the clocks, times and types of given events.
///
/// The fold keeps no clock of an older event, so that its memory does not follow the number of
/// devices and writes; what a conflict needs of its few candidates is read again.
struct CandidateCollector: EventSink {
  /// What a candidate's own line tells.
  struct Found: Sendable {
    var clock: [Int64]
    var at: Int64
    var type: String
  }

  private let wanted: Set<Presences.Touch>
  private(set) var found: [Presences.Touch: Found] = [:]

  init(_ wanted: Set<Presences.Touch>) { self.wanted = wanted }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    device: Int, ledger: Ledger
  ) {
    let touch = Presences.Touch(device: Int32(device), sequence: layout.sequence)
    guard wanted.contains(touch) else { return }
    found[touch] = Found(
      clock: ledger.clock(of: device), at: layout.atMilliseconds,
      type: String(decoding: canonical.copy(layout.type), as: UTF8.self))
  }
}

/// The second further reading: folds, for each conflict, the events that all its candidates had seen.
struct BaseCollector: EventSink {
  /// A cut and what it leaves of one entity.
  struct Part: Sendable {
    /// Per device the highest sequence folded.
    var cut: [Int64]
    var fold: Fold
  }

  private let main: Fold
  /// The parts of each entity, and those of singletons under −1.
  private var places: [Int32: [Int]] = [:]
  private(set) var parts: [Part] = []

  init(main: Fold) { self.main = main }

  /// Adds a cut for an entity (−1: the singletons) and returns its place in `parts`.
  mutating func add(entity: Int32, cut: [Int64]) -> Int {
    if let same = places[entity]?.first(where: { parts[$0].cut == cut }) { return same }
    parts.append(Part(cut: cut, fold: Fold(main.catalog)))
    places[entity, default: []].append(parts.count - 1)
    return parts.count - 1
  }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    device: Int, ledger: Ledger
  ) {
    var entity: Int32 = -1
    if !layout.entity.isEmpty {
      guard let index = main.entityNames.find(canonical, layout.entity) else { return }
      entity = Int32(index)
    }
    guard let indexes = places[entity] else { return }
    for index in indexes {
      let cut = parts[index].cut
      guard device < cut.count, layout.sequence <= cut[device] else { continue }
      parts[index].fold.apply(
        layout, canonical: canonical, line: line, at: position, device: device, ledger: ledger)
    }
  }
}

extension Fold {
  /// Completes open conflicts by reading the journal again up to where the fold ended.
  func conflicts(
    _ ledger: Ledger, reread: JournalRereading
  ) throws(EventLogError) -> [Conflict] {
    let open = openConflicts(ledger)
    guard !open.isEmpty else { return [] }
    var candidates = CandidateCollector(Set(open.flatMap(\.candidates)))
    try reread.read(into: &candidates)
    var bases = BaseCollector(main: self)
    let parts = open.map { conflict in
      bases.add(
        entity: conflict.entity, cut: Self.cut(conflict.candidates, candidates.found))
    }
    try reread.read(into: &bases)
    return zip(open, parts)
      .map { conflict, part in
        complete(conflict, candidates.found, bases.parts[part].fold, ledger)
      }
      .sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
  }

  /// The intersection of the candidates' clocks, each without its own event.
  private static func cut(
    _ candidates: [Presences.Touch], _ found: [Presences.Touch: CandidateCollector.Found]
  ) -> [Int64] {
    var cut: [Int64]?
    for candidate in candidates {
      guard var clock = found[candidate]?.clock else { continue }
      clock[Int(candidate.device)] -= 1
      if let before = cut {
        let width = min(before.count, clock.count)
        cut = (0..<width).map { min(before[$0], clock[$0]) }
      } else {
        cut = clock
      }
    }
    return cut ?? []
  }

  private func complete(
    _ conflict: OpenConflict, _ found: [Presences.Touch: CandidateCollector.Found],
    _ base: Fold, _ ledger: Ledger
  ) -> Conflict {
    let values = values(of: conflict, found)
    func id(_ touch: Presences.Touch) -> EventID {
      EventID(
        device: DeviceID(trusted: ledger.name(Int(touch.device))), sequence: touch.sequence)
    }
    let candidates = zip(conflict.candidates, values).map { touch, value in
      Conflict.Candidate(
        event: id(touch), at: Timestamp(trusted: found[touch]?.at ?? 0), value: value)
    }
    let entity = entityText(of: conflict)
    var kind = Conflict.Kind.values
    if case .presence = conflict.subject { kind = .presence }
    return Conflict(
      id: "\(entity)#\(conflict.field)", entity: entity, field: conflict.field, kind: kind,
      base: base.baseValue(of: conflict, entityName: entityName(conflict.entity), ledger),
      shown: conflict.shown.map(id),
      candidates: candidates.sorted {
        $0.event.description.utf8.lexicographicallyPrecedes($1.event.description.utf8)
      })
  }

  private func values(
    of conflict: OpenConflict, _ found: [Presences.Touch: CandidateCollector.Found]
  ) -> [JSONValue] {
    switch conflict.subject {
    case .register(let cell):
      return registers.liveValues(Int(cell)).map { JSONValue(canonical: registers.bytes($0)) }
    case .counter(let cell):
      return counters.liveSets(Int(cell)).map { .number(JSONNumber($0.total)) }
    case .presence:
      let deletions = presences.liveDeletions(conflict.entity).count
      return conflict.candidates.enumerated().map { index, touch in
        .string(index < deletions ? "deleted" : found[touch]?.type ?? "")
      }
    }
  }

  private func entityName(_ entity: Int32) -> [UInt8]? {
    entity < 0 ? nil : Array(entityNames.bytes(Int(entity)))
  }

  private func entityText(of conflict: OpenConflict) -> String {
    if conflict.entity < 0 { return catalog.collections[conflict.collection].kind }
    let name = entityNames.text(Int(conflict.entity))
    return conflict.day == Row.noDay ? name : "\(name)@\(Day(number: conflict.day))"
  }

  /// What this fold, of the conflict's entity at its base, shows for its field.
  fileprivate func baseValue(
    of conflict: OpenConflict, entityName: [UInt8]?, _ ledger: Ledger
  ) -> JSONValue? {
    var row = Int32(conflict.collection)
    var entity: Int32 = -1
    if let entityName {
      guard let index = entityNames.find(entityName), entities[index].row >= 0 else { return nil }
      entity = Int32(index)
      row = entities[index].row
      if conflict.day != Row.noDay { row = findDay(entity, conflict.day) }
    }
    if case .presence = conflict.subject {
      return presences.isHidden(entity) ? "deleted" : nil
    }
    var spelled: [UInt8] = []
    for byte in conflict.field.utf8 { StringSpelling.append(byte, to: &spelled) }
    guard row >= 0, let field = fieldNames.find(spelled) else { return nil }
    return shownValue(row, Int32(field), ledger)
  }

  /// What shows for a field of a row: a register's value or a counter's total; nil for a set, or if
  /// nothing was written.
  private func shownValue(_ row: Int32, _ field: Int32, _ ledger: Ledger) -> JSONValue? {
    if findSet(row, field) != nil { return nil }
    let register = findRegister(row, field)
    if register >= 0 {
      return JSONValue(canonical: registers.bytes(registers.shown(Int(register), ledger)))
    }
    var cell = rows[Int(row)].firstCounter
    while cell >= 0 {
      if counters.cells[Int(cell)].field == field {
        return .number(JSONNumber(counters.shown(Int(cell), ledger)))
      }
      cell = counters.cells[Int(cell)].next
    }
    return nil
  }
}
