import EventLog
import EventLogClouds
import Testing

@testable import EventLogClouds

/// Secrets, which never appear in errors or descriptions.
@Suite struct FirebaseSecrecyTests {
  private func expectNone(_ text: String, _ location: SourceLocation = #_sourceLocation) {
    for secret in FirebaseFixture.secrets + ["e30."] {
      #expect(!text.contains(secret), sourceLocation: location)
    }
  }

  /// Responses that repeat the secrets of a request.
  static let repeating: [Result<HTTPResponse, HTTPFault>] = {
    let secrets = "refresh-1 pass-word ada@example.org provider-token web-key/1 e30.x.y"
    return [
      .refused(secrets), .refused("INVALID_IDP_RESPONSE : Unable to parse id_token: \(secrets)"),
      .refused("EMAIL_EXISTS : \(secrets)"), .refused("PASSWORD", 401), .json(200, secrets),
      .json(200, #"{"errorMessage":"\#(secrets)"}"#), .json(403, secrets), .json(404, secrets),
      .json(409, secrets), .refused("API key not valid: \(secrets)"),
      .json(200, #"{"idToken":"\#(secrets)","refreshToken":"refresh-1","expiresIn":"3600"}"#),
    ]
  }()

  @Test(arguments: repeating.indices)
  func `an error from a response that repeats secrets contains none of them`(
    _ index: Int
  ) async throws {
    let response = Self.repeating[index]
    let identity = FirebaseIdentity(provider: "google.com", idToken: "provider-token")
    for number in 0...5 {
      let fixture = try await FirebaseFixture.signedIn([response, response, response])
      let error = await #expect(throws: EventLogError.self) {
        switch number {
        case 0: _ = try await fixture.auth.signIn(email: "ada@example.org", password: "pass-word")
        case 1: _ = try await fixture.auth.signIn(with: identity)
        case 2: _ = try await fixture.auth.link(email: "ada@example.org", password: "pass-word")
        case 3: _ = try await fixture.auth.link(with: identity)
        case 4:
          fixture.time.advance(seconds: 3600)
          _ = try await fixture.auth.tokens(of: "u1")(false)
        default:
          try await fixture.auth.signOut()
          _ = try await fixture.auth.signInAnonymously()
        }
      }
      let known = try #require(error)
      expectNone(known.description)
      expectNone(String(reflecting: known))
    }
  }

  @Test func `descriptions of public types contain no secrets`() async throws {
    let fixture = try await FirebaseFixture.signedIn([])
    let tokens = fixture.auth.tokens(of: "u1")
    _ = try await tokens(false)
    // Both cache the token of their last request.
    let firestoreLocation = FirestoreLocation(project: "diary", user: "u1")
    let client = CloudClient(
      ScriptedTransport { _ in HTTPResponse(status: 200, body: Array("[]".utf8)) })
    let firestore = FirestoreStorage(firestoreLocation, token: tokens, client: client)
    #expect(try await firestore.list(after: nil).isEmpty)
    let documents = FirestoreDocumentStore(firestoreLocation, token: tokens, client: client)
    #expect(try await documents.texts([]).isEmpty)
    let values: [Any] = [
      fixture.auth, fixture.store, try await fixture.auth.signInAnonymously(), firestore,
      documents,
      FirebaseIdentity(
        provider: "google.com", idToken: "provider-token", accessToken: "provider-token",
        nonce: "provider-token"),
      BucketCredentials(
        accessKeyID: "id", secretAccessKey: "pass-word", sessionToken: "provider-token"),
      WebDAVCredentials(user: "ada@example.org", password: "pass-word"),
      FileCredentialStore(folder: "folder"),
    ]
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      for text in [String(reflecting: value), String(describing: value), "\(value)", dumped] {
        expectNone(text)
      }
    }
  }
}
