import EventLog
import EventLogClouds
import Testing

@testable import EventLogClouds

/// Linking and deleting users.
@Suite struct FirebaseLinkTests {
  private typealias Response = Result<HTTPResponse, HTTPFault>
  private let identity = FirebaseIdentity(
    provider: "google.com", idToken: "provider-token+1", nonce: "n&1")

  @Test func `linking an e-mail address keeps the user's ID`() async throws {
    let fixture = try await FirebaseFixture.signedIn([
      .signedIn("u1", provider: "password", refresh: "refresh-2")
    ])
    let user = try await fixture.auth.link(email: "ada@example.org", password: "pass-word")
    #expect(user == FirebaseUser(id: "u1", isAnonymous: false))
    #expect(try await fixture.stored()?.refreshToken == "refresh-2")
    #expect(fixture.methods == ["signUp", "signUp"])
    #expect(fixture.body(1).contains(#""idToken":"\#(Response.token("u1"))""#))
  }

  @Test func `linking an identity keeps the user's ID`() async throws {
    let fixture = try await FirebaseFixture.signedIn([
      .signedIn("u1", provider: "google.com", refresh: "refresh-2")
    ])
    let user = try await fixture.auth.link(with: identity)
    #expect(user == FirebaseUser(id: "u1", isAnonymous: false))
    #expect(
      fixture.body(1).contains(
        #""postBody":"id_token=provider-token%2B1&nonce=n%261&providerId=google.com""#))
    #expect(fixture.body(1).contains(#""idToken":"\#(Response.token("u1"))""#))
  }

  /// The responses if another account has the identity, three of them with the status 200.
  static let taken: [(String, Result<HTTPResponse, HTTPFault>)] = [
    ("200 needConfirmation", .json(200, #"{"needConfirmation":true,"email":"ada@example.org"}"#)),
    (
      "200 errorMessage",
      .json(200, #"{"errorMessage":"FEDERATED_USER_ID_ALREADY_LINKED","localId":"u9"}"#)
    ),
    ("200 EMAIL_EXISTS", .json(200, #"{"errorMessage":"EMAIL_EXISTS"}"#)),
    ("400", .refused("FEDERATED_USER_ID_ALREADY_LINKED")), ("400 e-mail", .refused("EMAIL_EXISTS")),
  ]

  @Test(arguments: taken)
  func `linking another account's identity is an error and changes nothing`(
    _ name: String, _ response: Result<HTTPResponse, HTTPFault>
  ) async throws {
    // The check finds that the identity belongs to the other account.
    let fixture = try await FirebaseFixture.signedIn([response, .signedIn("u9")])
    let before = try await fixture.stored()
    let error = await #expect(throws: EventLogError.self) {
      try await fixture.auth.link(with: identity)
    }
    #expect(error?.code == .accountExists)
    #expect(error?.hint != nil)
    #expect(try await fixture.stored() == before)
    #expect(try await fixture.auth.tokens(of: "u1")(false) == Response.token("u1"))
  }

  @Test func `linking another account's e-mail address is an error and changes nothing`()
    async throws
  {
    for check in [Response.refused("INVALID_LOGIN_CREDENTIALS"), .signedIn("u9")] {
      let fixture = try await FirebaseFixture.signedIn([.refused("EMAIL_EXISTS"), check])
      let before = try await fixture.stored()
      let error = await #expect(throws: EventLogError.self) {
        try await fixture.auth.link(email: "ada@example.org", password: "pass-word")
      }
      #expect(error?.code == .accountExists)
      #expect(try await fixture.stored() == before)
      #expect(try await fixture.auth.currentUser() == FirebaseUser(id: "u1", isAnonymous: true))
    }
  }

  @Test func `a link whose response was lost succeeds on retry`() async throws {
    // The first response is lost, and the request is retried automatically.
    for code in ["EMAIL_EXISTS", "TOKEN_EXPIRED"] {
      let fixture = try await FirebaseFixture.signedIn([
        .failure(.connectionLost("lost")), .refused(code),
        .signedIn("u1", provider: "password", refresh: "refresh-2"),
      ])
      let user = try await fixture.auth.link(email: "ada@example.org", password: "pass-word")
      #expect(user == FirebaseUser(id: "u1", isAnonymous: false))
      #expect(try await fixture.stored()?.refreshToken == "refresh-2")
      #expect(fixture.methods.last == "signInWithPassword")
    }
    let fixture = try await FirebaseFixture.signedIn([
      .failure(.timedOut), .refused("FEDERATED_USER_ID_ALREADY_LINKED"),
      .signedIn("u1", provider: "google.com", refresh: "refresh-2"),
    ])
    #expect(try await fixture.auth.link(with: identity).isAnonymous == false)
    #expect(fixture.body(3).contains(#""autoCreate":false"#))
  }

  @Test(arguments: [
    ("WEAK_PASSWORD : Password should be at least 6 characters", EventLogError.Code.invalidInput),
    ("INVALID_EMAIL", .invalidInput), ("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", .signInNeeded),
    ("OPERATION_NOT_ALLOWED", .wrongAddress), ("INVALID_ID_TOKEN", .signInNeeded),
    ("API key not valid. Please pass a valid API key.", .wrongAddress),
    ("SOMETHING_NEW", .wrongAddress),
  ])
  func `a refused link has an error code and changes nothing`(
    message: String, code: EventLogError.Code
  ) async throws {
    let fixture = try await FirebaseFixture.signedIn([.refused(message)])
    let before = try await fixture.stored()
    let error = await #expect(throws: EventLogError.self) {
      try await fixture.auth.link(email: "ada@example.org", password: "pass-word")
    }
    #expect(error?.code == code)
    #expect(try await fixture.stored() == before)
    #expect(fixture.urls.count == 2)
  }

  @Test func `a link that returns another user, or no token, is an error`() async throws {
    for response in [
      Response.signedIn("u9"), .json(200, "{}"), .json(200, #"{"mfaPendingCredential":"m"}"#),
    ] {
      let fixture = try await FirebaseFixture.signedIn([response])
      let before = try await fixture.stored()
      await #expect(throws: EventLogError.self) { try await fixture.auth.link(with: identity) }
      #expect(try await fixture.stored() == before)
    }
  }

  @Test func `a link without a signed-in user sends no request`() async throws {
    let fixture = FirebaseFixture([])
    let error = await #expect(throws: EventLogError.self) {
      try await fixture.auth.link(with: identity)
    }
    #expect(error?.code == .signInNeeded)
    #expect(fixture.urls.isEmpty)
  }

  @Test func `deleting a user succeeds even if the first response was lost`() async throws {
    for responses in [
      [Response.json(200, #"{"kind":"x"}"#)],
      [.failure(.connectionLost("lost")), .refused("USER_NOT_FOUND")],
    ] {
      let fixture = try await FirebaseFixture.signedIn(responses)
      try await fixture.auth.deleteUser()
      #expect(fixture.methods.last == "delete")
      #expect(fixture.body(1) == #"{"idToken":"\#(Response.token("u1"))"}"#)
      #expect(try await fixture.auth.currentUser() == nil)
      #expect(try await fixture.store.load(FirebaseFixture.name) == nil)
    }
    let fixture = try await FirebaseFixture.signedIn([.refused("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")])
    let error = await #expect(throws: EventLogError.self) { try await fixture.auth.deleteUser() }
    #expect(error?.code == .signInNeeded)
    #expect(try await fixture.auth.currentUser()?.id == "u1")
  }
}
