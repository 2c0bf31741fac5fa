// What a shared place says of itself.

extension ObjectPlace {
  /// What is there, what is announced, and what is missing.
  ///
  /// - Throws: also `remoteFailed` where it cannot be told whose events are meant.
  func statement() async throws(EventLogError) -> FrontierStatement {
    // Of other users too: a copied journal may have gone on under one of them.
    var hearsay = Set(catalog.objects.map(\.range.end))
    hearsay.formUnion(catalog.frontiers.flatMap(\.statement.tips))
    try await examine()
    let missing = try await missing()
    let late = try await late(besides: missing)
    var statement = FrontierStatement(
      user: catalog.user, adoptedUsers: adoptedUsers,
      tips: tips(of: there.filter { !late.contains($0) }),
      missing: try await uncovered().union(missing).sorted())
    statement.pending = try await pending(late)
    statement.hearsay = hearsay.union(catalog.objects.map(\.range.end)).sorted()
    statement.isShared = true
    return statement
  }

  private var adoptedUsers: [String] {
    Set(catalog.frontiers.flatMap(\.statement.adoptedUsers).map { Array($0.utf8) })
      .sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// What the publishers know to be missing, and nobody has brought.
  private func missing() async throws(EventLogError) -> Set<EventRange> {
    var missing = Set(catalog.frontiers.flatMap(\.statement.missing))
    let held = try await lookup.held(missing.map(\.end))
    for range in missing {
      let isThere = try await holder(of: range.end) != nil
      if isThere || held.contains(range.end) { missing.remove(range) }
    }
    return missing
  }

  /// The objects that go on from what is neither there nor held nor missing: it is on its way.
  private func late(
    besides missing: Set<EventRange>
  ) async throws(EventLogError) -> Set<RangeObject> {
    var befores: [(RangeObject, FullEventID)] = []
    for object in there where !held.contains(object.range.end) {
      if let before = try await event(before: object) { befores.append((object, before)) }
    }
    let known = try await lookup.held(befores.map(\.1)).union(missing.map(\.end))
    var late: Set<RangeObject> = []
    // What an object goes on from stands in one that begins before it.
    for (object, before) in befores where !known.contains(before) {
      if try await holder(of: before, besides: late) == nil { late.insert(object) }
    }
    return late
  }

  /// The ends of objects, but for those behind which others are known to go on.
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

  /// What is announced, by frontiers and by the names of objects that are late or not whole, and is
  /// neither there nor held by the initiator.
  private func pending(_ late: Set<RangeObject>) async throws(EventLogError) -> [EventRange] {
    let announced = Set(catalog.frontiers.flatMap(\.statement.tips))
    let named = Set(bad.union(late).map(\.range.end))
    let own = held.union(try await lookup.held(announced.sorted()))
    let known = Dictionary(
      grouping: announced.union(catalog.objects.map(\.range.end)).union(initiator.tips),
      by: \.device
    ).mapValues { $0.map(\.sequence).sorted() }
    var pending: [EventRange] = []
    for tip in announced.union(named) where !own.contains(tip) {
      if try await holder(of: tip, besides: late) != nil { continue }
      let sequences = known[tip.device] ?? []
      let count = sequences.partitioningIndex { $0 >= tip.sequence }
      pending.append(EventRange(from: (count > 0 ? sequences[count - 1] : 0) + 1, to: tip))
    }
    return pending.sorted()
  }
}
