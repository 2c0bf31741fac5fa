import EventLog

/// The basic requests to a Firestore database.
struct FirestoreDatabase: Sendable {
  private let api: String
  private let name: String

  init(_ location: FirestoreLocation) {
    (api, name) = ("\(location.host)/v1/", "projects/\(location.project)/databases/(default)")
  }

  /// Returns the full name of the document at a path.
  func document(_ path: String) -> String { "\(name)/documents/\(path)" }

  func url(_ name: String) -> String { api + PercentEncoding.encode(name, keeping: "/()") }

  func get(_ document: String, query: String = "") -> HTTPRequest {
    HTTPRequest("GET", url(document) + query)
  }

  func post(_ url: String, _ body: JSONValue) -> HTTPRequest {
    var bytes: [UInt8] = []
    body.write(to: &bytes)
    return HTTPRequest(
      "POST", url, headers: [HTTPHeader("Content-Type", "application/json")], body: bytes)
  }

  /// A request to change documents atomically.
  func commit(_ writes: [JSONValue]) -> HTTPRequest {
    post("\(url(name))/documents:commit", ["writes": .array(writes)])
  }

  /// A request to read documents, all at one point in time.
  func batchGet(_ documents: [String]) -> HTTPRequest {
    var request = post(
      "\(url(name))/documents:batchGet",
      ["documents": .array(documents.map { .string($0) })])
    request.limits.bodyBytes = CloudLimits.objectBytesMax
    return request
  }
}
