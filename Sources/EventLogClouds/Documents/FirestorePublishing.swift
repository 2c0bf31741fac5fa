import EventLog

/// How published documents are spelled for Firestore.
struct FirestorePublishing: Sendable {
  /// The most bytes of a document; Firestore takes 1 MiB and counts a little differently.
  private static let documentBytesMax = 1_000_000

  private let api: String
  private let database: String
  private let user: String

  init(_ place: FirestorePlace) {
    database = "projects/\(place.project)/databases/(default)"
    (api, user) = ("\(place.host)/v1/", place.user)
  }

  private func document(_ path: String) -> String { "\(database)/documents/\(path)" }
  private func state(of name: String) -> String { document("users/\(user)/published/\(name)") }

  func reading(_ name: String) -> HTTPRequest {
    HTTPRequest("GET", api + PercentEncoding.encode(state(of: name), keeping: "/()"))
  }

  func commit(_ writes: [JSONValue]) -> HTTPRequest {
    var bytes: [UInt8] = []
    (["writes": .array(writes)] as JSONValue).write(to: &bytes)
    return HTTPRequest(
      "POST", api + PercentEncoding.encode(database, keeping: "/()") + "/documents:commit",
      headers: [HTTPHeader("Content-Type", "application/json")], body: bytes)
  }

  // MARK: - Writes

  /// - Throws: `invalidSchema` for a document that Firestore can't hold.
  func writing(_ published: PublishedDocument) throws(EventLogError) -> JSONValue {
    var fields: JSONObject = [:]
    for (name, value) in published.fields.sorted(by: { $0.key < $1.key }) {
      switch value {
      case .timestamp(let time): fields[name] = ["timestampValue": .string(time.description)]
      case .json(let json):
        guard let value = Self.value(json) else {
          throw Self.refused(published.path, "has a list within a list in \"\(name)\"")
        }
        fields[name] = value
      }
    }
    guard published.byteCount / 2 <= Self.documentBytesMax else {
      throw Self.refused(published.path, "has more than \(Self.documentBytesMax) bytes")
    }
    return ["update": ["name": .string(document(published.path)), "fields": .object(fields)]]
  }

  func deleting(_ path: String) -> JSONValue { ["delete": .string(document(path))] }

  func publishing(_ text: String, _ name: String, after revision: String?) -> JSONValue {
    [
      "update": [
        "name": .string(state(of: name)), "fields": ["state": ["stringValue": .string(text)]],
      ],
      "currentDocument": revision.map { ["updateTime": .string($0)] } ?? ["exists": false],
    ]
  }

  private static func refused(_ path: String, _ reason: String) -> EventLogError {
    EventLogError(
      .invalidSchema,
      "The document \"\(SafeText.quote(path))\" \(reason), which Firestore doesn't take.",
      hint: "Leave the field out of the layout.")
  }

  /// A value in Firestore's spelling; nil for a list that contains a list.
  private static func value(_ json: JSONValue) -> JSONValue? {
    switch json {
    case .null: return ["nullValue": .null]
    case .bool(let flag): return ["booleanValue": .bool(flag)]
    case .string(let text): return ["stringValue": .string(text)]
    case .number(let number):
      if let integer = number.integer { return ["integerValue": .string("\(integer)")] }
      return ["doubleValue": json]
    case .array(let values):
      var list: [JSONValue] = []
      for value in values {
        if case .array = value { return nil }
        guard let value = Self.value(value) else { return nil }
        list.append(value)
      }
      return ["arrayValue": ["values": .array(list)]]
    case .object(let object):
      var fields: JSONObject = [:]
      for member in object.members {
        guard let value = Self.value(member.value) else { return nil }
        fields[member.name] = value
      }
      return ["mapValue": ["fields": .object(fields)]]
    }
  }

  // MARK: - Answers

  func state(_ body: [UInt8]) -> (text: String, revision: String)? {
    guard let document = try? JSONValue(parsing: body),
      case .string(let revision)? = document["updateTime"],
      case .string(let text)? = document["fields"]?["state"]?["stringValue"]
    else { return nil }
    return (text, revision)
  }

  /// The revision of the last document of a commit.
  func revision(_ body: [UInt8]) -> String? {
    guard let answer = try? JSONValue(parsing: body),
      case .array(let results)? = answer["writeResults"],
      case .string(let revision)? = results.last?["updateTime"]
    else { return nil }
    return revision
  }
}
