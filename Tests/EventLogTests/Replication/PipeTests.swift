import EventLogInspection
import EventLogTesting
import Foundation
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogPipe

/// Behavior of pipes that isn't part of the contract of all remotes.
@Suite struct PipeTests {
  private func device(_ name: String, edits: Int) async throws -> TemporaryStore {
    let device = try await TemporaryStore(device: name, records: Meal.self)
    for number in 0..<edits {
      _ = try await device.create(Meal.self, key: "\(name)-\(number)") { $0.kcal = number }
    }
    return device
  }

  @Test func `a sync cut off after any byte is resumed by the next sync`() async throws {
    var byteCount = 1
    var isWhole = false
    while !isWhole {
      let folder = try TemporaryFolder()
      let path = folder.file("far.jsonl")
      let phone = try await device("phone", edits: 2)
      try await phone.sync(with: PipeRemote(servingInMemory: path))
      let tablet = try await device("tablet", edits: 2)
      do {
        let report = try await tablet.sync(
          with: PipeRemote(servingInMemory: path, cutAfter: byteCount))
        isWhole = true
        #expect(report.pulledCount == 3 && report.pushedCount == 3)
      } catch {
        #expect(error.code == .remoteFailed)
      }
      #expect(try tablet.journal.verify().problems.isEmpty)
      #expect(try Journal(path: path).verify().problems.isEmpty)
      try await tablet.sync(with: PipeRemote(servingInMemory: path))
      try await phone.sync(with: PipeRemote(servingInMemory: path))
      #expect(try Set(phone.lines()) == Set(tablet.lines()))
      // Don't cut after each byte of the lines, which are most of the data.
      byteCount += 61
    }
    #expect(byteCount > 1500)
  }

  @Test func `many queries are sent in parts`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("far.jsonl")
    var device = HandmadeDevice("far-aaaaaaaa")
    let lines = [device.join(user: "ada")] + (0..<9).map { _ in device.event() }
    try await JournalRemote(path: path).give(lines, of: "ada")
    let histories = HandmadeHistories(lines)
    let queries = (0..<9_000).map {
      HistoryQuery(sequence: Int64($0 % 10) + 1, in: device.tip)
    }
    let session = try await PipeRemote(servingInMemory: path).connect(SyncRequest(user: "ada"))
    _ = try await session.statement(to: FrontierStatement(), histories)
    #expect(try await session.chains([]) == [])
    #expect(try await session.chains(queries) == histories.chains(queries))
    try await session.finish()
  }

  @Test func `notices of the served journal are reported to the initiator`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("far.jsonl")
    let far = try await device("far", edits: 3)
    var lines = try far.lines()
    lines[2] = String(lines[2].dropFirst(9))
    try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: path))
    var notices: [[String]] = []
    for remote: any Remote in [JournalRemote(path: path), PipeRemote(servingInMemory: path)] {
      let phone = try await device("phone", edits: 1)
      notices.append(try await phone.store.sync(with: remote).notices)
    }
    #expect(!notices[0].isEmpty)
    #expect(notices[1] == notices[0].map { "\"\(path)\" reports: \($0)" })
  }

  @Test func `an initiator without a journal has the user that it was opened for`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("far.jsonl")
    let ben = try await TemporaryStore(device: "ben", user: "ben", records: Meal.self)
    _ = try await ben.create(Meal.self)
    try await ben.sync(with: PipeRemote(servingInMemory: path))
    let ada = try await TemporaryStore(device: "ada", user: "ada", records: Meal.self)
    let code = await failureCode { () throws(EventLogError) in
      try await ada.sync(with: PipeRemote(servingInMemory: path))
    }
    #expect(code == .otherUser)
  }

  @Test func `an initiator and a server without journals end with an error`() async throws {
    let folder = try TemporaryFolder()
    let remote = PipeRemote(servingInMemory: folder.file("far.jsonl"))
    let code = await failureCode { () throws(EventLogError) in
      let session = try await remote.connect(SyncRequest())
      _ = try await session.statement(to: FrontierStatement(), HandmadeHistories())
    }
    #expect(code == .noJournal)
  }

  @Test func `a peer that has closed only its input isn't waited for like a person`() async {
    let channel = DeafChannel()
    let remote = PipeRemote(address: "desk:far.jsonl") { () throws(EventLogError) in channel }
    let code = await failureCode { () throws(EventLogError) in
      _ = try await remote.connect(SyncRequest(user: "ada"))
    }
    #expect(code == .remoteFailed)
    let waits = channel.waits.withLock { $0 }
    #expect(!waits.isEmpty && waits.allSatisfy { $0 <= 1000 })
  }

  @Test(arguments: [
    "", "ada.jsonl", "./desk:ada.jsonl", "Shared", "s3://bucket/ada", "https://desk/ada.jsonl",
    "C:/ada.jsonl",
  ])
  func `a remote for a machine refuses other addresses`(address: String) async {
    let code = await failureCode { () throws(EventLogError) in
      _ = try PipeRemote(machine: address)
    }
    #expect(code == .invalidInput)
  }
}

/// A channel to a peer that has closed its input and never sends anything.
private final class DeafChannel: ByteChannel {
  /// The maximum times of all reads, in milliseconds.
  let waits = Mutex<[Int64]>([])

  func read(within milliseconds: Int64) async throws(Errno) -> [UInt8] {
    waits.withLock { $0.append(milliseconds) }
    throw .timedOut
  }

  func write(_ bytes: [UInt8], within milliseconds: Int64) async throws(Errno) {
    throw .brokenPipe
  }

  func close() {}

  func ending() async -> ChannelEnding? { nil }
}
