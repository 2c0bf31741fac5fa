import EventLogCollections
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

@testable import EventLog

/// Somebody brings thousands of devices: nobody takes them unasked, and who holds them can write.
@Suite struct DeviceFloodTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A journal of that many devices that have joined, and of which nobody has seen another.
  private func journal(_ name: String, devices count: Int) throws -> String {
    var bytes: [UInt8] = []
    for number in 0..<count {
      var writer = EventLineWriter(after: 0)
      writer.write(
        id: EventID(device: DeviceID("\(name)\(number)-aaaaaaaa")!, sequence: 1),
        at: Timestamp("2026-01-01T08:00:00.000Z")!, type: "device.joined", entity: nil, seen: [],
        data: ["user": "ada", "name": "phone"])
      bytes += writer.bytes
    }
    let path = folder.file("\(name).jsonl")
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  private func open(
    _ path: String, max: Int = JournalOptions().devicesMax
  ) async throws -> EventStore {
    try await EventStore.open(
      path: path, options: JournalOptions(deviceName: "own", user: "ada", devicesMax: max),
      catalog: .standard)
  }

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  // MARK: - Writing where they are held

  @Test func `what does not fit into one line is stated in parts`() async throws {
    // With the longest names that there are.
    let count = 8500
    let path = try journal(String(repeating: "m", count: 51), devices: count)
    let store = try await open(path)
    let receipt = try await store.append([
      EventDraft(type: "settings.changed", data: ["theme": "dark"]),
      EventDraft(type: "settings.changed", data: ["font": "big"]),
    ])
    try await store.close()
    #expect(receipt.appended.count == 2)
    let own = try bytes(path).split(separator: 0x0A).filter { line in
      line.starts(with: Data(#"{"id":"own"#.utf8))
    }
    let types = try own.map { line -> String in
      let text = String(decoding: line, as: UTF8.self)
      return String(try #require(text.firstMatch(of: /"type":"([a-z.]+)"/)).1)
    }
    #expect(types.first == "device.joined" && types.contains("device.seen"))
    #expect(types.suffix(2) == ["settings.changed", "settings.changed"])
    #expect(own.allSatisfy { $0.count <= LineLimits.lineBytesMax })
    let report = try Journal(path: path, catalog: .standard, usesCheckpoint: false).verify()
    #expect(report.problems == [] && report.eventCount == count + own.count)
    #expect(report.noteCounts.isEmpty)
    // All is stated: the next event has nothing to say, and nothing is concurrent with it.
    let status = try Journal(path: path, catalog: .standard).status()
    #expect(status.frontier.tips.count == count + 1)
    let again = try await open(path)
    _ = try await again.append([EventDraft(type: "settings.changed", data: ["font": "small"])])
    try await again.close()
    let last = try bytes(path).split(separator: 0x0A).last ?? Data()
    #expect(!String(decoding: last, as: UTF8.self).contains(#""seen""#))
    #expect(try Journal(path: path, catalog: .standard).snapshot().snapshot.conflicts.isEmpty)
  }

  @Test func `a batch is whole, however much its first event has to state`() async throws {
    let path = try journal("many", devices: 5000)
    let store = try await open(path)
    let text = JSONValue.string(String(repeating: "x", count: 300_000))
    _ = try await store.append(
      (0..<3).map { EventDraft(type: "settings.changed", data: ["\($0)": text]) })
    try await store.close()
    let lines = try bytes(path).split(separator: 0x0A).suffix(3)
    #expect(lines.map { $0.range(of: Data(#""more":true"#.utf8)) != nil } == [true, true, false])
    #expect(lines.reduce(0) { $0 + $1.count + 1 } <= OpenBatch.bytesMax)
  }

  // MARK: - Taking them

  @Test(arguments: [999, 1000])
  func `a journal of a thousand takes no more of another one`(_ count: Int) async throws {
    let remote = JournalRemote(path: try journal("many", devices: count))
    let path = folder.file("own.jsonl")
    let store = try await open(path)
    _ = try await store.append([EventDraft(type: "settings.changed", data: ["theme": "dark"])])
    let before = try bytes(path)
    if count > 999 {
      await #expect { try await store.sync(with: remote) } throws: { error in
        (error as? EventLogError)?.code == .tooManyDevices
      }
      #expect(try bytes(path) == before)
      try await store.close()
      let willing = try await open(path, max: .max)
      #expect(try await willing.sync(with: remote, .pull).pulledCount == Int64(count))
      try await willing.close()
    } else {
      #expect(try await store.sync(with: remote).pulledCount == Int64(count))
      try await store.close()
    }
  }

  @Test func `many that come one after another are as many as at once`() async throws {
    let few = JournalRemote(path: try journal("few", devices: 600))
    let more = JournalRemote(path: try journal("more", devices: 600))
    let path = folder.file("own.jsonl")
    let store = try await open(path)
    #expect(try await store.sync(with: few).pulledCount == 600)
    await #expect { try await store.sync(with: more) } throws: { error in
      (error as? EventLogError)?.code == .tooManyDevices
        && "\(error)".contains("It contains 600, and accepts new ones only up to 1000 in total.")
    }
    // With those that are known it goes on as ever.
    #expect(try await store.sync(with: few).pulledCount == 0)
    try await store.close()
    let willing = try await open(path, max: .max)
    #expect(try await willing.sync(with: more, .pull).pulledCount == 600)
    try await willing.close()
    // Once there are as many, it goes on as ever.
    let again = try await open(path)
    _ = try await again.append([EventDraft(type: "settings.changed", data: ["theme": "dark"])])
    #expect(try await again.sync(with: more, .pull).pulledCount == 0)
    #expect(try await again.sync(with: few, .pull).pulledCount == 0)
    try await again.close()
  }

  @Test func `a visitor may not bring more either`() async throws {
    let store = try await open(try journal("many", devices: 1500), max: .max)
    _ = try await store.append([EventDraft(type: "settings.changed", data: ["theme": "dark"])])
    let other = folder.file("other.jsonl")
    let own = try await EventStore.open(
      path: other, options: JournalOptions(deviceName: "desk", user: "ada"), catalog: .standard)
    _ = try await own.append([EventDraft(type: "settings.changed", data: ["font": "big"])])
    try await own.close()
    let before = try bytes(other)
    await #expect { try await store.sync(with: JournalRemote(path: other), .push) } throws: {
      ($0 as? EventLogError)?.code == .tooManyDevices
    }
    #expect(try bytes(other) == before)
    let willing = JournalRemote(path: other, options: JournalOptions(devicesMax: .max))
    #expect(try await store.sync(with: willing).pushedCount > 1500)
    try await store.close()
  }

  @Test func `copies of one device are counted like devices`() async throws {
    let path = folder.file("forks.jsonl")
    var joining = EventLineWriter(after: 0)
    let device = DeviceID("phone-aaaaaaaa")!
    let time = Timestamp("2026-01-01T08:00:00.000Z")!
    joining.write(
      id: EventID(device: device, sequence: 1), at: time, type: "device.joined", entity: nil,
      seen: [], data: ["user": "ada", "name": "phone"])
    var bytes = joining.bytes
    for number in 0..<1200 {
      var writer = EventLineWriter(after: joining.checksum.chain)
      writer.write(
        id: EventID(device: device, sequence: 2), at: time, type: "settings.changed", entity: nil,
        seen: [], data: ["copy": .number(JSONNumber(Int64(number)))])
      bytes += writer.bytes
    }
    try Data(bytes).write(to: URL(filePath: path))
    let store = try await open(folder.file("own.jsonl"))
    await #expect { try await store.sync(with: JournalRemote(path: path)) } throws: {
      ($0 as? EventLogError)?.code == .tooManyDevices
    }
    try await store.close()
  }

  @Test func `devices whose first events are missing are counted as well`() async throws {
    // Each line is the second event of a device, and its first is said to be missing.
    var lines: [UInt8] = []
    var missing: [EventRange] = []
    for number in 0..<1200 {
      let device = DeviceID("d\(number)-aaaaaaaa")!
      missing.append(EventRange(device: device, first: 1, last: 1, chain: 7))
      var writer = EventLineWriter(after: 7)
      writer.write(
        id: EventID(device: device, sequence: 2), at: Timestamp("2026-01-01T08:00:00.000Z")!,
        type: "settings.changed", entity: nil, seen: [], data: ["theme": "dark"])
      lines += writer.bytes
    }
    let path = folder.file("own.jsonl")
    let store = try await open(path)
    _ = try await store.append([EventDraft(type: "settings.changed", data: ["theme": "dark"])])
    try await store.close()
    let before = try bytes(path)
    let session = try await JournalRemote(path: path).connect(RemoteVisit(user: "ada"))
    _ = try await session.statement(to: FrontierStatement(user: "ada"), NoHistories())
    try await session.announce(FrontierStatement(user: "ada", missing: missing))
    await #expect {
      _ = try await session.write(LineBatch(trusted: lines, count: 1200))
    } throws: { ($0 as? EventLogError)?.code == .tooManyDevices }
    #expect(try bytes(path) == before)
  }

  // MARK: - Announcing them

  /// A place in which somebody has announced the events of that many devices, and put none there.
  private func place(announcing count: Int) throws -> FolderRemote {
    let path = folder.file("place")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let tips = (0..<count).map { number in
      FullEventID(
        device: DeviceID("d\(number)-aaaaaaaa")!, sequence: Int64(number + 1), chain: 1)
    }
    let content = FrontierObject.content(FrontierStatement(user: "ada", tips: tips.sorted()))
    let name = FrontierName(DeviceID("liar-aaaaaaaa")!, 1, content: content)
    try Data(content).write(to: URL(filePath: path).appendingPathComponent(name.text))
    return FolderRemote(path: path)
  }

  @Test func `what is announced and nowhere is waited for, however much it is`() async throws {
    let place = try place(announcing: 20_000)
    let store = try await open(folder.file("own.jsonl"))
    _ = try await store.append([EventDraft(type: "settings.changed", data: ["theme": "dark"])])
    let report = try await store.sync(with: place)
    #expect(report.pending.count == 20_000 && report.pushedCount == 2)
    try await store.close()
  }
}

/// Answers no question.
private struct NoHistories: HistoryLookup {
  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    queries.map { _ in nil }
  }
}
