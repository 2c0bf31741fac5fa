import EventLog
import Synchronization

@testable import EventLogClouds

/// A device that is signed in to a server, and its stored session.
final class CloudKitDevice: Sendable {
  struct State {
    var token: String?
    /// The calls of the credentials' closures, in order.
    var calls: [String] = []
    /// The number of calls to `store` that will fail.
    var failureCount = 0
    var pauses: [Duration] = []
  }

  let state: Mutex<State>
  let server: CloudKitServer

  init(_ server: CloudKitServer) {
    self.server = server
    state = Mutex(State(token: server.signIn()))
  }

  static let location = CloudKitLocation(
    container: "iCloud.com.example.diary", environment: .development)

  var credentials: CloudKitCredentials {
    CloudKitCredentials(
      apiToken: CloudKitServer.apiToken,
      load: { self.state.withLock { $0.token } },
      store: { (token) throws(EventLogError) in
        let isFailing = self.state.withLock { state in
          state.calls.append("store")
          state.failureCount -= 1
          if state.failureCount < 0 { state.token = token }
          return state.failureCount >= 0
        }
        if isFailing { throw EventLogError(.inputOutput, "The disk is full.", hint: "Make room.") }
      })
  }

  var storage: CloudKitStorage { storage(over: server) }

  func storage(over transport: any HTTPTransport) -> CloudKitStorage {
    CloudKitStorage(
      Self.location, credentials: credentials,
      client: CloudClient(
        transport, random: .seeded(1),
        sleep: { pause in self.state.withLock { $0.pauses.append(pause) } }))
  }

  static func name(_ number: Int) -> String {
    "dev-a_\(number)-\(number)_\(String(repeating: "0a", count: 8)).jsonl"
  }
}
