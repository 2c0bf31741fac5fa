import EventLog
import EventLogClouds
import EventLogTesting
import Synchronization

/// Fails random requests as networks, proxies and servers do, and counts the simulated time.
///
/// The failures depend only on the seed.
final class ChaosTransport: HTTPTransport {
  /// A kind of failure.
  enum Mishap: CaseIterable, Sendable {
    case unreachable, cutBefore, cutAfter, silentBefore, silentAfter
    case busyBefore, busyAfter, gatewayTimeout, tooMany, tooManyForLong
    case conflict, refused, signedOut, redirected, strangeStatus
    case page, empty, halved
  }

  private struct State {
    var random: SplitMix64
    var percent: UInt64
    /// The number of requests to let through before failures start.
    var calmCount: Int
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
  private let mishaps: [Mishap]
  private let state: Mutex<State>

  /// - Parameters:
  ///   - percent: The percentage of requests that fail.
  ///   - mishaps: The kinds of failures.
  ///   - calmCount: The number of requests that succeed before the first failure.
  init(
    _ base: some HTTPTransport, seed: UInt64, percent: UInt64 = 40,
    mishaps: [Mishap] = Mishap.allCases, calmCount: Int = 0
  ) {
    (self.base, self.mishaps) = (base, mishaps)
    state = Mutex(
      State(random: SplitMix64(seed: seed), percent: percent, calmCount: calmCount))
  }

  /// Lets all later requests succeed.
  func calm() { state.withLock { $0.percent = 0 } }

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

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPAnswer {
    sleep(.milliseconds(50))
    let mishap = state.withLock { state -> Mishap? in
      state.counts.requests += 1
      state.calmCount -= 1
      guard state.calmCount < 0, state.random.next() % 100 < state.percent else { return nil }
      return mishaps[Int(state.random.next() % UInt64(mishaps.count))]
    }
    guard let mishap else { return try await base.send(request) }
    return try await answer(mishap, request)
  }

  private func answer(
    _ mishap: Mishap, _ request: HTTPRequest
  ) async throws(HTTPFault) -> HTTPAnswer {
    switch mishap {
    case .unreachable: throw .unreachable("refused")
    case .cutBefore: throw .cut("reset")
    case .silentBefore:
      sleep(request.silenceMax)
      throw .timedOut
    case .busyBefore: return HTTPAnswer(status: 503)
    case .tooMany:
      return HTTPAnswer(status: 429, headers: [HTTPHeader("Retry-After", "4")])
    case .tooManyForLong:
      return HTTPAnswer(status: 429, headers: [HTTPHeader("Retry-After", "3600")])
    case .conflict: return HTTPAnswer(status: 409)
    case .refused: return HTTPAnswer(status: 403)
    case .signedOut: return HTTPAnswer(status: 401)
    case .redirected:
      return HTTPAnswer(status: 302, headers: [HTTPHeader("Location", "https://elsewhere.example")])
    case .strangeStatus: return HTTPAnswer(status: 999)
    case .page: return HTTPAnswer(status: 200, text: "<html>Sign in to the hotel's network</html>")
    case .empty: return HTTPAnswer(status: 200)
    case .cutAfter, .silentAfter, .busyAfter, .gatewayTimeout, .halved: break
    }
    // The server handles the request, but its answer is lost or damaged.
    var answer = try await base.send(request)
    switch mishap {
    case .cutAfter: throw .cut("reset")
    case .silentAfter:
      sleep(request.silenceMax)
      throw .timedOut
    case .busyAfter: return HTTPAnswer(status: 500)
    case .gatewayTimeout: return HTTPAnswer(status: 504, text: "<html>Gateway Timeout</html>")
    default:
      answer.body.removeLast(answer.body.count / 2)
      return answer
    }
  }
}
