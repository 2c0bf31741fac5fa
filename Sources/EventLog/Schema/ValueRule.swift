/// What a register's values must be. `null` is always allowed besides.
public indirect enum ValueRule: Sendable, Hashable {
  /// Any JSON value.
  case any
  /// A string.
  case text
  /// A number of any spelling.
  case number
  /// A number of any spelling that is not below zero.
  case quantity
  /// A whole number, spelled without fraction and exponent, within the bounds.
  case integer(ClosedRange<Int64>)
  /// `true` or `false`.
  case boolean
  /// A string `YYYY-MM-DD`, a real date.
  case date
  /// A string `<times>/<days>`: 1 ≤ times ≤ days ≤ 366.
  case schedule
  /// A string that is a time with seconds and an offset or `Z` (RFC 3339), kept as it is spelled.
  case time
  /// A string `<kind>/<key>` of this kind; whether there is such an entity is not asked.
  case entity(kind: String)
  /// An array whose elements all keep the rule; none is `null`.
  case list(of: ValueRule)

  /// A whole number from `least` on, up to 2^53−1.
  public static func wholeNumber(from least: Int64) -> ValueRule {
    .integer(least...LineLimits.sequenceMax)
  }

  /// A noun phrase that completes "must be …".
  public var phrase: String {
    switch self {
    case .any: "any JSON value"
    case .text: "text"
    case .quantity: "a number from 0"
    case .integer(let bounds): "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
    case .boolean: "true or false"
    case .date: "a real date YYYY-MM-DD"
    case .schedule: "<times>/<days>, for example 3/7, with days up to 366"
    case .number: "a number"
    case .time: "a time with seconds and an offset or Z, for example 2026-01-28T09:12:33+01:00"
    case .entity(let kind): "an entity \(kind)/<key>"
    case .list(let rule): "an array, each of it \(rule.phrase)"
    }
  }

  /// Reads what a person typed; nil if it breaks the rule.
  ///
  /// Where any value may stand, numbers, `true` and `false` are taken as such and all else as text.
  public func read(_ text: String) -> JSONValue? {
    switch self {
    case .text, .date, .schedule, .time:
      let value = JSONValue.string(text)
      return accepts(value) ? value : nil
    case .entity(let kind):
      // The key alone will do: the rule knows the kind.
      let entity = EntityID(text) ?? EntityID(kind: kind, key: text)
      return entity?.kind == kind ? entity.map { .string($0.description) } : nil
    case .list(let rule):
      let elements = Self.elements(text).map(rule.read)
      return elements.contains(nil) ? nil : .array(elements.compactMap { $0 })
    case .integer, .quantity, .number, .boolean:
      guard let value = try? JSONValue(parsing: text.utf8), value != .null, accepts(value) else {
        return nil
      }
      return value
    case .any:
      switch try? JSONValue(parsing: text.utf8) {
      case .number(let number)?: return .number(number)
      case .bool(let flag)?: return .bool(flag)
      default: return .string(text)
      }
    }
  }

  /// What stands between the commas of a text, without the spaces around it.
  package static func elements(_ text: String) -> [String] {
    func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
    return text.split(separator: ",").compactMap { part in
      let tail = part.drop(while: isSpace)
      guard let last = tail.lastIndex(where: { !isSpace($0) }) else { return nil }
      return String(tail[...last])
    }
  }

  /// Whether `value` keeps the rule.
  public func accepts(_ value: JSONValue) -> Bool {
    let bytes = Array(value.text.utf8)
    return accepts(Self.kind(of: value), bytes.span, ByteRange(0, bytes.count))
  }

  private static func kind(of value: JSONValue) -> ValueKind {
    switch value {
    case .null: .null
    case .bool(let flag): flag ? .true : .false
    case .number(let number):
      number.text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
        ? .integer : .decimal
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }

  /// Whether the value at `range`, of kind `kind`, keeps the rule.
  @inline(__always)
  package func accepts(_ kind: ValueKind, _ bytes: Span<UInt8>, _ range: ByteRange) -> Bool {
    if kind == .null { return true }
    switch self {
    case .any: return true
    case .text: return kind == .string
    case .boolean: return kind == .true || kind == .false
    case .quantity:
      return kind == .integer || kind == .decimal
        ? !DecimalValue(bytes.copy(range)).isBelowZero : false
    case .integer(let bounds):
      return kind == .integer ? Self.integer(bytes, range).map(bounds.contains) ?? false : false
    case .date: return kind == .string && Self.day(bytes, range) != nil
    case .schedule: return kind == .string && Schedule(quoted: bytes.copy(range)) != nil
    case .number: return kind == .integer || kind == .decimal
    case .time, .entity, .list: return acceptsTree(JSONValue(canonical: bytes.copy(range)[...]))
    }
  }

  /// Whether the value keeps a rule that is asked for so seldom that it may be read into a tree.
  private func acceptsTree(_ value: JSONValue) -> Bool {
    switch (self, value) {
    case (.time, .string(let text)): Timestamp(text) != nil
    case (.entity(let kind), .string(let text)): EntityID(text)?.kind == kind
    case (.list(let rule), .array(let values)):
      values.allSatisfy { $0 != .null && rule.accepts($0) }
    default: false
    }
  }

  /// The whole number at `range`; nil if it has more than 18 digits.
  @inline(__always)
  package static func integer(_ bytes: Span<UInt8>, _ range: ByteRange) -> Int64? {
    var index = range.start
    let isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative { index &+= 1 }
    guard range.end &- index <= 18 else { return nil }
    var value: Int64 = 0
    while index < range.end {
      value = value &* 10 &+ Int64(bytes[index] &- 0x30)
      index &+= 1
    }
    return isNegative ? -value : value
  }

  /// The day that the quoted string at `range` spells.
  @inline(__always)
  package static func day(_ bytes: Span<UInt8>, _ range: ByteRange) -> Day? {
    guard range.count == 12 else { return nil }
    return Day(text: bytes, at: range.start &+ 1)
  }
}
