import EventLog
import EventLogClouds
import EventLogRemotes
import EventLogTesting
import Testing

/// A table of the responses of each service, and of the errors that the storages report.
@Suite struct ResponseTableTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let service: TestedService
    let response: Result<HTTPResponse, HTTPFault>
    let code: EventLogError.Code
    /// The texts in the error.
    var texts: [String] = []
    /// The number of requests.
    var requests = 1
    var retryAfter: Duration?

    var testDescription: String {
      switch response {
      case .success(let response):
        "\(service) \(response.status) \(String(decoding: response.body.prefix(60), as: UTF8.self))"
      case .failure(let fault): "\(service) \(fault)"
      }
    }
  }

  private static func s3(
    _ status: Int, _ serviceCode: String, _ code: EventLogError.Code, _ texts: String...,
    more: String = "", headers: [HTTPHeader] = [], requests: Int = 1
  ) -> Row {
    let text = "<?xml version=\"1.0\"?><Error><Code>\(serviceCode)</Code>\(more)</Error>"
    return Row(
      service: .s3, response: .success(HTTPResponse(status: status, headers: headers, text: text)),
      code: code, texts: ["\(status) (\(serviceCode))"] + texts, requests: requests)
  }

  private static func firestore(
    _ status: Int, _ serviceCode: String, _ code: EventLogError.Code, _ texts: String...,
    message: String = "", requests: Int = 1
  ) -> Row {
    let text =
      #"[{"error":{"code":\#(status),"message":"\#(message)","status":"\#(serviceCode)"}}]"#
    return Row(
      service: .firestore, response: .success(HTTPResponse(status: status, text: text)), code: code,
      texts: ["\(status) (\(serviceCode))"] + texts, requests: requests)
  }

  private static func webDAV(
    _ status: Int, _ code: EventLogError.Code, _ texts: String..., headers: [HTTPHeader] = [],
    requests: Int = 1
  ) -> Row {
    Row(
      service: .webDAV,
      response: .success(
        HTTPResponse(status: status, headers: headers, text: "<html>sorry</html>")),
      code: code, texts: ["\(status)"] + texts, requests: requests)
  }

  static let rows: [Row] =
    [
      s3(503, "SlowDown", .remoteFailed, "Sync again later", requests: 4),
      s3(500, "InternalError", .remoteFailed, requests: 4),
      s3(409, "ConditionalRequestConflict", .remoteFailed, requests: 4),
      s3(400, "RequestTimeout", .remoteFailed, requests: 4),
      s3(403, "InvalidAccessKeyId", .signInNeeded, "Sign in again"),
      s3(403, "SignatureDoesNotMatch", .signInNeeded),
      s3(400, "ExpiredToken", .signInNeeded),
      s3(403, "AccessDenied", .accessDenied, "rights"),
      s3(403, "QuotaExceeded", .quotaExceeded, "Make room"),
      s3(404, "NoSuchBucket", .wrongAddress, "Create the bucket"),
      s3(501, "NotImplemented", .wrongAddress, "If-None-Match"),
      s3(
        301, "PermanentRedirect", .wrongAddress, "not in the region \"eu-central-1\"",
        "in \"us-west-2\"", headers: [HTTPHeader("x-amz-bucket-region", "us-west-2")]),
      Row(
        service: .s3,
        response: .success(
          HTTPResponse(
            status: 301,
            headers: [HTTPHeader("Location", "https://nas.example/?token=secret-word")])),
        code: .wrongAddress, texts: ["redirects to \"https://nas.example/\"", "?endpoint="]),
      s3(
        400, "AuthorizationHeaderMalformed", .wrongAddress, "in \"eu-west-1\"",
        more: "<Region>eu-west-1</Region>"),
      s3(400, "IllegalLocationConstraintException", .wrongAddress, "rather than \"eu-central-1\""),
      s3(
        403, "RequestTimeTooSkewed", .wrongAddress, "24 hours ahead of the server's",
        "Set the clock", more: "<ServerTime>2026-01-27T09:00:00Z</ServerTime>"),
      s3(
        403, "RequestTimeTooSkewed", .wrongAddress, "20 minutes behind the server's",
        headers: [HTTPHeader("Date", "Wed, 28 Jan 2026 09:20:00 GMT")]),
      s3(403, "RequestTimeTooSkewed", .wrongAddress, "differs from the server's"),
      firestore(409, "ABORTED", .remoteFailed, "Sync again later", requests: 4),
      firestore(503, "UNAVAILABLE", .remoteFailed, requests: 4),
      firestore(429, "RESOURCE_EXHAUSTED", .remoteFailed, requests: 4),
      firestore(
        429, "RESOURCE_EXHAUSTED", .quotaExceeded, "midnight Pacific", message: "Quota exceeded."),
      firestore(
        429, "RESOURCE_EXHAUSTED", .remoteFailed, "Sync again later",
        message: "Quota exceeded for quota metric 'Reads' and limit 'Reads per minute'.",
        requests: 4),
      firestore(401, "UNAUTHENTICATED", .signInNeeded, "Sign in again"),
      firestore(403, "PERMISSION_DENIED", .accessDenied, "firestore.rules"),
      firestore(400, "INVALID_ARGUMENT", .wrongAddress),
      firestore(404, "NOT_FOUND", .wrongAddress, "Check the project's ID"),
      firestore(400, "FAILED_PRECONDITION", .wrongAddress),
      webDAV(429, .remoteFailed, requests: 4), webDAV(503, .remoteFailed, requests: 4),
      webDAV(502, .remoteFailed, requests: 4), webDAV(504, .remoteFailed, requests: 4),
      webDAV(423, .remoteFailed, requests: 4),
      webDAV(401, .signInNeeded, "Sign in again"), webDAV(407, .signInNeeded),
      webDAV(403, .accessDenied, "rights"), webDAV(507, .quotaExceeded, "Make room"),
      webDAV(413, .quotaExceeded),
      webDAV(405, .wrongAddress, "Check the address"), webDAV(400, .wrongAddress),
      webDAV(302, .wrongAddress, headers: [HTTPHeader("Location", "https://elsewhere.example")]),
      webDAV(200, .remoteFailed, "makes no sense", "right place", requests: 4),
      webDAV(99, .remoteFailed),
    ] + TestedService.allCases.flatMap(faults)

  private static func faults(_ service: TestedService) -> [Row] {
    func row(
      _ fault: HTTPFault, _ code: EventLogError.Code, _ texts: String..., requests: Int = 1
    ) -> Row {
      Row(service: service, response: .failure(fault), code: code, texts: texts, requests: requests)
    }
    return [
      row(.unreachable("refused"), .remoteFailed, "could not be reached (refused)", requests: 4),
      row(.connectionLost("reset"), .remoteFailed, "the connection broke (reset)", requests: 4),
      row(.timedOut, .remoteFailed, "did not answer in time", requests: 2),
      row(.untrusted("expired"), .untrustedServer, "could not prove who it is", "certificate"),
      row(.tooLarge, .remoteFailed, "longer than allowed"),
      row(.malformed("HTTP/0.9"), .remoteFailed, "not HTTP"),
      row(.unavailable("not found"), .wrongAddress, "Install libcurl"),
      Row(
        service: service,
        response: .success(HTTPResponse(status: 429, headers: [HTTPHeader("Retry-After", "3600")])),
        code: .remoteFailed, texts: ["429"], retryAfter: .seconds(3600)),
      Row(
        service: service,
        response: .success(
          HTTPResponse(
            status: 503,
            headers: [
              HTTPHeader("Date", "Wed, 28 Jan 2026 09:20:00 GMT"),
              HTTPHeader("Retry-After", "Wed, 28 Jan 2026 09:21:00 GMT"),
            ])), code: .remoteFailed, texts: ["503"], retryAfter: .seconds(60)),
      Row(
        service: service,
        response: .success(HTTPResponse(status: 200, text: "<html>Sign in to the hotel's network")),
        code: .remoteFailed, texts: ["makes no sense", "hotel's network"],
        // A listing that can't be parsed may have been damaged in transit, so it is requested
        // again.
        requests: [.s3, .webDAV].contains(service) ? 4 : 1),
    ]
  }

  @Test(arguments: rows) func `every unsuccessful response leads to its error and hint`(
    row: Row
  ) async throws {
    let transport = StoredTransport(Array(repeating: row.response, count: 9))
    let storage = row.service.storage(transport)
    let error = await #expect(throws: EventLogError.self) { try await storage.page(after: nil) }
    let text = "\(error?.message ?? "") \(error?.hint ?? "")"
    #expect(error?.code == row.code)
    #expect(error?.retryAfter == row.retryAfter)
    #expect(error?.hint != nil)
    #expect(transport.requests.count == row.requests)
    for part in row.texts + ["\"\(storage.address)\" failed: ", "Nothing of it was received."] {
      #expect(text.contains(part), "\(text)")
    }
    #expect(!text.contains("secret-word"))
  }

  @Test(arguments: rows) func `a put without a confirming response is an error`(
    row: Row
  ) async throws {
    let storage = row.service.storage(StoredTransport(Array(repeating: row.response, count: 20)))
    let error = await #expect(throws: EventLogError.self) {
      try await storage.put("dev-a_1-1_0a0a0a0a0a0a0a0a.jsonl", [1])
    }
    #expect(error?.message.contains("Events transferred so far are kept.") == true)
  }

  @Test(arguments: TestedService.allCases) func `a put under an existing name returns false`(
    service: TestedService
  ) async throws {
    let responses: [HTTPResponse] =
      switch service {
      case .s3: [HTTPResponse(status: 412, text: "<Error><Code>PreconditionFailed</Code></Error>")]
      case .firestore:
        [
          HTTPResponse(
            status: 409, text: #"{"error":{"code":409,"status":"ALREADY_EXISTS"}}"#)
        ]
      case .webDAV:
        [HTTPResponse(status: 201), HTTPResponse(status: 412), HTTPResponse(status: 204)]
      }
    let taken = service.storage(StoredTransport(responses.map { .success($0) }))
    #expect(try await !taken.put("name", [1]))
    let free = service.storage(StoredTransport(service.stored.map { .success($0) }))
    #expect(try await free.put("name", [1]))
  }

  // A WebDAV password can't be renewed.
  @Test(arguments: [TestedService.firestore, .s3]) func `rejected credentials are renewed once`(
    service: TestedService
  ) async throws {
    let denied = HTTPResponse(status: 401)
    let renewals = CallCounter()
    let transport = StoredTransport([
      .success(denied), .success(service.listing("a.jsonl")), .success(denied), .success(denied),
      .success(service.listing("a.jsonl")),
    ])
    let client = CloudClient(transport, sleep: { _ in })
    let storage: any ObjectStorage
    if service == .firestore {
      storage = FirestoreStorage(
        FirestoreLocation(project: "demo", user: "ada"),
        token: { _ in "token \(renewals.next())" }, client: client)
    } else {
      storage = BucketStorage(
        BucketLocation(bucket: "bucket", prefix: "ada", region: "eu-central-1", endpoint: nil),
        credentials: {
          BucketCredentials(accessKeyID: "key \(renewals.next())", secretAccessKey: "word")
        }, client: client, clock: .system)
    }
    #expect(try await storage.page(after: nil).objects.map(\.name) == ["a.jsonl"])
    let error = await #expect(throws: EventLogError.self) { try await storage.page(after: nil) }
    #expect(error?.code == .signInNeeded)
    #expect(transport.requests.count == 4)
  }
}
