import EventLog
import EventLogClouds
import EventLogInspection
import EventLogRemotes
import EventLogTesting
import Testing

/// Syncs with buckets whose responses are faulty or unusual.
@Suite struct BucketFaultTests {
  private let server = BucketServer()
  private let phone: TemporaryStore

  init() async throws {
    phone = try await TemporaryStore(device: "phone")
    try await append(1)
  }

  private func append(_ number: Int, to device: TemporaryStore? = nil) async throws {
    _ = try await (device ?? phone).store.append(
      [EventDraft(type: "note.created", data: ["number": .number(.init(Int64(number)))])],
      allowingUnknownTypes: true)
  }

  private func remote(_ transport: some HTTPTransport) -> ObjectRemote {
    ObjectRemote(TestedService.s3.storage(transport), random: .seeded(7))
  }

  /// Returns a transport that replaces the responses to puts.
  private func replacingPuts(
    _ response: @escaping @Sendable (HTTPRequest) async -> HTTPResponse?
  ) -> ChangedTransport {
    ChangedTransport(server) { request in request.method == "PUT" ? await response(request) : nil }
  }

  private func failure(_ transport: some HTTPTransport) async throws -> EventLogError {
    let error = await #expect(throws: EventLogError.self) {
      try await phone.store.sync(with: remote(transport))
    }
    return try #require(error)
  }

  private static let conflicts = [
    HTTPResponse(status: 409), BucketServer.error(409, "SomethingElse"),
    BucketServer.error(409, "OperationAborted"), HTTPResponse(status: 409, text: "<html>"),
  ]

  @Test func `a sync fails if every name is taken`() async throws {
    for response in [HTTPResponse(status: 412), BucketServer.error(409, "PreconditionFailed")] {
      let transport = replacingPuts { _ in response }
      let error = try await failure(transport)
      #expect(error.code == .remoteFailed)
      #expect(error.message.contains("says that every name is taken"))
      #expect(transport.counter.value <= 10)
    }
  }

  @Test(arguments: 0..<4) func `a conflict that isn't about the name is retried`(
    number: Int
  ) async throws {
    let response = Self.conflicts[number]
    let always = replacingPuts { _ in response }
    let error = try await failure(always)
    #expect(error.code == .remoteFailed && error.message.contains("it answered 409"))
    // A listing, and four tries.
    #expect(always.counter.value == 5)
    let puts = CallCounter()
    let once = replacingPuts { _ in puts.next() == 1 ? response : nil }
    #expect(try await phone.store.sync(with: remote(once)).pushedCount == 2)
  }

  /// This happens if a proxy times out before a slow server has responded.
  @Test func `a put whose response is lost isn't repeated`() async throws {
    let puts = CallCounter()
    let transport = replacingPuts { [server] request in
      guard puts.next() % 2 == 1 else { return nil }
      _ = try? await server.send(request)
      return HTTPResponse(status: 504)
    }
    for number in 2...4 {
      let report = try await phone.store.sync(with: remote(transport))
      #expect(report.pushedCount == (number == 2 ? 2 : 1) && report.notices.isEmpty)
      try await append(number)
    }
    #expect(server.objects.keys.filter { $0.hasSuffix(".jsonl") }.count == 3)
    #expect(server.objects.keys.filter { $0.hasSuffix(".json") }.count == 1)
  }

  @Test func `a bucket that denies removals is synced with one notice per device`() async throws {
    let tablet = try await TemporaryStore(device: "tablet")
    let removals = CallCounter()
    let transport = ChangedTransport(server) { request in
      guard request.method == "DELETE" else { return nil }
      _ = removals.next()
      return BucketServer.error(403, "AccessDenied")
    }
    var notices: [String] = []
    for number in 2...20 {
      for device in [phone, tablet] {
        try await append(number, to: device)
        let before = transport.counter.value
        notices += try await device.store.sync(with: remote(transport)).notices
        #expect(transport.counter.value - before < 10)
      }
    }
    // Each device has tried once.
    #expect(removals.value == 2 && notices.count == 2, "\(notices)")
    #expect(notices.allSatisfy { $0.contains("403 (AccessDenied)") })
    let status = try #require(try phone.journal.status().remoteStatuses.first)
    #expect(status.waitingCount == 0 && status.failure == nil)
    let fresh = try await TemporaryStore(device: "fresh")
    #expect(try await fresh.store.sync(with: remote(server), .pull).pulledCount == 41)
  }

  @Test func `a denied removal is retried later`() async throws {
    let removals = CallCounter()
    let transport = ChangedTransport(server) { request in
      request.method == "DELETE" && removals.next() == 1
        ? BucketServer.error(403, "AccessDenied") : nil
    }
    for number in 2...44 {
      _ = try await phone.store.sync(with: remote(transport))
      try await append(number)
    }
    #expect(server.objects.keys.filter { $0.hasSuffix(".json") }.count < 40)
    #expect(removals.value > 1)
  }

  /// A bucket that garbles reads.
  struct GarbledReads: Sendable {
    enum Content: CaseIterable { case page, empty, halved }
    let content: Content
    let isNew: Bool
    let mayRemove: Bool

    static let all = Content.allCases.flatMap { content in
      [(true, true), (true, false), (false, true), (false, false)].map { isNew, mayRemove in
        GarbledReads(content: content, isNew: isNew, mayRemove: mayRemove)
      }
    }

    func transport(_ server: BucketServer) -> ChangedTransport {
      ChangedTransport(server) { request in
        switch request.method {
        case "GET" where !request.url.contains("list-type=2"):
          if content == .page { return HTTPResponse(status: 200, text: "<html>Sign in</html>") }
          guard var response = try? await server.send(request) else { return nil }
          response.body = Array(
            response.body.prefix(content == .empty ? 0 : response.body.count / 2))
          return response
        case "DELETE" where !mayRemove: return BucketServer.error(403, "AccessDenied")
        default: return nil
        }
      }
    }
  }

  @Test(arguments: GarbledReads.all)
  func `a sync fails if the bucket garbles reads`(reads: GarbledReads) async throws {
    if !reads.isNew { try await phone.store.sync(with: remote(server)) }
    let transport = reads.transport(server)
    for number in 2...10 {
      let before = transport.counter.value
      let error = try await failure(transport)
      #expect(error.code == .remoteFailed && error.hint != nil)
      #expect(error.message.contains("does not return what it stores"))
      #expect(transport.counter.value - before <= 10)
      if number > 6 { try await append(number) }
    }
    // Failed syncs don't accumulate objects.
    #expect(server.objects.count <= 6, "\(server.objects.keys.sorted())")
    #expect(try phone.journal.status().remoteStatuses.allSatisfy { $0.failure != nil })
    try await phone.store.sync(with: remote(server))
    let report = try await phone.store.sync(with: remote(server))
    #expect(report.notices.isEmpty)
    let fresh = try await TemporaryStore(device: "fresh")
    #expect(try await fresh.store.sync(with: remote(server), .pull).pulledCount == 6)
  }

  @Test(arguments: [false, true])
  func `a damaged frontier is removed and rewritten`(isShared: Bool) async throws {
    try await phone.store.sync(with: remote(server))
    if isShared {
      let tablet = try await TemporaryStore(device: "tablet")
      try await append(2, to: tablet)
      // Without the phone's events, the tablet leaves the phone's frontier in place.
      try await tablet.store.sync(with: remote(server), .push)
    }
    let name = try #require(
      server.objects.keys.first { $0.hasPrefix("phone") && Self.isFrontier($0) })
    server.objects[name]![9] ^= 1
    try await phone.store.sync(with: remote(server))
    #expect(server.objects[name] == nil)
    let second = try await phone.store.sync(with: remote(server))
    #expect(second.notices.isEmpty && second.pushed.isEmpty)
    let fresh = try await TemporaryStore(device: "fresh")
    let count = isShared ? 4 : 2
    #expect(try await Int(fresh.store.sync(with: remote(server), .pull).pulledCount) == count)
    #expect(server.objects.keys.filter(Self.isFrontier).count == 1)
  }

  private static func isFrontier(_ name: String) -> Bool { name.hasSuffix(".json") }

  @Test func `a sync fails if it can't rewrite a lost frontier`() async throws {
    try await phone.store.sync(with: remote(server))
    server.objects = server.objects.filter { !Self.isFrontier($0.key) }
    let error = try await failure(
      replacingPuts { _ in BucketServer.error(412, "PreconditionFailed") })
    #expect(error.message.contains("says that every name is taken"))
    // A read-only remote is still read.
    let refusing = replacingPuts { _ in BucketServer.error(403, "AccessDenied") }
    let report = try await phone.store.sync(with: remote(refusing))
    #expect(report.notices.contains { $0.contains("403 (AccessDenied)") })
  }

  @Test func `a sync fails if the bucket lists nothing`() async throws {
    let transport = ChangedTransport(server) { request in
      guard request.url.contains("list-type=2") else { return nil }
      return HTTPResponse(status: 200, text: "<ListBucketResult></ListBucketResult>")
    }
    let error = try await failure(transport)
    #expect(error.code == .remoteFailed && error.message.contains("does not list them"))
    #expect(try phone.journal.status().remoteStatuses.allSatisfy { $0.success == nil })
  }

  @Test(arguments: ["3600", "100", "25"])
  func `a long Retry-After ends the sync at once`(
    seconds: String
  ) async throws {
    let transport = ScriptedTransport { _ in
      HTTPResponse(status: 429, headers: [HTTPHeader("Retry-After", seconds)])
    }
    let error = try await failure(transport)
    #expect(transport.requestCount == 1)
    #expect(error.retryAfter == .seconds(Int(seconds)!))
    let time = seconds == "3600" ? "60 minutes" : "\(seconds) seconds"
    #expect(error.message.contains("asks to wait \(time)"))
  }

  @Test func `retries of one run share a limit`() async throws {
    for isOneRun in [true, false] {
      let transport = ScriptedTransport { _ in HTTPResponse(status: 503) }
      var storage = TestedService.s3.storage(transport)
      if isOneRun { storage = try #require(storage as? any RetryingStorage).forOneRun() }
      for _ in 1...10 {
        await #expect(throws: EventLogError.self) { try await storage.read("name") }
      }
      #expect(transport.requestCount == (isOneRun ? 10 + 20 : 10 * 4))
    }
  }

  @Test func `an endless Firestore listing fails at the limit`() async throws {
    let numbers = CallCounter()
    let transport = ScriptedTransport { _ in
      let rows = (0..<300).map { row in
        let time = Timestamp(milliseconds: TestedService.now + Int64(numbers.next()))!
        let name = "dev-a_\(row + 1)-9_0a0a0a0a0a0a0a0a.jsonl"
        return #"{"document":{"name":"projects/demo/databases/(default)/documents/users/ada/"#
          + #"objects/\#(1_000_000 + numbers.value)-\#(name)","fields":"#
          + #"{"size":{"integerValue":"1"},"at":{"timestampValue":"\#(time)"}}}}"#
      }
      return HTTPResponse(status: 200, text: "[\(rows.joined(separator: ","))]")
    }
    let storage = FirestoreStorage(
      FirestoreLocation(project: "demo", user: "ada"), token: { _ in "token" },
      client: CloudClient(transport, sleep: { _ in }), listedCountMax: 1000)
    for mark in [nil, "2026-01-28T09:00:00.000Z"] {
      let before = transport.requestCount
      let error = await #expect(throws: EventLogError.self) {
        try await storage.changes(since: mark)
      }
      #expect(error?.message.contains("listing doesn't end") == true)
      #expect(transport.requestCount - before == 4)
    }
  }
}
