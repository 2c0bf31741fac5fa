import EventLog

/// How CloudKit Web Services want to know who asks, and how they name errors.
struct CloudKitService: CloudService {
  private let session: CloudKitSession

  init(_ credentials: CloudKitCredentials) { session = CloudKitSession(credentials) }

  /// The session signs what it sends.
  func sign(_ request: HTTPRequest) async throws(CloudFailure) -> HTTPRequest { request }

  func exchange(
    _ request: HTTPRequest, over transport: any HTTPTransport
  ) async throws(CloudFailure) -> HTTPAnswer {
    try await session.exchange(request, over: transport)
  }

  func refresh() async throws(CloudFailure) -> Bool { try await session.hasAnotherToken() }

  /// The error of an answer: its own, or in an answer with a result for each record, the first one
  /// that concerns all of them.
  func word(of answer: HTTPAnswer) -> String? { problem(of: answer)?.code }

  func failure(_ kind: AnswerClass, _ answer: HTTPAnswer) -> CloudFailure {
    let problem = problem(of: answer)
    return CloudFailure(
      kind, problem?.text ?? "it answered \(answer.status)", word: problem?.code,
      retryAfter: problem?.retryAfter ?? answer.retryAfter)
  }

  private func problem(of answer: HTTPAnswer) -> CloudKitProblem? {
    // An object that was read without an error is not parsed twice.
    guard answer.status >= 300 || answer.body.containsBytes(of: CloudKitProblem.key),
      let body = try? JSONValue(parsing: answer.body)
    else { return nil }
    if let problem = CloudKitProblem(body) { return problem }
    return (body.list("records") + body.list("zones")).lazy.compactMap(CloudKitProblem.init)
      .first { $0.concernsAll }
  }
}

/// What CloudKit says went wrong, with a request or with one record of it.
struct CloudKitProblem: Sendable {
  fileprivate static let key = "serverErrorCode"

  let code: String
  /// What to show: the code and the reason, without what could be a secret.
  let text: String
  let retryAfter: Duration?
  /// The record that it happened to.
  let record: String?

  /// Nil for a value that tells of no error.
  init?(_ value: JSONValue) {
    guard case .string(let code)? = value[Self.key] else { return nil }
    self.code = code
    var text = SafeText.quote(CloudKitText.withoutSecrets(code))
    if case .string(let reason)? = value["reason"] {
      text += ", \"\(SafeText.quote(CloudKitText.withoutSecrets(reason)))\""
    }
    self.text = "it answered \(text)"
    if case .string(let name)? = value["recordName"] { record = name } else { record = nil }
    if case .number(let number)? = value["retryAfter"], number.double >= 0 {
      retryAfter = .milliseconds(Int64(min(number.double, 86_400) * 1000))
    } else {
      retryAfter = nil
    }
  }

  /// Whether it is no record's own, so that the whole request is sent again, or fails.
  var concernsAll: Bool {
    // A conflict is about one record, and would come again.
    code != "CONFLICT" && [.again, .signIn].contains(AnswerClass(status: 200, word: code))
  }

  /// The error of a call, or of one record of it.
  ///
  /// - Parameter isCreating: A conflict with a record that is to be created is that it exists.
  func error(isCreating: Bool = false) -> CloudKitError {
    let reason: CloudKitError.Reason =
      switch code {
      case "CONFLICT": isCreating ? .exists : .tryAgain
      case "ATOMIC_ERROR": .atomicFailure
      case "NOT_FOUND", "UNKNOWN_ITEM": .notFound
      case "ZONE_NOT_FOUND": .zoneMissing
      default:
        CloudKitError(CloudFailure(AnswerClass(status: 400, word: code), text)).reason
      }
    return CloudKitError(reason, text, retryAfter: retryAfter)
  }
}

extension JSONValue {
  /// The values of a list that is a member; none for anything else.
  func list(_ name: String) -> [JSONValue] {
    if case .array(let values)? = self[name] { values } else { [] }
  }
}
