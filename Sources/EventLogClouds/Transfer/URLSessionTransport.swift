// For Apple's systems only: on Linux, URLSession of Swift 6.3 crashes if the connection ends inside
// the head of a response. With the flag, the file compiles there nevertheless.
#if canImport(Darwin) || EVENTLOG_URLSESSION
  import Foundation
  import Synchronization
  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Sends requests with `URLSession`.
  package struct URLSessionTransport: HTTPTransport {
    package init() {}

    package func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
      guard request.isValid, let url = URL(string: request.url) else { throw .invalidRequest }
      var urlRequest = URLRequest(url: url)
      urlRequest.httpMethod = request.method
      urlRequest.httpBody = Data(request.body)
      for header in request.headers {
        urlRequest.setValue(header.value, forHTTPHeaderField: header.name)
      }
      let exchange = Exchange(request)
      let result = await withTaskCancellationHandler {
        await exchange.perform(urlRequest)
      } onCancel: {
        exchange.cancel()
      }
      return try result.get()
    }
  }

  /// A request with its own session. It is the session's delegate, and receives the response.
  private final class Exchange: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
      var session: URLSession?
      var continuation: CheckedContinuation<Result<HTTPResponse, HTTPFault>, Never>?
      var response: HTTPURLResponse?
      var body: [UInt8] = []
      /// The reason for canceling the session, which doesn't report it.
      var fault: HTTPFault?
    }

    private let limits: HTTPLimits
    private let idleTimeout: Duration
    private let totalTimeout: Duration
    private let state = Mutex(State())

    init(_ request: HTTPRequest) {
      limits = request.limits
      (idleTimeout, totalTimeout) = (request.idleTimeout, request.totalTimeout)
    }

    func perform(_ request: URLRequest) async -> Result<HTTPResponse, HTTPFault> {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpCookieStorage = nil
      configuration.urlCache = nil
      configuration.urlCredentialStorage = nil
      configuration.timeoutIntervalForRequest = idleTimeout / .seconds(1)
      configuration.timeoutIntervalForResource = totalTimeout / .seconds(1)
      return await withCheckedContinuation { continuation in
        let session = URLSession(
          configuration: configuration, delegate: self, delegateQueue: nil)
        let isCancelled = state.withLock { state in
          (state.session, state.continuation) = (session, continuation)
          return state.fault != nil
        }
        let task = session.dataTask(with: request)
        task.resume()
        if isCancelled { session.invalidateAndCancel() }
      }
    }

    func cancel() { end(.canceled) }

    private func end(_ fault: HTTPFault) {
      let session = state.withLock { state in
        if state.fault == nil { state.fault = fault }
        return state.session
      }
      session?.invalidateAndCancel()
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      state.withLock { $0.response = response as? HTTPURLResponse }
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let isTooLong = state.withLock { state in
        guard data.count <= limits.bodyBytes - state.body.count else { return true }
        state.body += data
        return false
      }
      if isTooLong { end(.tooLarge) }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      session.finishTasksAndInvalidate()
      let (continuation, result) = state.withLock { state in
        defer { (state.continuation, state.session) = (nil, nil) }
        return (state.continuation, Self.result(state, error))
      }
      continuation?.resume(returning: result)
    }

    private static func result(
      _ state: State, _ error: (any Error)?
    ) -> Result<HTTPResponse, HTTPFault> {
      if let fault = state.fault { return .failure(fault) }
      if let error { return .failure(HTTPFault(error)) }
      guard let response = state.response else {
        return .failure(.malformed("The answer has no head."))
      }
      let headers = response.allHeaderFields.compactMap { name, value in
        (name as? String).map { HTTPHeader($0, "\(value)") }
      }
      return .success(
        HTTPResponse(status: response.statusCode, headers: headers, body: state.body))
    }
  }

  extension HTTPFault {
    /// Converts an error of `URLSession`.
    fileprivate init(_ error: any Error) {
      let message = error.localizedDescription
      guard let code = (error as? URLError)?.code else {
        self = .connectionLost(message)
        return
      }
      switch code {
      case .cancelled: self = .canceled
      case .timedOut: self = .timedOut
      case .badURL, .unsupportedURL: self = .invalidRequest
      case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet:
        self = .unreachable(message)
      case .serverCertificateUntrusted, .serverCertificateHasBadDate,
        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
        .clientCertificateRejected, .clientCertificateRequired, .secureConnectionFailed:
        self = .untrusted(message)
      case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData,
        .cannotDecodeContentData:
        self = .malformed(message)
      default: self = .connectionLost(message)
      }
    }
  }
#endif
