package import EventLog

/// Sends the requests of one remote, and retries transient failures.
package struct CloudClient: Sendable {
  /// The maximum number of attempts for a request.
  private static let attemptsMax = 4

  private let transport: any HTTPTransport
  private let random: RandomText
  private let sleep: @Sendable (Duration) async throws -> Void
  /// The limits of the run, or nil if each request is a run of its own.
  private var budget: RetryBudget?

  package init(
    _ transport: any HTTPTransport, random: RandomText = .system,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    (self.transport, self.random, self.sleep) = (transport, random, sleep)
  }

  /// Returns a client whose requests share the limits of one run.
  package func forOneRun() -> CloudClient {
    var client = self
    client.budget = RetryBudget()
    return client
  }

  /// Sends a request until its answer is final.
  ///
  /// A request may be carried out although its answer is lost, so it must be idempotent, unless
  /// `isSentOnce` is set: then it is sent again only if it certainly wasn't carried out.
  ///
  /// - Parameters:
  ///   - service: The service, which signs requests and names errors.
  ///   - request: The request, not yet signed.
  ///   - accepted: Further statuses that `read` expects.
  ///   - read: Reads an answer that is `done`, `taken` or `missing`, or has an accepted status. A
  ///     garbled answer is requested again.
  /// - Throws: The failure of any other answer.
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

  /// Sends a request, and returns its final answer.
  package func send(
    _ request: HTTPRequest, to service: some CloudService, accepting accepted: Set<Int> = []
  ) async throws(CloudFailure) -> (ResponseClass, HTTPResponse) {
    try await send(request, to: service, accepting: accepted, reading: Self.unchanged)
  }

  /// Sends a request, and throws errors that name the remote's address.
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

  /// Sends a request, and returns its final answer.
  ///
  /// Errors name the remote's address.
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

  /// A random pause of up to 500 ms, which doubles with each attempt.
  private func backoff(_ attempt: Int) -> Duration {
    .milliseconds(500) * (1 << (attempt - 1)) * random.fraction()
  }
}
