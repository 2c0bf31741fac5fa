package import EventLog

/// Sends the requests of one place, again where the answer says that it may work later.
package struct CloudClient: Sendable {
  /// How often a request is sent.
  private static let triesMax = 4

  private let transport: any HTTPTransport
  private let random: RandomText
  private let sleep: @Sendable (Duration) async throws -> Void
  /// What is left for retries in one run; nil if each request is a run of its own.
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
  /// A request may have been carried out though its answer was lost: sending it again must do no
  /// harm. One that is to be sent once is sent again only if it certainly was not carried out.
  ///
  /// - Parameters:
  ///   - service: How the service signs requests and names errors.
  ///   - request: The request, not yet signed.
  ///   - accepted: Further statuses that the caller makes something of.
  ///   - read: Reads the answer, which is `done`, `taken` or `missing`, or has such a status. A
  ///     garbled one is asked for again.
  /// - Throws: any other one.
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
      do throws(CloudFailure) {
        signed = try await service.sign(request)
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
      }
      if failure.kind == .signIn, !failure.isFinal, !hasRefreshed,
        try await service.refresh(after: signed)
      {
        hasRefreshed = true
        continue
      }
      let pause = max(failure.retryAfter ?? .zero, backoff(attempt))
      guard failure.mayPass, attempt < Self.triesMax,
        isUndone || !request.isSentOnce, budget.take(pause, afterSilence: failure.isSilence)
      else { throw failure }
      attempt += 1
      do { try await sleep(pause) } catch { throw CloudFailure(HTTPFault.cancelled) }
    }
  }

  /// Sends a request, and returns its final answer.
  package func send(
    _ request: HTTPRequest, to service: some CloudService, accepting accepted: Set<Int> = []
  ) async throws(CloudFailure) -> (AnswerClass, HTTPAnswer) {
    try await send(request, to: service, accepting: accepted, reading: Self.whole)
  }

  /// Sends a request for a place, whose errors name it.
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

  /// Sends a request for a place, and returns its final answer.
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

  /// A random time between nothing and twice as long as the last one could be.
  private func backoff(_ attempt: Int) -> Duration {
    .milliseconds(500) * (1 << (attempt - 1)) * random.fraction()
  }
}

/// How a service wants requests signed, and how it names errors.
package protocol CloudService: Sendable {
  /// Adds what proves who asks.
  func sign(_ request: HTTPRequest) async throws(CloudFailure) -> HTTPRequest
  /// Sends a signed request, once.
  func exchange(
    _ request: HTTPRequest, over transport: any HTTPTransport
  ) async throws(CloudFailure) -> HTTPAnswer
  /// Makes the proof anew, after it was not accepted.
  ///
  /// - Returns: whether there is a new one.
  func refresh() async throws(CloudFailure) -> Bool
  /// The same for a service that can tell from the request which proof was not accepted.
  func refresh(after request: HTTPRequest) async throws(CloudFailure) -> Bool
  /// The class of an answer.
  func kind(of answer: HTTPAnswer) -> AnswerClass
  /// The service's own name for the error of an answer; nil for an answer without one.
  func word(of answer: HTTPAnswer) -> String?
  /// The failure of an answer that is neither done, taken nor missing.
  func failure(_ kind: AnswerClass, _ answer: HTTPAnswer) -> CloudFailure
  /// The same for a service whose failures depend on the request.
  func failure(_ kind: AnswerClass, _ answer: HTTPAnswer, to request: HTTPRequest) -> CloudFailure
}

extension CloudService {
  /// The answer brings nothing for the next request.
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

  /// There is nothing to make anew.
  package func refresh() async throws(CloudFailure) -> Bool { false }

  /// Makes the proof anew, whichever it was.
  package func refresh(after request: HTTPRequest) async throws(CloudFailure) -> Bool {
    try await refresh()
  }

  /// The failure with the status, the error's name, and when to come again.
  package func failure(_ kind: AnswerClass, _ answer: HTTPAnswer) -> CloudFailure {
    let word = word(of: answer)
    let name = word.map { " (\(SafeText.quote($0)))" } ?? ""
    return CloudFailure(
      kind, "it answered \(answer.status)\(name)", word: word, retryAfter: answer.retryAfter)
  }

  /// The failure, whatever was asked.
  package func failure(
    _ kind: AnswerClass, _ answer: HTTPAnswer, to request: HTTPRequest
  ) -> CloudFailure { failure(kind, answer) }

  /// The error of an answer that is none to what was asked, though the server calls it one, or
  /// whose status means something else elsewhere.
  func error(
    of answer: HTTPAnswer, at address: String, isReading: Bool
  ) -> EventLogError {
    let failure =
      (200..<300).contains(answer.status) ? CloudFailure.senseless(answer) : failure(.wrong, answer)
    return failure.error(at: address, isReading: isReading)
  }
}
