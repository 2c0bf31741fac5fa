import EventLog
import EventLogClouds
import EventLogTesting
import Testing

/// Buckets that answer as no bucket should, or as some do: how a sync ends, and after how many
/// requests.
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
    ObjectRemote(TriedPlace.s3.storage(transport), random: .seeded(7))
  }

  /// A transport that answers puts otherwise.
  private func putting(
    _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPAnswer?
  ) -> ChangedTransport {
    ChangedTransport(server) { request in request.method == "PUT" ? await answer(request) : nil }
  }

  private func failure(_ transport: some HTTPTransport) async throws -> EventLogError {
    let error = await #expect(throws: EventLogError.self) {
      try await phone.store.sync(with: remote(transport))
    }
    return try #require(error)
  }

  private static let conflicts = [
    HTTPAnswer(status: 409), BucketServer.error(409, "SomethingElse"),
    BucketServer.error(409, "OperationAborted"), HTTPAnswer(status: 409, text: "<html>"),
  ]

  @Test func `a sync ends where every name is taken`() async throws {
    for answer in [HTTPAnswer(status: 412), BucketServer.error(409, "PreconditionFailed")] {
      let transport = putting { _ in answer }
      let error = try await failure(transport)
      #expect(error.code == .remoteFailed)
      #expect(error.message.contains("says that every name is taken"))
      #expect(transport.counter.value <= 10)
    }
  }

  @Test(arguments: 0..<4) func `a conflict that is none of the name is tried again`(
    number: Int
  ) async throws {
    let answer = Self.conflicts[number]
    let always = putting { _ in answer }
    let error = try await failure(always)
    #expect(error.code == .remoteFailed && error.message.contains("it answered 409"))
    // A listing, and four tries.
    #expect(always.counter.value == 5)
    let puts = CallCounter()
    let once = putting { _ in puts.next() == 1 ? answer : nil }
    #expect(try await phone.store.sync(with: remote(once)).pushedCount == 2)
  }

  /// As behind a proxy that gives up waiting for a slow store.
  @Test func `a put whose answer is lost counts, and is made once`() async throws {
    let puts = CallCounter()
    let transport = putting { [server] request in
      guard puts.next() % 2 == 1 else { return nil }
      _ = try? await server.send(request)
      return HTTPAnswer(status: 504)
    }
    for number in 2...4 {
      let report = try await phone.store.sync(with: remote(transport))
      #expect(report.pushedCount == (number == 2 ? 2 : 1) && report.notices.isEmpty)
      try await append(number)
    }
    #expect(server.objects.keys.filter { $0.hasSuffix(".jsonl") }.count == 3)
    #expect(server.objects.keys.filter { $0.hasSuffix(".json") }.count == 1)
  }

  @Test func `a bucket that may only grow is synced with`() async throws {
    let tablet = try await TemporaryStore(device: "tablet")
    let transport = ChangedTransport(server) { request in
      request.method == "DELETE" ? BucketServer.error(403, "AccessDenied") : nil
    }
    for number in 2...20 {
      for device in [phone, tablet] {
        try await append(number, to: device)
        let before = transport.counter.value
        let report = try await device.store.sync(with: remote(transport))
        #expect(report.notices.allSatisfy { $0.contains("403 (AccessDenied)") })
        #expect(transport.counter.value - before < 40)
      }
    }
    let status = try #require(try phone.journal.status().knownPlaces.first)
    #expect(status.waitingCount == 0 && status.failure == nil)
    let fresh = try await TemporaryStore(device: "fresh")
    #expect(try await fresh.store.sync(with: remote(server), .pull).pulledCount == 41)
  }

  @Test func `a bucket that lists nothing is not taken for synced`() async throws {
    let transport = ChangedTransport(server) { request in
      guard request.url.contains("list-type=2") else { return nil }
      return HTTPAnswer(status: 200, text: "<ListBucketResult></ListBucketResult>")
    }
    let error = try await failure(transport)
    #expect(error.code == .remoteFailed && error.message.contains("does not list them"))
    #expect(try phone.journal.status().knownPlaces.allSatisfy { $0.success == nil })
  }

  @Test(arguments: ["3600", "100", "25"])
  func `a bucket that wants to be left alone ends the sync at once`(
    seconds: String
  ) async throws {
    let transport = ScriptedTransport { _ in
      HTTPAnswer(status: 429, headers: [HTTPHeader("Retry-After", seconds)])
    }
    let error = try await failure(transport)
    #expect(transport.requestCount == 1)
    #expect(error.retryAfter == .seconds(Int(seconds)!))
    let time = seconds == "3600" ? "60 minutes" : "\(seconds) seconds"
    #expect(error.message.contains("asks to wait \(time)"))
  }

  @Test func `retries of one sync share a limit`() async throws {
    for isOneRun in [true, false] {
      let transport = ScriptedTransport { _ in HTTPAnswer(status: 503) }
      var storage = TriedPlace.s3.storage(transport)
      if isOneRun { storage = try #require(storage as? any RetryingStorage).forOneRun() }
      for _ in 1...10 {
        await #expect(throws: EventLogError.self) { try await storage.read("name") }
      }
      #expect(transport.requestCount == (isOneRun ? 10 + 20 : 10 * 4))
    }
  }

  @Test func `a listing of Firestore that never ends is not read for ever`() async throws {
    let numbers = CallCounter()
    let transport = ScriptedTransport { _ in
      let rows = (0..<300).map { row in
        let time = Timestamp(milliseconds: TriedPlace.now + Int64(numbers.next()))!
        let name = "dev-a_\(row + 1)-9_0a0a0a0a0a0a0a0a.jsonl"
        return #"{"document":{"name":"projects/demo/databases/(default)/documents/users/ada/"#
          + #"objects/\#(1_000_000 + numbers.value)-\#(name)","fields":"#
          + #"{"size":{"integerValue":"1"},"at":{"timestampValue":"\#(time)"}}}}"#
      }
      return HTTPAnswer(status: 200, text: "[\(rows.joined(separator: ","))]")
    }
    let storage = FirestoreStorage(
      FirestorePlace(project: "demo", user: "ada"), token: { _ in "token" },
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
