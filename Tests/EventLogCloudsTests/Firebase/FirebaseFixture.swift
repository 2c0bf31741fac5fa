import EventLog
import EventLogClouds
import Foundation

@testable import EventLogClouds

/// Firebase Auth with canned responses, and a clock and a store that tests control.
struct FirebaseFixture {
  static let name = "firebase/diary"
  static let start: Int64 = 1_800_000_000_000
  /// The secrets that must not appear in any text.
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

  /// Returns a fixture with a signed-in user; the responses are for later requests.
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
