import EventLog
import EventLogClouds
import EventLogCollections
import EventLogErasure
import EventLogRemotes
import EventLogTesting
import Foundation
import Synchronization
import Testing

/// The contract of all storages, tested on the servers in `EVENTLOG_PLACES`, separated by spaces.
///
/// `.ci/over-clouds` starts these servers. CloudKit has none to start, so an in-memory server and
/// an app's own calls replace it.
@Suite(.serialized) struct StorageContractTests {
  private static let cloudKit = "CloudKit in memory"
  private static let calls = "Calls in memory"
  static let addresses =
    [cloudKit, calls]
    + (ProcessInfo.processInfo.environment["EVENTLOG_PLACES"] ?? "")
    .split(separator: " ").map(String.init)

  private static let environment = CloudEnvironment(
    variable: { ProcessInfo.processInfo.environment[$0] },
    file: { path in try? String(contentsOfFile: path, encoding: .utf8) })

  /// Whether to run all rounds, as the gate does. Otherwise, slow tests are shortened.
  static let isComplete =
    (ProcessInfo.processInfo.environment["EVENTLOG_ROUNDS"].flatMap(Double.init) ?? 0) >= 1

  /// The seeds of the tests in which many requests fail.
  static let chaosSeeds = 1...(isComplete ? 200 : 20)

  private static let raceCount = isComplete ? 100 : 10

  /// Returns a new storage below the address `address`.
  private static func storage(
    _ address: String, random: String = RandomText.system.next(8), _ end: String = ""
  ) throws -> any ObjectStorage {
    if let storage = try inMemory(address, named: random + end) { return storage }
    let (name, query) =
      address.firstIndex(of: "?").map { (address[..<$0], address[$0...]) }
      ?? (address[...], "")
    let separator = name.hasPrefix("s3") || name.hasPrefix("cloudkit") ? "/" : "-"
    return try CloudAddress("\(name)\(separator)\(random)\(end)\(query)").storage(Self.environment)
  }

  /// The in-memory storages by name. Two devices with the same name share one.
  private static let storages = Mutex<[String: any ObjectStorage]>([:])

  private static func inMemory(
    _ address: String, named name: String
  ) throws -> (any ObjectStorage)? {
    guard [cloudKit, calls].contains(address) else { return nil }
    return storages.withLock { storages in
      if let storage = storages[address + name] { return storage }
      let storage: any ObjectStorage =
        address == cloudKit
        ? CloudKitDevice(CloudKitServer()).storage
        : CloudKitStorage(InMemoryCloudKit(), address: "cloudkit://a/b")
      storages[address + name] = storage
      return storage
    }
  }

  /// Returns whether a race for a name may have this many winners.
  ///
  /// Some WebDAV servers check that the name is free before they move the file. So several writers
  /// may win, and the contents of one of them stay. That is harmless, because objects with the same
  /// name have the same contents in a sync.
  private static func isFair(_ address: String, _ count: Int) -> Bool {
    count == 1 || address.hasPrefix("dav") && count > 1
  }

  private static func name(_ number: Int) -> String {
    "dev-a_\(number)-\(number)_\(String(repeating: "0a", count: 8)).jsonl"
  }

  @Test(arguments: addresses) func `nothing of erased events is left after a sync`(
    _ address: String
  ) async throws {
    let remote = ObjectRemote(try Self.storage(address))
    let (phone, tablet) = (
      try await TemporaryStore(catalog: .standard), try await TemporaryStore(catalog: .standard)
    )
    for name in ["Walk", "Run"] {
      _ = try await phone.store.append([
        EventDraft(
          type: "habit.created", entity: EntityID("habit/\(name)")!, data: ["name": .string(name)])
      ])
    }
    try await phone.sync(with: remote)
    try await tablet.sync(with: remote)
    try await tablet.store.erase(.entity(EntityID("habit/Walk")!))
    try await tablet.sync(with: remote)
    try await phone.sync(with: remote)
    for device in [phone, tablet] {
      var proof = try ErasureProof(device.journal, lookingFor: ["Walk\"}"])
      try await proof.search(remote)
      #expect(proof.erasedCount == 1 && proof.remainders == [])
    }
    let late = try await TemporaryStore(catalog: .standard)
    try await late.sync(with: remote)
    #expect(late.snapshot.json() == phone.snapshot.json())
  }

  @Test(arguments: addresses) func `an empty storage lists and contains no objects`(
    address: String
  ) async throws {
    let storage = try Self.storage(address)
    #expect(try await storage.list(after: nil).isEmpty)
    #expect(try await storage.read(Self.name(1)) == nil)
    try await storage.remove(Self.name(1))
  }

  @Test(arguments: addresses) func `objects that were put can be read, listed and removed`(
    address: String
  ) async throws {
    let storage = try Self.storage(address)
    let contents = (1...12).map { number in
      (0..<(number * 100)).map { UInt8(truncatingIfNeeded: $0 * number) }
    }
    for (index, content) in contents.enumerated() {
      #expect(try await storage.put(Self.name(index + 1), content))
    }
    for (index, content) in contents.enumerated() {
      #expect(try await storage.read(Self.name(index + 1)) == content)
    }
    let names = (1...12).map(Self.name).sorted()
    var listed: [StoredObject] = []
    while true {
      let page = try await storage.page(after: listed.last?.name)
      listed += page.objects
      if page.isLast || page.objects.isEmpty { break }
    }
    #expect(listed.map(\.name) == names)
    #expect(listed.allSatisfy { $0.byteCount % 100 == 0 && $0.byteCount > 0 })
    #expect(try await storage.list(after: names[5]).map(\.name) == Array(names[6...]))
    #expect(try await storage.list(after: names[11]).isEmpty)
    try await storage.remove(names[3])
    try await storage.remove(names[3])
    #expect(try await storage.read(names[3]) == nil)
    #expect(try await storage.list(after: nil).count == 11)
  }

  @Test(arguments: addresses) func `a nested storage and its outer storage don't list each other`(
    address: String
  ) async throws {
    let outer = try Self.storage(address)
    let nested = try #require(outer.storage(named: "attachments"))
    let name = String(repeating: "0a", count: 32) + "-000000000000"
    // The outer place doesn't exist yet.
    #expect(try await nested.list(after: nil).isEmpty)
    #expect(try await nested.put(name, [1, 2, 3]))
    #expect(try await !nested.put(name, [4]))
    #expect(try await outer.list(after: nil).isEmpty)
    #expect(try await outer.put(Self.name(1), [5]))
    #expect(try await outer.list(after: nil).map(\.name) == [Self.name(1)])
    #expect(try await nested.list(after: nil) == [StoredObject(name: name, byteCount: 3)])
    #expect(try await nested.read(name) == [1, 2, 3])
    #expect(try await nested.read(Self.name(1)) == nil)
    try await nested.remove(name)
    #expect(try await nested.list(after: nil).isEmpty)
    #expect(try await outer.read(Self.name(1)) == [5])
  }

  @Test(arguments: addresses) func `a put under an existing name changes nothing`(
    address: String
  ) async throws {
    let storage = try Self.storage(address)
    #expect(try await storage.put(Self.name(1), Array("first".utf8)))
    #expect(try await !storage.put(Self.name(1), Array("second".utf8)))
    #expect(try await storage.read(Self.name(1)) == Array("first".utf8))
    #expect(try await storage.list(after: nil).count == 1)
  }

  @Test(arguments: addresses) func `one of sixteen writers that race for a name wins`(
    address: String
  ) async throws {
    let storage = try Self.storage(address)
    for round in 1...3 {
      let wins = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
        for writer in 0..<16 {
          group.addTask {
            (writer, try await storage.put(Self.name(round), Array("writer \(writer)".utf8)))
          }
        }
        return try await group.reduce(into: []) { if $1.1 { $0.append($1.0) } }
      }
      #expect(Self.isFair(address, wins.count))
      let content = try await storage.read(Self.name(round))
      #expect(wins.contains { content == Array("writer \($0)".utf8) })
    }
    #expect(try await storage.list(after: nil).count == 3)
  }

  /// Runs 100 rounds with `EVENTLOG_ROUNDS=1`, and otherwise 10.
  @Test(arguments: addresses) func `one of two devices that race for a name wins in each round`(
    address: String
  ) async throws {
    // Each has its own storage, like two apps.
    let random = RandomText.system.next(8)
    let devices = try [random, random].map { try Self.storage(address, random: $0) }
    for round in 1...Self.raceCount {
      let contents = devices.indices.map { Array("device \($0), round \(round)".utf8) }
      let puts = zip(devices, contents).map { (device, content) in
        Task { try await device.put(Self.name(round), content) }
      }
      let wins = try await [puts[0].value, puts[1].value]
      #expect(Self.isFair(address, wins.filter { $0 }.count))
      let content = try await devices[0].read(Self.name(round))
      #expect(zip(wins, contents).contains { $0 && $1 == content })
      #expect(try await devices[1].read(Self.name(round)) == content)
      try await devices[0].remove(Self.name(round))
    }
    #expect(try await devices[1].list(after: nil).isEmpty)
  }

  @Test(arguments: addresses) func `a storage's path may contain special characters`(
    address: String
  ) async throws {
    let end = "%20a%25b%2Bc+d%C3%A9"
    let random = RandomText.system.next(8)
    let storage = try Self.storage(address, random: random, end)
    // This path contains a literal `%20`, so it is another storage.
    let other = try Self.storage(
      address, random: random, "%2520a%25b%2Bc+d%C3%A9")
    for number in 1...3 {
      #expect(try await storage.put(Self.name(number), [UInt8(number)]))
      #expect(try await storage.read(Self.name(number)) == [UInt8(number)])
    }
    #expect(try await storage.list(after: nil).map(\.name) == (1...3).map(Self.name))
    #expect(try await storage.list(after: Self.name(2)).map(\.name) == [Self.name(3)])
    #expect(try await other.list(after: nil).isEmpty)
    for number in 1...3 { try await storage.remove(Self.name(number)) }
    #expect(try await storage.list(after: nil).isEmpty)
  }

  @Test(arguments: addresses) func `objects of every size round-trip`(
    address: String
  ) async throws {
    let storage = try Self.storage(address)
    for (number, size) in [1, 917_504, 917_505, 1_900_000].enumerated() {
      let bytes = someBytes(size)
      let name = "dev-a_\(number + 1)-9_\(String(repeating: "0b", count: 8)).jsonl"
      #expect(try await storage.put(name, bytes))
      #expect(try await storage.read(name) == bytes)
      #expect(try await storage.list(after: nil).last?.byteCount == Int64(size))
      try await storage.remove(name)
      #expect(try await storage.read(name) == nil)
    }
  }

  @Test(arguments: addresses)
  func `changes since a mark contain later puts, if a storage supports them`(
    address: String
  ) async throws {
    let storage = try Self.storage(address)
    #expect(try await storage.put(Self.name(1), [1]))
    guard let first = try await storage.changes(since: nil) else { return }
    #expect(first.objects.map(\.name) == [Self.name(1)])
    #expect(try await storage.put(Self.name(2), [1, 2]))
    let second = try #require(try await storage.changes(since: first.mark))
    #expect(second.objects.map(\.name).contains(Self.name(2)))
    try await storage.remove(Self.name(1))
    try await storage.remove(Self.name(2))
    #expect(try await storage.changes(since: second.mark) == nil)
  }

  @Test(arguments: addresses.filter { ![cloudKit, calls].contains($0) })
  func `a request without access fails with the right code`(address: String) async throws {
    let storage: any ObjectStorage
    let code: EventLogError.Code
    switch try CloudAddress(address) {
    case .cloudKit: return
    case .firestore(let project, _, let named):
      // Another user's objects, with a valid token.
      let emulator = named ?? ProcessInfo.processInfo.environment["FIRESTORE_EMULATOR_HOST"]
      guard emulator != nil else { return }
      storage = FirestoreStorage(
        FirestoreLocation(project: project, user: "bob", emulator: emulator),
        token: { _ in Self.token(of: "eve", in: project) }, client: CloudClient(.system))
      code = .accessDenied
    case .bucket(_, let prefix, let endpoint, let region):
      let address = BucketLocation(
        bucket: "no-bucket-of-ours-\(RandomText.system.next(8))", prefix: prefix,
        region: region ?? "us-east-1", endpoint: endpoint)
      storage = BucketStorage(
        address, credentials: { BucketCredentials(accessKeyID: "key", secretAccessKey: "word") },
        client: CloudClient(.system), clock: .system)
      // A real server checks the credentials first.
      code = endpoint == nil ? .signInNeeded : .wrongAddress
    case .webDAV(let folder):
      storage = WebDAVStorage(
        folder, credentials: { WebDAVCredentials(user: "ada", password: "wrong") },
        client: CloudClient(.system), random: .system)
      code = .signInNeeded
    }
    let listing = await #expect(throws: EventLogError.self) { try await storage.page(after: nil) }
    #expect(listing?.code == code)
    let put = await #expect(throws: EventLogError.self) {
      try await storage.put(Self.name(1), [1])
    }
    #expect(put?.code == code)
  }

  /// Returns a token that only an emulator accepts.
  private static func token(of user: String, in project: String) -> String {
    let claims =
      #"{"sub":"\#(user)","user_id":"\#(user)","aud":"\#(project)","#
      + #""iss":"https://securetoken.google.com/\#(project)","iat":0,"exp":4102444800}"#
    return [#"{"alg":"none","typ":"JWT"}"#, claims].map { part in
      Data(part.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }.joined(separator: ".") + "."
  }
}
