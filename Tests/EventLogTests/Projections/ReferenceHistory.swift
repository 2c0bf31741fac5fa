import EventLog
import EventLogTesting

/// The writes of a field and their outcomes, by brute force.
extension Reference {
  /// One write of a field and its outcome.
  typealias Write = (event: ReferenceEvent, action: String, state: String)

  /// The writes of a field that count by its mechanism; `presence` has its own.
  func writes(_ row: String, _ field: String) -> [Write] {
    if field == "presence" { return presenceWrites(row) }
    if let set = members(row, field) {
      var found: [EventID: (event: ReferenceEvent, action: String, isShown: Bool)] = [:]
      for (event, effect) in effects {
        switch effect {
        case .include(row, field, let member):
          let isLive = !isExcluded(member, row, field) { $0.hasSeen(event) }
          found[event.id] = (event, "included", isLive || found[event.id]?.isShown ?? false)
        case .exclude(row, field, let member):
          guard case .array(let values) = set.value else { continue }
          let isOut = !values.contains {
            if case .string(let text) = $0 { ReferenceValue.isSame(text, member) } else { false }
          }
          found[event.id] = (event, "excluded", isOut || found[event.id]?.isShown ?? false)
        case .set(row, field):
          let action = event.type.hasSuffix("excluded") ? "excluded" : "included"
          found[event.id] = found[event.id] ?? (event, action, false)
        default: continue
        }
      }
      return found.values.map { ($0.event, $0.action, $0.isShown ? "shown" : "replaced") }
    }
    if let register = register(row, field) {
      return effects.compactMap { event, effect in
        guard case .register(row, field, let value, _, _) = effect else { return nil }
        guard register.candidates.contains(where: { $0.event.id == event.id }) else {
          return (event, "written", "replaced")
        }
        let isSame = ReferenceValue.identity(value) == ReferenceValue.identity(register.value)
        return (event, "written", isSame ? "shown" : "contested")
      }
    }
    return counterWrites(row, field)
  }

  private func isExcluded(
    _ text: String, _ row: String, _ field: String, by test: (ReferenceEvent) -> Bool
  ) -> Bool {
    effects.contains { event, effect in
      guard case .exclude(row, field, let member) = effect else { return false }
      return ReferenceValue.isSame(member, text) && test(event)
    }
  }

  private func counterWrites(
    _ row: String, _ field: String
  ) -> [Write] {
    guard let counter = counter(row, field) else { return [] }
    let sets = effects.compactMap { event, effect -> Reference.Candidate? in
      guard case .total(row, field, let value) = effect else { return nil }
      return (event, value)
    }
    let shown = counter.shownLoose == nil ? counter.shown : nil
    return effects.compactMap { event, effect in
      if case .increment(row, field, let amount) = effect {
        let counts =
          shown.map { Self.counts((event, amount), in: ($0, .null), sets) } ?? true
        return (event, "advanced", counts ? "shown" : "replaced")
      }
      guard case .total(row, field, _) = effect else { return nil }
      guard let live = counter.candidates.first(where: { $0.event.id == event.id }) else {
        return (event, "set", "replaced")
      }
      let isShown =
        counter.unknown.contains(event.id)
        ? event.id == counter.shown?.id : !counter.isUnreadable && live.value == counter.value
      return (event, "set", isShown ? "shown" : "contested")
    }
  }

  private func presenceWrites(_ entity: String) -> [Write] {
    let own = events.filter { $0.entity == entity }
    let valid = own.filter { $0.effects != nil }
    let candidates = presence(entity).candidates.map(\.event.id)
    var actions: [EventID: String] = [:]
    for event in own where candidates.contains(event.id) { actions[event.id] = "touched" }
    let created = valid.filter { $0.type.hasSuffix(".created") }
    for event in created.isEmpty ? Self.ordered(valid).prefix(1) : created[...] {
      actions[event.id] = "created"
    }
    for event in valid {
      for case .deletion in event.effects! { actions[event.id] = "deleted" }
      for case .restoration in event.effects! { actions[event.id] = "restored" }
    }
    let listed = own.filter { actions[$0.id] != nil }
    let isHidden = presence(entity).isHidden
    return listed.map { event in
      let action = actions[event.id]!
      let isSeen = listed.contains { $0.hasSeen(event) }
      let isUndone = listed.contains { actions[$0.id] == "restored" && $0.hasSeen(event) }
      var state = "replaced"
      if candidates.contains(event.id) {
        state = "contested"
      } else if candidates.isEmpty {
        // A deletion shows until it is undone, any other event until a later one has seen it.
        let shows = isHidden ? action == "deleted" && !isUndone : action != "deleted" && !isSeen
        if shows { state = "shown" }
      }
      return (event, action, state)
    }
  }

  /// Sorts events causally.
  ///
  /// Among events that have seen none of the rest, the least by (`at`, device, sequence) comes
  /// first.
  static func ordered(_ events: [ReferenceEvent]) -> [ReferenceEvent] {
    var rest = events
    var ordered: [ReferenceEvent] = []
    while !rest.isEmpty {
      let ready = rest.filter { event in !rest.contains { event.hasSeen($0) } }
      let next = ready.min { $1.isLater(than: $0) }!
      rest.removeAll { $0.id == next.id }
      ordered.append(next)
    }
    return ordered
  }

  /// The writes among `all` that `write` replaced.
  func replaced(by write: Write, of all: [Write], _ row: String, _ field: String) -> [EventID] {
    func latest(_ events: [ReferenceEvent]) -> [ReferenceEvent] {
      let seen = events.filter { write.event.hasSeen($0) }
      return seen.filter { one in !seen.contains { $0.hasSeen(one) } }
    }
    switch write.action {
    case "set" where write.event.source != nil:
      return latest(all.filter { $0.action == "set" && $0.event.source != nil }.map(\.event))
        .map(\.id)
    case "written", "set", "deleted", "restored": return latest(all.map(\.event)).map(\.id)
    case "excluded":
      let taken = Self.members(write.event).flatMap { member in
        latest(
          all.map(\.event).filter { event in
            Self.members(event).contains { ReferenceValue.isSame($0, member) }
          })
      }
      let inclusions = all.filter { $0.action == "included" }.map(\.event.id)
      return Array(Set(taken.map(\.id))).filter(inclusions.contains)
    default: return []
    }
  }

  /// The increments among `all` that a set of a counter absorbed.
  func absorbed(by write: Write, of all: [Write]) -> [EventID] {
    guard write.action == "set", write.event.source == nil else { return [] }
    let sets = all.filter {
      $0.action == "set" && $0.event.source == nil && write.event.hasSeen($0.event)
    }
    return all.filter { other in
      other.action == "advanced" && write.event.hasSeen(other.event)
        && !sets.contains { $0.event.hasSeen(other.event) }
    }.map(\.event.id)
  }

  private static func members(_ event: ReferenceEvent) -> [String] {
    guard case .array(let values)? = event.data["members"] else { return [] }
    return values.compactMap(ReferenceValue.string)
  }
}
