import EventLog
import EventLogClouds
import EventLogRemotes
import EventLogTesting
import Synchronization
import Testing

@testable import EventLogClouds

/// The tokens of Firestore storages.
@Suite struct FirestoreTokenTests {
  private typealias Response = Result<HTTPResponse, HTTPFault>
  private static let rejected = Response.json(401, #"{"error":{"status":"UNAUTHENTICATED"}}"#)

  private func storage(
    _ fixture: FirebaseFixture, _ responses: [Response]
  ) -> (FirestoreStorage, StoredTransport) {
    let transport = StoredTransport(responses)
    let storage = FirestoreStorage(
      FirestoreLocation(project: "diary", user: "u1"), token: fixture.auth.tokens(of: "u1"),
      client: CloudClient(transport, random: .seeded(1), sleep: { _ in }))
    return (storage, transport)
  }

  private func tokens(_ transport: StoredTransport) -> [String] {
    transport.requests.map { request in
      String(request.headers.first { $0.name == "Authorization" }?.value.dropFirst(7) ?? "")
    }
  }

  @Test func `a token that Firestore rejects is renewed once`() async throws {
    let fixture = try await FirebaseFixture.signedIn([.renewed("u1", serial: 2)])
    let (storage, transport) = storage(fixture, [Self.rejected, .json(200, "[]")])
    #expect(try await storage.list(after: nil).isEmpty)
    #expect(tokens(transport) == [Response.token("u1"), Response.token("u1", serial: 2)])
    #expect(fixture.methods == ["signUp", "token"])
  }

  @Test func `a request fails if Firestore also rejects the renewed token`() async throws {
    let fixture = try await FirebaseFixture.signedIn([.renewed("u1", serial: 2)])
    let (storage, transport) = storage(fixture, [Self.rejected, Self.rejected])
    let error = await #expect(throws: EventLogError.self) { try await storage.list(after: nil) }
    #expect(error?.code == .signInNeeded)
    #expect(transport.requests.count == 2)
  }

  @Test func `a revoked sign-in is an error without a request to Firestore`() async throws {
    let old = try await FirebaseFixture.signedIn([])
    let fixture = FirebaseFixture([.refused("TOKEN_EXPIRED")], store: old.store)
    let (storage, transport) = storage(fixture, [])
    let error = await #expect(throws: EventLogError.self) { try await storage.list(after: nil) }
    #expect(error?.code == .signInNeeded)
    #expect(error?.message.contains("TOKEN_EXPIRED") == true)
    #expect(transport.requests.isEmpty)
    #expect(fixture.urls.count == 1)
  }

  @Test func `a transient failure to renew a token isn't reported as a missing sign-in`()
    async throws
  {
    let old = try await FirebaseFixture.signedIn([])
    let fixture = FirebaseFixture(
      Array(repeating: .json(503, ""), count: 20), store: old.store)
    let (storage, transport) = storage(fixture, [])
    let error = await #expect(throws: EventLogError.self) { try await storage.list(after: nil) }
    #expect(error?.code == .remoteFailed)
    #expect(transport.requests.isEmpty)
    // The storage doesn't multiply the retries of the renewal.
    #expect(fixture.urls.count == 4)
  }

  @Test func `an app's token is requested again five minutes before it expires`() async throws {
    let time = TestClock(FirebaseFixture.start)
    let requestCount = Mutex(0)
    let service = FirestoreService(
      { _ in
        let number = requestCount.withLock { count in
          count += 1
          return count
        }
        return Response.token("u1", serial: number)
      }, clock: WallClock { time.now })
    let request = HTTPRequest("GET", "http://127.0.0.1/")
    for (seconds, count) in [(0, 1), (3299, 1), (1, 2)] {
      time.advance(seconds: Int64(seconds))
      _ = try await service.sign(request)
      #expect(requestCount.withLock { $0 } == count)
    }
  }

  @Test func `two requests with the same rejected token renew it once`() async throws {
    let rejections = Mutex<[Bool]>([])
    let service = FirestoreService { isRejected in
      rejections.withLock { $0.append(isRejected) }
      // Always the same new token, as from a server within one second.
      return isRejected ? "two" : "one"
    }
    let request = HTTPRequest("GET", "http://127.0.0.1/")
    let (first, second) = (try await service.sign(request), try await service.sign(request))
    #expect(try await service.refresh(after: first))
    #expect(try await service.refresh(after: second))
    #expect(rejections.withLock { $0 } == [false, true])
  }

  // MARK: - Sign-ins of the command

  @Test func `a stored sign-in provides a storage with tokens`() async throws {
    let home = try TemporaryFolder()
    let environment = environment(["HOME": home.path, "FIREBASE_API_KEY": "web-key"])
    let transport = StoredTransport([
      .signedIn("u1", provider: "password"), .signedIn("u2", refresh: "refresh-2"),
      .renewed("u1", serial: 2), .json(200, "[]"), .json(200, "[]"),
    ])
    let client = CloudClient(transport, random: .seeded(1), sleep: { _ in })
    let login = FirestoreLogin(project: "diary", user: nil, environment, client)
    #expect(try await login.signIn(email: "ada@example.org", password: "pass-word").id == "u1")
    #expect(try await login.signInAnonymously().id == "u2")
    // The API key is stored with the sign-in, so a sync needs no variable.
    let later = self.environment(["HOME": home.path])
    let storage = try CloudAddress("firestore://diary/u1").storage(later, client: client)
    for _ in 1...2 { #expect(try await storage.list(after: nil).isEmpty) }
    #expect(
      transport.requests[2].url == "https://securetoken.googleapis.com/v1/token?key=web-key")
    #expect(
      tokens(transport).suffix(2) == [
        Response.token("u1", serial: 2), Response.token("u1", serial: 2),
      ])
    let other = try CloudAddress("firestore://diary/u3").storage(later, client: client)
    let error = await #expect(throws: EventLogError.self) { try await other.list(after: nil) }
    #expect(error?.code == .signInNeeded)
    #expect(transport.requests.count == 5)
    #expect(try await login.forget("u1"))
    #expect(try await login.forget("u2"))
    #expect(try await !login.forget("u1"))
  }

  @Test func `no user is created if the sign-in can't be stored`() async throws {
    let home = try TemporaryFolder()
    // A file in place of the folder.
    try SystemFileSystem().replaceFile(at: "\(home.path)/.config", with: [])
    let transport = StoredTransport([.signedIn("u1")])
    let login = FirestoreLogin(
      project: "diary", user: nil,
      environment(["HOME": home.path, "FIREBASE_API_KEY": "web-key"]),
      CloudClient(transport, sleep: { _ in }))
    let error = await #expect(throws: EventLogError.self) { try await login.signInAnonymously() }
    #expect(error?.code == .inputOutput)
    #expect(transport.requests.isEmpty)
  }

  // MARK: - Emulators

  private func environment(_ variables: [String: String]) -> CloudEnvironment {
    CloudEnvironment(variable: { variables[$0] }, file: { _ in nil })
  }

  @Test func `an emulator's address contains its host and port`() throws {
    let emulated = environment(["FIRESTORE_EMULATOR_HOST": "127.0.0.1:8919"])
    let text = CloudAddress.canonicalText("firestore://diary/u1", emulated)
    #expect(text == "firestore://diary/u1?emulator=127.0.0.1:8919")
    // A canonical address means the emulator in any environment.
    for environment in [emulated, environment([:])] {
      #expect(CloudAddress.canonicalText(text, environment) == text)
      #expect(try CloudAddress(text).storage(environment).address == text)
    }
    #expect(
      try CloudAddress("firestore://diary/u1").storage(emulated).address == text)
    #expect(
      CloudAddress.canonicalText("firestore://diary/u1", environment([:])) == "firestore://diary/u1"
    )
    #expect(
      CloudAddress.canonicalText("s3://bucket/u1", emulated) == "s3://bucket/u1?region=us-east-1")
    for text in [
      "firestore://p/u?emulator=a/b", "firestore://p/u?emulator=", "firestore://p/u?x=y",
    ] {
      #expect(throws: EventLogError.self) { try CloudAddress(text) }
    }
  }
}
