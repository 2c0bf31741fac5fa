import EventLog
import EventLogClouds
import Synchronization
import Testing

@testable import EventLogClouds

/// Signing in to Firebase, and staying signed in.
@Suite struct FirebaseAuthTests {
  private typealias Response = Result<HTTPResponse, HTTPFault>

  @Test func `only the first run creates an anonymous user`() async throws {
    let fixture = FirebaseFixture([.signedIn("u1")])
    let user = try await fixture.auth.signInAnonymously()
    #expect(user == FirebaseUser(id: "u1", isAnonymous: true))
    #expect(
      fixture.urls == [
        "https://identitytoolkit.googleapis.com/v1/accounts:signUp?key=web-key%2F1"
      ])
    #expect(fixture.body(0) == #"{"returnSecureToken":true}"#)
    // A later launch.
    let next = FirebaseFixture([], store: fixture.store)
    #expect(try await next.auth.signInAnonymously() == user)
    #expect(try await next.auth.currentUser() == user)
    #expect(next.urls.isEmpty)
  }

  @Test func `concurrent anonymous sign-ins create one user`() async throws {
    let fixture = FirebaseFixture([.signedIn("u1")])
    let auth = fixture.auth
    let users = try await withThrowingTaskGroup(of: FirebaseUser.self) { group in
      for _ in 0..<32 { group.addTask { try await auth.signInAnonymously() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(users.count == 32 && users.allSatisfy { $0.id == "u1" })
    #expect(fixture.urls.count == 1)
  }

  @Test func `an anonymous sign-in that can't be stored leaves no user signed in`() async throws {
    let store = FaultyCredentialStore()
    let fixture = FirebaseFixture([.signedIn("lost"), .signedIn("u2")], store: store)
    store.failsToSave.withLock { $0 = true }
    await #expect(throws: EventLogError.self) { try await fixture.auth.signInAnonymously() }
    #expect(try await fixture.auth.currentUser() == nil)
    let error = await #expect(throws: EventLogError.self) {
      _ = try await fixture.auth.tokens(of: "lost")(false)
    }
    #expect(error?.code == .signInNeeded)
    store.failsToSave.withLock { $0 = false }
    #expect(try await fixture.auth.signInAnonymously().id == "u2")
    #expect(fixture.methods == ["signUp", "signUp"])
  }

  @Test func `a sign-up request isn't retried if it may have created a user`() async throws {
    let lost: [Response] = [
      .failure(.timedOut), .failure(.connectionLost("gone")), .json(500, "{}"), .json(502, "{}"),
    ]
    for response in lost {
      let fixture = FirebaseFixture([response, .signedIn("u1")])
      let error = await #expect(throws: EventLogError.self) {
        try await fixture.auth.signInAnonymously()
      }
      #expect(error?.code == .remoteFailed)
      #expect(fixture.methods == ["signUp"])
    }
    // With these responses, no user was created.
    let undone: [Response] = [
      .failure(.unreachable("refused")), .json(429, "{}"), .json(503, "busy"),
    ]
    let fixture = FirebaseFixture(undone + [.signedIn("u1")])
    #expect(try await fixture.auth.signInAnonymously().id == "u1")
    #expect(fixture.urls.count == 4)
  }

  @Test func `an unreadable stored sign-in prevents an anonymous sign-in`() async throws {
    let fixture = FirebaseFixture([.signedIn("u1")])
    try await fixture.store.save(Array("{}".utf8), as: FirebaseFixture.name)
    let error = await #expect(throws: EventLogError.self) {
      try await fixture.auth.signInAnonymously()
    }
    #expect(error?.code == .inputOutput)
    #expect(fixture.urls.isEmpty)
    try await fixture.auth.signOut()
    #expect(try await fixture.auth.signInAnonymously().id == "u1")
  }

  @Test func `concurrent callers share one request for a token`() async throws {
    let fixture = try await FirebaseFixture.signedIn([
      .renewed("u1", serial: 2), .renewed("u1", serial: 3),
    ])
    // The next launch has no token in memory.
    let next = FirebaseFixture(
      [.renewed("u1", serial: 2), .renewed("u1", serial: 3)],
      store: fixture.store)
    let storages = (0..<32).map { _ in next.auth.tokens(of: "u1") }
    func all(_ isRejected: Bool) async throws -> Set<String> {
      try await withThrowingTaskGroup(of: String.self) { group in
        for token in storages { group.addTask { try await token(isRejected) } }
        return try await group.reduce(into: []) { $0.insert($1) }
      }
    }
    #expect(try await all(false) == [Response.token("u1", serial: 2)])
    #expect(next.urls == ["https://securetoken.googleapis.com/v1/token?key=web-key%2F1"])
    #expect(next.body(0) == "grant_type=refresh_token&refresh_token=refresh-1")
    // All of them report the token as rejected.
    #expect(try await all(true) == [Response.token("u1", serial: 3)])
    #expect(next.urls.count == 2)
  }

  @Test func `a token is renewed five minutes before it expires`() async throws {
    let fixture = try await FirebaseFixture.signedIn([
      .renewed("u1", serial: 2), .renewed("u1", serial: 3),
    ])
    let token = fixture.auth.tokens(of: "u1")
    fixture.time.advance(seconds: 3299)
    #expect(try await token(false) == Response.token("u1"))
    fixture.time.advance(seconds: 1)
    #expect(try await token(false) == Response.token("u1", serial: 2))
    // Once the clock is set back, the token's age is unknown.
    fixture.time.advance(seconds: -7200)
    #expect(try await token(false) == Response.token("u1", serial: 3))
    #expect(fixture.methods == ["signUp", "token", "token"])
  }

  @Test(arguments: ["TOKEN_EXPIRED", "USER_DISABLED", "USER_NOT_FOUND", "INVALID_REFRESH_TOKEN"])
  func `a revoked sign-in stays stored, and no new user replaces it`(
    code: String
  ) async throws {
    let fixture = try await FirebaseFixture.signedIn([])
    let before = try await fixture.stored()
    let next = FirebaseFixture(
      [.refused(code), .refused(code), .refused(code)], store: fixture.store)
    for _ in 1...3 {
      let error = await #expect(throws: EventLogError.self) {
        _ = try await next.auth.tokens(of: "u1")(false)
      }
      #expect(error?.code == .signInNeeded)
      #expect(error?.message.contains(code) == true)
      #expect(try await next.auth.signInAnonymously().id == "u1")
    }
    #expect(next.methods == ["token", "token", "token"])
    #expect(try await next.stored() == before)
  }

  @Test func `a transient failure to renew a token is retried and changes nothing`() async throws {
    let fixture = try await FirebaseFixture.signedIn([])
    let before = try await fixture.stored()
    let fails: [Response] = [
      .json(503, "busy"), .json(429, "{}"), .failure(.connectionLost("gone")),
    ]
    let next = FirebaseFixture(fails + [.renewed("u1", serial: 2)], store: fixture.store)
    #expect(try await next.auth.tokens(of: "u1")(false) == Response.token("u1", serial: 2))
    let other = FirebaseFixture(
      fails + [.failure(.timedOut), .renewed("u1", serial: 2)], store: fixture.store)
    let error = await #expect(throws: EventLogError.self) {
      _ = try await other.auth.tokens(of: "u1")(false)
    }
    #expect(error?.code == .remoteFailed)
    #expect(other.urls.count == 4)
    #expect(try await other.stored() == before)
    #expect(try await other.auth.tokens(of: "u1")(false) == Response.token("u1", serial: 2))
  }

  @Test func `a new refresh token is stored before the ID token is used`() async throws {
    let store = FaultyCredentialStore()
    let fixture = FirebaseFixture(
      [
        .signedIn("u1"), .renewed("u1", serial: 2, refresh: "refresh-2"),
        .renewed("u1", serial: 3, refresh: "refresh-3"),
      ], store: store)
    _ = try await fixture.auth.signInAnonymously()
    fixture.time.advance(seconds: 3600)
    let token = fixture.auth.tokens(of: "u1")
    store.failsToSave.withLock { $0 = true }
    await #expect(throws: EventLogError.self) { _ = try await token(false) }
    #expect(try await fixture.stored()?.refreshToken == "refresh-1")
    store.failsToSave.withLock { $0 = false }
    #expect(try await token(false) == Response.token("u1", serial: 3))
    #expect(try await fixture.stored()?.refreshToken == "refresh-3")
  }

  @Test func `a refresh token that another process stored is used`() async throws {
    let store = FaultyCredentialStore()
    let fixture = FirebaseFixture(
      [
        .signedIn("u1", refresh: "refresh-2"), .refused("TOKEN_EXPIRED"), .renewed("u1", serial: 2),
      ],
      store: store)
    _ = try await fixture.auth.signInAnonymously()
    var old = try #require(try await fixture.stored())
    old.refreshToken = "refresh-1"
    store.overridden.withLock { $0 = [old.bytes] }
    fixture.time.advance(seconds: 3600)
    _ = try await fixture.auth.tokens(of: "u1")(false)
    #expect(fixture.methods == ["signUp", "token", "token"])
    #expect(fixture.body(1).hasSuffix("refresh-1") && fixture.body(2).hasSuffix("refresh-2"))
  }

  @Test func `a renewal that returns another user's token, or none, is an error`() async throws {
    let fixture = try await FirebaseFixture.signedIn([
      .renewed("u2", serial: 2), .renewed("u1", serial: 3, project: "other"),
      .json(200, #"{"id_token":"a.b.c","refresh_token":"refresh-9","expires_in":"3600"}"#),
      .json(200, "<html>"),
    ])
    let before = try await fixture.stored()
    fixture.time.advance(seconds: 3600)
    for code in [EventLogError.Code.remoteFailed, .wrongAddress, .remoteFailed, .remoteFailed] {
      let error = await #expect(throws: EventLogError.self) {
        _ = try await fixture.auth.tokens(of: "u1")(false)
      }
      #expect(error?.code == code)
      #expect(try await fixture.stored() == before)
    }
  }

  @Test func `no token is returned for a user who isn't signed in`() async throws {
    let fixture = try await FirebaseFixture.signedIn([])
    let error = await #expect(throws: EventLogError.self) {
      _ = try await fixture.auth.tokens(of: "u2")(false)
    }
    #expect(error?.code == .signInNeeded)
    try await fixture.auth.signOut()
    let other = await #expect(throws: EventLogError.self) {
      _ = try await fixture.auth.tokens(of: "u1")(false)
    }
    #expect(other?.code == .signInNeeded)
    #expect(fixture.urls.count == 1)
  }

  @Test func `a correct password signs in, and a wrong one changes nothing`() async throws {
    let fixture = try await FirebaseFixture.signedIn([
      .refused("INVALID_LOGIN_CREDENTIALS"), .refused("TOO_MANY_ATTEMPTS_TRY_LATER : later"),
      .signedIn("u7", provider: "password", refresh: "refresh-7"),
    ])
    for code in [EventLogError.Code.signInNeeded, .remoteFailed] {
      let error = await #expect(throws: EventLogError.self) {
        try await fixture.auth.signIn(email: "ada@example.org", password: "pass-word")
      }
      #expect(error?.code == code)
      #expect(try await fixture.auth.currentUser()?.id == "u1")
    }
    let user = try await fixture.auth.signIn(email: "ada@example.org", password: "pass-word")
    #expect(user == FirebaseUser(id: "u7", isAnonymous: false))
    #expect(try await fixture.stored()?.refreshToken == "refresh-7")
    // Too many attempts aren't a reason to retry.
    #expect(fixture.methods == ["signUp"] + Array(repeating: "signInWithPassword", count: 3))
    #expect(
      fixture.body(3)
        == #"{"email":"ada@example.org","password":"pass-word","returnSecureToken":true}"#)
  }

  @Test func `requests to an emulator have its address`() async throws {
    let fixture = FirebaseFixture(
      [.signedIn("u1"), .renewed("u1", serial: 2)], emulator: "127.0.0.1:9099")
    _ = try await fixture.auth.signInAnonymously()
    fixture.time.advance(seconds: 3600)
    _ = try await fixture.auth.tokens(of: "u1")(false)
    #expect(
      fixture.urls == [
        "http://127.0.0.1:9099/identitytoolkit.googleapis.com/v1/accounts:signUp?key=web-key%2F1",
        "http://127.0.0.1:9099/securetoken.googleapis.com/v1/token?key=web-key%2F1",
      ])
  }

  @Test func `a canceled sign-in is completed and stored`() async throws {
    let fixture = FirebaseFixture([.signedIn("u1")])
    let auth = fixture.auth
    let task = Task { try await auth.signInAnonymously() }
    task.cancel()
    _ = try? await task.value
    // The first of the two calls creates the user, and the other one finds it.
    #expect(try await fixture.auth.signInAnonymously().id == "u1")
    #expect(fixture.urls.count == 1)
  }
}
