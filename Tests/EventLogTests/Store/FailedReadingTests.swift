import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// A status or a check for which a file can't be read fails; it never says something else.
@Suite(.tags(.faults)) struct FailedReadingTests {
  private let memory = MemoryFileSystem(machineIdentity: "desk")
  private let disk: InstrumentedFileSystem
  private let path = "/ada.jsonl"

  init() { disk = InstrumentedFileSystem(memory) }

  private var journal: Journal { Journal(path: path, fileSystem: disk) }

  /// Appends events like processes that end afterwards.
  private func append(_ count: Int) throws {
    let random = RandomText.seeded(UInt64(count))
    for _ in 0..<count {
      let writer = JournalWriter(
        path: path,
        options: JournalOptions(
          fileSystem: memory, clock: .fixed(1_800_000_000_000), random: random, deviceName: "phone",
          user: "ada"),
        sink: EventList())
      _ = try writer.commit { (batch) throws(EventLogError) in
        _ = try batch.add(EventDraft(type: "note.added", data: JSONObject()), hasMore: false)
      }
    }
  }

  private func cutLastLine() throws {
    let bytes = try memory.contents(ofFile: path, maximumBytes: 1 << 20)
    let lines = Sandbox.lines(bytes)
    let file = try memory.open(path, .readWrite)
    defer { memory.close(file) }
    try memory.truncate(file, to: Int64(lines.dropLast().reduce(0) { $0 + $1.count }))
  }

  /// Makes each call fail in turn.
  ///
  /// - Returns: The number of readings that failed.
  private func failEachCall<Answer: Equatable>(
    of reading: (Journal) throws(EventLogError) -> Answer
  ) throws -> Int {
    disk.resetCounts()
    let answer = try reading(journal)
    var failureCount = 0
    for index in 0..<disk.failableCount {
      for error in [Errno.inputOutput, .permissionDenied] {
        disk.failNextCall(after: index, with: error)
        do throws(EventLogError) {
          let disturbed = try reading(journal)
          #expect(disturbed == answer, "call \(index) fails with \(error)")
        } catch {
          #expect(error.code == .inputOutput)
          failureCount += 1
        }
        disk.stopFailing()
      }
    }
    return failureCount
  }

  private func status(_ journal: Journal) throws(EventLogError) -> [String] {
    let status = try journal.status()
    return [
      status.user ?? "", status.device?.text ?? "", status.notice ?? "", "\(status.eventCount)",
      "\(status.missing)", "\(status.damageCount)", "\(status.remotes)", "\(status.quarantined)",
    ]
  }

  private func check(_ journal: Journal) throws(EventLogError) -> [String] {
    let check = try journal.check()
    return ["\(check.eventCount)", "\(check.problemCount)"] + check.problems.map(\.message)
  }

  @Test func `a status with a failing call throws or answers the same`() throws {
    try append(3)
    #expect(try failEachCall(of: status) > 0)
    try cutLastLine()
    #expect(try failEachCall(of: status) > 0)
  }

  @Test func `a check with a failing call throws or answers the same`() throws {
    try append(3)
    #expect(try failEachCall(of: check) > 0)
    try cutLastLine()
    #expect(try check(journal)[1] != "0")
    #expect(try failEachCall(of: check) > 0)
  }
}
