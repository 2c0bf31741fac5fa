package import EventLog

extension Snapshot {
  private func shown(_ field: String, in location: String) -> JSONValue? {
    row(at: location).flatMap { shown(field, row: $0) }
  }

  /// The value that a register shows, or `null` if none is shown.
  package func value(of field: String, in location: String) -> JSONValue {
    shown(field, in: location) ?? .null
  }

  /// The total of a counter.
  package func total(of field: String, in location: String) -> CounterSum.Total {
    counter(field, in: location).map { fold.counters.shown(Int($0), ledger) } ?? .none
  }

  /// Whether a field is a counter that was written.
  package func isCounter(_ field: String, in location: String) -> Bool {
    counter(field, in: location) != nil
  }

  private func counter(_ field: String, in location: String) -> Int32? {
    guard let row = row(at: location), let number = fieldNumber(field) else { return nil }
    return fold.findCounter(row, number)
  }

  /// Whether a field was written, as a register, a set or a counter.
  package func isWritten(_ field: String, in location: String) -> Bool {
    guard let row = row(at: location), let number = fieldNumber(field) else { return false }
    return fold.findRegister(row, number) >= 0 || fold.findSet(row, number) != nil
      || fold.findCounter(row, number) != nil
  }

  package func members(of field: String, in location: String) -> [String] {
    guard case .array(let values)? = shown(field, in: location) else { return [] }
    return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }
}
