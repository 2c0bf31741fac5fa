import EventLog
import EventLogClouds
import EventLogTesting
import Synchronization

/// Lets requests to any server fail, as networks, proxies and servers let them fail, and counts the
/// time that this would take.
///
/// Which ones fail, and how, follows from a seed.
final class ChaosTransport: HTTPTransport {
  /// How a request fails.
  enum Mishap: CaseIterable, Sendable {
    case unreachable, cutBefore, cutAfter, silentBefore, silentAfter
    case busyBefore, busyAfter, gatewayTimeout, tooMany, tooManyForLong
    case conflict, refused, signedOut, redirected, strangeStatus
    case page, empty, halved
  }

  private struct State {
    var random: SplitMix64
    var percent: UInt64
    var milliseconds: Int64 = 0
    var counts = Counts()
  }

  /// What happened since the last look.
  struct Counts: Sendable {
    var requests = 0
    var silences = 0
    /// Simulated, without silences.
    var time = Duration.zero
  }

  private let base: any HTTPTransport
  private let mishaps: [Mishap]
  private let state: Mutex<State>

  /// - Parameters:
  ///   - percent: How many requests fail.
  ///   - mishaps: How they fail.
  init(
    _ base: some HTTPTransport, seed: UInt64, percent: UInt64 = 40,
    mishaps: [Mishap] = Mishap.allCases
  ) {
    (self.base, self.mishaps) = (base, mishaps)
    state = Mutex(State(random: SplitMix64(seed: seed), percent: percent))
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

  /// Passes the time for whoever waits for a retry.
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
      guard state.random.next() % 100 < state.percent else { return nil }
      let mishap = mishaps[Int(state.random.next() % UInt64(mishaps.count))]
      if [.silentBefore, .silentAfter].contains(mishap) { state.counts.silences += 1 }
      return mishap
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
    case .silentBefore: throw .timedOut
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
    // Carried out, but the answer is lost.
    var answer = try await base.send(request)
    switch mishap {
    case .cutAfter: throw .cut("reset")
    case .silentAfter: throw .timedOut
    case .busyAfter: return HTTPAnswer(status: 500)
    case .gatewayTimeout: return HTTPAnswer(status: 504, text: "<html>Gateway Timeout</html>")
    default:
      answer.body.removeLast(answer.body.count / 2)
      return answer
    }
  }
}
