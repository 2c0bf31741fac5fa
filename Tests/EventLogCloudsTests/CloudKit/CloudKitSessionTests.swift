import EventLog
import Synchronization
import Testing

@testable import EventLogClouds

/// The web tokens of a session. Each response contains the next one, and none is lost.
@Suite struct CloudKitSessionTests {
  private let server = CloudKitServer()

  @Test func `every request has the token from the previous response`() async throws {
    let device = CloudKitDevice(server)
    let storage = device.storage
    for number in 1...3 {
      #expect(try await storage.put(CloudKitDevice.name(number), [1]))
      // The stored token is the only one that the server accepts.
      let stored = device.state.withLock { $0.token }
      #expect(server.state.withLock { $0.tokens } == [try #require(stored)])
    }
    let tokens = server.requests.map(\.token)
    #expect(Set(tokens).count == tokens.count)
    #expect(device.state.withLock { $0.calls.count } == tokens.count)
  }

  @Test func `the next token is read even from an error response`() async throws {
    let device = CloudKitDevice(server)
    server.fail(.response(403, "ACCESS_DENIED"))
    await #expect(throws: EventLogError.self) { try await device.storage.list(after: nil) }
    #expect(try await device.storage.list(after: nil).isEmpty)
  }

  @Test func `concurrent requests of a session are sent one at a time`() async throws {
    let storage = CloudKitDevice(server).storage
    // The server accepts each token once, and stops the test if two requests overlap.
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 1...24 {
        group.addTask { try await storage.put(CloudKitDevice.name(number), [1]) }
      }
      for try await isPut in group { #expect(isPut) }
    }
    #expect(try await storage.list(after: nil).count == 24)
  }

  @Test func `a response isn't used if its token can't be stored`() async throws {
    let device = CloudKitDevice(server)
    device.state.withLock { $0.failureCount = 4 }
    let error = await #expect(throws: EventLogError.self) {
      try await device.storage.list(after: nil)
    }
    #expect(error?.code == .remoteFailed)
    #expect(error?.hint == "Make room.")
    // One request was sent. The retries only tried to store its token.
    #expect(server.paths == ["changes/zone"])
  }

  @Test func `an unstored token is stored before the next request`() async throws {
    let device = CloudKitDevice(server)
    let storage = device.storage
    device.state.withLock { $0.failureCount = 4 }
    await #expect(throws: EventLogError.self) { try await storage.list(after: nil) }
    let issued = server.state.withLock { $0.tokens }
    #expect(try await storage.put(CloudKitDevice.name(1), [1]))
    #expect(issued.contains(server.requests[1].token))
  }

  @Test func `a canceled task still stores the next token`() async throws {
    let device = CloudKitDevice(server)
    let transport = HeldTransport(server)
    let storage = device.storage(over: transport)
    let task = Task { try await storage.put(CloudKitDevice.name(1), [1]) }
    await transport.arrival()
    task.cancel()
    transport.release()
    _ = try? await task.value
    let stored = try #require(device.state.withLock { $0.token })
    #expect(server.state.withLock { $0.tokens } == [stored])
    // The session remains usable.
    #expect(try await device.storage.put(CloudKitDevice.name(2), [1]))
  }

  @Test func `a token that another process stored is used`() async throws {
    let device = CloudKitDevice(server)
    let late = Mutex(0)
    // The other process sends a request after this one has loaded the token.
    let credentials = CloudKitCredentials(
      apiToken: CloudKitServer.apiToken,
      load: { () throws(EventLogError) in
        let isFirst = late.withLock { count in
          count += 1
          return count == 1
        }
        return isFirst ? "spent+token==" : device.state.withLock { $0.token }
      },
      store: { token in device.state.withLock { $0.token = token } })
    let storage = CloudKitStorage(
      CloudKitDevice.location, credentials: credentials, client: CloudClient(server))
    #expect(try await storage.put(CloudKitDevice.name(1), [1]))
  }

  @Test func `an ended session is reported as a missing sign-in`() async throws {
    let device = CloudKitDevice(server)
    server.state.withLock { $0.tokens = [] }
    let error = await #expect(throws: EventLogError.self) {
      try await device.storage.list(after: nil)
    }
    #expect(error?.code == .signInNeeded)
    // The URL of the sign-in page may contain secrets.
    #expect(error?.description.contains("redirect") == false)
    device.state.withLock { $0.token = nil }
    let signedOut = await #expect(throws: EventLogError.self) {
      try await device.storage.list(after: nil)
    }
    #expect(signedOut?.code == .signInNeeded)
  }

  @Test func `a token that can't be read isn't reported as a missing one`() async throws {
    let codes: [EventLogError.Code: EventLogError.Code] = [
      .inputOutput: .remoteFailed, .accessDenied: .accessDenied, .signInNeeded: .signInNeeded,
    ]
    for (code, expected) in codes {
      let credentials = CloudKitCredentials(
        apiToken: CloudKitServer.apiToken,
        load: { () throws(EventLogError) in
          throw EventLogError(code, "The file is odd.", hint: "Look at it.")
        }, store: { _ in })
      let storage = CloudKitStorage(
        CloudKitDevice.location, credentials: credentials, client: CloudClient(server))
      let error = await #expect(throws: EventLogError.self) { try await storage.list(after: nil) }
      #expect(error?.code == expected)
      #expect(error?.hint == "Look at it.")
      #expect(error?.message.contains("(The file is odd)") == true)
    }
    #expect(server.requests.isEmpty)
  }

  @Test func `a lost response ends the session without losing the put`() async throws {
    let device = CloudKitDevice(server)
    server.fail(.lost)
    await #expect(throws: EventLogError.self) {
      try await device.storage.put(CloudKitDevice.name(1), [1])
    }
    // This server accepts only the lost token, so the user must sign in again.
    let token = server.signIn()
    device.state.withLock { $0.token = token }
    let storage = device.storage
    _ = try await storage.put(CloudKitDevice.name(1), [1])
    #expect(try await storage.read(CloudKitDevice.name(1)) == [1])
  }

  @Test func `descriptions and errors of a session contain no secrets`() async throws {
    let device = CloudKitDevice(server)
    let storage = device.storage
    let web = try #require(device.state.withLock { $0.token })
    var shown = ["\(storage)", String(reflecting: storage), storage.address]
    let credentials = device.credentials
    shown += ["\(credentials)", String(reflecting: credentials)]
    let session = CloudKitSession(credentials)
    _ = try await session.exchange(
      HTTPRequest("POST", "https://api.apple-cloudkit.com/"), over: server)
    for value in [storage, credentials, session] as [Any] {
      var text = ""
      dump(value, to: &text)
      shown.append(text)
    }
    let url = "/database/1/x?ckAPIToken=\(PercentEncoding.encode(CloudKitServer.apiToken))"
    // A proxy that repeats the URL, and a library that does.
    let next = try #require(device.state.withLock { $0.token })
    let repeating: [Result<HTTPResponse, HTTPFault>] = [
      .success(HTTPResponse(status: 404, body: Array("<p>\(url) was not found</p>".utf8))),
      .success(HTTPResponse(status: 200, body: Array("<p>\(url)</p>".utf8))),
      .success(CloudKitServer.error(400, "BAD_REQUEST", "no \(next) known")),
      .failure(.connectionLost("GET \(url) failed")), .failure(.unreachable("host of \(url)")),
    ]
    for result in repeating {
      let other = device.storage(over: StoredTransport([result, result, result, result]))
      let error = await #expect(throws: EventLogError.self) { try await other.list(after: nil) }
      shown.append(error.map { "\($0) \(String(reflecting: $0))" } ?? "")
    }
    for text in shown {
      for secret in [CloudKitServer.apiToken, web, next] {
        #expect(!text.contains(secret))
        #expect(!text.contains(PercentEncoding.encode(secret)))
      }
    }
  }
}

/// A transport that holds a response until it is released, and throws if the task is canceled.
private final class HeldTransport: HTTPTransport {
  private let base: any HTTPTransport
  private let arrived = AsyncStream<Void>.makeStream()
  private let released = AsyncStream<Void>.makeStream()

  init(_ base: any HTTPTransport) { self.base = base }

  func arrival() async { for await _ in arrived.stream { return } }
  func release() { released.continuation.finish() }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    let response = try await base.send(request)
    arrived.continuation.yield()
    for await _ in released.stream {}
    if Task.isCancelled { throw .canceled }
    return response
  }
}
