import EventLogTesting
import Testing

@testable import EventLog

/// A journal behind a pipe, beyond what every remote keeps.
@Suite struct PipeTests {
  private func device(_ name: String, edits: Int) async throws -> TemporaryStore {
    let device = try await TemporaryStore(device: name, records: Meal.self)
    for number in 0..<edits {
      _ = try await device.create(Meal.self, key: "\(name)-\(number)") { $0.kcal = number }
    }
    return device
  }

  @Test func `a run that breaks off after any byte is gone on with`() async throws {
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
      // Not every byte of the lines themselves, which are the most of it.
      byteCount += 61
    }
    #expect(byteCount > 1500)
  }

  @Test func `a statement of many devices crosses in parts`() throws {
    var statement = FrontierStatement(user: "ada", adoptedUsers: ["guest"])
    for number in 1...3_000 {
      let id = DeviceID("device-\(number)")!
      statement.frontier[id] = HistoryPoint(
        sequence: LineLimits.sequenceMax, checksum: LineChecksum.of(covered: [1], after: 2))
    }
    let parts = statement.parts
    #expect(parts.count == 6)
    var whole = FrontierStatement()
    for part in parts {
      let bytes = PipeMessage.statement(part, isLast: false).bytes
      #expect(bytes.count <= PipeLimits.messageBytesMax)
      let message = try #require(PipeMessage(line: bytes.dropLast()))
      guard case .statement(let read, isLast: false) = message else {
        Issue.record("\(message)")
        return
      }
      let isNew = whole.add(read)
      #expect(isNew)
    }
    #expect(whole == statement)
    let isNew = whole.add(parts[0])
    #expect(!isNew)
  }

  @Test func `the user of a visitor without a journal is who it was opened for`() async throws {
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

  @Test func `where there is no journal, a visitor without one is told so`() async throws {
    let folder = try TemporaryFolder()
    let remote = PipeRemote(servingInMemory: folder.file("far.jsonl"))
    let code = await failureCode { () throws(EventLogError) in
      let session = try await remote.connect(RemoteVisit())
      _ = try await session.statement(to: HandmadeHistories())
    }
    #expect(code == .noJournal)
  }
}

/// A visitor that holds nothing.
struct HandmadeHistories: DeviceHistories {
  var points: [DeviceID: HistoryPoint] { [:] }
  var reissues: [Reissue] { [] }
  func checksum(of event: EventID) async throws(EventLogError) -> LineChecksum? { nil }
}
