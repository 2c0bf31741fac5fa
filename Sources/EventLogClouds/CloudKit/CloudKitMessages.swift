import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encodes requests to CloudKit Web Services, and decodes the responses.
struct CloudKitMessages: Sendable {
  /// The maximum number of records in a response.
  static let pageCount: Int64 = 200

  private let base: String
  private let zone: JSONValue

  init(_ location: CloudKitLocation) {
    base = location.base
    zone = ["zoneName": .string(location.zone)]
  }

  private func post(_ path: String, _ body: JSONObject) -> HTTPRequest {
    var bytes: [UInt8] = []
    body.write(to: &bytes)
    return HTTPRequest(
      "POST", base + path, headers: [HTTPHeader("Content-Type", "application/json")], body: bytes)
  }

  // MARK: - Requests

  /// A request for a single record isn't atomic, so that it returns the record's own error.
  func modification(
    creating records: [CloudKitRecord], deleting names: [String]
  ) -> HTTPRequest {
    let creations = records.map { record -> JSONValue in
      let bytes = Data(record.bytes).base64EncodedString()
      return [
        "operationType": "create",
        "record": [
          "recordName": .string(record.name), "recordType": .string(CloudKitRecord.type),
          "fields": [
            CloudKitRecord.bytesField: ["value": .string(bytes), "type": "BYTES"],
            CloudKitRecord.sizeField: ["value": .number(JSONNumber(record.size)), "type": "INT64"],
          ],
        ],
      ]
    }
    let deletions = names.map { name -> JSONValue in
      ["operationType": "forceDelete", "record": ["recordName": .string(name)]]
    }
    return post(
      "records/modify",
      [
        "operations": .array(creations + deletions), "zoneID": zone,
        "atomic": .bool(records.count + names.count > 1),
        // Leaves the bytes out of the response.
        "desiredKeys": [.string(CloudKitRecord.sizeField)],
      ])
  }

  var zoneCreation: HTTPRequest {
    post("zones/modify", ["operations": [["operationType": "create", "zone": ["zoneID": zone]]]])
  }

  func changes(since token: String?) -> HTTPRequest {
    var query: JSONObject = [
      "zoneID": zone, "desiredKeys": [.string(CloudKitRecord.sizeField)],
      "resultsLimit": .number(JSONNumber(Self.pageCount)),
    ]
    if let token { query["syncToken"] = .string(token) }
    return post("changes/zone", ["zones": [.object(query)]])
  }

  func lookup(_ names: [String]) -> HTTPRequest {
    var request = post(
      "records/lookup",
      ["records": .array(names.map { ["recordName": .string($0)] }), "zoneID": zone])
    // The bytes are in base64; 1 MiB is enough for the rest.
    request.limits.bodyBytes = CloudLimits.objectBytesMax / 3 * 4 + (1 << 20)
    return request
  }

  // MARK: - Responses

  /// Returns the outcome for each record. An error of the whole request is the outcome for all of
  /// them.
  func outcomes(
    _ body: JSONValue, of names: [String], _ created: Set<String>
  ) throws(CloudKitError) -> [String: Result<Void, CloudKitError>] {
    var outcomes: [String: Result<Void, CloudKitError>] = [:]
    guard case .array(let values)? = body["records"] else {
      guard let problem = CloudKitProblem(body) else { throw CloudKitWebServices.malformedResponse }
      for name in names {
        outcomes[name] = .failure(problem.error(isCreating: created.contains(name)))
      }
      return outcomes
    }
    for (index, value) in values.enumerated() {
      if let problem = CloudKitProblem(value) {
        // Results are in the order of the operations.
        guard let name = problem.record ?? (index < names.count ? names[index] : nil) else {
          throw CloudKitWebServices.malformedResponse
        }
        outcomes[name] = .failure(problem.error(isCreating: created.contains(name)))
      } else if case .string(let name)? = value["recordName"] {
        outcomes[name] = .success(())
      }
    }
    return outcomes
  }

  /// Returns the changes in a zone, or nil if the value is malformed.
  func changes(_ zone: JSONValue) -> CloudKitRecord.Changes? {
    guard case .array(let values)? = zone["records"], case .string(let token)? = zone["syncToken"]
    else { return nil }
    var changes = CloudKitRecord.Changes(
      records: [], deleted: [], token: token, isMoreComing: zone["moreComing"] == .bool(true))
    for value in values {
      guard case .string(let name)? = value["recordName"] else { return nil }
      if value["deleted"] == .bool(true) {
        changes.deleted.append(name)
      } else if value["recordType"] == .string(CloudKitRecord.type) {
        guard let record = record(value, withBytes: false) else { return nil }
        changes.records.append(record)
      }
    }
    return changes
  }

  /// Returns a record, or nil if the value isn't a record of Eventlog.
  func record(_ value: JSONValue, withBytes: Bool) -> CloudKitRecord? {
    guard case .string(let name)? = value["recordName"], let fields = value["fields"],
      case .number(let number)? = fields[CloudKitRecord.sizeField]?["value"],
      let size = number.integer, size >= 0
    else { return nil }
    guard withBytes else { return CloudKitRecord(name: name, size: size) }
    // An empty value may be omitted.
    guard case .string(let text)? = fields[CloudKitRecord.bytesField]?["value"] else {
      return CloudKitRecord(name: name, size: size)
    }
    return Data(base64Encoded: text).map {
      CloudKitRecord(name: name, bytes: Array($0), size: size)
    }
  }
}
