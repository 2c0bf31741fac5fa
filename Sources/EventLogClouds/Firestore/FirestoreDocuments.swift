import EventLog
import EventLogRemotes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encodes objects as documents, and the requests and responses for them.
///
/// A document has at most 1 MiB, so a larger object has several parts, in the documents
/// `objects/NAME`, `objects/NAME/parts/2` and so on. One commit creates or deletes all of them.
struct FirestoreDocuments: Sendable {
  static let partBytes = 917_504
  /// The number of objects in a page: the maximum that the security rules allow.
  static let pageCount = 300

  let database: FirestoreDatabase
  /// The full name of the user's document.
  private let user: String
  private let collection: String

  init(_ location: FirestoreLocation, _ collection: String = "objects") {
    self.collection = collection
    database = FirestoreDatabase(location)
    user = database.document("users/\(location.user)")
  }

  /// Returns the number of an object's documents.
  static func partCount(_ byteCount: Int) -> Int {
    max(1, (byteCount + partBytes - 1) / partBytes)
  }

  private func object(_ name: String) -> String { "\(user)/\(collection)/\(name)" }
  private func part(_ number: Int, of name: String) -> String {
    "\(object(name))/parts/\(number)"
  }

  // MARK: - Writing

  /// Returns the writes that create an object, unless one with its name exists.
  func creation(of name: String, _ bytes: [UInt8]) -> [JSONValue] {
    let count = Self.partCount(bytes.count)
    return (1...count).map { number in
      let start = (number - 1) * Self.partBytes
      let piece = bytes[start..<min(start + Self.partBytes, bytes.count)]
      var fields: JSONObject = [
        "bytes": ["bytesValue": .string(Data(piece).base64EncodedString())]
      ]
      if number == 1 {
        fields["size"] = ["integerValue": .string("\(bytes.count)")]
        fields["parts"] = ["integerValue": .string("\(count)")]
      }
      var write: JSONObject = [
        "update": [
          "name": .string(number == 1 ? object(name) : part(number, of: name)),
          "fields": .object(fields),
        ],
        "currentDocument": ["exists": false],
      ]
      if number == 1 {
        write["updateTransforms"] = [
          ["fieldPath": "at", "setToServerValue": "REQUEST_TIME"]
        ]
      }
      return .object(write)
    }
  }

  func removal(of name: String, parts: Int) -> [JSONValue] {
    (1...parts).map { number in
      ["delete": .string(number == 1 ? object(name) : part(number, of: name))]
    }
  }

  // MARK: - Reading

  func reading(_ name: String) -> HTTPRequest { database.get(object(name)) }

  func readingSize(of name: String) -> HTTPRequest {
    database.get(object(name), query: "?mask.fieldPaths=size")
  }

  func reading(_ name: String, parts: Int) -> HTTPRequest {
    database.batchGet((2...parts).map { part($0, of: name) })
  }

  func listing(after name: String?) -> HTTPRequest {
    let order: JSONValue = [["field": ["fieldPath": "__name__"], "direction": "ASCENDING"]]
    let filter = name.map { last -> JSONValue in
      Self.filter("__name__", "GREATER_THAN", ["referenceValue": .string(object(last))])
    }
    return query(filter, order)
  }

  func listing(since time: Timestamp) -> HTTPRequest {
    query(
      Self.filter("at", "GREATER_THAN", ["timestampValue": .string(time.description)]),
      [["field": ["fieldPath": "at"], "direction": "ASCENDING"]])
  }

  private static func filter(
    _ field: String, _ operation: String, _ value: JSONValue
  ) -> JSONValue {
    [
      "fieldFilter": [
        "field": ["fieldPath": .string(field)], "op": .string(operation), "value": value,
      ]
    ]
  }

  private func query(_ filter: JSONValue?, _ order: JSONValue) -> HTTPRequest {
    var query: JSONObject = [
      "select": ["fields": [["fieldPath": "size"], ["fieldPath": "at"]]],
      "from": [["collectionId": .string(collection)]],
      "orderBy": order,
      "limit": .number(JSONNumber(Int64(Self.pageCount))),
    ]
    if let filter { query["where"] = filter }
    return database.post("\(database.url(user)):runQuery", ["structuredQuery": .object(query)])
  }

  // MARK: - Responses

  /// Returns whether the response confirms this number of writes.
  func isCommitted(_ body: [UInt8], _ count: Int) -> Bool {
    guard case .array(let results)? = (try? JSONValue(parsing: body))?["writeResults"] else {
      return false
    }
    return results.count == count
  }

  /// Returns the objects in the response to a query, or nil if it is malformed.
  func found(_ body: [UInt8]) -> [FoundObject]? {
    guard case .array(let rows)? = try? JSONValue(parsing: body) else { return nil }
    var found: [FoundObject] = []
    // Rows without a document contain only the read time.
    for document in rows.compactMap({ $0["document"] }) {
      guard case .string(let path)? = document["name"],
        path.utf8.starts(with: object("").utf8),
        let size = Self.integer(document["fields"]?["size"]),
        case .string(let at)? = document["fields"]?["at"]?["timestampValue"],
        let time = Timestamp(at)
      else { return nil }
      let name = String(Substring(path.utf8.dropFirst(object("").utf8.count)))
      // No object can be put under a longer name.
      guard name.utf8.count <= CloudLimits.nameBytesMax else { return nil }
      found.append(
        FoundObject(object: StoredObject(name: name, byteCount: size), time: time))
    }
    return found
  }

  /// Returns the first part of an object, the object's size, and the number of its parts.
  func head(_ body: [UInt8]) -> (bytes: [UInt8], byteCount: Int, parts: Int)? {
    guard let document = try? JSONValue(parsing: body),
      let bytes = Self.bytes(document), let size = Self.integer(document["fields"]?["size"]),
      let parts = Self.integer(document["fields"]?["parts"]),
      (0...Int64(CloudLimits.objectBytesMax)).contains(size),
      parts == Self.partCount(Int(size))
    else { return nil }
    return (bytes, Int(size), Int(parts))
  }

  func size(_ body: [UInt8]) -> Int64? {
    (try? JSONValue(parsing: body)).flatMap { Self.integer($0["fields"]?["size"]) }
  }

  /// Returns the parts from the second on, with nil for missing ones, or nil if the response is
  /// malformed.
  func parts(_ body: [UInt8], of name: String, _ count: Int) -> [[UInt8]?]? {
    guard case .array(let rows)? = try? JSONValue(parsing: body) else { return nil }
    var parts = [[UInt8]?](repeating: nil, count: count - 1)
    for document in rows.compactMap({ $0["found"] }) {
      guard case .string(let path)? = document["name"], let bytes = Self.bytes(document),
        let number = (2...count).first(where: { part($0, of: name) == path })
      else { return nil }
      parts[number - 2] = bytes
    }
    return parts
  }

  private static func bytes(_ document: JSONValue) -> [UInt8]? {
    guard let value = document["fields"]?["bytes"] else { return nil }
    // An empty value may be omitted.
    guard case .string(let text)? = value["bytesValue"] else { return [] }
    return Data(base64Encoded: text).map { Array($0) }
  }

  private static func integer(_ value: JSONValue?) -> Int64? {
    guard case .string(let text)? = value?["integerValue"], let number = Int64(text), number >= 0
    else { return nil }
    return number
  }
}

/// An object in the response to a query.
struct FoundObject: Sendable {
  let object: StoredObject
  /// The time of the put, by the server's clock.
  let time: Timestamp
}

extension JSONValue {
  /// The member with a name, or nil if there is none or the value isn't an object.
  subscript(name: String) -> JSONValue? {
    if case .object(let object) = self { object[name] } else { nil }
  }
}
