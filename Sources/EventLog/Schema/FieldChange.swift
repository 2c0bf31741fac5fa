/// A change to one field, before an event is chosen that makes it.
package enum FieldChange: Sendable, Hashable {
  /// Writes a register; `null` is shown as absent.
  case write(field: String, JSONValue)
  /// Sets a counter: 0 to 10^9, or nil for no value.
  case set(field: String, Amount?)
  /// Adds to a counter: −10^9 to 10^9.
  case advance(field: String, Amount)
  /// Adds members to a set.
  case include(field: String, [String])
  /// Removes members from a set.
  case exclude(field: String, [String])

  package var field: String {
    switch self {
    case .write(let field, _), .set(let field, _), .advance(let field, _), .include(let field, _),
      .exclude(let field, _):
      field
    }
  }

  /// Whether the same field may have another change besides this one.
  var isOfMembers: Bool {
    switch self {
    case .include, .exclude: true
    case .write, .set, .advance: false
    }
  }
}

extension CollectionSchema {
  /// The change that makes a field, or a day's field, show `value`, for example to resolve a
  /// conflict.
  ///
  /// - Throws: `invalidEvent` for a set, and for a value that a counter can't have.
  package func change(
    of field: String, ofDay: Bool = false, to value: JSONValue
  ) throws(EventLogError) -> FieldChange {
    switch self.field(field, ofDay: ofDay)?.mechanism {
    case .register, nil: return .write(field: field, value)
    case .counter:
      if value == .null { return .set(field: field, nil) }
      if case .number(let number) = value, let amount = Amount(number),
        Amount.totals.contains(amount)
      {
        return .set(field: field, amount)
      }
      throw EventLogError(
        .invalidEvent, "\"\(field)\" must be \(ValueRule.amount.phrase). Nothing was written.",
        hint: ValueRule.amount.advice)
    case .members:
      throw EventLogError(
        .invalidEvent,
        "\"\(field)\" is a set and cannot be written as a whole. Nothing was written.",
        hint: "Include and exclude its members one by one.")
    }
  }
}
