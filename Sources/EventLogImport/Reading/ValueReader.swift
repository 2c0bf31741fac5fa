import EventLog

/// Converts a source's value to a field's value.
struct ValueReader {
  let source: FieldSource
  /// The mechanism of the field, or nil if the field accepts any value.
  let mechanism: FieldSchema.Mechanism?
  let conventions: Conventions

  /// The conventions of a source that its values don't show.
  struct Conventions {
    var zone: ImportZone?
    /// The order of the parts of dates, or nil to read only dates with one meaning.
    var dates: DateOrder?
    /// The mark before decimals, or nil to read only numbers with one meaning.
    var decimalMark: DecimalMark?
  }

  /// The reason why a value is refused: a clause after "its value".
  struct Refusal: Error {
    var reason: String
    var hint: String?

    /// The refusal with a hint that the map may skip such values or rows.
    var ofCell: Refusal {
      Refusal(
        reason: reason,
        hint: hint
          ?? "Correct the value, or leave all such values out: \"lenient\": true in the map, or"
          + " such rows: \"unless\".")
    }

    /// The refusal with a hint that the map may skip such values.
    var ofField: Refusal {
      Refusal(
        reason: reason,
        hint: hint
          ?? "Correct the value, or leave all such values out: \"lenient\": true in the map.")
    }

    /// The refusal with a hint that the map may leave out the row.
    var ofRow: Refusal {
      Refusal(
        reason: reason,
        hint: hint ?? "Correct the value, or leave such rows out: \"unless\" in the map.")
    }
  }

  /// The change made to the value, for a remark.
  var remark: String?
  /// The number before it was rounded.
  var exact: JSONValue?

  init(
    _ source: FieldSource, _ mechanism: FieldSchema.Mechanism?, _ conventions: Conventions
  ) {
    self.source = source
    self.mechanism = mechanism
    self.conventions = conventions
  }

  var rule: ValueRule? {
    if case .register(let rule)? = mechanism { rule } else { nil }
  }

  private var conversion: FieldSource.Conversion { Self.conversion(of: source, mechanism) }

  static func conversion(
    of source: FieldSource, _ mechanism: FieldSchema.Mechanism?
  ) -> FieldSource.Conversion {
    if let conversion = source.conversion { return conversion }
    switch mechanism {
    case .counter: return .number
    case .members: return .members
    case .register(let rule): return conversion(for: rule)
    case nil: return .any
    }
  }

  private static func conversion(for rule: ValueRule) -> FieldSource.Conversion {
    switch rule {
    case .text, .schedule, .entity: .text
    case .number, .quantity, .amount: .number
    case .integer: .whole
    case .boolean: .flag
    case .date: .day
    case .time: .time
    case .any, .attachment, .list: .any
    }
  }

  /// Returns the field's new value; for an empty source value, that of an unwritten field.
  mutating func read(_ tree: SourceTree) throws(Refusal) -> Statement.Value {
    var value = try converted(tree)
    if value == nil, let otherwise = source.otherwise { value = otherwise }
    switch mechanism {
    case .counter:
      guard let value, value != .null else { return .count(nil) }
      guard case .number(let number) = value, let amount = Amount(number),
        Amount.totals.contains(amount)
      else { throw Refusal(reason: "must be \(ValueRule.amount.phrase)") }
      return .count(amount)
    case .members:
      guard let value, value != .null else { return .members([]) }
      return .members(try Self.members(value))
    case .register, nil:
      let value = (value ?? .null).composed
      guard rule?.accepts(value) ?? true else {
        throw Refusal(reason: "must be \(rule?.phrase ?? "")")
      }
      return source.conversion == .members && mechanism == nil && value != .null
        ? .members(try Self.members(value)) : .write(value)
    }
  }

  private static func members(_ value: JSONValue) throws(Refusal) -> [String] {
    guard case .array(let values) = value else {
      throw Refusal(reason: "must be a list of texts")
    }
    var members: [String] = []
    var known: Set<[UInt8]> = []
    for value in values {
      guard case .string(let text) = value.composed else {
        throw Refusal(reason: "must be a list of texts")
      }
      if known.insert(Array(text.utf8)).inserted { members.append(text) }
    }
    return members
  }

  // MARK: - Conversions

  /// Returns the converted value, or nil if it's empty.
  private mutating func converted(_ tree: SourceTree) throws(Refusal) -> JSONValue? {
    if let listed = try listed(tree) { return listed }
    if tree.isEmpty { return nil }
    if !source.values.isEmpty, source.conversion == nil {
      throw Refusal(
        reason: "must be one of \(source.values.map(\.text).joined(separator: ", "))")
    }
    switch conversion {
    case .any:
      guard let value = tree.json() else {
        throw Refusal(
          reason:
            "holds bytes that are not JSON or a number out of range, is nested too deep, or is"
            + " longer than an event may be")
      }
      return value
    case .text: return .string(try text(tree))
    case .number: return .number(try number(tree))
    case .whole: return .number(JSONNumber(try whole(tree)))
    case .flag: return .bool(try flag(tree))
    case .day: return .string(try day(tree).description)
    case .time: return .string(try time(tree).description)
    case .members:
      if case .list = tree, let value = tree.json() { return value }
      let parts = try text(tree).split(separator: source.separator)
      return .array(parts.map { .string(String($0)) })
    }
  }

  /// Returns the value that the map assigns to the text, or nil if there is none.
  private func listed(_ tree: SourceTree) throws(Refusal) -> JSONValue? {
    guard !source.values.isEmpty, let text = try? plainText(tree) else { return nil }
    return source.values.first { $0.text == text }?.value
  }

  func plainText(_ tree: SourceTree) throws(Refusal) -> String {
    switch tree {
    case .json(.string(let text)): return text
    case .json(.number(let number)): return number.text
    case .json(.bool(let flag)): return flag ? "true" : "false"
    case .moment(let time): return time.description
    default: throw Refusal(reason: "must be text")
    }
  }

  func text(_ tree: SourceTree) throws(Refusal) -> String { try plainText(tree) }

  private func flag(_ tree: SourceTree) throws(Refusal) -> Bool {
    switch try? plainText(tree).lowercased() {
    case "true", "yes", "1": return true
    case "false", "no", "0": return false
    default: throw Refusal(reason: "must be true or false")
    }
  }
}
