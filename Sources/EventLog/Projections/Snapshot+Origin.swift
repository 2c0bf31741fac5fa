extension Snapshot {
  /// The event that is responsible for a value in a snapshot.
  public struct Origin: Sendable, Hashable {
    /// The ID of the event.
    public let event: EventID
    /// The time of the event, according to its writer's clock.
    ///
    /// This property is `nil` for increments and members of sets, because the state doesn't contain
    /// their times.
    public let at: Timestamp?

    package init(event: EventID, at: Timestamp?) {
      self.event = event
      self.at = at
    }
  }

  /// Returns the event that is responsible for the value of a field.
  ///
  /// - For a register, this is the write that is shown, even if it wrote `null`.
  /// - For a counter, this is the last increment since the total that is shown, or the event that
  ///   set the total if there is no such increment.
  /// - For a set, this is the last inclusion of a current member.
  ///
  /// Among concurrent events, the one with the greater device ID counts as the last.
  ///
  /// - Parameters:
  ///   - field: The name of the field. For `presence`, the result is the latest deletion in effect,
  ///     or the latest event on the entity if there is none, not counting imports.
  ///   - place: The kind of a singleton, `<kind>/<key>` for an entity, or `<kind>/<key>@<date>` for
  ///     a day.
  /// - Returns: The event, or `nil` if nothing was written.
  /// - Complexity: O(*d* log *n*), where *d* is the number of devices and *n* the number of events;
  ///   for a set, times the number of its members.
  public func origin(of field: String, in place: String) -> Origin? {
    guard let row = row(at: place) else { return nil }
    let entity = fold.rows[Int(row)].entity
    if field == "presence", entity >= 0 { return presenceOrigin(of: entity) }
    guard let number = fieldNumber(field) else { return nil }
    if let set = fold.findSet(row, number) {
      return latest(
        fold.sets.members(Int(set)).flatMap { fold.sets.inclusions(of: $0, in: Int(set)) })
    }
    let register = fold.findRegister(row, number)
    if register >= 0 { return origin(fold.registers.shown(Int(register), ledger).dot) }
    return fold.findCounter(row, number).flatMap { counterOrigin(Int($0)) }
  }

  /// Returns the event that added a member to a set.
  ///
  /// - Parameters:
  ///   - member: The member.
  ///   - field: The name of the set.
  ///   - place: The kind of a singleton, `<kind>/<key>` for an entity, or `<kind>/<key>@<date>` for
  ///     a day.
  /// - Returns: The event, or `nil` if the set doesn't contain the member.
  /// - Complexity: O(*d* log *n*), where *d* is the number of devices and *n* the number of events.
  public func origin(ofMember member: String, of field: String, in place: String) -> Origin? {
    guard let row = row(at: place), let number = fieldNumber(field),
      let set = fold.findSet(row, number)
    else { return nil }
    return latest(fold.sets.inclusions(of: member, in: Int(set)))
  }

  /// Returns the event that is responsible for the value of an entity's property.
  ///
  /// - Parameters:
  ///   - path: The property.
  ///   - id: The entity.
  /// - Returns: The event, or `nil` if nothing was written.
  public func origin<R: Record>(of path: PartialKeyPath<R>, in id: ID<R>) -> Origin? {
    R.schema.fieldName(path).flatMap { origin(of: $0, in: id.description) }
  }

  /// Returns the event that is responsible for the value of a property of a day.
  ///
  /// - Parameters:
  ///   - path: The property of the day.
  ///   - id: The entity.
  ///   - day: The day.
  /// - Returns: The event, or `nil` if nothing was written.
  public func origin<R: Record>(
    of path: PartialKeyPath<R.Daily>, in id: ID<R>, on day: Day
  ) -> Origin? {
    R.schema.dayFieldName(path).flatMap { origin(of: $0, in: "\(id)@\(day)") }
  }

  /// Whether the field is a set.
  package func isSet(_ field: String, in rowName: String) -> Bool {
    guard let row = row(at: rowName), let number = fieldNumber(field) else { return false }
    return fold.findSet(row, number) != nil
  }

  /// Whether a field is a register that was written.
  package func isRegister(_ field: String, in rowName: String) -> Bool {
    guard let row = row(at: rowName), let number = fieldNumber(field) else { return false }
    return fold.findRegister(row, number) >= 0
  }

  // MARK: - Finding

  package func fieldNumber(_ name: String) -> Int32? {
    fold.fieldNames.find(StringSpelling.spelled(name.utf8)).map { Int32($0) }
  }

  /// The row that `rowName` names, or nil if nothing was written to it.
  package func row(at rowName: String) -> Int32? {
    let parts = rowName.split(separator: "@", maxSplits: 1).map(String.init)
    guard let name = parts.first else { return nil }
    guard name.contains("/") else {
      return fold.catalog.collections.firstIndex { $0.isSingleton && $0.kind == name }
        .map { Int32($0) }
    }
    guard let entity = fold.entityNames.find(name) else { return nil }
    guard parts.count == 2 else {
      let row = fold.entities[entity].row
      return row < 0 ? nil : row
    }
    guard let day = Day(parts[1]) else { return nil }
    let row = fold.dayRow(of: Int32(entity), day.number)
    return row < 0 ? nil : row
  }

  // MARK: - Choosing

  private func presenceOrigin(of entity: Int32) -> Origin? {
    let deletions = fold.presences.liveDeletions(entity).map(\.dot)
    let touches = Presences.lastOfDevices(fold.presences.liveTouches(entity), ledger)
    let dots = deletions.isEmpty ? touches.map(\.dot) : deletions
    return dots.reduce(nil) { last, dot in
      last.map { dot.isLater(than: $0, ledger) ? dot : $0 } ?? dot
    }
    .map(origin)
  }

  private func counterOrigin(_ cell: Int) -> Origin? {
    let sets = fold.counters.liveSets(cell).map(\.dot)
    let shown = fold.counters.shownSet(cell, ledger)
    let increments = fold.counters.liveDots(cell).dropFirst(sets.count).filter { increment in
      shown.map { fold.counters.counts(increment.point, in: $0, cell, ledger) } ?? true
    }
    return latest(Array(increments)) ?? shown.map { origin($0.dot) }
  }

  /// The last of several events whose times are unknown.
  private func latest(_ dots: [Dot]) -> Origin? {
    unseen(among: dots)
      // Their times are all the same, so device and sequence decide.
      .reduce(nil) { (last: Dot?, dot) -> Dot? in
        last.map { dot.isLater(than: $0, ledger) ? dot : $0 } ?? dot
      }
      .map { Origin(event: $0.id(ledger), at: nil) }
  }

  /// The events that none of the others had seen.
  private func unseen(among dots: [Dot]) -> [Dot] {
    guard dots.count > 32 else {
      return dots.filter { dot in !dots.contains { $0 != dot && hasSeen($0, dot) } }
    }
    // For many, compare only the clocks of each branch's last event, not all pairs.
    let lasts = Dictionary(grouping: dots, by: \.branch)
      .compactMapValues { $0.max { $0.sequence < $1.sequence } }
    var unseen = lasts
    for dot in lasts.values {
      for (branch, limit) in ledger.entries(of: dot.point) where branch != dot.branch {
        if let other = lasts[branch], other.sequence <= limit { unseen[branch] = nil }
      }
    }
    return Array(unseen.values)
  }

  private func hasSeen(_ later: Dot, _ earlier: Dot) -> Bool {
    ledger.hasSeen(later.point, earlier.point)
  }

  private func origin(_ dot: Dot) -> Origin {
    Origin(event: dot.id(ledger), at: Timestamp(trusted: dot.at))
  }
}
