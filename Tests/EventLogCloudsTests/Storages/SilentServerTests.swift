import EventLog
import EventLogClouds
import EventLogRemotes
import EventLogTesting
import Testing

/// Servers that stop responding after some requests.
@Suite struct SilentServerTests {
  private func remote(_ service: TestedService, _ chaos: ChaosTransport) -> ObjectRemote {
    let random = RandomText.seeded(7)
    return ObjectRemote(
      service.storage(chaos, random: random, sleep: { chaos.sleep($0) }), random: random,
      now: { chaos.now })
  }

  private func append(_ count: Int, to device: TemporaryStore) async throws {
    for number in 1...count {
      _ = try await device.store.append(
        [EventDraft(type: "note.created", data: ["number": .number(.init(Int64(number)))])],
        allowingUnknownTypes: true)
    }
  }

  @Test(arguments: TestedService.allCases, [ChaosTransport.Failure.silentBefore, .silentAfter])
  func `a sync with a silent server ends within 30 seconds`(
    service: TestedService, failure: ChaosTransport.Failure
  ) async throws {
    for successCount in 0..<(service == .firestore ? 1 : 12) {
      let server: any HTTPTransport = service == .webDAV ? WebDAVServer() : BucketServer()
      let chaos = ChaosTransport(
        server, seed: 1, percent: 100, failures: [failure], successCount: successCount)
      let phone = try await TemporaryStore(device: "phone")
      try await append(100, to: phone)
      do throws(EventLogError) { try await phone.store.sync(with: remote(service, chaos)) } catch {
        #expect(error.code == .remoteFailed && error.message.contains("did not answer in time"))
      }
      let counts = chaos.takeCounts()
      #expect(counts.time <= .seconds(30) && counts.requests <= 100, "\(successCount): \(counts)")
    }
  }

  @Test func `a request that timed out once is retried`() async throws {
    let silences = CallCounter()
    let server = BucketServer()
    let transport = FailingTransport(server) { _ in silences.next() == 1 ? .timedOut : nil }
    let phone = try await TemporaryStore(device: "phone")
    try await append(1, to: phone)
    let remote = ObjectRemote(TestedService.s3.storage(transport))
    #expect(try await phone.store.sync(with: remote).pushedCount == 2)
  }

  @Test func `the time limits of a request grow with its body`() {
    let empty = HTTPRequest("GET", "http://127.0.0.1/")
    let put = HTTPRequest(
      "PUT", "http://127.0.0.1/", body: [UInt8](repeating: 0, count: 4 << 20))
    #expect(empty.idleTimeout == .seconds(15))
    #expect(put.idleTimeout >= .seconds(47) && put.totalTimeout > .seconds(4096))
    // The limit also grows with the size of the expected response.
    var get = empty
    get.limits.bodyBytes = 64 << 20
    #expect(get.totalTimeout > .seconds(3600))
  }
}

/// A transport that fails some requests.
private struct FailingTransport: HTTPTransport {
  let base: any HTTPTransport
  let fault: @Sendable (HTTPRequest) -> HTTPFault?

  init(
    _ base: some HTTPTransport, _ fault: @escaping @Sendable (HTTPRequest) -> HTTPFault?
  ) {
    (self.base, self.fault) = (base, fault)
  }

  func send(_ request: HTTPRequest) async throws(HTTPFault) -> HTTPResponse {
    if let fault = fault(request) { throw fault }
    return try await base.send(request)
  }
}
