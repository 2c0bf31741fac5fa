extension Fold {
  /// The JSON of the value that a register shows.
  package func shownJSON(_ cell: Int, _ ledger: Ledger) -> JSONValue {
    JSONValue(canonical: registers.bytes(registers.shown(cell, ledger)))
  }

  /// Whether the shown value of a register breaks the rule of its field: a later version of the app
  /// may have written it.
  @inline(__always)
  func isUnreadable(register cell: Int, _ ledger: Ledger) -> Bool {
    !doubtfulRegisters.isEmpty && doubtfulRegisters.contains(Int32(cell))
      && breaksRule(shownJSON(cell, ledger), cell)
  }

  /// Whether a value of a register breaks the rule of its field.
  func breaksRule(_ value: JSONValue, _ cell: Int) -> Bool {
    let register = registers.cells[cell]
    let collection = catalog.collections[collection(ofRow: register.row)]
    let isOfDay = rows[Int(register.row)].day != Row.noDay
    guard
      case .register(let rule)? = collection.field(fieldText(register.field), ofDay: isOfDay)?
        .mechanism
    else { return false }
    return !rule.accepts(value)
  }

  /// Whether a row shows the value of a register: not that of a set's name, `null`, or one that
  /// can't be read.
  func isShown(register cell: Int, _ ledger: Ledger) -> Bool {
    let register = registers.cells[cell]
    if registers.showsNull(cell, ledger) { return false }
    return
      (rows[Int(register.row)].firstSet < 0
      || findSet(register.row, register.field) == nil)
      && !isUnreadable(register: cell, ledger)
  }

  /// The names of a row's fields whose shown value can't be read, in no particular order.
  func unreadable(row: Int32, _ ledger: Ledger) -> [String] {
    let first = rows[Int(row)]
    var names: [String] = []
    if !doubtfulRegisters.isEmpty {
      for (cell, field) in registers.cells.chain(from: first.firstRegister)
      where isUnreadable(register: cell, ledger) && findSet(row, field) == nil {
        names.append(fieldText(field))
      }
    }
    for (cell, field) in counters.cells.chain(from: first.firstCounter)
    where counters.shown(cell, ledger) == .unreadable {
      names.append(fieldText(field))
    }
    return names
  }

  /// Whether a day is listed: whether one of its fields has a value or a conflict.
  func isListed(day row: Int32, _ ledger: Ledger) -> Bool {
    let first = rows[Int(row)]
    if first.firstSet >= 0 { return true }
    for (cell, _) in counters.cells.chain(from: first.firstCounter)
    where counters.shown(cell, ledger) != .none || counters.isContested(cell) {
      return true
    }
    for (cell, _) in registers.cells.chain(from: first.firstRegister)
    where !registers.showsNull(cell, ledger) || registers.isContested(cell) {
      return true
    }
    return false
  }
}
