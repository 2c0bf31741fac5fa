#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension RecordField {
  /// Returns a register for a property of any `Codable` type, stored as JSON.
  ///
  /// The value is written as a whole. Concurrent writes of different values are a conflict.
  ///
  /// Dates in the value are stored like a ``Timestamp``, in UTC with milliseconds. If a value can't
  /// be encoded, such as a number that isn't finite, the edit throws `invalidEvent`. If a stored
  /// value can't be decoded, for example because another version of the app wrote it, the property
  /// keeps the value that `init()` gives it. An edit without `over` replaces neither such a value
  /// nor one that differs when it is encoded again: see ``Stored/unreadable``.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - path: The property.
  ///   - note: A short description that `eventlog types` prints.
  public static func register<Value: Codable & Sendable>(
    _ name: String, coding path: any WritableKeyPath<Root, Value> & Sendable, note: String = ""
  ) -> RecordField {
    RecordField(
      name: name, path: path, note: note, rule: .any,
      read: { json in try? Coding.decoder.decode(Value.self, from: Data(json.text.utf8)) },
      // Decoding drops members that the type doesn't declare.
      contains: { (json, value) in
        (try? Coding.json(of: value, name)).map { json.isKept(in: $0) } ?? false
      },
      spell: { value throws(EventLogError) in try Coding.json(of: value, name) })
  }
}

/// How values in a register are encoded.
private enum Coding {
  static func json(of value: some Encodable, _ field: String) throws(EventLogError) -> JSONValue {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      encoder.dateEncodingStrategy = .custom { date, encoder in
        guard let time = Timestamp(date) else {
          throw EncodingError.invalidValue(
            date,
            .init(codingPath: encoder.codingPath, debugDescription: "The year is out of range."))
        }
        try time.encode(to: encoder)
      }
      return try JSONValue(parsing: try encoder.encode(value))
    } catch {
      throw EventLogError(
        .invalidEvent, "\"\(field)\" cannot be written as JSON. Nothing was written.",
        hint: "It contains something that JSON cannot represent, such as NaN, infinity, or a date"
          + " outside the years 0000 to 9999.")
    }
  }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in Date(try Timestamp(from: decoder)) }
    return decoder
  }
}
