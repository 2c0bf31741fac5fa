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

  /// How often it was asked for.
  var value: Int { count.withLock { $0 } }

  /// The number of this call.
  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}

/// Answers each request by a function, and counts them.
struct ScriptedTransport: HTTPTransport {
  let counter = CallCounter()
  let answer: @Sendable (HTTPRequest) -> HTTPAnswer

  /// How many requests were answered.
  var requestCount: Int { counter.value }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPAnswer {
    _ = counter.next()
    return answer(request)
  }
}

/// Answers some requests by a function and lets a server answer the others. Counts all of them.
struct ChangedTransport: HTTPTransport {
  let counter = CallCounter()
  private let base: any HTTPTransport
  private let answer: @Sendable (HTTPRequest) async -> HTTPAnswer?

  /// - Parameter answer: Returns nil for what the server answers.
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

/// What sends requests on this system, with little patience and little room.
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
