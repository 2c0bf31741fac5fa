// What a shared place says of itself.

extension ObjectPlace {
  /// What is there, what is announced, and what is missing.
  ///
  /// - Throws: also `remoteFailed` where it cannot be told whose events are meant.
  func statement() async throws(EventLogError) -> FrontierStatement {
    // Of other users too: a copied journal may have gone on under one of them.
    var hearsay = Set(catalog.frontiers.flatMap(\.statement.tips))
    hearsay.formUnion(catalog.objects.map(\.range.end))
    try await examine()
    var statement = FrontierStatement(
      user: catalog.user, adoptedUsers: adoptedUsers, tips: tips, missing: try await missing())
    statement.pending = try await pending()
    statement.hearsay = hearsay.union(catalog.objects.map(\.range.end)).sorted()
    statement.isShared = true
    return statement
  }

  private var adoptedUsers: [String] {
    Set(catalog.frontiers.flatMap(\.statement.adoptedUsers).map { Array($0.utf8) })
      .sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The ends of all objects, but for those behind which others are known to go on.
  private var tips: [FullEventID] {
    var ends = Set(there.map(\.range.end))
    let objects = Dictionary(grouping: there, by: \.range.device)
    for object in there {
      guard let history = histories[object] else { continue }
      let inside = (object.range.first - 1)..<object.range.last
      for end in objects[object.range.device]!.map(\.range.end)
      where inside.contains(end.sequence) && history.chain(at: end.sequence) == end.chain {
        ends.remove(end)
      }
    }
    return ends.sorted()
  }

  /// What the publishers know to be missing and nobody has brought, and what is to be put again.
  private func missing() async throws(EventLogError) -> [EventRange] {
    var missing = try await uncovered()
    let stated = Set(catalog.frontiers.flatMap(\.statement.missing))
    let held = try await lookup.held(stated.map(\.end))
    for range in stated where !held.contains(range.end) {
      if try await holder(of: range.end) == nil { missing.insert(range) }
    }
    return missing.sorted()
  }

  /// What is announced, by frontiers and by the names of objects that are not whole, and is neither
  /// there nor held by the initiator.
  private func pending() async throws(EventLogError) -> [EventRange] {
    let announced = Set(catalog.frontiers.flatMap(\.statement.tips))
    let own = held.union(try await lookup.held(announced.sorted()))
    var pending: [FullEventID: EventRange] = [:]
    for object in bad where !own.contains(object.range.end) {
      if try await holder(of: object.range.end) != nil { continue }
      let known = pending[object.range.end]?.first ?? .max
      pending[object.range.end] = EventRange(
        from: min(known, object.range.first), to: object.range.end)
    }
    let ends = announced.union(catalog.objects.map(\.range.end)).union(initiator.tips)
    for tip in announced where !own.contains(tip) && pending[tip] == nil {
      if try await holder(of: tip) != nil { continue }
      let before = ends.filter { $0.device == tip.device && $0.sequence < tip.sequence }
      pending[tip] = EventRange(from: (before.map(\.sequence).max() ?? 0) + 1, to: tip)
    }
    return pending.values.sorted()
  }
}
