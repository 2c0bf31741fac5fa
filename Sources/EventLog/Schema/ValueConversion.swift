/// A conversion of a field's values to those of another field.
///
/// It is data, so that the app, the command and schema files agree. `null` stays `null`.
public enum ValueConversion: Sendable, Hashable {
  /// Keeps each value: the field was renamed.
  case same
  /// Multiplies a number by the first one, and divides it by the second. A result of more than 17
  /// digits is rounded to 17, and a number that already has more can't be converted.
  case times(Int, over: Int = 1)
  /// Replaces each of these texts, also in a list.
  case map([String: String])
  /// Takes a part of a text that is divided at the first separator. Without a separator, the text
  /// is the first part, and there is no rest.
  case split(at: String, Part)

  /// A part of a divided text.
  public enum Part: String, Sendable, Hashable {
    /// The text before the separator.
    case first
    /// The text after it.
    case rest
  }

  /// The converted value, or `nil` if the value can't be converted.
  ///
  /// - Parameter value: A value of the other field.
  public func apply(_ value: JSONValue) -> JSONValue? {
    switch (self, value) {
    case (.same, _), (_, .null): return value
    case (.times(let factor, let divisor), .number(let number)):
      return DecimalValue(number.text.utf8).times(Int64(factor), over: Int64(divisor))
        .map { .number(JSONNumber(trusted: $0)) }
    case (.map(let texts), .string(let text)):
      // Compare bytes: by `==`, the Kelvin sign equals K.
      return texts.first { $0.key.hasBytes(of: text) }.map { .string($0.value) }
    case (.map, .array(let values)):
      let converted = values.compactMap(apply)
      return converted.count == values.count ? .array(converted) : nil
    case (.split(let separator, let part), .string(let text)):
      let bytes = Array(text.utf8)
      guard let range = bytes.firstRange(of: Array(separator.utf8)) else {
        return part == .first ? value : .null
      }
      let cut = part == .first ? bytes[..<range.lowerBound] : bytes[range.upperBound...]
      return .string(String(decoding: cut, as: UTF8.self))
    default: return nil
    }
  }
}

// MARK: - JSON

extension ValueConversion {
  /// The conversion as it is written in a schema file.
  package var json: JSONValue {
    switch self {
    case .same: return .object(JSONObject())
    case .times(let factor, let divisor):
      var object: JSONObject = ["times": .number(JSONNumber(Int64(factor)))]
      if divisor != 1 { object["over"] = .number(JSONNumber(Int64(divisor))) }
      return .object(object)
    case .map(let texts):
      let members = texts.sorted { $0.key.precedes($1.key) }
        .map { JSONObject.Member(name: $0.key, value: .string($0.value)) }
      return ["map": .object(JSONObject(members))]
    case .split(let separator, let part):
      return ["split": .string(separator), "part": .string(part.rawValue)]
    }
  }
}

extension SupersededField {
  package var json: JSONValue {
    var object: JSONObject = ["field": .string(name)]
    if conversion != .same { object["by"] = conversion.json }
    if let writing { object["writing"] = writing.json }
    return object.members.count == 1 ? .string(name) : .object(object)
  }
}
