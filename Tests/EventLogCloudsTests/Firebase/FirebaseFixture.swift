import EventLog
import EventLogClouds
import Foundation
import Synchronization
import Testing

@testable import EventLogClouds

/// Firebase Auth with canned answers, and a clock and a store that a test can change.
struct FirebaseFixture {
  static let name = "firebase/diary"
  static let start: Int64 = 1_800_000_000_000
  /// The secrets that must never be shown.
  static let secrets = ["refresh-", "pass-word", "ada@example.org", "provider-token", "web-key"]

  let transport: StoredTransport
  let store: any CredentialStore
  let time = TestClock(start)
  let auth: FirebaseAuth

  init(
    _ responses: [Result<HTTPResponse, HTTPFault>],
    store: any CredentialStore = MemoryCredentialStore(), emulator: String? = nil
  ) {
    let (transport, time) = (StoredTransport(responses), time)
    (self.transport, self.store) = (transport, store)
    auth = FirebaseAuth(
      project: "diary", apiKey: "web-key/1", credentials: store, emulator: emulator,
      name: Self.name,
      client: CloudClient(transport, random: .seeded(1), sleep: { _ in }),
      clock: WallClock { time.now })
  }

  /// Returns a fixture with a signed-in user; the answers are for later requests.
  static func signedIn(
    _ responses: [Result<HTTPResponse, HTTPFault>], as user: String = "u1"
  ) async throws -> FirebaseFixture {
    let fixture = FirebaseFixture([.signedIn(user)] + responses)
    _ = try await fixture.auth.signInAnonymously()
    return fixture
  }

  var urls: [String] { transport.requests.map(\.url) }
  /// The methods of the requests, without the service's URL.
  var methods: [String] {
    urls.map { url in
      String(url.prefix { $0 != "?" }.split { ":/".contains($0) }.last ?? "")
    }
  }

  func stored() async throws -> FirebaseCredential? {
    try await store.load(Self.name).flatMap { FirebaseCredential($0) }
  }

  func body(_ number: Int) -> String {
    String(decoding: transport.requests[number].body, as: UTF8.self)
  }
}

final class TestClock: Sendable {
  private let value: Mutex<Int64>

  init(_ milliseconds: Int64) { value = Mutex(milliseconds) }

  var now: Int64 { value.withLock { $0 } }
  func advance(seconds: Int64) { value.withLock { $0 += seconds * 1000 } }
}

/// A store that a test can let fail, and change from outside.
final class FaultyCredentialStore: CredentialStore {
  let inner = MemoryCredentialStore()
  let failsToSave = Mutex(false)
  /// The results of the next loads, instead of the stored secret.
  let overridden = Mutex<[[UInt8]]>([])

  func load(_ name: String) async throws(EventLogError) -> [UInt8]? {
    let next: [UInt8]? = overridden.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    if let next { return next }
    return try await inner.load(name)
  }

  func save(_ secret: [UInt8], as name: String) async throws(EventLogError) {
    if failsToSave.withLock({ $0 }) { throw EventLogError(invalidInput: "The disk is full.") }
    try await inner.save(secret, as: name)
  }

  func remove(_ name: String) async throws(EventLogError) { try await inner.remove(name) }
}

extension Result<HTTPResponse, HTTPFault> {
  static func json(_ status: Int, _ text: String) -> Self {
    .success(HTTPResponse(status: status, body: Array(text.utf8)))
  }

  /// An error answer of Firebase.
  static func refused(_ message: String, _ status: Int = 400) -> Self {
    json(
      status,
      #"{"error":{"code":\#(status),"message":"\#(message)","status":"INVALID_ARGUMENT"}}"#)
  }

  static func signedIn(
    _ user: String, provider: String = "anonymous", refresh: String = "refresh-1",
    project: String = "diary", serial: Int = 1
  ) -> Self {
    let token = Self.token(user, provider: provider, project: project, serial: serial)
    return json(
      200,
      #"{"kind":"x","localId":"\#(user)","idToken":"\#(token)","refreshToken":"\#(refresh)","#
        + #""expiresIn":"3600"}"#)
  }

  /// An answer of `securetoken`.
  static func renewed(
    _ user: String, serial: Int, refresh: String = "refresh-1", provider: String = "anonymous",
    project: String = "diary"
  ) -> Self {
    let token = Self.token(user, provider: provider, project: project, serial: serial)
    return json(
      200,
      #"{"access_token":"\#(token)","expires_in":"3600","token_type":"Bearer","refresh_token":"#
        + #""\#(refresh)","id_token":"\#(token)","user_id":"\#(user)","project_id":"123"}"#)
  }

  static func token(
    _ user: String, provider: String = "anonymous", project: String = "diary", serial: Int = 1,
    end: Int64 = FirebaseFixture.start / 1000 + 3600
  ) -> String {
    let claims =
      #"{"sub":"\#(user)","aud":"\#(project)","exp":\#(end),"n":\#(serial),"firebase":"#
      + #"{"sign_in_provider":"\#(provider)"}}"#
    return "e30." + Data(claims.utf8).base64EncodedString().replacing("=", with: "") + ".s"
  }
}
