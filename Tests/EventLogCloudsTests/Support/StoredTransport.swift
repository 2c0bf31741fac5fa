import EventLogClouds
import Synchronization

/// A transport that returns canned responses in order, and records the requests.
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
