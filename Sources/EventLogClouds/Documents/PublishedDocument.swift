public import EventLog

/// A document for other clients: a projection that Eventlog never reads back.
public struct PublishedDocument: Sendable, Hashable {
  /// The value of a field.
  public enum Value: Sendable, Hashable {
    /// A JSON value, as in events.
    case json(JSONValue)
    /// A point in time.
    case timestamp(Timestamp)
  }

  /// The path of the document, such as `users/ada/habits/read`.
  public let path: String
  /// The fields by name.
  public let fields: [String: Value]

  /// Creates a document.
  ///
  /// - Parameters:
  ///   - path: The path of the document.
  ///   - fields: The fields by name.
  public init(path: String, fields: [String: Value]) {
    (self.path, self.fields) = (path, fields)
  }

  /// The fields as JSON. Points in time are strings.
  package var json: JSONValue {
    .sorted(
      fields.map { name, value in
        switch value {
        case .json(let json): .init(name: name, value: json)
        case .timestamp(let time): .init(name: name, value: .string(time.description))
        }
      })
  }
}

extension PublishedDocument {
  /// The digest of the fields, without the path.
  var digest: String {
    let fields = fields.map { name, value -> JSONObject.Member in
      switch value {
      case .json(let json): .init(name: name, value: ["json": json])
      case .timestamp(let time):
        .init(name: name, value: ["timestamp": .string(time.description)])
      }
    }
    return SHA256.short(JSONValue.sorted(fields).text)
  }
}
