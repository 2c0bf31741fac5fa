#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension RecordField {
  /// A register of any `Codable` value, kept as JSON: the whole value is written, and concurrent
  /// different ones are a conflict.
  ///
  /// Dates within it are spelled as ``Timestamp`` is, in UTC with milliseconds. What cannot be
  /// encoded, as a number that is not finite, makes the edit throw `invalidEvent`. What cannot be
  /// decoded, from another version of the app, reads as what the record begins with.
  public static func register<Value: Codable & Sendable>(
    _ name: String, coding path: any WritableKeyPath<Root, Value> & Sendable, note: String = ""
  ) -> RecordField {
    RecordField(
      name: name, path: path, note: note, rule: .any,
      read: { json in try? Coding.decoder.decode(Value.self, from: Data(json.text.utf8)) },
      spell: { value throws(EventLogError) in try Coding.json(of: value, name) })
  }
}

/// How values within a register are spelled.
private enum Coding {
  static func json(of value: some Encodable, _ field: String) throws(EventLogError) -> JSONValue {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      encoder.dateEncodingStrategy = .custom { date, encoder in
        guard let time = Timestamp(date) else {
          throw EncodingError.invalidValue(
            date, .init(codingPath: encoder.codingPath, debugDescription: "The year is too far."))
        }
        try time.encode(to: encoder)
      }
      return try JSONValue(parsing: try encoder.encode(value))
    } catch {
      throw EventLogError(
        .invalidEvent, "\"\(field)\" cannot be written as JSON. Nothing was written.",
        hint: "It holds something that JSON has no form for, such as a number that is not finite.")
    }
  }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in Date(try Timestamp(from: decoder)) }
    return decoder
  }
}
