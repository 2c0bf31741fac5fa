import EventLog
import EventLogClouds
import Foundation
import Synchronization

/// An in-memory server for the protocols of clouds that counts requests.
final class CloudModel: HTTPTransport {
  /// The billed parts of requests.
  struct Count {
    var reads = 0
    /// The reads that are listings.
    var listings = 0
    var writes = 0
    var removes = 0
    /// The documents that Firestore bills, including one for a query without results.
    var documentsRead = 0
    var documentsWritten = 0
    var documentsDeleted = 0

    static func += (left: inout Count, right: Count) {
      left.reads += right.reads
      left.listings += right.listings
      left.writes += right.writes
      left.removes += right.removes
      left.documentsRead += right.documentsRead
      left.documentsWritten += right.documentsWritten
      left.documentsDeleted += right.documentsDeleted
    }
  }

  struct Object {
    var bytes: [UInt8]
    var at: Timestamp
  }

  struct State {
    var objects: [String: Object] = [:]
    var count = Count()
  }

  private let state = Mutex(State())
  private let clock: AdjustableTime

  /// - Parameter clock: Returns the server's time.
  init(clock: @escaping AdjustableTime) { self.clock = clock }

  typealias AdjustableTime = @Sendable () -> Timestamp

  /// The number of objects.
  var objectCount: Int { state.withLock { $0.objects.count } }

  /// Returns the count since the last call.
  func takeCount() -> Count {
    state.withLock { state in
      defer { state.count = Count() }
      return state.count
    }
  }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    let now = clock()
    return state.withLock { state in
      if request.url.contains("/v1/") { return state.firestore(request, now) }
      if request.url.contains("list-type=2") { return state.bucketPage(request) }
      return state.file(request, now)
    }
  }
}

// MARK: - S3 and WebDAV

extension CloudModel.State {
  private static func name(_ url: String) -> String {
    String(url.split(separator: "/").last ?? "")
  }

  fileprivate mutating func file(_ request: HTTPRequest, _ now: Timestamp) -> HTTPResponse {
    let name = Self.name(request.url)
    switch request.method {
    case "GET":
      count.reads += 1
      return objects[name].map { HTTPResponse(status: 200, body: $0.bytes) }
        ?? HTTPResponse(status: 404)
    case "PROPFIND":
      count.reads += 1
      return HTTPResponse(status: 207, body: Array(folder.utf8))
    case "PUT":
      count.writes += 1
      let isConditional = request.headers.contains { $0.name == "If-None-Match" }
      guard !isConditional || objects[name] == nil else { return HTTPResponse(status: 412) }
      objects[name] = .init(bytes: request.body, at: now)
      return HTTPResponse(status: 201, headers: [HTTPHeader("ETag", "1")])
    case "MOVE":
      count.writes += 1
      let target = request.headers.first { $0.name == "Destination" }.map { Self.name($0.value) }
      guard let target, objects[target] == nil else { return HTTPResponse(status: 412) }
      objects[target] = objects.removeValue(forKey: name)
      return HTTPResponse(status: 201)
    default:
      count.removes += 1
      objects[name] = nil
      return HTTPResponse(status: 204)
    }
  }

  private var folder: String {
    let own =
      "<response><href>/ada/</href><propstat><prop><resourcetype><collection/>"
      + "</resourcetype></prop></propstat></response>"
    return objects.reduce(into: "<multistatus>\(own)") { text, object in
      text +=
        "<response><href>/ada/\(object.key)</href><propstat><prop><getcontentlength>"
        + "\(object.value.bytes.count)</getcontentlength></prop></propstat></response>"
    } + "</multistatus>"
  }

  /// Returns all objects, which fit into one page here.
  fileprivate mutating func bucketPage(_ request: HTTPRequest) -> HTTPResponse {
    count.reads += 1
    count.listings += 1
    let text = objects.keys.sorted().reduce(into: "<ListBucketResult>") { text, name in
      let size = objects[name]?.bytes.count ?? 0
      text += "<Contents><Key>ada/\(name)</Key><Size>\(size)</Size></Contents>"
    }
    return HTTPResponse(status: 200, body: Array((text + "</ListBucketResult>").utf8))
  }
}

// MARK: - Firestore

extension CloudModel.State {
  fileprivate mutating func firestore(_ request: HTTPRequest, _ now: Timestamp) -> HTTPResponse {
    let body = try? JSONValue(parsing: request.body)
    if request.url.hasSuffix(":commit") { return commit(body?["writes"]?.elements ?? [], now) }
    count.reads += 1
    if request.url.hasSuffix(":runQuery") { return query(body?["structuredQuery"]) }
    let name = Self.name(String(request.url.prefix { $0 != "?" }))
    count.documentsRead += 1
    guard let object = objects[name] else { return HTTPResponse(status: 404) }
    return Self.response(Self.document(name, object, isWhole: true))
  }

  private mutating func commit(_ writes: [JSONValue], _ now: Timestamp) -> HTTPResponse {
    for write in writes {
      if let name = write["delete"]?.text.map(Self.name) {
        count.removes += 1
        count.documentsDeleted += 1
        objects[name] = nil
      } else if let document = write["update"], let name = document["name"]?.text.map(Self.name) {
        count.writes += 1
        guard objects[name] == nil else {
          return Self.response(["error": ["status": "ALREADY_EXISTS"]], status: 409)
        }
        count.documentsWritten += 1
        let bytes = document["fields"]?["bytes"]?["bytesValue"]?.text
        objects[name] = .init(bytes: Array(Data(base64Encoded: bytes ?? "") ?? Data()), at: now)
      }
    }
    return Self.response(["writeResults": .array(writes.map { _ in [:] })])
  }

  private mutating func query(_ query: JSONValue?) -> HTTPResponse {
    let filter = query?["where"]?["fieldFilter"]?["value"]
    let time = filter?["timestampValue"]?.text.flatMap { Timestamp($0) }
    let last = filter?["referenceValue"]?.text.map(Self.name)
    let found = objects.filter { name, object in
      (time.map { object.at > $0 } ?? true) && (last.map { name > $0 } ?? true)
    }
    .sorted { time == nil ? $0.key < $1.key : $0.value.at < $1.value.at }.prefix(300)
    count.documentsRead += max(1, found.count)
    return Self.response(
      .array(found.map { ["document": Self.document($0.key, $0.value, isWhole: false)] }))
  }

  private static func document(_ name: String, _ object: CloudModel.Object, isWhole: Bool)
    -> JSONValue
  {
    var fields: JSONObject = [
      "size": ["integerValue": .string("\(object.bytes.count)")],
      "at": ["timestampValue": .string(object.at.description)],
    ]
    if isWhole {
      fields["parts"] = ["integerValue": "1"]
      fields["bytes"] = ["bytesValue": .string(Data(object.bytes).base64EncodedString())]
    }
    let user = "projects/demo/databases/(default)/documents/users/ada"
    return ["name": .string("\(user)/objects/\(name)"), "fields": .object(fields)]
  }

  private static func response(_ value: JSONValue, status: Int = 200) -> HTTPResponse {
    var bytes: [UInt8] = []
    value.write(to: &bytes)
    return HTTPResponse(status: status, body: bytes)
  }
}

extension JSONValue {
  fileprivate subscript(name: String) -> JSONValue? {
    if case .object(let object) = self { object[name] } else { nil }
  }

  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
  fileprivate var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}
