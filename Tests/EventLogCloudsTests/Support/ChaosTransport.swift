import EventLog
import EventLogClouds
import EventLogTesting
import Synchronization

/// Fails random requests as networks, proxies and servers do, and counts the simulated time.
///
/// The failures depend only on the seed.
final class ChaosTransport: HTTPTransport {
  /// A kind of failure.
  enum Failure: CaseIterable, Sendable {
    case unreachable, cutBefore, cutAfter, silentBefore, silentAfter
    case busyBefore, busyAfter, gatewayTimeout, tooMany, tooManyForLong
    case conflict, refused, signedOut, redirected, strangeStatus
    case page, empty, halved
  }

  private struct State {
    var random: SplitMix64
    var percent: UInt64
    /// The number of requests to let through before failures start.
    var successCount: Int
    var milliseconds: Int64 = 0
    var counts = Counts()
  }

  /// The counts since the last call of `takeCounts()`.
  struct Counts: Sendable {
    var requests = 0
    /// The simulated time.
    var time = Duration.zero
  }

  private let base: any HTTPTransport
  private let failures: [Failure]
  private let state: Mutex<State>

  /// - Parameters:
  ///   - percent: The percentage of requests that fail.
  ///   - failures: The kinds of failures.
  ///   - successCount: The number of requests that succeed before the first failure.
  init(
    _ base: some HTTPTransport, seed: UInt64, percent: UInt64 = 40,
    failures: [Failure] = Failure.allCases, successCount: Int = 0
  ) {
    (self.base, self.failures) = (base, failures)
    state = Mutex(
      State(random: SplitMix64(seed: seed), percent: percent, successCount: successCount))
  }

  /// Lets all later requests succeed.
  func stopFailing() { state.withLock { $0.percent = 0 } }

  func takeCounts() -> Counts {
    state.withLock { state in
      defer { state.counts = Counts() }
      return state.counts
    }
  }

  /// The simulated time, in milliseconds.
  var now: Int64 { state.withLock(\.milliseconds) }

  /// Advances the simulated time instead of waiting for a retry.
  func sleep(_ duration: Duration) {
    state.withLock { state in
      state.counts.time += duration
      state.milliseconds += Int64(duration / .milliseconds(1))
    }
  }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    sleep(.milliseconds(50))
    let failure = state.withLock { state -> Failure? in
      state.counts.requests += 1
      state.successCount -= 1
      guard state.successCount < 0, state.random.next() % 100 < state.percent else { return nil }
      return failures[Int(state.random.next() % UInt64(failures.count))]
    }
    guard let failure else { return try await base.send(request) }
    return try await response(failure, request)
  }

  private func response(
    _ failure: Failure, _ request: HTTPRequest
  ) async throws(HTTPFault) -> HTTPResponse {
    switch failure {
    case .unreachable: throw .unreachable("refused")
    case .cutBefore: throw .connectionLost("reset")
    case .silentBefore:
      sleep(request.idleTimeout)
      throw .timedOut
    case .busyBefore: return HTTPResponse(status: 503)
    case .tooMany:
      return HTTPResponse(status: 429, headers: [HTTPHeader("Retry-After", "4")])
    case .tooManyForLong:
      return HTTPResponse(status: 429, headers: [HTTPHeader("Retry-After", "3600")])
    case .conflict: return HTTPResponse(status: 409)
    case .refused: return HTTPResponse(status: 403)
    case .signedOut: return HTTPResponse(status: 401)
    case .redirected:
      return HTTPResponse(
        status: 302, headers: [HTTPHeader("Location", "https://elsewhere.example")])
    case .strangeStatus: return HTTPResponse(status: 999)
    case .page:
      return HTTPResponse(status: 200, text: "<html>Sign in to the hotel's network</html>")
    case .empty: return HTTPResponse(status: 200)
    case .cutAfter, .silentAfter, .busyAfter, .gatewayTimeout, .halved: break
    }
    // The server handles the request, but its response is lost or damaged.
    var response = try await base.send(request)
    switch failure {
    case .cutAfter: throw .connectionLost("reset")
    case .silentAfter:
      sleep(request.idleTimeout)
      throw .timedOut
    case .busyAfter: return HTTPResponse(status: 500)
    case .gatewayTimeout: return HTTPResponse(status: 504, text: "<html>Gateway Timeout</html>")
    default:
      response.body.removeLast(response.body.count / 2)
      return response
    }
  }
}
