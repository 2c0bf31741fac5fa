import EventLog

// The statement of a remote.

extension ObjectIndex {
  /// Returns the present, announced and missing events.
  ///
  /// - Throws: `remoteFailed`, among others, if the user of the events is unclear.
  func statement() async throws(EventLogError) -> FrontierStatement {
    // Include other users: a copied journal may have been used by one of them.
    var advertised = Set(catalog.objects.map(\.range.end))
    advertised.formUnion(catalog.frontiers.flatMap(\.statement.tips))
    try await examine()
    let missing = try await missing()
    let late = try await late(excluding: missing)
    var statement = FrontierStatement(
      user: catalog.user, adoptedUsers: adoptedUsers,
      tips: tips(of: validObjects.filter { !late.contains($0) }),
      missing: try await uncovered().union(missing).sorted())
    statement.pending = try await pending(late)
    statement.advertised = advertised.union(catalog.objects.map(\.range.end)).sorted()
    statement.isShared = true
    return statement
  }

  private var adoptedUsers: [String] {
    Set(catalog.frontiers.flatMap(\.statement.adoptedUsers).map { Array($0.utf8) })
      .sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the missing events that frontiers state, unless they have been found since.
  private func missing() async throws(EventLogError) -> Set<EventRange> {
    var missing = Set(catalog.frontiers.flatMap(\.statement.missing))
    let held = try await lookup.held(missing.map(\.end))
    for range in missing {
      let isPresent = try await holder(of: range.end) != nil
      if isPresent || held.contains(range.end) { missing.remove(range) }
    }
    return missing
  }

  /// Returns the objects that continue an event that is neither present, held, nor missing, so that
  /// it must be on its way.
  private func late(
    excluding missing: Set<EventRange>
  ) async throws(EventLogError) -> Set<RangeObject> {
    var predecessors: [(RangeObject, FullEventID)] = []
    for object in validObjects where !held.contains(object.range.end) {
      if let before = try await event(before: object) { predecessors.append((object, before)) }
    }
    let known = try await lookup.held(predecessors.map(\.1)).union(missing.map(\.end))
    var late: Set<RangeObject> = []
    // The predecessor of an object is in one that begins before it.
    for (object, before) in predecessors where !known.contains(before) {
      if try await holder(of: before, excluding: late) == nil { late.insert(object) }
    }
    return late
  }

  /// Returns the ends of objects, except those that other objects are known to continue.
  private func tips(of objects: [RangeObject]) -> [FullEventID] {
    var ends = Set(objects.map(\.range.end))
    for object in objects {
      guard let history = histories[object] else { continue }
      for sequence in max(1, object.range.first - 1)..<object.range.last {
        ends.remove(
          FullEventID(
            device: object.range.device, sequence: sequence, chain: history.chain(at: sequence)))
      }
    }
    return ends.sorted()
  }

  /// Returns the events that frontiers, or late or damaged objects, announce, and that are neither
  /// present nor held by the initiator.
  private func pending(_ late: Set<RangeObject>) async throws(EventLogError) -> [EventRange] {
    let announced = Set(catalog.frontiers.flatMap(\.statement.tips))
    let named = Set(invalidObjects.union(late).map(\.range.end))
    let own = held.union(try await lookup.held(announced.sorted()))
    let known = Dictionary(
      grouping: announced.union(catalog.objects.map(\.range.end)).union(initiator.tips),
      by: \.device
    ).mapValues { $0.map(\.sequence).sorted() }
    var pending: [EventRange] = []
    for tip in announced.union(named) where !own.contains(tip) {
      if try await holder(of: tip, excluding: late) != nil { continue }
      let sequences = known[tip.device] ?? []
      let count = sequences.partitioningIndex { $0 >= tip.sequence }
      pending.append(EventRange(from: (count > 0 ? sequences[count - 1] : 0) + 1, to: tip))
    }
    return pending.sorted()
  }
}
