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
  public static var valueRule: ValueRule { .any }
  public init?(json: JSONValue) { self = json }
  public var json: JSONValue { self }
}

extension String: JSONConvertible {
  public static var valueRule: ValueRule { .text }
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self = text
  }
  public var json: JSONValue { .string(self) }
}

extension Bool: JSONConvertible {
  public static var valueRule: ValueRule { .boolean }
  public init?(json: JSONValue) {
    guard case .bool(let flag) = json else { return nil }
    self = flag
  }
  public var json: JSONValue { .bool(self) }
}

extension Int: JSONConvertible {
  public static var valueRule: ValueRule { .wholeNumber }
  public init?(json: JSONValue) {
    guard case .number(let number) = json, let value = number.integer else { return nil }
    self.init(exactly: value)
  }
  public var json: JSONValue { .number(JSONNumber(Int64(self))) }
}

extension Int64: JSONConvertible {
  public static var valueRule: ValueRule { .wholeNumber }
  public init?(json: JSONValue) {
    guard case .number(let number) = json, let value = number.integer else { return nil }
    self = value
  }
  public var json: JSONValue { .number(JSONNumber(self)) }
}

extension Double: JSONConvertible {
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
  public static var valueRule: ValueRule { .date }
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text)
  }
  public var json: JSONValue { .string(description) }
}

extension Timestamp: JSONConvertible {
  public static var valueRule: ValueRule { .time }
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text)
  }
  public var json: JSONValue { .string(description) }
}

extension Schedule: JSONConvertible {
  public static var valueRule: ValueRule { .schedule }
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text)
  }
  public var json: JSONValue { .string("\(times)/\(days)") }
}

/// Nil is `null`, which shows as absent.
extension Optional: JSONConvertible where Wrapped: JSONConvertible {
  public static var valueRule: ValueRule { Wrapped.valueRule }
  public init?(json: JSONValue) {
    if json == .null {
      self = .none
      return
    }
    guard let wrapped = Wrapped(json: json) else { return nil }
    self = .some(wrapped)
  }
  public var json: JSONValue { map(\.json) ?? .null }
}

/// Fits only if every element does.
extension Array: JSONConvertible where Element: JSONConvertible {
  public static var valueRule: ValueRule { .list(of: Element.valueRule) }
  public init?(json: JSONValue) {
    guard case .array(let values) = json else { return nil }
    let elements = values.compactMap { Element(json: $0) }
    guard elements.count == values.count else { return nil }
    self = elements
  }
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
  public static var valueRule: ValueRule { RawValue.valueRule }
  public init?(json: JSONValue) {
    guard let raw = RawValue(json: json) else { return nil }
    self.init(rawValue: raw)
  }
  public var json: JSONValue { rawValue.json }
}
