package import EventLog

/// A projection by brute force, which shares no code with the fold.
///
/// Every event keeps everything that it has seen, and every rule compares each event with each
/// other one.
package struct Reference {
  /// The histories of the whole journal, even if this is the projection of a part.
  package let histories: ReferenceHistories
  /// The projected events, in the order in which their lines were given.
  package let events: [ReferenceEvent]
  package let effects: [(event: ReferenceEvent, effect: ReferenceEffect)]

  /// Creates the projection of a journal.
  ///
  /// - Parameter effects: Returns the effects of an event, or nil if it breaks a rule of its type,
  ///   is unknown, or of a later version.
  package init(
    _ histories: ReferenceHistories, effects: (ReferenceEvent) -> [ReferenceEffect]?
  ) {
    let shown = histories.shown
    let events = histories.order.filter(shown.contains).map { number in
      var event = ReferenceEvent(number, in: histories)
      event.effects = effects(event)
      return event
    }
    self.init(histories, events)
  }

  private init(_ histories: ReferenceHistories, _ events: [ReferenceEvent]) {
    self.histories = histories
    self.events = events
    effects = events.flatMap { event in (event.effects ?? []).map { (event, $0) } }
  }

  /// Returns the projection of the events in a cut.
  package func cut(_ cut: Cut) -> Reference {
    var parts: [NumberSet] = []
    func addClocks(of events: [ReferenceEvent]) {
      parts.append(events.reduce(into: NumberSet()) { $0.formUnion($1.clock) })
    }
    if let id = cut.event {
      addClocks(
        of: events.filter {
          $0.fullID.shortID == EventID(device: id.device, sequence: id.sequence)
            && $0.fullID.chain == id.chain ?? $0.fullID.chain
        })
    }
    if let device = cut.device {
      let all = events.filter { $0.fullID.device == device }
      addClocks(of: all.filter { event in !all.contains { $0.continues(from: event) } })
    }
    if let tip = cut.tip { addClocks(of: events.filter { $0.fullID == tip }) }
    var held = histories.completed(
      parts.reduce(NumberSet(events.map(\.number))) { $0.intersection($1) })
    if let time = cut.time {
      held = held.intersection(
        NumberSet(events.filter { $0.version == 1 && $0.at <= time }.map(\.number)))
    }
    return Reference(histories, events.filter { held.contains($0.number) })
  }

  /// Returns the projection of the events that all of these events had seen.
  package func base(of candidates: [ReferenceEvent]) -> Reference {
    Reference(
      histories, events.filter { event in candidates.allSatisfy { $0.hasSeen(event) } })
  }

  /// The tips of the projected events.
  package var tips: [FullEventID] {
    histories.tips(among: NumberSet(events.map(\.number))).map { histories.ids[$0] }
  }

  // MARK: - Mechanisms

  package typealias Candidate = (event: ReferenceEvent, value: JSONValue)

  /// The shown value of a row's field, and its live values.
  package struct Field {
    /// `null` if there is none.
    package var value: JSONValue
    package var candidates: [Candidate] = []
    package var isUnreadable = false
    /// The events whose totals are unknown, so that they differ from all others.
    package var unknown: Set<EventID> = []
    /// The latest increment that had seen no total, if the sum of all increments shows beside the
    /// totals of imports.
    package var shownLoose: ReferenceEvent?

    package var isContested: Bool {
      !unknown.isEmpty && candidates.count > 1
        || Set(candidates.map { ReferenceValue.identity($0.value) }).count > 1
    }
    package var shown: ReferenceEvent? { shownLoose ?? Reference.latest(candidates)?.event }
  }

  private static func latest(_ candidates: [Candidate]) -> Candidate? {
    candidates.max { $1.event.isLater(than: $0.event) }
  }

  package func register(_ row: String, _ field: String) -> Field? {
    var writes: [(event: ReferenceEvent, value: JSONValue, ranks: ReferenceRanks)] = []
    for (event, effect) in effects {
      guard case .register(row, field, let value, _, let ranks) = effect else { continue }
      writes.append((event, value, ranks))
    }
    let live = writes.filter { write in
      !writes.contains { $0.event.hasSeen(write.event) && write.ranks.low <= $0.ranks.high }
    }.map { (event: $0.event, value: $0.value) }
    return Self.latest(live).map { latest in
      let isUnreadable = latest.event.effects?.contains { effect in
        guard case .register(row, field, _, isReadable: false, _) = effect else { return false }
        return true
      }
      return Field(
        value: latest.value, candidates: live, isUnreadable: isUnreadable == true)
    }
  }

  /// Returns the values of a dated field that no write has replaced, by their days.
  ///
  /// The first one is from the beginning, whose day is empty.
  package func entries(_ row: String, _ field: String) -> [(from: String, value: JSONValue)] {
    typealias Entry = (
      event: ReferenceEvent, from: String, value: JSONValue, ranks: ReferenceRanks
    )
    var writes: [Entry] = []
    for (event, effect) in effects {
      if case .entry(row, field, let from, let value, let ranks) = effect {
        writes.append((event, from, value, ranks))
      }
    }
    if writes.isEmpty { return [] }
    let left = writes.filter { write in
      !writes.contains {
        $0.event.hasSeen(write.event) && $0.from <= write.from
          && write.ranks.low <= $0.ranks.high
      }
    }
    return Set(left.map(\.from) + [""]).sorted().map { day in
      let ofDay = left.filter { $0.from == day }.map { (event: $0.event, value: $0.value) }
      return (day, Self.latest(ofDay)?.value ?? .null)
    }
  }

  package func counter(_ row: String, _ field: String) -> Field? {
    var sets: [Candidate] = []
    var increments: [Candidate] = []
    for (event, effect) in effects {
      if case .total(row, field, let value) = effect { sets.append((event, value)) }
      if case .increment(row, field, let amount) = effect { increments.append((event, amount)) }
    }
    func sum(_ values: [JSONValue], from least: Int128) -> Int128? {
      values.reduce(0) { sum, value in
        guard let sum, ReferenceValue.isAmount(value, from: least) else { return nil }
        return sum + ReferenceValue.amount(value)!
      }
    }
    /// The total of an assignment, or of the increments alone, and whether it is known.
    func total(_ assigned: JSONValue, _ unseen: [Candidate]) -> (value: JSONValue, isKnown: Bool) {
      guard let added = sum(unseen.map(\.value), from: -1_000_000_000) else {
        return (.null, false)
      }
      if assigned == .null {
        return (added > 0 ? ReferenceValue.number(added) : .null, true)
      }
      guard let start = sum([assigned], from: 0) else { return (.null, false) }
      return (ReferenceValue.number(max(0, start + added)), true)
    }
    if sets.isEmpty {
      if increments.isEmpty { return nil }
      let (value, isKnown) = total(.null, increments)
      return Field(value: value, isUnreadable: !isKnown)
    }
    var totals = Self.liveTotals(sets).map { set in
      (set.event, total(set.value, increments.filter { Self.counts($0, in: set, sets) }))
    }
    // The sum of the increments is a candidate of its own beside the totals of imports.
    let loose = increments.filter { increment in
      !sets.contains { increment.event.hasSeen($0.event) }
    }
    var shownLoose: ReferenceEvent?
    if let latest = Self.latest(loose)?.event, sets.allSatisfy({ $0.event.source != nil }) {
      let all = total(.null, increments)
      if all.value != .null || !all.isKnown {
        totals.append((latest, all))
        shownLoose = latest
      }
    }
    let candidates = totals.map { ($0.0, $0.1.value) }
    let unknown = Set(totals.filter { !$0.1.isKnown }.map(\.0.id))
    let shown = shownLoose ?? Self.latest(candidates)!.event
    return Field(
      value: candidates.first { $0.0.id == shown.id }!.1, candidates: candidates,
      isUnreadable: unknown.contains(shown.id), unknown: unknown, shownLoose: shownLoose)
  }

  /// Returns the totals that no other one has replaced. An import replaces only totals of imports.
  private static func liveTotals(_ sets: [Candidate]) -> [Candidate] {
    sets.filter { set in
      !sets.contains {
        $0.event.hasSeen(set.event) && ($0.event.source == nil || set.event.source != nil)
      }
    }
  }

  /// Whether an increment counts in the total of a set.
  package static func counts(
    _ increment: Candidate, in set: Candidate, _ sets: [Candidate]
  ) -> Bool {
    guard let source = set.event.source else { return !set.event.hasSeen(increment.event) }
    return sets.contains { $0.event.source == source && increment.event.hasSeen($0.event) }
  }

  package func members(_ row: String, _ field: String) -> Field? {
    var isSet = false
    var inclusions: [(event: ReferenceEvent, member: String)] = []
    var exclusions: [(event: ReferenceEvent, member: String)] = []
    for (event, effect) in effects {
      switch effect {
      case .set(row, field): isSet = true
      case .include(row, field, let member): inclusions.append((event, member))
      case .exclude(row, field, let member): exclusions.append((event, member))
      default: break
      }
    }
    let inside = inclusions.filter { inclusion in
      !exclusions.contains {
        ReferenceValue.isSame($0.member, inclusion.member) && $0.event.hasSeen(inclusion.event)
      }
    }
    var sorted: [String] = []
    for (_, member) in inside.sorted(by: {
      $0.member.utf8.lexicographicallyPrecedes($1.member.utf8)
    })
    where sorted.last.map({ ReferenceValue.isSame($0, member) }) != true {
      sorted.append(member)
    }
    return isSet ? Field(value: .array(sorted.map { .string($0) })) : nil
  }

  /// Returns the visible fields with a name; a set hides a register.
  package func fields(_ row: String, _ name: String) -> [Field] {
    if let set = members(row, name) { return [set] }
    return [register(row, name), counter(row, name)].compactMap { $0 }
  }

  // MARK: - Presence

  /// Returns whether an entity is hidden, and the candidates if its presence is contested.
  package func presence(_ entity: String) -> (isHidden: Bool, candidates: [Candidate]) {
    var deletions: [ReferenceEvent] = []
    var restorations: [ReferenceEvent] = []
    for (event, effect) in effects where event.entity == entity {
      if case .deletion = effect { deletions.append(event) }
      if case .restoration = effect { restorations.append(event) }
    }
    let live = deletions.filter { deletion in !restorations.contains { $0.hasSeen(deletion) } }
    // Every event about the entity contests a live deletion that it hasn't seen, except events of
    // later versions and of imports, deletions, and events that a deletion has seen.
    let contesting = events.filter { event in
      event.entity == entity && event.version == 1 && event.source == nil
        && !deletions.contains { $0.number == event.number || $0.hasSeen(event) }
        && live.contains { !event.hasSeen($0) }
    }
    let latest = contesting.filter { event in
      !contesting.contains { $0.continues(from: event) }
    }
    if latest.isEmpty { return (!live.isEmpty, []) }
    return (
      false, live.map { ($0, "deleted") } + latest.map { ($0, .string($0.type)) }
    )
  }

  // MARK: - State

  /// The names of all fields that were ever written, for each existing row.
  package var names: [String: Set<String>] {
    var names: [String: Set<String>] = [:]
    for event in events where event.effects != nil {
      if let entity = event.entity { names[entity, default: []] = names[entity] ?? [] }
    }
    for (_, effect) in effects {
      switch effect {
      case .register(let row, let field, _, _, _), .entry(let row, let field, _, _, _),
        .total(let row, let field, _),
        .increment(let row, let field, _), .set(let row, let field),
        .include(let row, let field, _), .exclude(let row, let field, _):
        names[row, default: []].insert(field)
      case .day(let row): names[row, default: []] = names[row] ?? []
      case .deletion, .restoration: break
      }
    }
    return names
  }
}
