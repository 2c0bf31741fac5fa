/// A type whose values a register can store.
///
/// Values come from any device and any version of your app, so reading a record never fails. If a
/// stored value doesn't fit, the property keeps the value that the record's `init()` gives it.
///
/// An enum with a convertible raw value gets default implementations of all requirements.
public protocol JSONConvertible: Sendable {
  /// The rule for the values of a register of this type, unless its declaration contains another
  /// one.
  static var valueRule: ValueRule { get }
  /// The texts for the cases of an enum, or empty if the type allows other texts.
  ///
  /// The default is the JSON of all cases, if the type is `CaseIterable` and each case is a string.
  static var caseTexts: [String] { get }
  /// Creates a value from JSON, or returns `nil` if the JSON isn't a value of this type.
  init?(json: JSONValue)
  /// The value as JSON.
  var json: JSONValue { get }
}

extension JSONConvertible {
  /// None.
  public static var caseTexts: [String] { [] }
}

extension JSONConvertible where Self: CaseIterable {
  /// The JSON of all cases, or empty if one of them isn't a string.
  public static var caseTexts: [String] {
    let values = allCases.map(\.json)
    let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    return texts.count == values.count ? texts : []
  }
}

extension JSONValue: JSONConvertible {
  /// The rule ``ValueRule/any``.
  public static var valueRule: ValueRule { .any }
  /// Creates a copy of a value.
  ///
  /// Never returns `nil`.
  public init?(json: JSONValue) { self = json }
  /// The value itself.
  public var json: JSONValue { self }
}

extension String: JSONConvertible {
  /// The rule ``ValueRule/text``.
  public static var valueRule: ValueRule { .text }
  /// Creates a string from a JSON string, or returns `nil` for any other JSON value.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self = text
  }
  /// The string as JSON.
  public var json: JSONValue { .string(self) }
}

extension Bool: JSONConvertible {
  /// The rule ``ValueRule/boolean``.
  public static var valueRule: ValueRule { .boolean }
  /// Creates a Boolean value from a JSON Boolean, or returns `nil` for any other JSON value.
  public init?(json: JSONValue) {
    guard case .bool(let flag) = json else { return nil }
    self = flag
  }
  /// The value `true` or `false` as JSON.
  public var json: JSONValue { .bool(self) }
}

extension Int: JSONConvertible {
  /// The rule ``ValueRule/wholeNumber``.
  public static var valueRule: ValueRule { .wholeNumber }
  /// Creates an integer.
  ///
  /// Returns `nil` if the value isn't a number, is spelled with a fraction or exponent, or doesn't
  /// fit.
  public init?(json: JSONValue) {
    guard case .number(let number) = json, let value = number.integer else { return nil }
    self.init(exactly: value)
  }
  /// The number as JSON, spelled without a fraction and exponent.
  public var json: JSONValue { .number(JSONNumber(Int64(self))) }
}

extension Int64: JSONConvertible {
  /// The rule ``ValueRule/wholeNumber``.
  public static var valueRule: ValueRule { .wholeNumber }
  /// Creates an integer.
  ///
  /// Returns `nil` if the value isn't a number, is spelled with a fraction or exponent, or doesn't
  /// fit.
  public init?(json: JSONValue) {
    guard case .number(let number) = json, let value = number.integer else { return nil }
    self = value
  }
  /// The number as JSON, spelled without a fraction and exponent.
  public var json: JSONValue { .number(JSONNumber(self)) }
}

extension Double: JSONConvertible {
  /// The rule ``ValueRule/number``.
  public static var valueRule: ValueRule { .number }
  /// Creates a floating-point number.
  ///
  /// Returns `nil` if the value isn't a number or is too large to be finite.
  public init?(json: JSONValue) {
    guard case .number(let number) = json, number.double.isFinite else { return nil }
    self = number.double
  }
  /// The shortest spelling that is read back as the same number, or `null` if the number isn't
  /// finite.
  public var json: JSONValue {
    guard isFinite else { return .null }
    if let whole = Int64(exactly: self), whole.magnitude <= LineLimits.sequenceMax.magnitude {
      return .number(JSONNumber(whole))
    }
    return .number(JSONNumber(trusted: description))
  }
}

extension Day: JSONConvertible {
  /// The rule ``ValueRule/date``.
  public static var valueRule: ValueRule { .date }
  /// Creates a day from a string in the form `YYYY-MM-DD`, or returns `nil` for any other JSON
  /// value.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text)
  }
  /// The day as a JSON string in the form `YYYY-MM-DD`.
  public var json: JSONValue { .string(description) }
}

extension Timestamp: JSONConvertible {
  /// The rule ``ValueRule/time``.
  public static var valueRule: ValueRule { .time }
  /// Creates a timestamp from a string with seconds and an offset or `Z` (RFC 3339).
  ///
  /// Fractional digits after the third are dropped. Returns `nil` for any other value.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text)
  }
  /// The timestamp as a JSON string in UTC, in the form `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  public var json: JSONValue { .string(description) }
}

extension Schedule: JSONConvertible {
  /// The rule ``ValueRule/schedule``.
  public static var valueRule: ValueRule { .schedule }
  /// Creates a schedule from a string in the form `<times>/<days>`, or returns `nil` for any other
  /// JSON value.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text)
  }
  /// The schedule as a JSON string in the form `<times>/<days>`.
  public var json: JSONValue { .string("\(times)/\(days)") }
}

/// `nil` is stored as `null`, which is shown as absent.
extension Optional: JSONConvertible where Wrapped: JSONConvertible {
  /// The rule of the wrapped type.
  ///
  /// Every register also accepts `null`.
  public static var valueRule: ValueRule { Wrapped.valueRule }
  /// The texts of the wrapped type.
  public static var caseTexts: [String] { Wrapped.caseTexts }
  /// Creates an optional value from the wrapped type's JSON, or from `null`.
  ///
  /// Returns `nil` if the wrapped type does.
  public init?(json: JSONValue) {
    if json == .null {
      self = .none
      return
    }
    guard let wrapped = Wrapped(json: json) else { return nil }
    self = .some(wrapped)
  }
  /// The JSON of the wrapped value, or `null`.
  public var json: JSONValue { map(\.json) ?? .null }
}

/// An array fits only if every element does.
extension Array: JSONConvertible where Element: JSONConvertible {
  /// The rule ``ValueRule/list(of:)`` with the rule of the elements.
  public static var valueRule: ValueRule { .list(of: Element.valueRule) }
  /// The texts of the elements.
  public static var caseTexts: [String] { Element.caseTexts }
  /// Creates an array, or returns `nil` if the value isn't an array or an element doesn't fit.
  public init?(json: JSONValue) {
    guard case .array(let values) = json else { return nil }
    let elements = values.compactMap { Element(json: $0) }
    guard elements.count == values.count else { return nil }
    self = elements
  }
  /// The elements as a JSON array.
  public var json: JSONValue { .array(map(\.json)) }
}

/// A JSON object. It fits only if every value does.
extension Dictionary: JSONConvertible where Key == String, Value: JSONConvertible {
  /// The rule ``ValueRule/any``.
  public static var valueRule: ValueRule { .any }
  /// Creates a dictionary, or returns `nil` if the value isn't an object or one of its values
  /// doesn't fit.
  public init?(json: JSONValue) {
    guard case .object(let object) = json else { return nil }
    self.init()
    for member in object.members {
      guard let value = Value(json: member.value) else { return nil }
      self[member.name] = value
    }
  }
  /// The dictionary as a JSON object, with names sorted by bytes.
  public var json: JSONValue {
    let names = keys.sorted { $0.precedes($1) }
    return .object(JSONObject(names.map { .init(name: $0, value: self[$0]!.json) }))
  }
}

extension JSONConvertible where Self: RawRepresentable, RawValue: JSONConvertible {
  /// The rule of the raw value.
  public static var valueRule: ValueRule { RawValue.valueRule }
  /// Creates a value from its raw value.
  ///
  /// Returns `nil` if the raw value doesn't fit, or if no value of this type has it.
  public init?(json: JSONValue) {
    guard let raw = RawValue(json: json) else { return nil }
    self.init(rawValue: raw)
  }
  /// The JSON of the raw value.
  public var json: JSONValue { rawValue.json }
}
