/// A rule for the values of a register.
///
/// `null` is always allowed as well.
public indirect enum ValueRule: Sendable, Hashable {
  /// Any JSON value.
  case any
  /// A string.
  case text
  /// A number.
  case number
  /// A number that is not negative.
  case quantity
  /// A number from 0 to 1,000,000,000 with at most six digits after the point, spelled without an
  /// exponent.
  case amount
  /// A whole number within bounds, spelled without a fraction and exponent.
  case integer(ClosedRange<Int64>)
  /// The value `true` or `false`.
  case boolean
  /// A string in the form `YYYY-MM-DD` that is a real date.
  case date
  /// A string in the form `<times>/<days>`, with 1 ≤ times ≤ days ≤ 366.
  case schedule
  /// A string that is a time with seconds and an offset or `Z` (RFC 3339).
  ///
  /// Its spelling is preserved.
  case time
  /// A string in the form `<kind>/<key>` with the given kind.
  ///
  /// The entity doesn't need to exist.
  case entity(kind: String)
  /// An object that names a file by the SHA-256 of its content: `sha256` (64 lowercase hexadecimal
  /// digits), `bytes`, `type`, and optionally `name`.
  case attachment
  /// An array whose elements all follow a rule.
  ///
  /// None of them can be `null`.
  case list(of: ValueRule)

  /// Returns a rule for whole numbers from a lower bound to 2^53 − 1.
  ///
  /// - Parameter least: The lower bound.
  public static func wholeNumber(from least: Int64) -> ValueRule {
    .integer(least...LineLimits.sequenceMax)
  }

  /// A phrase that completes a sentence with "must be".
  public var phrase: String {
    switch self {
    case .any: "any JSON value"
    case .text: "text"
    case .quantity: "a number that is not negative"
    case .amount: "a number from 0 to 1000000000 with at most 6 digits after the point"
    case .integer(let bounds): "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
    case .boolean: "true or false"
    case .date: "a valid date YYYY-MM-DD"
    case .schedule: "<times>/<days>, for example 3/7, with days up to 366"
    case .number: "a number"
    case .time: "a time with seconds and an offset or Z, for example 2026-01-28T09:12:33+01:00"
    case .entity(let kind): "an entity \(kind)/<key>"
    case .attachment: "an object with sha256, bytes and type, and optionally name"
    case .list(let rule): "an array in which each value is \(rule.phrase)"
    }
  }

  /// Returns the JSON value for a text that a user entered, or `nil` if it breaks the rule.
  ///
  /// If any value is allowed, numbers, `true`, and `false` are read as such, and everything else as
  /// a string. For an entity, the key alone is sufficient. The elements of a list are separated by
  /// commas.
  ///
  /// - Parameter text: The text that the user entered.
  public func read(_ text: String) -> JSONValue? {
    switch self {
    case .text, .date, .schedule, .time:
      let value = JSONValue.string(text)
      return accepts(value) ? value : nil
    case .entity(let kind):
      // The key alone is sufficient, because the rule contains the kind.
      let entity = EntityID(text) ?? EntityID(kind: kind, key: text)
      return entity?.kind == kind ? entity.map { .string($0.description) } : nil
    case .list(let rule):
      let elements = Self.elements(text).map(rule.read)
      return elements.contains(nil) ? nil : .array(elements.compactMap { $0 })
    case .integer, .quantity, .amount, .number, .boolean, .attachment:
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

  /// The parts of a text between commas, without the spaces around them and without empty parts.
  package static func elements(_ text: String) -> [String] {
    func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
    return text.split(separator: ",").compactMap { part in
      let tail = part.drop(while: isSpace)
      guard let last = tail.lastIndex(where: { !isSpace($0) }) else { return nil }
      return String(tail[...last])
    }
  }

  /// Returns whether a value follows the rule.
  ///
  /// - Parameter value: The value to check.
  public func accepts(_ value: JSONValue) -> Bool {
    let kind = Self.kind(of: value)
    switch self {
    case .any: return true
    case .text: return kind == .string || kind == .null
    default:
      let bytes = Array(value.text.utf8)
      return accepts(kind, bytes.span, ByteRange(0, bytes.count))
    }
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

  /// Whether the value at `range`, of kind `kind`, follows the rule.
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
    case .amount:
      return kind == .integer || kind == .decimal
        ? Amount(bytes, range).map(Amount.totals.contains) ?? false : false
    case .integer(let bounds):
      return kind == .integer ? Self.integer(bytes, range).map(bounds.contains) ?? false : false
    case .date: return kind == .string && Self.day(bytes, range) != nil
    case .schedule: return kind == .string && Schedule(quoted: bytes.copy(range)) != nil
    case .number: return kind == .integer || kind == .decimal
    case .time, .entity, .attachment, .list:
      return acceptsTree(JSONValue(canonical: bytes.copy(range)[...]))
    }
  }

  /// Checks the rarer rules, for which a tree is built.
  private func acceptsTree(_ value: JSONValue) -> Bool {
    switch (self, value) {
    case (.time, .string(let text)): Timestamp(text) != nil
    case (.entity(let kind), .string(let text)): EntityID(text)?.kind == kind
    case (.attachment, .object(let object)): Self.isAttachment(object)
    case (.list(let rule), .array(let values)):
      values.allSatisfy { $0 != .null && rule.accepts($0) }
    default: false
    }
  }

  /// Whether an object names a file. A later version may write further members.
  private static func isAttachment(_ object: JSONObject) -> Bool {
    guard case .string(let hash)? = object["sha256"], hash.utf8.count == 64,
      hash.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
      let bytes = object["bytes"], bytes != .null, ValueRule.wholeNumber(from: 0).accepts(bytes),
      case .string(let type)? = object["type"], !type.isEmpty
    else { return false }
    return object["name"].map { $0 != .null && ValueRule.text.accepts($0) } ?? true
  }

  /// The whole number at `range`, or nil if it has more than 18 digits.
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

  /// The day in the quoted string at `range`.
  @inline(__always)
  package static func day(_ bytes: Span<UInt8>, _ range: ByteRange) -> Day? {
    guard range.count == 12 else { return nil }
    return Day(text: bytes, at: range.start &+ 1)
  }
}
