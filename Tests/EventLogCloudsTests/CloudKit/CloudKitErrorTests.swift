import EventLog
import Synchronization
import Testing

@testable import EventLogClouds

/// CloudKit's errors of requests and records, as a storage reports them.
@Suite struct CloudKitErrorTests {
  private static let name = CloudKitDevice.name(1)

  /// A device with a zone.
  private func device(_ server: CloudKitServer) -> CloudKitDevice {
    server.state.withLock { $0.zones = ["Eventlog"] }
    return CloudKitDevice(server)
  }

  static let documented: [(Int, String, EventLogError.Code)] = [
    (403, "ACCESS_DENIED", .accessDenied), (401, "AUTHENTICATION_FAILED", .signInNeeded),
    (421, "AUTHENTICATION_REQUIRED", .signInNeeded), (400, "BAD_REQUEST", .wrongAddress),
    (500, "INTERNAL_ERROR", .remoteFailed), (413, "QUOTA_EXCEEDED", .quotaExceeded),
    (429, "THROTTLED", .remoteFailed), (503, "TRY_AGAIN_LATER", .remoteFailed),
    (412, "VALIDATING_REFERENCE_ERROR", .wrongAddress),
  ]

  @Test(arguments: documented) func `every CloudKit request error maps to its documented code`(
    status: Int, serviceCode: String, code: EventLogError.Code
  ) async throws {
    let server = CloudKitServer()
    let device = device(server)
    let fault = CloudKitServer.Fault.response(status, serviceCode)
    server.fail(fault, fault, fault, fault)
    let put = await #expect(throws: EventLogError.self) {
      try await device.storage.put(Self.name, [1])
    }
    #expect(put?.code == code)
    #expect(put?.hint != nil)
    #expect(put?.message.contains(serviceCode) == true)
    #expect(put?.message.contains("cloudkit://iCloud.com.example.diary/development") == true)
    server.state.withLock { $0.faults = [fault, fault, fault, fault] }
    let list = await #expect(throws: EventLogError.self) {
      try await device.storage.list(after: nil)
    }
    #expect(list?.code == code)
    #expect(server.state.withLock { $0.records.isEmpty })
  }

  @Test(arguments: documented) func `every CloudKit record error maps to its documented code`(
    status: Int, serviceCode: String, code: EventLogError.Code
  ) async throws {
    let server = CloudKitServer()
    let device = device(server)
    for size in [1, 800_000] {
      let fault = CloudKitServer.Fault.record(0, serviceCode)
      server.state.withLock { $0.faults = [fault, fault, fault, fault] }
      let put = await #expect(throws: EventLogError.self) {
        try await device.storage.put(Self.name, [UInt8](repeating: 1, count: size))
      }
      #expect(put?.code == code)
      server.state.withLock { $0.faults = [fault, fault, fault, fault] }
      let read = await #expect(throws: EventLogError.self) {
        try await device.storage.read(Self.name)
      }
      #expect(read?.code == code)
    }
    server.state.withLock { $0.faults = [] }
    #expect(server.state.withLock { $0.records.isEmpty })
  }

  @Test(arguments: [false, true]) func `a throttled request is retried after the requested delay`(
    isOfRecord: Bool
  ) async throws {
    let server = CloudKitServer()
    let device = device(server)
    server.fail(
      isOfRecord
        ? .record(0, "THROTTLED", retryAfter: 7) : .response(429, "THROTTLED", retryAfter: 7))
    #expect(try await device.storage.put(Self.name, [1]))
    #expect(server.paths == ["records/modify", "records/modify"])
    let pauses = device.state.withLock(\.pauses)
    #expect(pauses.count == 1)
    #expect(pauses.allSatisfy { $0 >= .seconds(7) })
  }

  @Test func `a request fails at once if the service asks for a long delay`() async throws {
    let server = CloudKitServer()
    let device = device(server)
    server.fail(.response(503, "TRY_AGAIN_LATER", retryAfter: 300))
    let error = await #expect(throws: EventLogError.self) {
      try await device.storage.list(after: nil)
    }
    #expect(error?.code == .remoteFailed)
    #expect(error?.retryAfter == .seconds(300))
    #expect(server.paths.count == 1)
  }

  @Test(arguments: [
    (200, "<html>Sign in to the hotel</html>", EventLogError.Code.remoteFailed),
    (200, "{}", .remoteFailed), (200, #"{"records":[]}"#, .remoteFailed),
    (200, #"{"zones":[{"records":[{}],"syncToken":"a"}],"records":[{}]}"#, .remoteFailed),
    (400, "no", .wrongAddress), (404, "no", .wrongAddress), (404, "{}", .wrongAddress),
    (302, "", .wrongAddress), (409, "[1]", .wrongAddress),
  ])
  func `a response that isn't CloudKit's is an error`(
    status: Int, body: String, code: EventLogError.Code
  ) async throws {
    let server = CloudKitServer()
    let device = device(server)
    for _ in 0..<3 { server.fail(.body(status, body)) }
    let list = await #expect(throws: EventLogError.self) {
      try await device.storage.list(after: nil)
    }
    #expect(list?.code == code)
    let put = await #expect(throws: EventLogError.self) {
      try await device.storage.put(Self.name, [1])
    }
    #expect(put?.code == code)
    // An empty list of records is not an error here: the record doesn't exist.
    if body != #"{"records":[]}"# {
      let read = await #expect(throws: EventLogError.self) {
        try await device.storage.read(Self.name)
      }
      #expect(read?.code == code)
    }
  }

  @Test func `a put whose response was lost is retried and finds the name taken`() async throws {
    // Each request has a valid token, because the live service was observed to accept old tokens.
    let server = CloudKitServer()
    let device = device(server)
    server.fail(.lost)
    let storage = CloudKitStorage(
      CloudKitDevice.location,
      credentials: CloudKitCredentials(
        apiToken: CloudKitServer.apiToken, load: { server.signIn() }, store: { _ in }),
      client: CloudClient(server, random: .seeded(1), sleep: { _ in }))
    #expect(try await !storage.put(Self.name, [1]))
    #expect(try await device.storage.read(Self.name) == [1])
  }

  @Test func `an untrusted server and a missing libcurl are reported`() async throws {
    let device = CloudKitDevice(CloudKitServer())
    let untrusted = await #expect(throws: EventLogError.self) {
      try await device.storage(over: StoredTransport([.failure(.untrusted("certificate"))]))
        .list(after: nil)
    }
    #expect(untrusted?.code == .untrustedServer)
    let missing = await #expect(throws: EventLogError.self) {
      try await device.storage(over: StoredTransport([.failure(.unavailable("no libcurl"))]))
        .list(after: nil)
    }
    #expect(missing?.hint?.contains("libcurl") == true)
  }

  @Test(arguments: CloudKitError.Reason.allCases)
  func `every reason of an app's own calls maps to its error`(
    reason: CloudKitError.Reason
  ) {
    let error = CloudKitError(reason, "it failed.\u{1B}[2J", retryAfter: .seconds(9))
      .failure.error(at: "cloudkit://a/b", isReading: true)
    let codes: [CloudKitError.Reason: EventLogError.Code] = [
      .notSignedIn: .signInNeeded, .accessDenied: .accessDenied, .quotaExceeded: .quotaExceeded,
      .untrustedServer: .untrustedServer, .zoneMissing: .wrongAddress, .badRequest: .wrongAddress,
    ]
    #expect(error.code == codes[reason] ?? .remoteFailed)
    #expect(!error.message.contains("\u{1B}"))
    #expect(error.hint != nil)
    #expect((error.retryAfter != nil) == (error.code == .remoteFailed && error.isLater))
  }
}

extension EventLogError {
  fileprivate var isLater: Bool { hint == "Nothing is lost. Sync again later." }
}
