import EventLog
import EventLogClouds
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

/// Invalid listings, with which a sync ends and the journal keeps its events.
@Suite struct ListingTests {
  /// Syncs a device with one event.
  ///
  /// - Returns: The error, if any, and the number of lines that the sync added to the journal.
  private func sync(
    _ storage: any ObjectStorage, _ directions: ReplicationPlan.Directions = .both
  ) async throws -> (EventLogError?, Int) {
    let device = try await TemporaryStore()
    _ = try await device.store.append(
      [EventDraft(type: "note.created", data: ["text": "a"])], allowingUnknownTypes: true)
    let lines = {
      try String(contentsOfFile: device.store.path, encoding: .utf8).split(separator: "\n")
    }
    let before = try lines()
    var failure: EventLogError?
    do throws(EventLogError) {
      try await device.store.sync(with: ObjectRemote(storage), directions)
    } catch {
      failure = error
    }
    #expect(try lines().prefix(before.count) == before[...])
    return (failure, try lines().count - before.count)
  }

  private static func name(_ number: Int) -> String {
    "dev-a_\(number)-\(number)_0a0a0a0a0a0a0a0a.jsonl"
  }

  private static func bucketPage(_ numbers: [Int]) -> HTTPResponse {
    HTTPResponse(
      status: 200,
      text: "<ListBucketResult><IsTruncated>true</IsTruncated>"
        + numbers.map { "<Contents><Key>ada/\(name($0))</Key><Size>10</Size></Contents>" }
        .joined() + "</ListBucketResult>")
  }

  @Test func `invalid entries of a bucket's listing are skipped with a notice`() async throws {
    let good = Self.name(1)
    let entries = [
      "<Key>ada/\(good)</Key><Size>10</Size>", "<Key>ada/%FF.jsonl</Key><Size>10</Size>",
      "<Key>bea/\(good)</Key><Size>10</Size>", "<Key>ada/\(Self.name(2))</Key>",
      "<Key>ada/\(Self.name(3))</Key><Size>many</Size>", "<Size>10</Size>",
    ]
    let text = entries.map { "<Contents>\($0)</Contents>" }.joined()
    let transport = ScriptedTransport { _ in
      HTTPResponse(status: 200, text: "<ListBucketResult>\(text)</ListBucketResult>")
    }
    let storage = TestedService.s3.storage(transport)
    #expect(try await storage.list(after: nil).map(\.name) == [good])
    let notices = (storage as? any NoticingStorage)?.notices ?? []
    #expect(notices.count == 1)
    #expect(notices[0].hasPrefix("\"ada/%FF.jsonl\" in \"s3://"), "\(notices)")
    #expect(
      notices[0].hasSuffix(
        "was left out, because it has a name that isn't UTF-8, as were 4 others.")
    )
  }

  @Test(arguments: ["<Key>ada/%FF</Key><Size>1</Size>", "<Key>ada/a</Key><Size>many</Size>"])
  func `a bucket's listing with only invalid entries is empty and causes a notice`(
    entry: String
  ) async throws {
    let content = "<Contents>\(entry)</Contents>"
    func storage(_ rest: String) -> any ObjectStorage {
      let text = "<ListBucketResult>\(content)\(rest)</ListBucketResult>"
      let transport = ScriptedTransport { _ in HTTPResponse(status: 200, text: text) }
      return TestedService.s3.storage(transport)
    }
    let outside = "<Contents><Key>bea/a</Key><Size>1</Size></Contents>"
    for rest in ["", outside] {
      let storage = storage(rest)
      #expect(try await storage.page(after: nil).objects.isEmpty)
      let notices = (storage as? any NoticingStorage)?.notices ?? []
      #expect(notices.count == 1 && notices[0].contains("was left out"), "\(notices)")
    }
    // The next page would have no name to start after.
    let truncated = storage("<IsTruncated>true</IsTruncated>")
    let error = await #expect(throws: EventLogError.self) { try await truncated.page(after: nil) }
    #expect(error?.message.contains("its listing makes no sense: \"ada/") == true)
  }

  @Test func `a bucket's listing that can't be parsed is requested again`() async throws {
    let numbers = CallCounter()
    let transport = ScriptedTransport { _ in
      numbers.next() == 1
        ? HTTPResponse(status: 200, text: "<ListBucketRes")
        : HTTPResponse(status: 200, text: "<ListBucketResult></ListBucketResult>")
    }
    #expect(try await TestedService.s3.storage(transport).list(after: nil) == [])
    #expect(transport.requestCount == 2)
  }

  @Test(arguments: [[1], [2, 1], []]) func `a repeated page of a bucket's listing ends a sync`(
    numbers: [Int]
  ) async throws {
    let transport = ScriptedTransport { _ in Self.bucketPage(numbers) }
    let (error, count) = try await sync(TestedService.s3.storage(transport))
    #expect(error?.code == .remoteFailed)
    #expect(count == 0)
    #expect(transport.requestCount <= 2)
  }

  @Test func `a sync fails on an endless listing`() async throws {
    let numbers = CallCounter()
    let transport = ScriptedTransport { _ in Self.bucketPage([1_000_000 + numbers.next()]) }
    let (error, count) = try await sync(TestedService.s3.storage(transport))
    #expect(error?.code == .remoteFailed)
    #expect(count == 0)
    #expect(transport.requestCount <= 10_000)
  }

  @Test func `a repeated page of a Firestore listing ends a sync`() async throws {
    let row =
      #"{"document":{"name":"projects/demo/databases/(default)/documents/users/ada/"#
      + #"objects/\#(Self.name(1))","fields":{"size":{"integerValue":"10"},"#
      + #""at":{"timestampValue":"2026-01-28T09:00:00Z"}}}}"#
    let page = "[" + Array(repeating: row, count: 300).joined(separator: ",") + "]"
    let transport = ScriptedTransport { _ in HTTPResponse(status: 200, text: page) }
    let storage = TestedService.firestore.storage(transport)
    let (error, _) = try await sync(storage)
    #expect(error?.code == .remoteFailed)
    // The time doesn't advance, so only a full listing helps.
    #expect(try await storage.changes(since: "2026-01-28T09:00:00.000Z") == nil)
    #expect(transport.requestCount <= 6)
  }

  @Test(arguments: TestedService.allCases)
  func `a listed object that doesn't exist doesn't fail a sync`(
    service: TestedService
  ) async throws {
    let listing = service.listing(Self.name(1))
    let transport = ScriptedTransport { request in
      let isListing =
        request.method == "PROPFIND" || request.url.contains("list-type")
        || request.url.contains("runQuery")
      return isListing ? listing : HTTPResponse(status: 404)
    }
    let (error, count) = try await sync(service.storage(transport), .pull)
    #expect(error == nil, "\(error as Any)")
    #expect(count == 0)
    #expect(transport.requestCount < 40)
  }
}
