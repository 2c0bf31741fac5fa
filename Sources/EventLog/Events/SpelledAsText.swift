// Values that are encoded as their text.

extension Day: Codable {
  /// Creates a day by decoding a string in the form `YYYY-MM-DD`.
  public init(from decoder: any Decoder) throws {
    self = try decoder.spelled { Day($0) }
  }

  /// Encodes the day as a string in the form `YYYY-MM-DD`.
  public func encode(to encoder: any Encoder) throws { try encoder.spell(description) }
}

extension Timestamp: Codable {
  /// Creates a timestamp by decoding a string with seconds and an offset or `Z` (RFC 3339).
  public init(from decoder: any Decoder) throws {
    self = try decoder.spelled { Timestamp($0) }
  }

  /// Encodes the timestamp as a string in the form `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  public func encode(to encoder: any Encoder) throws { try encoder.spell(description) }
}

extension Decoder {
  func spelled<Value>(_ read: (String) -> Value?) throws -> Value {
    let container = try singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = read(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text)\" is not a valid \(Value.self).")
    }
    return value
  }
}

extension Encoder {
  func spell(_ text: String) throws {
    var container = singleValueContainer()
    try container.encode(text)
  }
}
