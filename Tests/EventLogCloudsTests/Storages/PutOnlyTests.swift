import EventLog
import EventLogClouds
import EventLogRemotes
import Foundation
import Testing

@testable import EventLogClouds

private let place = ProcessInfo.processInfo.environment["EVENTLOG_PUT_ONLY"]

/// A prefix of a bucket whose policy lets a user add objects, and do nothing else.
///
/// `.ci/over-clouds` starts a server with the policy in `Docs/Guides/CrashReports.md`.
@Suite(.enabled(if: place != nil, "no place is named")) struct PutOnlyTests {
  private func storage(_ address: String) throws -> any ObjectStorage {
    try CloudAddress(address).storage(
      CloudEnvironment(
        variable: { ProcessInfo.processInfo.environment[$0] }, file: { _ in nil }))
  }

  /// The server that CI starts can't check listing: it computes another signature than its clients
  /// for requests with a query, and refuses those of all users.
  @Test func `an object is added once, and nothing is read or removed`() async throws {
    let address = try #require(place)
    let storage = try storage(address)
    let name = RandomText.system.next(32) + ".json"
    #expect(try await storage.put(name, Array("{}".utf8)))
    #expect(try await storage.put(name, Array("[]".utf8)) == false)
    await expectRefusal { try await storage.read(name) }
    await expectRefusal { try await storage.remove(name) }
    let other = try self.storage(address + "-of-others")
    await expectRefusal { try await other.put(name, [1]) }
  }

  /// Expects that the server refuses the user, and that nothing else has failed.
  private func expectRefusal<Value>(
    _ body: () async throws -> Value, at location: SourceLocation = #_sourceLocation
  ) async {
    let error = await #expect(throws: EventLogError.self, sourceLocation: location) {
      _ = try await body()
    }
    #expect(
      error?.message.contains("it answered 403 (AccessDenied)") == true, sourceLocation: location)
  }
}
