import EventLog

extension Fold {
  /// A field of a row, and its mechanism.
  struct FieldLocation {
    var entity: Int32
    var day: Int32
    var row: Int32
    /// The field's number, or −1 for presence.
    var field: Int32
    var kind: FieldHistory.Kind
  }

  /// Returns a field of a row, or nil if it was never written.
  func fieldLocation(row: Int32, named name: String) -> FieldLocation? {
    let state = rows[Int(row)]
    func found(_ field: Int32, _ kind: FieldHistory.Kind) -> FieldLocation {
      FieldLocation(entity: state.entity, day: state.day, row: row, field: field, kind: kind)
    }
    if name == "presence", state.entity >= 0, state.day == Row.noDay { return found(-1, .presence) }
    guard let index = fieldNames.find(StringSpelling.spelled(name.utf8)) else { return nil }
    let field = Int32(index)
    if findSet(row, field) != nil { return found(field, .members) }
    if findRegister(row, field) >= 0 { return found(field, .register) }
    return findCounter(row, field).map { _ in found(field, .counter) }
  }

  /// Returns the names of the fields of a row that were ever written.
  func fieldNames(row: Int32) -> [String] {
    var names: [String] = []
    var cell = rows[Int(row)].firstRegister
    while cell >= 0 {
      names.append(fieldText(registers.cells[Int(cell)].field))
      cell = registers.cells[Int(cell)].next
    }
    cell = rows[Int(row)].firstCounter
    while cell >= 0 {
      names.append(fieldText(counters.cells[Int(cell)].field))
      cell = counters.cells[Int(cell)].next
    }
    cell = rows[Int(row)].firstSet
    while cell >= 0 {
      names.append(fieldText(sets.cells[Int(cell)].field))
      cell = sets.cells[Int(cell)].next
    }
    return names.sorted { $0.precedes($1) }
  }

  /// Sorts the collected writes and determines the state of each.
  ///
  /// - Throws: `tooManyDevices` if so many devices have written that this would take long.
  func fieldHistory(
    _ location: FieldLocation, named name: String, _ collector: WriteCollector, _ ledger: Ledger
  ) throws(EventLogError) -> FieldHistory {
    let states = WriteStates(self, location, ledger)
    var wanted = collector.writes.filter { states.concerns($0) }
    try WriteOrder.checkEffort(wanted, of: name)
    if location.kind == .presence {
      try addPresence(to: &wanted, location.entity, collector, ledger)
    }
    try WriteOrder.checkEffort(wanted, of: name)
    let order = WriteOrder(wanted, ledger)
    let before = wanted.indices.map { order.latestSeen(by: $0) }
    let overtaken = Set(before.joined())
    let members = location.kind == .members ? MemberStates(wanted, order) : nil
    let ranked = wanted.contains { $0.rank != .only } ? order.replacements(ledger) : nil
    let absorption = location.kind == .counter ? Absorption(wanted, order, ledger) : nil
    func ids(_ writes: [Int]) -> [EventID] {
      writes.map { wanted[$0].dot.id(ledger) }.sorted { $0.description.precedes($1.description) }
    }
    let writes = order.sorted(ledger).map { index -> FieldHistory.Write in
      let write = wanted[index]
      var replaced: [Int] = []
      if let members {
        replaced = members.replaced(by: index)
      } else if write.action.replaces {
        replaced = absorption?.replaced(by: index) ?? before[index]
        if let ranked { replaced = ranked[index] }
      }
      return FieldHistory.Write(
        event: write.dot.id(ledger), at: Timestamp(trusted: write.dot.at), type: write.type,
        value: write.value, action: write.action,
        replaced: ids(replaced),
        absorbed: ids(absorption?.absorbed(by: index) ?? []),
        state: members?.state(of: index)
          ?? states.state(of: write, isLatest: !overtaken.contains(index)))
    }
    let collection =
      location.entity < 0 ? Int(location.row) : Int(entities[Int(location.entity)].collection)
    let isDeleted = location.entity >= 0 && presences.isHidden(location.entity)
    return FieldHistory(
      entity: rowText(entity: location.entity, day: location.day, of: collection), field: name,
      kind: location.kind, writes: writes, shown: isDeleted ? nil : states.shown,
      isDeleted: isDeleted)
  }

  /// Adds the events that contest a deletion, and if no event began the entity by its type, the
  /// first one on it.
  private func addPresence(
    to writes: inout [WriteCollector.Write], _ entity: Int32, _ collector: WriteCollector,
    _ ledger: Ledger
  ) throws(EventLogError) {
    var known = Set(writes.map(\.dot))
    if !writes.contains(where: { $0.action == .created }) {
      let firsts = Array(collector.firsts.values)
      try WriteOrder.checkEffort(firsts, of: "presence")
      if let first = WriteOrder(firsts, ledger).sorted(ledger).first,
        known.insert(firsts[first].dot).inserted
      {
        writes.append(firsts[first])
      }
    }
    for touch in presences.contesting(entity, ledger) where !known.contains(touch.dot) {
      let type = typeNames.text(Int(touch.type))
      writes.append(
        WriteCollector.Write(dot: touch.dot, type: type, value: .string(type), action: .touched))
    }
    writes.sort { $0.dot.sequence < $1.dot.sequence }
  }
}

extension FieldHistory.Action {
  /// Whether such a write replaces the writes that it had seen.
  fileprivate var replaces: Bool {
    switch self {
    case .written, .set, .excluded, .deleted, .restored: true
    case .advanced, .included, .created, .touched: false
    }
  }
}
