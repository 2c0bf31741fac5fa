import EventLogClouds
import Synchronization

/// A transport that returns canned answers in order, and records the requests.
final class StoredTransport: HTTPTransport {
  private struct State {
    var answers: [Result<HTTPAnswer, HTTPFault>]
    var requests: [HTTPRequest] = []
  }

  private let state: Mutex<State>

  init(_ answers: [Result<HTTPAnswer, HTTPFault>]) { state = Mutex(State(answers: answers)) }

  /// The requests so far.
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

/// A counter of calls.
final class CallCounter: Sendable {
  private let count = Mutex(0)

  /// The number of calls so far.
  var value: Int { count.withLock { $0 } }

  /// Counts a call, and returns its number.
  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}

/// A transport that answers each request with a closure, and counts the requests.
struct ScriptedTransport: HTTPTransport {
  let counter = CallCounter()
  let answer: @Sendable (HTTPRequest) -> HTTPAnswer

  /// The number of requests so far.
  var requestCount: Int { counter.value }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPAnswer {
    _ = counter.next()
    return answer(request)
  }
}

/// A transport that answers some requests with a closure, and forwards the others to a server.
struct ChangedTransport: HTTPTransport {
  let counter = CallCounter()
  private let base: any HTTPTransport
  private let answer: @Sendable (HTTPRequest) async -> HTTPAnswer?

  /// - Parameter answer: Returns the answer, or nil to forward the request.
  init(
    _ base: some HTTPTransport, _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPAnswer?
  ) {
    (self.base, self.answer) = (base, answer)
  }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPAnswer {
    _ = counter.next()
    if let answer = await answer(request) { return answer }
    return try await base.send(request)
  }
}

/// The transport of this system, with short deadlines and a low limit for answers.
struct ImpatientTransport: HTTPTransport {
  static let bodyBytes = 4 << 20

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPAnswer {
    var request = request
    request.limits.idle = .seconds(1)
    request.limits.whole = .seconds(1)
    request.limits.bodyBytes = Self.bodyBytes
    return try await CurlTransport().send(request)
  }
}
