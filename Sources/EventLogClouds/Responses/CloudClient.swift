package import EventLog

/// Sends requests to one remote, and retries transient failures.
package struct CloudClient: Sendable {
  /// The maximum number of attempts for a request.
  private static let attemptsMax = 4

  private let transport: any HTTPTransport
  private let random: RandomText
  private let sleep: @Sendable (Duration) async throws -> Void
  /// The retry limits of the current run, or nil if each request has its own.
  private var budget: RetryBudget?

  package init(
    _ transport: any HTTPTransport, random: RandomText = .system,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    (self.transport, self.random, self.sleep) = (transport, random, sleep)
  }

  /// Returns a client whose requests share one run's retry limits.
  package func forOneRun() -> CloudClient {
    var client = self
    client.budget = RetryBudget()
    return client
  }

  /// Sends a request, and retries it until the outcome is final.
  ///
  /// A request may be executed although its response is lost. Non-idempotent requests are therefore
  /// retried only if the server certainly didn't execute them.
  ///
  /// - Parameters:
  ///   - service: The service, which signs requests and interprets responses.
  ///   - request: The unsigned request.
  ///   - accepted: Further statuses that `read` accepts.
  ///   - read: Parses a response that is a `success`, `alreadyExists` or `notFound`, or has an
  ///     accepted status. If parsing throws `unparsable`, the request is retried.
  /// - Throws: The failure if no attempt succeeded.
  package func send<Value>(
    _ request: HTTPRequest, to service: some CloudService, accepting accepted: Set<Int> = [],
    reading read: (ResponseClass, HTTPResponse) throws(CloudFailure) -> Value
  ) async throws(CloudFailure) -> Value {
    let budget = budget ?? RetryBudget()
    var (attempt, hasRefreshed) = (1, false)
    while true {
      let failure: CloudFailure
      var wasNotExecuted = false
      var signed = request
      guard let timeout = budget.timeout(upTo: request.limits.idle) else {
        throw CloudFailure(HTTPFault.timedOut)
      }
      do throws(CloudFailure) {
        signed = try await service.sign(request)
        signed.limits.idle = timeout
        let response = try await service.exchange(signed, over: transport)
        let kind = service.kind(of: response)
        if [.success, .alreadyExists, .notFound].contains(kind)
          || accepted.contains(response.status)
        {
          let value = try read(kind, response)
          budget.recordSuccess()
          return value
        }
        failure = service.failure(kind, response, to: request)
        wasNotExecuted = [429, 503].contains(response.status)
      } catch {
        failure = error
        wasNotExecuted = error.wasNotSent
        if error.isTimeout { budget.recordTimeout(signed.idleTimeout) }
      }
      if failure.kind == .unauthenticated, !failure.isFinal, !hasRefreshed,
        try await service.refresh(after: signed)
      {
        hasRefreshed = true
        continue
      }
      let pause = max(failure.retryAfter ?? .zero, backoff(attempt))
      guard failure.isRetryable, attempt < Self.attemptsMax,
        wasNotExecuted || request.isIdempotent, budget.spend(pause)
      else { throw failure }
      attempt += 1
      do { try await sleep(pause) } catch { throw CloudFailure(HTTPFault.canceled) }
    }
  }

  /// Sends a request, and returns the final response.
  package func send(
    _ request: HTTPRequest, to service: some CloudService, accepting accepted: Set<Int> = []
  ) async throws(CloudFailure) -> (ResponseClass, HTTPResponse) {
    try await send(request, to: service, accepting: accepted, reading: Self.unchanged)
  }

  /// Sends a request, and throws errors that contain the remote's address.
  package func send<Value>(
    _ request: HTTPRequest, to service: some CloudService, at address: String, isReading: Bool,
    accepting accepted: Set<Int> = [],
    reading read: (ResponseClass, HTTPResponse) throws(CloudFailure) -> Value
  ) async throws(EventLogError) -> Value {
    do throws(CloudFailure) {
      return try await send(request, to: service, accepting: accepted, reading: read)
    } catch {
      if Task.isCancelled { try EventLogError.checkCancellation() }
      throw error.error(at: address, isReading: isReading)
    }
  }

  /// Sends a request, and returns the final response.
  ///
  /// Errors contain the remote's address.
  package func send(
    _ request: HTTPRequest, to service: some CloudService, at address: String, isReading: Bool,
    accepting accepted: Set<Int> = []
  ) async throws(EventLogError) -> (ResponseClass, HTTPResponse) {
    try await send(
      request, to: service, at: address, isReading: isReading, accepting: accepted,
      reading: Self.unchanged)
  }

  private static func unchanged(
    _ kind: ResponseClass, _ response: HTTPResponse
  ) throws(CloudFailure) -> (ResponseClass, HTTPResponse) { (kind, response) }

  /// Returns a random pause before a retry. Its limit is 500 ms, and doubles with each attempt.
  private func backoff(_ attempt: Int) -> Duration {
    .milliseconds(500) * (1 << (attempt - 1)) * random.fraction()
  }
}
