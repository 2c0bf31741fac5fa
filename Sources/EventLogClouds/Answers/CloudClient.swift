package import EventLog

/// Sends the requests of one remote, and retries transient failures.
package struct CloudClient: Sendable {
  /// The maximum number of attempts for a request.
  private static let triesMax = 4

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
    reading read: (AnswerClass, HTTPAnswer) throws(CloudFailure) -> Value
  ) async throws(CloudFailure) -> Value {
    let budget = budget ?? RetryBudget()
    var (attempt, hasRefreshed) = (1, false)
    while true {
      let failure: CloudFailure
      var isUndone = false
      var signed = request
      guard let silence = budget.silence(upTo: request.limits.idle) else {
        throw CloudFailure(HTTPFault.timedOut)
      }
      do throws(CloudFailure) {
        signed = try await service.sign(request)
        signed.limits.idle = silence
        let answer = try await service.exchange(signed, over: transport)
        let kind = service.kind(of: answer)
        if [.done, .taken, .missing].contains(kind) || accepted.contains(answer.status) {
          let value = try read(kind, answer)
          budget.noteSuccess()
          return value
        }
        failure = service.failure(kind, answer, to: request)
        isUndone = [429, 503].contains(answer.status)
      } catch {
        failure = error
        isUndone = error.isUnsent
        if error.isSilence { budget.noteSilence(signed.silenceMax) }
      }
      if failure.kind == .signIn, !failure.isFinal, !hasRefreshed,
        try await service.refresh(after: signed)
      {
        hasRefreshed = true
        continue
      }
      let pause = max(failure.retryAfter ?? .zero, backoff(attempt))
      guard failure.mayPass, attempt < Self.triesMax,
        isUndone || !request.isSentOnce, budget.take(pause)
      else { throw failure }
      attempt += 1
      do { try await sleep(pause) } catch { throw CloudFailure(HTTPFault.canceled) }
    }
  }

  /// Sends a request, and returns its final answer.
  package func send(
    _ request: HTTPRequest, to service: some CloudService, accepting accepted: Set<Int> = []
  ) async throws(CloudFailure) -> (AnswerClass, HTTPAnswer) {
    try await send(request, to: service, accepting: accepted, reading: Self.whole)
  }

  /// Sends a request, and throws errors that name the remote's address.
  package func send<Value>(
    _ request: HTTPRequest, to service: some CloudService, at address: String, isReading: Bool,
    accepting accepted: Set<Int> = [],
    reading read: (AnswerClass, HTTPAnswer) throws(CloudFailure) -> Value
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
  ) async throws(EventLogError) -> (AnswerClass, HTTPAnswer) {
    try await send(
      request, to: service, at: address, isReading: isReading, accepting: accepted,
      reading: Self.whole)
  }

  private static func whole(
    _ kind: AnswerClass, _ answer: HTTPAnswer
  ) throws(CloudFailure) -> (AnswerClass, HTTPAnswer) { (kind, answer) }

  /// A random pause of up to 500 ms, which doubles with each attempt.
  private func backoff(_ attempt: Int) -> Duration {
    .milliseconds(500) * (1 << (attempt - 1)) * random.fraction()
  }
}

/// The signing of requests and the names of errors of a service.
package protocol CloudService: Sendable {
  /// Adds the credentials to a request.
  func sign(_ request: HTTPRequest) async throws(CloudFailure) -> HTTPRequest
  /// Sends a signed request, once.
  func exchange(
    _ request: HTTPRequest, over transport: any HTTPTransport
  ) async throws(CloudFailure) -> HTTPAnswer
  /// Renews the credentials after the service has rejected them.
  ///
  /// - Returns: Whether there are new ones.
  func refresh() async throws(CloudFailure) -> Bool
  /// Renews the credentials after the service has rejected those in a request.
  func refresh(after request: HTTPRequest) async throws(CloudFailure) -> Bool
  /// The class of an answer.
  func kind(of answer: HTTPAnswer) -> AnswerClass
  /// The service's own name for the error of an answer, or nil if the answer contains none.
  func word(of answer: HTTPAnswer) -> String?
  /// The failure of an answer that is neither done, taken nor missing.
  func failure(_ kind: AnswerClass, _ answer: HTTPAnswer) -> CloudFailure
  /// Like `failure(_:_:)`, for a service whose failures depend on the request.
  func failure(_ kind: AnswerClass, _ answer: HTTPAnswer, to request: HTTPRequest) -> CloudFailure
}

extension CloudService {
  /// Sends the request, and keeps nothing of the answer for the next one.
  package func exchange(
    _ request: HTTPRequest, over transport: any HTTPTransport
  ) async throws(CloudFailure) -> HTTPAnswer {
    do throws(HTTPFault) { return try await transport.send(request) } catch {
      throw CloudFailure(error)
    }
  }

  /// The class by the status, and by the error's name.
  package func kind(of answer: HTTPAnswer) -> AnswerClass {
    AnswerClass(status: answer.status, word: word(of: answer))
  }

  /// Returns false, because there is nothing to renew.
  package func refresh() async throws(CloudFailure) -> Bool { false }

  /// Renews the credentials, even if those in the request were older.
  package func refresh(after request: HTTPRequest) async throws(CloudFailure) -> Bool {
    try await refresh()
  }

  /// The failure with the status, the error's name, and the time to wait before a retry.
  package func failure(_ kind: AnswerClass, _ answer: HTTPAnswer) -> CloudFailure {
    let word = word(of: answer)
    let name = word.map { " (\(SafeText.quote($0)))" } ?? ""
    return CloudFailure(
      kind, "it answered \(answer.status)\(name)", word: word, retryAfter: answer.retryAfter)
  }

  /// The failure, which doesn't depend on the request.
  package func failure(
    _ kind: AnswerClass, _ answer: HTTPAnswer, to request: HTTPRequest
  ) -> CloudFailure { failure(kind, answer) }

  /// The error of an answer whose status doesn't fit the request, even if it is that of a success.
  func error(
    of answer: HTTPAnswer, at address: String, isReading: Bool
  ) -> EventLogError {
    let failure =
      (200..<300).contains(answer.status) ? CloudFailure.senseless(answer) : failure(.wrong, answer)
    return failure.error(at: address, isReading: isReading)
  }
}
