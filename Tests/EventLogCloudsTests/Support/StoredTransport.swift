import EventLogClouds
import Synchronization

/// A transport that returns canned answers in order, and records the requests.
final class StoredTransport: HTTPTransport {
  private struct State {
    var responses: [Result<HTTPResponse, HTTPFault>]
    var requests: [HTTPRequest] = []
  }

  private let state: Mutex<State>

  init(_ responses: [Result<HTTPResponse, HTTPFault>]) {
    state = Mutex(State(responses: responses))
  }

  /// The requests so far.
  var requests: [HTTPRequest] { state.withLock(\.requests) }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    let result = state.withLock { state in
      state.requests.append(request)
      return state.responses.isEmpty
        ? .failure(.unreachable("no answer is stored")) : state.responses.removeFirst()
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
  let response: @Sendable (HTTPRequest) -> HTTPResponse

  /// The number of requests so far.
  var requestCount: Int { counter.value }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    _ = counter.next()
    return response(request)
  }
}

/// A transport that answers some requests with a closure, and forwards the others to a server.
struct ChangedTransport: HTTPTransport {
  let counter = CallCounter()
  private let base: any HTTPTransport
  private let response: @Sendable (HTTPRequest) async -> HTTPResponse?

  /// - Parameter answer: Returns the answer, or nil to forward the request.
  init(
    _ base: some HTTPTransport, _ response: @escaping @Sendable (HTTPRequest) async -> HTTPResponse?
  ) {
    (self.base, self.response) = (base, response)
  }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    _ = counter.next()
    if let response = await response(request) { return response }
    return try await base.send(request)
  }
}

/// The transport of this system, with short deadlines and a low limit for answers.
struct ImpatientTransport: HTTPTransport {
  static let bodyBytes = 4 << 20

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    var request = request
    request.limits.idle = .seconds(1)
    request.limits.total = .seconds(1)
    request.limits.bodyBytes = Self.bodyBytes
    return try await CurlTransport().send(request)
  }
}
