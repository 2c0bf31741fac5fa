import EventLog
import EventLogClouds
import Foundation
import Testing

@testable import EventLogClouds

private let emulator = ProcessInfo.processInfo.environment["FIRESTORE_EMULATOR_HOST"]

/// The rules in `Docs/firestore.rules`, on the emulator that `FIRESTORE_EMULATOR_HOST` names.
///
/// `.ci/over-clouds` starts one with these rules.
@Suite(.enabled(if: emulator != nil, "no emulator is named"))
struct FirestoreRulesTests {
  private let location = FirestoreLocation(
    project: "demo", user: "rules-\(RandomText.system.next(8))", emulator: emulator)

  private var documents: FirestoreDocuments { FirestoreDocuments(location) }
  private let name = "dev-a_1-1_\(String(repeating: "0a", count: 8)).jsonl"
  private static let full = FirestoreDocuments.partBytes

  /// Sends a request as a user, and returns the status of the response.
  private func status(_ request: HTTPRequest, as user: String? = nil) async throws -> Int {
    let tokens = FirestoreLogin.emulatorTokens(project: "demo", user: user ?? location.user)
    var request = request
    request.headers.append(HTTPHeader("Authorization", "Bearer \(try await tokens(false))"))
    let transport: any HTTPTransport = .system
    return try await transport.send(request).status
  }

  private func commit(_ writes: [JSONValue], as user: String? = nil) async throws -> Int {
    try await status(documents.database.commit(writes), as: user)
  }

  /// Returns the writes that create an object with parts of the given lengths and the declared
  /// size.
  private func creation(_ lengths: [Int], saying size: Int) -> [JSONValue] {
    let whole = documents.creation(of: name, [UInt8](repeating: 120, count: size))
    return zip(whole, lengths).map { write, length in
      let bytes = Data(repeating: 120, count: length).base64EncodedString()
      return write.setting(["update", "fields", "bytes", "bytesValue"], to: .string(bytes))
    }
  }

  @Test(arguments: [1, full, full + 1, 2 * full, 2 * full + 5])
  func `an object of any size can be put, read and removed`(size: Int) async throws {
    let storage = FirestoreStorage(
      location, token: FirestoreLogin.emulatorTokens(project: "demo", user: location.user),
      client: CloudClient(.system))
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(try await storage.put(name, bytes))
    #expect(try await storage.read(name) == bytes)
    try await storage.remove(name)
    #expect(try await storage.read(name) == nil)
  }

  @Test func `objects can't be changed, and other users can't read or write them`() async throws {
    let writes = creation([10], saying: 10)
    #expect(try await commit(writes, as: "other") == 403)
    #expect(try await commit(writes) == 200)
    let update = writes[0].setting(["currentDocument"], to: ["exists": true])
    #expect(try await commit([update]) == 403)
    #expect(try await status(documents.reading(name)) == 200)
    #expect(try await status(documents.reading(name), as: "other") == 403)
    #expect(try await commit(documents.removal(of: name, parts: 1), as: "other") == 403)
    #expect(try await commit(documents.removal(of: name, parts: 1)) == 200)
  }

  @Test(arguments: ["note", "a_1-1_0a.jsonl", "dev_frontier_1_0a0a0a0a.txt"])
  func `an invalid object name is refused`(name: String) async throws {
    #expect(try await commit(documents.creation(of: name, [1])) == 403)
  }

  @Test func `an object whose parts have wrong lengths is refused`() async throws {
    let full = Self.full
    #expect(try await commit(creation([10], saying: 11)) == 403)
    for (lengths, size) in [
      ([full, 5], full + 6), ([full, 7], full + 6), ([full - 1, 7], full + 6),
      ([full, full - 1, 5], 2 * full + 5),
    ] {
      #expect(try await commit(creation(lengths, saying: size)) == 403)
    }
  }

  @Test func `an object without one of its parts is refused`() async throws {
    let writes = creation([Self.full, Self.full, 5], saying: 2 * Self.full + 5)
    for missing in writes.indices {
      var rest = writes
      rest.remove(at: missing)
      #expect(try await commit(rest) == 403)
    }
    #expect(try await commit([writes[0]]) == 403)
    #expect(try await commit(writes) == 200)
  }

  @Test func `any user adds crash reports, and none reads, lists, changes or removes them`()
    async throws
  {
    let reports = FirestoreDocuments(
      FirestoreLocation(project: "demo", user: "crash-reports", emulator: emulator))
    let name = (0..<32).map { _ in String("0123456789abcdef".randomElement()!) }.joined() + ".json"
    let creation = reports.creation(of: name, Array("{}".utf8))
    #expect(try await commit(creation) == 200)
    // The service answers 409, which an upload after a lost answer takes as done.
    #expect(try await commit(creation) == 409)
    let update = creation[0].setting(["currentDocument"], to: ["exists": true])
    #expect(try await commit([update]) == 403)
    #expect(try await commit(reports.removal(of: name, parts: 1)) == 403)
    #expect(try await status(reports.reading(name)) == 403)
    #expect(try await status(reports.listing(after: nil)) == 403)
  }

  @Test(arguments: [("report.json", 2), (String(repeating: "0a", count: 16) + ".json", 65_537)])
  func `another object than a crash report is refused`(name: String, size: Int) async throws {
    let reports = FirestoreDocuments(
      FirestoreLocation(project: "demo", user: "crash-reports", emulator: emulator))
    let bytes = [UInt8](repeating: 120, count: size)
    #expect(try await commit(reports.creation(of: name, bytes)) == 403)
  }

  @Test func `a query with no limit, or a larger one, is refused`() async throws {
    var query = documents.listing(after: nil)
    #expect(try await status(query) == 200)
    #expect(try await status(query, as: "other") == 403)
    let text = String(decoding: query.body, as: UTF8.self)
    let limit = "\"limit\":\(FirestoreDocuments.pageCount)"
    #expect(text.contains(limit))
    query.body = Array(text.replacing(limit, with: "\"limit\":301").utf8)
    #expect(try await status(query) == 403)
    query.body = Array(
      text.replacing(limit + ",", with: "").replacing("," + limit, with: "").utf8)
    #expect(try await status(query) == 403)
  }
}

extension JSONValue {
  /// Returns a copy with the member at a path replaced.
  fileprivate func setting(_ path: [String], to value: JSONValue) -> JSONValue {
    guard let name = path.first, case .object(var object) = self else { return value }
    object[name] = (self[name] ?? [:]).setting(Array(path.dropFirst()), to: value)
    return .object(object)
  }
}
