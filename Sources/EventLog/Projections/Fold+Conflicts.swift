extension Fold {
  /// Completes open conflicts by reading the journal again up to where the fold ended.
  func conflicts(
    _ ledger: Ledger, reread: JournalRereading
  ) throws(EventLogError) -> [Conflict] {
    let open = openConflicts(ledger)
    guard !open.isEmpty else { return [] }
    var bases = BaseCollector(
      fold: self, conflicts: open, cuts: open.map { Self.cut($0.candidates, ledger) })
    try reread.read(into: &bases)
    return open.indices
      .map { complete(open[$0], base: bases.value($0, ledger), ledger) }
      .sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
  }

  /// The intersection of the candidates' clocks, each without its own event.
  private static func cut(_ candidates: [Dot], _ ledger: Ledger) -> [Int64] {
    var cut: [Int64]?
    for candidate in candidates {
      var clock = ledger.history.clock(of: Int(candidate.device), at: candidate.sequence)
      clock[Int(candidate.device)] -= 1
      guard let before = cut else {
        cut = clock
        continue
      }
      cut = (0..<min(before.count, clock.count)).map { min(before[$0], clock[$0]) }
    }
    return cut ?? []
  }

  private func complete(
    _ conflict: OpenConflict, base: JSONValue?, _ ledger: Ledger
  ) -> Conflict {
    func id(_ dot: Dot) -> EventID {
      EventID(device: DeviceID(trusted: ledger.name(Int(dot.device))), sequence: dot.sequence)
    }
    let candidates = zip(conflict.candidates, values(of: conflict)).map { dot, value in
      Conflict.Candidate(event: id(dot), at: Timestamp(trusted: dot.at), value: value)
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

  /// The candidates' values, in their order.
  private func values(of conflict: OpenConflict) -> [JSONValue] {
    switch conflict.subject {
    case .register(let cell):
      return registers.liveValues(Int(cell)).map { JSONValue(canonical: registers.bytes($0)) }
    case .counter(let cell):
      return counters.liveSets(Int(cell)).map { .number(JSONNumber($0.total)) }
    case .presence:
      return presences.liveDeletions(conflict.entity).map { _ in "deleted" }
        + presences.contesting(conflict.entity).map { .string(typeNames.text(Int($0.type))) }
    }
  }

  private func entityText(of conflict: OpenConflict) -> String {
    if conflict.entity < 0 { return catalog.collections[conflict.collection].kind }
    let name = entityNames.text(Int(conflict.entity))
    return conflict.day == Row.noDay ? name : "\(name)@\(Day(number: conflict.day))"
  }
}
