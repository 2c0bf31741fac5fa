import EventLog
import Foundation
import Synchronization

@testable import EventLogClouds

/// An in-memory CloudKit server with one person's private database, as in Apple's CloudKit Web
/// Services Reference.
///
/// Each response contains the next web token, and the previous one is no longer accepted.
final class CloudKitServer: HTTPTransport {
  static let apiToken = String(repeating: "a1/+=", count: 13)

  /// A fault to inject into a request.
  enum Fault: Sendable {
    /// An error of the whole request.
    case response(Int, String, retryAfter: Double? = nil)
    /// An error of one record, by its position. In an atomic request, the others fail with it.
    case record(Int, String, retryAfter: Double? = nil)
    /// An atomic failure that doesn't name the record that caused it.
    case atomic
    /// The request is executed, but the connection breaks before the response.
    case lost
    /// A response that isn't CloudKit's.
    case body(Int, String)
    /// An endless listing.
    case endless
  }

  struct State {
    var tokens: Set<String> = []
    var tokenCount = 0
    var zones: Set<String> = []
    var records: [String: Record] = [:]
    var deleted: [String: Int] = [:]
    /// The number of changes so far.
    var clock = 0
    /// The last change whose token has expired.
    var expired = -1
    var faults: [Fault] = []
    var requests: [Request] = []
    var inFlight = 0
  }

  struct Record {
    var type: JSONValue
    var fields: JSONObject
    var time: Int
  }

  struct Request: Sendable {
    let path: String
    let token: String
    let body: JSONValue
    let response: [UInt8]
  }

  let state = Mutex(State())
  let pageCount: Int
  /// Whether deleting a record that doesn't exist is an error.
  let deletesStrictly: Bool
  /// The error code for a record that already exists.
  let takenCode: String

  init(pageCount: Int = 200, deletesStrictly: Bool = true, takenCode: String = "EXISTS") {
    (self.pageCount, self.deletesStrictly) = (pageCount, deletesStrictly)
    self.takenCode = takenCode
  }

  var requests: [Request] { state.withLock(\.requests) }
  var paths: [String] { requests.map(\.path) }

  /// Signs a user in, and returns the web token.
  func signIn() -> String { state.withLock { Self.newToken(&$0) } }

  func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

  private static func newToken(_ state: inout State) -> String {
    state.tokenCount += 1
    let token = "web+token/\(state.tokenCount)/" + String(repeating: "x+/9", count: 20) + "=="
    state.tokens.insert(token)
    return token
  }

  // MARK: - HTTP

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    state.withLock { state in
      state.inFlight += 1
      precondition(state.inFlight == 1, "Two requests at once would use the same token.")
    }
    // Give overlapping requests, if any, a chance to run.
    for _ in 0..<5 { await Task.yield() }
    return try state.withLock { (state) throws(HTTPFault) in
      state.inFlight -= 1
      return try response(request, &state)
    }
  }

  private func response(
    _ request: HTTPRequest, _ state: inout State
  ) throws(HTTPFault) -> HTTPResponse {
    guard request.method == "POST", request.isValid,
      let parts = URLComponents(string: request.url), parts.scheme == "https",
      parts.host == "api.apple-cloudkit.com"
    else { throw .invalidRequest }
    let prefix = "/database/1/iCloud.com.example.diary/development/private/"
    guard parts.path.hasPrefix(prefix), let body = try? JSONValue(parsing: request.body) else {
      return Self.error(400, "BAD_REQUEST", "not a request")
    }
    var values: [String: String] = [:]
    for item in parts.percentEncodedQueryItems ?? [] {
      // A plus is a space, as in HTML forms.
      values[item.name] =
        item.value?.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
    }
    guard values["ckAPIToken"] == Self.apiToken else {
      return Self.error(401, "AUTHENTICATION_FAILED", "no auth method found")
    }
    guard let token = values["ckWebAuthToken"], state.tokens.remove(token) != nil else {
      return Self.error(421, "AUTHENTICATION_REQUIRED", "request needs authorization")
    }
    let path = String(parts.path.dropFirst(prefix.count))
    let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
    var response = outcome(path, body, fault, &state)
    state.requests.append(
      Request(path: path, token: token, body: body, response: response.body))
    response.headers = [
      HTTPHeader("x-apple-cloudkit-web-auth-token", Self.newToken(&state))
    ]
    if case .lost? = fault { throw .connectionLost("Connection reset by peer") }
    return response
  }

  private func outcome(
    _ path: String, _ body: JSONValue, _ fault: Fault?, _ state: inout State
  ) -> HTTPResponse {
    switch fault {
    case .response(let status, let code, let seconds)?:
      return Self.error(status, code, "as asked for", retryAfter: seconds)
    case .body(let status, let text)?: return HTTPResponse(status: status, body: Array(text.utf8))
    default: break
    }
    let zone = body["zoneID"]?["zoneName"]
    switch path {
    case "zones/modify": return makeZones(body, &state)
    case "changes/zone": return changes(body, fault, &state)
    case "records/modify", "records/lookup":
      guard case .string(let name)? = zone, state.zones.contains(name) else {
        return Self.error(404, "ZONE_NOT_FOUND", "Zone does not exist")
      }
      return path == "records/modify"
        ? modify(body, fault, &state) : lookup(body, fault, &state)
    default: return Self.error(404, "NOT_FOUND", "no such path")
    }
  }

  static func error(
    _ status: Int, _ code: String, _ reason: String, retryAfter: Double? = nil
  ) -> HTTPResponse {
    json(status, problem(code, reason, retryAfter))
  }

  private static func problem(
    _ code: String, _ reason: String, _ retryAfter: Double? = nil, record: String? = nil
  ) -> JSONObject {
    var problem: JSONObject = [
      "uuid": "4f02f7aa-fbb5-4cf8-ae8e-4dd463793841", "serverErrorCode": .string(code),
      "reason": .string(reason),
    ]
    if let record { problem["recordName"] = .string(record) }
    if let retryAfter { problem["retryAfter"] = .number(JSONNumber(Int64(retryAfter))) }
    if code == "AUTHENTICATION_REQUIRED" {
      problem["redirectURL"] = "https://idmsa.apple.com/IDMSWebAuth/auth?secret=redirect"
    }
    return problem
  }

  private static func json(_ status: Int, _ object: JSONObject) -> HTTPResponse {
    var bytes: [UInt8] = []
    object.write(to: &bytes)
    return HTTPResponse(status: status, body: bytes)
  }

  // MARK: - Operations

  private func makeZones(_ body: JSONValue, _ state: inout State) -> HTTPResponse {
    var zones: [JSONValue] = []
    for operation in body.list("operations") {
      guard operation["operationType"] == "create",
        case .string(let name)? = operation["zone"]?["zoneID"]?["zoneName"]
      else { return Self.error(400, "BAD_REQUEST", "not a zone") }
      state.zones.insert(name)
      zones.append(["zoneID": ["zoneName": .string(name)], "syncToken": "AA==", "atomic": true])
    }
    return Self.json(200, ["zones": .array(zones)])
  }

  private func modify(
    _ body: JSONValue, _ fault: Fault?, _ state: inout State
  ) -> HTTPResponse {
    let operations = body.list("operations")
    // The member defaults to true.
    let isAtomic = body["atomic"] != .bool(false)
    guard (1...200).contains(operations.count) else {
      return Self.error(400, "BAD_REQUEST", "limit of operations")
    }
    let before = (state.records, state.deleted, state.clock)
    var (results, cause): ([JSONObject], Int?) = ([], nil)
    for (index, operation) in operations.enumerated() {
      guard case .string(let name)? = operation["record"]?["recordName"],
        name.utf8.count <= 255, name.utf8.first != UInt8(ascii: "_")
      else { return Self.error(400, "BAD_REQUEST", "recordName") }
      var result: JSONObject
      if case .record(index, let code, let seconds)? = fault {
        result = Self.problem(code, "as asked for", seconds, record: name)
      } else {
        result = apply(operation, name, &state)
      }
      if result["serverErrorCode"] != nil, cause == nil { cause = index }
      results.append(result)
    }
    var isUnattributed = false
    if case .atomic? = fault { isUnattributed = true }
    if isAtomic, cause != nil || isUnattributed {
      (state.records, state.deleted, state.clock) = before
      if isUnattributed { return Self.error(400, "ATOMIC_ERROR", "an atomic operation failed") }
      for index in results.indices where index != cause {
        guard case .string(let name)? = results[index]["recordName"] else { continue }
        results[index] = Self.problem("ATOMIC_ERROR", "another one failed", record: name)
      }
    }
    return Self.json(200, ["records": .array(results.map { .object($0) })])
  }

  private func apply(
    _ operation: JSONValue, _ name: String, _ state: inout State
  ) -> JSONObject {
    switch operation["operationType"] {
    case "create":
      guard case .object(let fields)? = operation["record"]?["fields"],
        let type = operation["record"]?["recordType"],
        case .string(let text)? = fields["bytes"]?["value"], fields["bytes"]?["type"] == "BYTES",
        fields["size"]?["type"] == "INT64", let bytes = Data(base64Encoded: text),
        bytes.count <= 1_000_000
      else { return Self.problem("BAD_REQUEST", "not a record", record: name) }
      if state.records[name] != nil {
        return Self.problem(takenCode, "record to insert already exists", record: name)
      }
      state.clock += 1
      state.deleted[name] = nil
      state.records[name] = Record(type: type, fields: fields, time: state.clock)
      return Self.shown(name, state.records[name], ["size"])
    case "forceDelete":
      guard state.records.removeValue(forKey: name) != nil else {
        return deletesStrictly
          ? Self.problem("NOT_FOUND", "Record not found", record: name)
          : ["recordName": .string(name), "deleted": true]
      }
      state.clock += 1
      state.deleted[name] = state.clock
      return ["recordName": .string(name), "deleted": true]
    default: return Self.problem("BAD_REQUEST", "operationType", record: name)
    }
  }

  private static func shown(
    _ name: String, _ record: Record?, _ keys: Set<String>?
  ) -> JSONObject {
    guard let record else { return problem("NOT_FOUND", "Record not found", record: name) }
    var fields = record.fields
    if let keys { fields = JSONObject(fields.members.filter { keys.contains($0.name) }) }
    return [
      "recordName": .string(name), "recordType": record.type, "fields": .object(fields),
      "recordChangeTag": .string("\(record.time)"), "deleted": false,
    ]
  }

  private func lookup(
    _ body: JSONValue, _ fault: Fault?, _ state: inout State
  ) -> HTTPResponse {
    var results: [JSONValue] = []
    for (index, value) in body.list("records").enumerated() {
      guard case .string(let name)? = value["recordName"] else {
        return Self.error(400, "BAD_REQUEST", "recordName")
      }
      if case .record(index, let code, let seconds)? = fault {
        results.append(.object(Self.problem(code, "as asked for", seconds, record: name)))
      } else {
        results.append(.object(Self.shown(name, state.records[name], nil)))
      }
    }
    return Self.json(200, ["records": .array(results)])
  }

  private func changes(
    _ body: JSONValue, _ fault: Fault?, _ state: inout State
  ) -> HTTPResponse {
    guard let requested = body.list("zones").first, body.list("zones").count == 1,
      let zone = requested["zoneID"], case .string(let name)? = zone["zoneName"]
    else { return Self.error(400, "BAD_REQUEST", "not a zone") }
    func failure(_ code: String, _ reason: String) -> HTTPResponse {
      var problem = Self.problem(code, reason)
      problem["zoneID"] = zone
      return Self.json(200, ["zones": [.object(problem)]])
    }
    guard state.zones.contains(name) else { return failure("ZONE_NOT_FOUND", "no zone") }
    var since = 0
    if let token = requested["syncToken"] {
      guard case .string(let text) = token, text.hasPrefix("sync+"),
        let time = Int(text.dropFirst(5).dropLast(2)), time > state.expired
      else { return failure("BAD_REQUEST", "Unknown sync continuation type") }
      since = time
    }
    var all: [(time: Int, result: JSONObject)] = []
    let keys = Set(
      requested.list("desiredKeys").compactMap {
        if case .string(let key) = $0 { key } else { nil }
      })
    for (name, record) in state.records where record.time > since {
      all.append((record.time, Self.shown(name, record, keys)))
    }
    for (name, time) in state.deleted where time > since {
      all.append((time, ["recordName": .string(name), "deleted": true]))
    }
    all.sort { $0.time < $1.time }
    var limit = pageCount
    if case .number(let number)? = requested["resultsLimit"], let count = number.integer {
      limit = min(limit, Int(count))
    }
    let page = all.prefix(limit)
    var isMore = all.count > limit
    if case .endless? = fault {
      isMore = true
      state.faults.append(.endless)
    }
    return Self.json(
      200,
      [
        "zones": [
          [
            "zoneID": zone, "moreComing": .bool(isMore),
            "syncToken": .string("sync+\(page.last?.time ?? max(since, state.clock))=="),
            "records": .array(page.map { .object($0.result) }),
          ]
        ]
      ])
  }
}
