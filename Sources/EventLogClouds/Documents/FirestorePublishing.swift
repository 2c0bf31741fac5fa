import EventLog

/// Encodes published documents for Firestore.
struct FirestorePublishing: Sendable {
  let database: FirestoreDatabase
  private let user: String

  init(_ location: FirestoreLocation) {
    (database, user) = (FirestoreDatabase(location), location.user)
  }

  /// Returns the full name of a text's document.
  private func text(_ name: String) -> String {
    database.document("users/\(user)/published/\(name)")
  }

  func readRequest(_ names: [String]) -> HTTPRequest { database.batchGet(names.map(text)) }

  // MARK: - Writes

  /// - Throws: `invalidSchema` for a document or text that Firestore can't hold.
  func writes(_ commit: DocumentCommit) throws(EventLogError) -> [JSONValue] {
    var writes: [JSONValue] = []
    for document in commit.written { writes.append(try write(document)) }
    writes += commit.deleted.map { ["delete": .string(database.document($0))] }
    // The conditional write comes last, because ``revision(_:)`` reads the result of the last
    // write.
    for (name, text) in commit.texts where name != commit.name {
      writes.append(.object(try write(text, name)))
    }
    var last = try write(commit.texts[commit.name] ?? "", commit.name)
    last["currentDocument"] =
      commit.revision.map { ["updateTime": .string($0)] } ?? ["exists": false]
    return writes + [.object(last)]
  }

  private func write(_ text: String, _ name: String) throws(EventLogError) -> JSONObject {
    guard text.utf8.count < FirestoreValue.documentBytesMax - 10_000 else {
      throw EventLogError(
        .invalidSchema,
        "The layout has too many documents: Eventlog remembers \(name) of them in"
          + " \(text.utf8.count) bytes, which Firestore doesn't take.",
        hint: "Split it into several layouts with names of their own.")
    }
    return [
      "update": [
        "name": .string(self.text(name)), "fields": ["text": ["stringValue": .string(text)]],
      ]
    ]
  }

  /// - Throws: `invalidSchema` for a document that Firestore can't hold.
  func write(_ published: PublishedDocument) throws(EventLogError) -> JSONValue {
    var fields: JSONObject = [:]
    // Firestore also counts the document's name and 48 bytes.
    var size = published.path.utf8.count + 100 + user.utf8.count
    for (name, value) in published.fields.sorted(by: { $0.key < $1.key }) {
      do throws(FirestoreValue.UnsupportedValue) {
        try FirestoreValue.check(name: name)
        let value = try FirestoreValue(value)
        size += name.utf8.count + 1 + value.byteCount
        fields[name] = value.json
      } catch {
        throw Self.refused(published.path, "\(error.reason) in \"\(SafeText.quote(name))\"")
      }
    }
    guard size <= FirestoreValue.documentBytesMax else {
      throw Self.refused(published.path, "has \(size) bytes")
    }
    return [
      "update": [
        "name": .string(database.document(published.path)), "fields": .object(fields),
      ]
    ]
  }

  private static func refused(_ path: String, _ reason: String) -> EventLogError {
    EventLogError(
      .invalidSchema,
      "The document \"\(SafeText.quote(path))\" \(reason), which Firestore doesn't take. Nothing"
        + " was sent.",
      hint: "Leave the field out of the layout.")
  }

  // MARK: - Responses

  /// Returns the requested texts, or nil if the response is malformed.
  func texts(_ body: [UInt8], _ names: [String]) -> [String: (text: String, revision: String)]? {
    guard case .array(let rows)? = try? JSONValue(parsing: body), rows.count == names.count else {
      return nil
    }
    let paths = Dictionary(names.map { (text($0), $0) }) { first, _ in first }
    var texts: [String: (text: String, revision: String)] = [:]
    for row in rows {
      if case .string(let path)? = row["missing"], paths[path] != nil { continue }
      guard let found = row["found"], case .string(let path)? = found["name"],
        let name = paths[path], case .string(let revision)? = found["updateTime"],
        case .string(let text)? = found["fields"]?["text"]?["stringValue"]
      else { return nil }
      texts[name] = (text, revision)
    }
    return texts
  }

  /// Returns the revision of a commit's last document, or nil if the response is malformed.
  func revision(_ body: [UInt8]) -> String? {
    guard let response = try? JSONValue(parsing: body),
      case .array(let results)? = response["writeResults"],
      case .string(let revision)? = results.last?["updateTime"]
    else { return nil }
    return revision
  }
}
