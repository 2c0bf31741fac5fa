import EventLog

/// Implements the calls over HTTP, as in Apple's CloudKit Web Services Reference.
struct CloudKitWebServices: CloudKitCalls {
  /// The error statuses whose bodies contain an error code, and sometimes the record.
  private static let readable: Set<Int> = [400, 404, 409]

  private let messages: CloudKitMessages
  private var client: CloudClient
  private let service: CloudKitService

  init(_ location: CloudKitLocation, credentials: CloudKitCredentials, client: CloudClient) {
    messages = CloudKitMessages(location)
    self.client = client
    service = CloudKitService(credentials)
  }

  func forOneRun() -> CloudKitWebServices {
    var calls = self
    calls.client = client.forOneRun()
    return calls
  }

  func modify(
    creating records: [CloudKitRecord], deleting names: [String]
  ) async throws(CloudKitError) -> [String: Result<Void, CloudKitError>] {
    let request = messages.modification(creating: records, deleting: names)
    let created = Set(records.map(\.name))
    var outcomes = try messages.outcomes(
      try await send(request), of: records.map(\.name) + names, created)
    guard !records.isEmpty, outcomes.values.contains(where: Self.isZoneMissing) else {
      return outcomes
    }
    try await makeZone()
    outcomes = try messages.outcomes(
      try await send(request), of: records.map(\.name) + names, created)
    guard outcomes.values.contains(where: Self.isZoneMissing) else { return outcomes }
    throw CloudKitError(.tryAgain, "the zone was made, but isn't there yet")
  }

  private static func isZoneMissing(_ outcome: Result<Void, CloudKitError>) -> Bool {
    if case .failure(let error) = outcome { error.reason == .zoneMissing } else { false }
  }

  /// Creates the zone, unless another device has just created it.
  private func makeZone() async throws(CloudKitError) {
    let body = try await send(messages.zoneCreation)
    let problem = CloudKitProblem(body) ?? body.list("zones").compactMap(CloudKitProblem.init).first
    guard let error = problem?.error(isCreating: true), error.reason != .exists else { return }
    throw error
  }

  func changes(since token: String?) async throws(CloudKitError) -> CloudKitRecord.Changes {
    let body = try await send(messages.changes(since: token))
    let zone = body.list("zones").first
    if let problem = CloudKitProblem(body) ?? zone.flatMap(CloudKitProblem.init) {
      // CloudKit has no error code for an expired token. If there is another cause, the full
      // listing that follows fails with it.
      if token != nil, problem.error().reason == .badRequest {
        throw CloudKitError(.tokenExpired, problem.text)
      }
      throw problem.error()
    }
    guard let changes = zone.flatMap(messages.changes) else { throw Self.malformedResponse }
    return changes
  }

  func lookup(_ names: [String]) async throws(CloudKitError) -> [CloudKitRecord] {
    let body = try await send(messages.lookup(names))
    if let problem = CloudKitProblem(body) { throw problem.error() }
    guard case .array(let values)? = body["records"] else { throw Self.malformedResponse }
    var records: [CloudKitRecord] = []
    for value in values {
      if let error = CloudKitProblem(value)?.error() {
        guard error.reason == .notFound else { throw error }
        continue
      }
      guard let record = messages.record(value, withBytes: true) else {
        throw Self.malformedResponse
      }
      records.append(record)
    }
    return records
  }

  private func send(_ request: HTTPRequest) async throws(CloudKitError) -> JSONValue {
    let (kind, response): (ResponseClass, HTTPResponse)
    do throws(CloudFailure) {
      (kind, response) = try await client.send(request, to: service, accepting: Self.readable)
    } catch {
      throw CloudKitError(error)
    }
    // A failure without an error code isn't CloudKit's.
    guard let body = try? JSONValue(parsing: response.body),
      kind == .success || CloudKitProblem(body) != nil
    else {
      throw kind == .success
        ? Self.malformedResponse : CloudKitError(service.failure(.misconfigured, response))
    }
    return body
  }

  /// It doesn't quote the response, because a proxy may repeat the URL, which contains the tokens.
  static let malformedResponse = CloudKitError(.other, "its answer makes no sense")
}
