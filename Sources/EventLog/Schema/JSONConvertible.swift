/// A Swift type whose values a register can hold.
///
/// Values come from any device and any version of an app, so reading never fails: what does not fit
/// is passed over, and the record keeps the value it begins with. An enum whose raw values are
/// convertible needs no code of its own.
public protocol JSONConvertible: Sendable {
  /// What a register of this type takes, unless its declaration says otherwise.
  static var valueRule: ValueRule { get }
  /// Nil if `json` is no value of this type.
  init?(json: JSONValue)
  var json: JSONValue { get }
}

extension JSONValue: JSONConvertible {
  /// Any JSON value.
  public static var valueRule: ValueRule { .any }
  /// Takes every value as it is; never nil.
  public init?(json: JSONValue) { self = json }
  /// The value itself.
  public var json: JSONValue { self }
}

extension String: JSONConvertible {
  /// A string.
  public static var valueRule: ValueRule { .text }
  /// Nil for what is no string.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self = text
  }
  /// The text as a JSON string.
  public var json: JSONValue { .string(self) }
}

extension Bool: JSONConvertible {
  /// `true` or `false`.
  public static var valueRule: ValueRule { .boolean }
  /// Nil for what is neither `true` nor `false`.
  public init?(json: JSONValue) {
    guard case .bool(let flag) = json else { return nil }
    self = flag
  }
  /// The JSON spelling: `true` or `false`.
  public var json: JSONValue { .bool(self) }
}

extension Int: JSONConvertible {
  /// A whole number from −(2^53−1) to 2^53−1.
  public static var valueRule: ValueRule { .wholeNumber }
  /// Nil for what is spelled with a fraction or an exponent, or does not fit.
  public init?(json: JSONValue) {
    guard case .number(let number) = json, let value = number.integer else { return nil }
    self.init(exactly: value)
  }
  /// The number, spelled without fraction and exponent.
  public var json: JSONValue { .number(JSONNumber(Int64(self))) }
}

extension Int64: JSONConvertible {
  /// A whole number from −(2^53−1) to 2^53−1.
  public static var valueRule: ValueRule { .wholeNumber }
  /// Nil for what is spelled with a fraction or an exponent, or does not fit.
  public init?(json: JSONValue) {
    guard case .number(let number) = json, let value = number.integer else { return nil }
    self = value
  }
  /// The number, spelled without fraction and exponent.
  public var json: JSONValue { .number(JSONNumber(self)) }
}

extension Double: JSONConvertible {
  /// A number of any spelling.
  public static var valueRule: ValueRule { .number }
  /// Nil also for what is too large to be finite.
  public init?(json: JSONValue) {
    guard case .number(let number) = json, number.double.isFinite else { return nil }
    self = number.double
  }
  /// The shortest spelling that is read back as the same; `null` for what is not finite.
  public var json: JSONValue {
    guard isFinite else { return .null }
    if let whole = Int64(exactly: self), whole.magnitude <= LineLimits.sequenceMax.magnitude {
      return .number(JSONNumber(whole))
    }
    return .number(JSONNumber(trusted: description))
  }
}

extension Day: JSONConvertible {
  /// A string `YYYY-MM-DD`, a real date.
  public static var valueRule: ValueRule { .date }
  /// Nil for what is no string `YYYY-MM-DD`, or no real date.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text)
  }
  /// The string `YYYY-MM-DD`.
  public var json: JSONValue { .string(description) }
}

extension Timestamp: JSONConvertible {
  /// A string that is a time with seconds and an offset or `Z` (RFC 3339).
  public static var valueRule: ValueRule { .time }
  /// Nil for what is no such string; digits of the fraction behind the third are dropped.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text)
  }
  /// The time in UTC, as a string `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  public var json: JSONValue { .string(description) }
}

extension Schedule: JSONConvertible {
  /// A string `<times>/<days>`: 1 ≤ times ≤ days ≤ 366.
  public static var valueRule: ValueRule { .schedule }
  /// Nil for what is no such string.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text)
  }
  /// The string `<times>/<days>`.
  public var json: JSONValue { .string("\(times)/\(days)") }
}

/// Nil is `null`, which shows as absent.
extension Optional: JSONConvertible where Wrapped: JSONConvertible {
  /// The rule of the wrapped type; every register takes `null` besides.
  public static var valueRule: ValueRule { Wrapped.valueRule }
  /// Reads `null` as nil, and fails where the wrapped type does.
  public init?(json: JSONValue) {
    if json == .null {
      self = .none
      return
    }
    guard let wrapped = Wrapped(json: json) else { return nil }
    self = .some(wrapped)
  }
  /// The JSON of the wrapped value; `null` for nil.
  public var json: JSONValue { map(\.json) ?? .null }
}

/// Fits only if every element does.
extension Array: JSONConvertible where Element: JSONConvertible {
  /// An array whose elements all keep the rule of their type.
  public static var valueRule: ValueRule { .list(of: Element.valueRule) }
  /// Nil for what is no array, or where an element does not fit.
  public init?(json: JSONValue) {
    guard case .array(let values) = json else { return nil }
    let elements = values.compactMap { Element(json: $0) }
    guard elements.count == values.count else { return nil }
    self = elements
  }
  /// The array of the elements' JSON, in their order.
  public var json: JSONValue { .array(map(\.json)) }
}

/// An object, by name; fits only if every value does.
extension Dictionary: JSONConvertible where Key == String, Value: JSONConvertible {
  /// `any`.
  public static var valueRule: ValueRule { .any }
  /// Nil for what is no object, or where a value does not fit.
  public init?(json: JSONValue) {
    guard case .object(let object) = json else { return nil }
    self.init()
    for member in object.members {
      guard let value = Value(json: member.value) else { return nil }
      self[member.name] = value
    }
  }
  /// The object, its names sorted by bytes.
  public var json: JSONValue {
    let names = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return .object(JSONObject(names.map { .init(name: $0, value: self[$0]!.json) }))
  }
}

extension JSONConvertible where Self: RawRepresentable, RawValue: JSONConvertible {
  /// The rule of the raw value.
  public static var valueRule: ValueRule { RawValue.valueRule }
  /// Nil where the raw value does not fit, or no value of this type has it.
  public init?(json: JSONValue) {
    guard let raw = RawValue(json: json) else { return nil }
    self.init(rawValue: raw)
  }
  /// The JSON of the raw value.
  public var json: JSONValue { rawValue.json }
}
