import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// Signs in a journal and in received lines that another copy uses its device ID.
@Suite struct OwnEndTests {
  private let box: Sandbox

  init() throws { box = try Sandbox() }

  /// Lines of the journal's own device that continue its first `kept` lines differently.
  private func otherBranch(after kept: Int, count: Int) throws -> [[UInt8]] {
    let last = Sandbox.lines(try box.bytes())[kept - 1].dropLast()
    let end = ForkedDevice.event(Array(last))
    var device = HandmadeDevice(end.device, after: end)
    return (0..<count).map { _ in device.write("note.added", nil, ["text": "elsewhere"]) + [0x0A] }
  }

  /// Lines of another device of the user that has seen `event`.
  private func stranger(seeing event: FullEventID) -> [[UInt8]] {
    var tablet = HandmadeDevice("tablet-bbbbbbbb")
    return [tablet.join(user: "ada"), tablet.event(seeing: [event])].map { $0 + [0x0A] }
  }

  /// The last event of the journal's own device.
  private func last() throws -> FullEventID {
    var last: FullEventID?
    _ = try box.journal().replay { event, _ in
      last = event.fullID
      return true
    }
    return try #require(last)
  }

  private func receive(
    _ lines: [[UInt8]], missing: [EventRange] = []
  ) throws -> ReceiveResult {
    var result = ReceiveResult()
    let filter = ReceiveFilter(missing: missing)
    _ = try box.writer().commit { (batch) throws(EventLogError) in
      result = try batch.receive(Array(lines.joined()), on: filter)
    }
    return result
  }

  // MARK: - Received lines

  @Test func `receiving the next event of the journal's device retires the ID`() throws {
    try box.begin()
    let result = try receive(try otherBranch(after: 3, count: 1))
    #expect(result.hasDuplicateWriter && result.refused.isEmpty)
    #expect(try box.writer().append().freshDevice == .duplicateWriter)
    #expect(try box.notes() == [])
  }

  @Test func `lines are received on a second attempt if retiring the ID fails`() throws {
    try box.begin()
    let lines = try otherBranch(after: 3, count: 1)
    let writer = box.writer()
    func receive() throws -> Bool {
      try writer.commit { (batch) throws(EventLogError) in
        _ = try batch.receive(Array(lines.joined()), on: ReceiveFilter())
      }
      .wrote
    }
    box.disk.failNext(.rename, with: .noSpace)
    #expect(throws: EventLogError.self) { try receive() }
    let resetCount = writer.resetCount
    #expect(try receive())
    // The count informs readers that the journal was read from the beginning.
    #expect(writer.resetCount == resetCount + 1)
    #expect(try writer.append().freshDevice != nil)
    #expect(try box.journal().verify().eventCount == 6)
  }

  @Test(arguments: [3, 2, 1])
  func `a second history of the journal's device retires the ID`(kept: Int) throws {
    let device = try box.begin()
    let before = try box.bytes()
    let result = try receive(try otherBranch(after: kept, count: 5))
    #expect(result.hasDuplicateWriter && result.refused.isEmpty)
    #expect(result.received.count == 5)
    #expect(try box.bytes().starts(with: before))
    let outcome = try box.writer().append()
    #expect(outcome.freshDevice == (kept == 3 ? .duplicateWriter : .forked))
    #expect(outcome.events[0].device != device)
    let report = try box.journal().verify()
    #expect(report.problems == [] && report.eventCount == 10)
    #expect(try box.notes() == (kept == 3 ? [] : [.fork]))
  }

  @Test(arguments: [3, 2, 1], [2, 5])
  func `a refused event of the journal's device retires the ID`(kept: Int, count: Int) throws {
    try box.begin()
    let branch = try otherBranch(after: kept, count: count)
    let before = try box.bytes()
    let result = try receive([branch[count - 1]])
    #expect(result.refused.map(\.code) == [.gap])
    #expect(result.hasDuplicateWriter)
    #expect(try box.bytes() == before)
    #expect(try box.writer().append().freshDevice == .duplicateWriter)
  }

  @Test func `an event that has seen a later event of the journal's device retires the ID`() throws
  {
    try box.begin()
    #expect(try !receive(stranger(seeing: last())).hasDuplicateWriter)
    #expect(try box.writer().append().freshDevice == nil)
    let later = FullEventID(device: try last().device, sequence: 5, chain: 7)
    var tablet = HandmadeDevice("other-cccccccc")
    let lines = [tablet.join(user: "ada"), tablet.event(seeing: [later])].map { $0 + [0x0A] }
    let result = try receive(lines)
    #expect(result.hasDuplicateWriter)
    #expect(result.refused.map(\.code) == [.gap])
    #expect(try box.writer().append().freshDevice == .duplicateWriter)
  }

  @Test func `an event that has seen a lost event of the journal's device is received`() throws {
    let device = try box.begin()
    let later = FullEventID(device: device, sequence: 5, chain: 7)
    let result = try receive(stranger(seeing: later), missing: [EventRange(from: 5, to: later)])
    #expect(result.refused == [])
    let outcome = try box.writer().append()
    #expect(outcome.freshDevice != nil && outcome.events[0].device != device)
    #expect(try box.journal().verify().problems.map(\.code) == [.gap])
  }

  @Test func `receiving held events of the journal's device keeps the ID`() throws {
    try box.begin()
    #expect(try !receive(Sandbox.lines(try box.bytes())).hasDuplicateWriter)
    #expect(try box.writer().append().freshDevice == nil)
  }

  @Test func `receiving a missing event of the journal's device keeps the ID`() throws {
    let device = try box.begin()
    var lines = Sandbox.lines(try box.bytes())
    let lost = lines[1]
    lines[1] = Sandbox.broken(lost)
    try box.put(Array(lines.joined()))
    let result = try receive([lost])
    #expect(!result.hasDuplicateWriter && result.received.count == 1)
    #expect(try box.bytes() == Array(lines.joined()) + lost)
    let outcome = try box.writer().append()
    #expect(outcome.freshDevice == nil && outcome.events[0].device == device)
    #expect(try box.journal().verify().problems == [])
    #expect(try box.notes() == [.deadBytes])
  }

  // MARK: - Journals with later events

  @Test func `a journal whose events have seen a lost event of its device takes a fresh ID`() throws
  {
    let device = try box.begin()
    // As if lines that the record doesn't list had been deleted by hand.
    let later = FullEventID(device: device, sequence: 5, chain: 7)
    try box.put(try box.bytes() + Array(stranger(seeing: later).joined()))
    let outcome = try box.writer().append()
    #expect(outcome.freshDevice == .laterEvents && outcome.events[0].device != device)
  }

  @Test func `a journal with a fork of its own device takes a fresh ID once`() throws {
    try box.begin()
    try box.put(try box.bytes() + Array(try otherBranch(after: 2, count: 1).joined()))
    #expect(try box.writer().append().freshDevice == .forked)
    #expect(try box.writer().append().freshDevice == nil)
  }

  // MARK: - An open writer

  @Test(arguments: [true, false])
  func `an open writer notices a rollback of the journal and its record`(hasRead: Bool) throws {
    let writer = box.writer()
    try writer.append(2)
    let (bytes, record) = (try box.bytes(), try box.bytes("ada.eventlog/device.json"))
    let device = try #require(try writer.append().events.first).device
    try box.copy("ada.jsonl", to: "elsewhere.jsonl")
    try box.put(bytes)
    try box.put(record, "ada.eventlog/device.json")
    if hasRead {
      #expect(try writer.refresh())
      #expect(writer.foreseen == .fresh(.lacksSyncedEvent))
    }
    // The next process takes a fresh ID even if nothing is written.
    _ = try writer.commit { (batch) throws(EventLogError) in #expect(batch.device == nil) }
    let outcome = try box.writer().append()
    #expect(outcome.freshDevice == .lacksSyncedEvent && outcome.events[0].device != device)
  }

  @Test func `a writer that has only read notices a rollback`() throws {
    try box.begin()
    let (bytes, record) = (try box.bytes(), try box.bytes("ada.eventlog/device.json"))
    try box.writer().append()
    let reader = box.writer()
    _ = try reader.refresh()
    try box.put(bytes)
    try box.put(record, "ada.eventlog/device.json")
    #expect(try reader.append().freshDevice == .lacksSyncedEvent)
  }

  @Test func `an open writer keeps its ID if only the record is older`() throws {
    let writer = box.writer()
    let device = try writer.append(2).events[0].device
    // The record is older than the journal, which must be reread.
    let record = try box.bytes("ada.eventlog/device.json")
    try box.writer().append(3)
    try box.put(record, "ada.eventlog/device.json")
    #expect(try writer.append().events[0].device == device)
    #expect(try box.events().map(\.sequence) == Array(1...7))
  }
}
