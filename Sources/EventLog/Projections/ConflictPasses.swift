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

extension Fold {
  /// Completes open conflicts by reading the journal again up to where the fold ended.
  func conflicts(
    _ ledger: Ledger, reread: JournalRereading
  ) throws(EventLogError) -> [Conflict] {
    let open = openConflicts(ledger)
    guard !open.isEmpty else { return [] }
    var candidates = CandidateCollector(Set(open.flatMap(\.candidates)))
    try reread.read(into: &candidates, envelopesOnly: true)
    let cuts = open.map { Self.cut($0.candidates, candidates.found) }
    var bases = BaseCollector(fold: self, conflicts: open, cuts: cuts)
    try reread.read(into: &bases)
    return open.indices
      .map { complete(open[$0], candidates.found, base: bases.value($0, ledger), ledger) }
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
    base: JSONValue?, _ ledger: Ledger
  ) -> Conflict {
    func id(_ touch: Presences.Touch) -> EventID {
      EventID(
        device: DeviceID(trusted: ledger.name(Int(touch.device))), sequence: touch.sequence)
    }
    let candidates = zip(conflict.candidates, values(of: conflict, found)).map { touch, value in
      Conflict.Candidate(
        event: id(touch), at: Timestamp(trusted: found[touch]?.at ?? 0), value: value)
    }
    let entity = entityText(of: conflict)
    var kind = Conflict.Kind.values
    if case .presence = conflict.subject { kind = .presence }
    return Conflict(
      id: "\(entity)#\(conflict.field)", entity: entity, field: conflict.field, kind: kind,
      base: base, shown: conflict.shown.map(id),
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

  private func entityText(of conflict: OpenConflict) -> String {
    if conflict.entity < 0 { return catalog.collections[conflict.collection].kind }
    let name = entityNames.text(Int(conflict.entity))
    return conflict.day == Row.noDay ? name : "\(name)@\(Day(number: conflict.day))"
  }
}
