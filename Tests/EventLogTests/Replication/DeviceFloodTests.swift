import EventLogCollections
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// Thousands of devices: a journal refuses them by default, and can write if it holds them.
@Suite struct DeviceFloodTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A journal of `count` devices that have joined without seeing each other.
  private func journal(_ name: String, devices count: Int) throws -> String {
    var bytes: [UInt8] = []
    for number in 0..<count {
      var device = HandmadeDevice("\(name)\(number)-aaaaaaaa")
      bytes += device.join(user: "ada") + [0x0A]
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

  // MARK: - Writing with many devices

  @Test func `seen events that don't fit into one line are stated in several lines`() async throws {
    // With device IDs of the maximum length.
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
    // Everything is stated: the next event has no `seen`, and nothing is concurrent with it.
    let status = try Journal(path: path, catalog: .standard).status()
    #expect(status.frontier.tips.count == count + 1)
    let reopened = try await open(path)
    _ = try await reopened.append([EventDraft(type: "settings.changed", data: ["font": "small"])])
    try await reopened.close()
    let last = try bytes(path).split(separator: 0x0A).last ?? Data()
    #expect(!String(decoding: last, as: UTF8.self).contains(#""seen""#))
    #expect(try Journal(path: path, catalog: .standard).snapshot().snapshot.conflicts.isEmpty)
  }

  @Test func `a batch stays whole if its first event has seen thousands of devices`() async throws {
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

  // MARK: - Receiving many devices

  @Test(arguments: [999, 1000])
  func `a journal refuses devices beyond a thousand`(_ count: Int) async throws {
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

  @Test func `the device limit includes the devices of earlier syncs`() async throws {
    let few = JournalRemote(path: try journal("few", devices: 600))
    let more = JournalRemote(path: try journal("more", devices: 600))
    let path = folder.file("own.jsonl")
    let store = try await open(path)
    #expect(try await store.sync(with: few).pulledCount == 600)
    await #expect { try await store.sync(with: more) } throws: { error in
      (error as? EventLogError)?.code == .tooManyDevices
        && "\(error)".contains("It contains 600, and accepts new ones only up to 1000 in total.")
    }
    // Known devices still sync.
    #expect(try await store.sync(with: few).pulledCount == 0)
    try await store.close()
    let willing = try await open(path, max: .max)
    #expect(try await willing.sync(with: more, .pull).pulledCount == 600)
    try await willing.close()
    // Known devices sync even above the limit.
    let reopened = try await open(path)
    _ = try await reopened.append([EventDraft(type: "settings.changed", data: ["theme": "dark"])])
    #expect(try await reopened.sync(with: more, .pull).pulledCount == 0)
    #expect(try await reopened.sync(with: few, .pull).pulledCount == 0)
    try await reopened.close()
  }

  @Test func `a push beyond the device limit of the receiver is refused`() async throws {
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

  @Test func `forks of one device count as devices`() async throws {
    let path = folder.file("forks.jsonl")
    var device = HandmadeDevice("phone-aaaaaaaa")
    var bytes = device.join(user: "ada") + [0x0A]
    for number in 0..<1200 {
      var copy = device
      bytes += copy.event(text: "\(number)") + [0x0A]
    }
    try Data(bytes).write(to: URL(filePath: path))
    let store = try await open(folder.file("own.jsonl"))
    await #expect { try await store.sync(with: JournalRemote(path: path)) } throws: {
      ($0 as? EventLogError)?.code == .tooManyDevices
    }
    try await store.close()
  }

  @Test func `devices whose first events are missing count as devices`() async throws {
    // Each line is a device's second event. Its first event is announced as missing.
    var lines: [UInt8] = []
    var missing: [EventRange] = []
    for number in 0..<1200 {
      let id = DeviceID("d\(number)-aaaaaaaa")!
      let first = EventRange(device: id, first: 1, last: 1, chain: 7)
      missing.append(first)
      var device = HandmadeDevice(id, after: first.end)
      lines += device.event() + [0x0A]
    }
    let path = folder.file("own.jsonl")
    let store = try await open(path)
    _ = try await store.append([EventDraft(type: "settings.changed", data: ["theme": "dark"])])
    try await store.close()
    let before = try bytes(path)
    let session = try await JournalRemote(path: path).connect(SyncRequest(user: "ada"))
    _ = try await session.statement(to: FrontierStatement(user: "ada"), NoHistories())
    try await session.announce(FrontierStatement(user: "ada", missing: missing))
    await #expect {
      _ = try await session.write(LineBatch(trusted: lines, count: 1200))
    } throws: { ($0 as? EventLogError)?.code == .tooManyDevices }
    #expect(try bytes(path) == before)
  }

  // MARK: - Announced devices

  /// A remote with a frontier of `count` devices, but without their events.
  private func remote(announcing count: Int) throws -> FolderRemote {
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

  @Test func `thousands of announced events that the remote lacks are pending`() async throws {
    let remote = try remote(announcing: 20_000)
    let store = try await open(folder.file("own.jsonl"))
    _ = try await store.append([EventDraft(type: "settings.changed", data: ["theme": "dark"])])
    let report = try await store.sync(with: remote)
    #expect(report.pending.count == 20_000 && report.pushedCount == 2)
    try await store.close()
  }
}

/// A lookup without any history.
private struct NoHistories: HistoryLookup {
  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    queries.map { _ in nil }
  }
}
