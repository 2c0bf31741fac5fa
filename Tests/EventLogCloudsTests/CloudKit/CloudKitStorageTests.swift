import EventLog
import EventLogRemotes
import Synchronization
import Testing

@testable import EventLogClouds

/// Objects as CloudKit records, and CloudKit's responses for them.
@Suite struct CloudKitStorageTests {
  private static func name(_ number: Int) -> String { CloudKitDevice.name(number) }

  @Test func `the zone is created once, by the first put`() async throws {
    let server = CloudKitServer()
    let storage = CloudKitDevice(server).storage
    #expect(try await storage.list(after: nil).isEmpty)
    #expect(try await storage.changes(since: nil) == nil)
    #expect(try await storage.read(Self.name(1)) == nil)
    try await storage.remove(Self.name(1))
    #expect(server.state.withLock { $0.zones }.isEmpty)
    for number in 1...3 { #expect(try await storage.put(Self.name(number), [1])) }
    #expect(server.state.withLock { $0.zones } == ["Eventlog"])
    #expect(server.paths.filter { $0 == "zones/modify" }.count == 1)
  }

  @Test func `a deleted zone is created again by the next put`() async throws {
    let server = CloudKitServer()
    let storage = CloudKitDevice(server).storage
    #expect(try await storage.put(Self.name(1), [1]))
    let mark = try #require(try await storage.changes(since: nil)).mark
    server.state.withLock { ($0.zones, $0.records) = ([], [:]) }
    #expect(try await storage.changes(since: mark) == nil)
    #expect(try await storage.put(Self.name(1), [1]))
  }

  @Test(arguments: ["EXISTS", "CONFLICT"])
  func `the second of two puts under one name returns false`(
    code: String
  ) async throws {
    let server = CloudKitServer(takenCode: code)
    let storages = (0..<2).map { _ in CloudKitDevice(server).storage }
    #expect(try await storages[0].put(Self.name(1), Array("first".utf8)))
    #expect(try await !storages[1].put(Self.name(1), Array("second".utf8)))
    #expect(try await storages[1].read(Self.name(1)) == Array("first".utf8))
    // An error of one record isn't retried.
    #expect(server.paths.filter { $0 == "records/modify" }.count == 3)
  }

  @Test(arguments: [1, 200, 720_896, 720_897])
  func `an object of any size round-trips, in parts if it is long`(
    size: Int
  ) async throws {
    let server = CloudKitServer()
    let (one, other) = (CloudKitDevice(server).storage, CloudKitDevice(server).storage)
    let bytes = someBytes(size)
    #expect(try await one.put(Self.name(1), bytes))
    #expect(try await !other.put(Self.name(1), bytes))
    let count = (size + 720_895) / 720_896
    #expect(server.state.withLock { $0.records.count } == count)
    let modification = try #require(server.requests.last { $0.path == "records/modify" })
    #expect(modification.body["atomic"] == .bool(count > 1))
    #expect(try await one.read(Self.name(1)) == bytes)
    #expect(try await other.read(Self.name(1)) == bytes)
    #expect(
      try await other.list(after: nil)
        == [StoredObject(name: Self.name(1), byteCount: Int64(size))])
    // This device doesn't have the object's size.
    try await CloudKitDevice(server).storage.remove(Self.name(1))
    #expect(server.state.withLock { $0.records.isEmpty })
    try await one.remove(Self.name(1))
    #expect(try await one.read(Self.name(1)) == nil)
  }

  @Test func `responses to puts and listings don't contain the objects' bytes`() async throws {
    let server = CloudKitServer()
    let storage = CloudKitDevice(server).storage
    #expect(try await storage.put(Self.name(1), someBytes(1000)))
    _ = try await storage.changes(since: nil)
    for request in server.requests {
      #expect(request.response.count < 600)
    }
  }

  @Test func `a put creates no part of an object if one part already exists`() async throws {
    let server = CloudKitServer()
    let storage = CloudKitDevice(server).storage
    #expect(try await storage.put(Self.name(1), someBytes(800_000)))
    server.state.withLock { $0.records["1-\(Self.name(1))"] = nil }
    #expect(try await !storage.put(Self.name(1), someBytes(800_000)))
    #expect(server.state.withLock { $0.records["1-\(Self.name(1))"] == nil })
    #expect(try await storage.read(Self.name(1)) == nil)
  }

  @Test func `an atomic failure without a cause is resolved by a lookup`() async throws {
    let server = CloudKitServer()
    let storage = CloudKitDevice(server).storage
    let bytes = someBytes(800_000)
    #expect(try await storage.put(Self.name(1), bytes))
    server.fail(.atomic)
    #expect(try await !storage.put(Self.name(1), bytes))
    server.fail(.atomic)
    let error = await #expect(throws: EventLogError.self) {
      try await storage.put(Self.name(2), bytes)
    }
    #expect(error?.code == .remoteFailed)
    #expect(try await storage.put(Self.name(2), bytes))
  }

  @Test func `an object with a missing part is removed completely`() async throws {
    let server = CloudKitServer()
    let storage = CloudKitDevice(server).storage
    #expect(try await storage.put(Self.name(1), someBytes(800_000)))
    server.state.withLock { $0.records["2-\(Self.name(1))"] = nil }
    #expect(try await storage.read(Self.name(1)) == nil)
    try await storage.remove(Self.name(1))
    #expect(server.state.withLock { $0.records.isEmpty })
  }

  @Test(arguments: [true, false]) func `removing an object that doesn't exist isn't an error`(
    deletesStrictly: Bool
  ) async throws {
    let server = CloudKitServer(deletesStrictly: deletesStrictly)
    let (one, other) = (CloudKitDevice(server).storage, CloudKitDevice(server).storage)
    for size in [10, 800_000] {
      #expect(try await one.put(Self.name(1), someBytes(size)))
      try await other.remove(Self.name(1))
      try await one.remove(Self.name(1))
      try await one.remove(Self.name(1))
      #expect(try await one.list(after: nil).isEmpty)
    }
  }

  @Test func `the pages of a listing are combined and sorted`() async throws {
    let server = CloudKitServer(pageCount: 3)
    let storage = CloudKitDevice(server).storage
    for number in (1...11).reversed() {
      #expect(try await storage.put(Self.name(number), someBytes(number)))
    }
    try await storage.remove(Self.name(4))
    let names = (1...11).filter { $0 != 4 }.map(Self.name).sorted()
    #expect(try await storage.list(after: nil).map(\.name) == names)
    #expect(try await storage.page(after: names[2]).objects.map(\.name) == Array(names[3...]))
    #expect(try await storage.page(after: nil).isLast)
    let all = try #require(try await storage.changes(since: nil))
    #expect(all.objects.map(\.name) == names)
    for number in 12...19 {
      #expect(try await storage.put(Self.name(number), someBytes(number)))
    }
    let new = try #require(try await storage.changes(since: all.mark))
    #expect(new.objects.map(\.name) == (12...19).map(Self.name))
    #expect(try #require(try await storage.changes(since: new.mark)).objects.isEmpty)
  }

  @Test func `changes are nil after a removal or with an unknown token`() async throws {
    let server = CloudKitServer()
    let storage = CloudKitDevice(server).storage
    for number in 1...3 { #expect(try await storage.put(Self.name(number), [1])) }
    let mark = try #require(try await storage.changes(since: nil)).mark
    server.state.withLock { $0.expired = $0.clock }
    #expect(try await storage.changes(since: mark) == nil)
    #expect(try await storage.changes(since: "no token of CloudKit") == nil)
    #expect(try await storage.put(Self.name(4), [1]))
    let next = try #require(try await storage.changes(since: nil)).mark
    try await storage.remove(Self.name(2))
    #expect(try await storage.changes(since: next) == nil)
    #expect(try #require(try await storage.changes(since: nil)).objects.count == 3)
  }

  @Test func `a listing that repeats its token is an error`() async throws {
    let server = CloudKitServer()
    let storage = CloudKitDevice(server).storage
    #expect(try await storage.put(Self.name(1), [1]))
    server.fail(.endless)
    let error = await #expect(throws: EventLogError.self) { try await storage.list(after: nil) }
    #expect(error?.code == .remoteFailed)
  }

  @Test func `a listing with endless new tokens or records is an error`() async throws {
    for pageCount in [0, 1 << 16] {
      let calls = EndlessChanges(pageCount: pageCount)
      let storage = CloudKitStorage(calls, address: "cloudkit://a/b")
      let error = await #expect(throws: EventLogError.self) { try await storage.list(after: nil) }
      #expect(error?.code == .remoteFailed)
      #expect(error?.message.contains("has no end") == true)
      #expect(calls.pages.value <= (pageCount == 0 ? 1 << 13 : 17) + 1)
    }
  }

  @Test func `listings skip records of other types`() async throws {
    let server = CloudKitServer()
    let storage = CloudKitDevice(server).storage
    #expect(try await storage.put(Self.name(1), [1]))
    server.state.withLock { state in
      state.clock += 1
      state.records["note"] = .init(type: "Note", fields: [:], time: state.clock)
    }
    #expect(try await storage.list(after: nil).map(\.name) == [Self.name(1)])
  }

  @Test func `a CloudKit object with a wrong size is an error`() async throws {
    let server = CloudKitServer()
    let storage = CloudKitDevice(server).storage
    #expect(try await storage.put(Self.name(1), [1, 2, 3]))
    for size: Int64 in [2, 1 << 40] {
      server.state.withLock { state in
        state.records["1-\(Self.name(1))"]?.fields["size"] = [
          "value": .number(JSONNumber(size)), "type": "INT64",
        ]
      }
      let error = await #expect(throws: EventLogError.self) {
        try await storage.read(Self.name(1))
      }
      #expect(error?.code == .remoteFailed)
    }
  }
}

/// Calls with an endless list of changes, each with new tokens and records.
private final class EndlessChanges: CloudKitCalls {
  let pages = CallCounter()
  private let pageCount: Int

  init(pageCount: Int) { self.pageCount = pageCount }

  func modify(
    creating records: [CloudKitRecord], deleting names: [String]
  ) async throws(CloudKitError) -> [String: Result<Void, CloudKitError>] { [:] }

  func changes(since token: String?) async throws(CloudKitError) -> CloudKitRecord.Changes {
    let page = pages.next()
    // Ends after a while, in case the storage doesn't stop.
    let isEndless = page < 20_000
    return CloudKitRecord.Changes(
      records: (0..<pageCount).map { CloudKitRecord(name: "1-\(page)-\($0)", size: 1) },
      deleted: [], token: "\(page)", isMoreComing: isEndless)
  }

  func lookup(_ names: [String]) async throws(CloudKitError) -> [CloudKitRecord] { [] }
}
