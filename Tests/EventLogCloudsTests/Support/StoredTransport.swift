import EventLogClouds
import Synchronization

/// Gives stored answers, one for each request, and keeps the requests.
final class StoredTransport: HTTPTransport {
  private struct State {
    var answers: [Result<HTTPAnswer, HTTPFault>]
    var requests: [HTTPRequest] = []
  }

  private let state: Mutex<State>

  init(_ answers: [Result<HTTPAnswer, HTTPFault>]) { state = Mutex(State(answers: answers)) }

  /// What was asked so far.
  var requests: [HTTPRequest] { state.withLock(\.requests) }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPAnswer {
    let result = state.withLock { state in
      state.requests.append(request)
      return state.answers.isEmpty
        ? .failure(.unreachable("no answer is stored")) : state.answers.removeFirst()
    }
    return try result.get()
  }
}

/// Counts how often something is asked for.
final class CallCounter: Sendable {
  private let count = Mutex(0)

  /// The number of this call.
  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
