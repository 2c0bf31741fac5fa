import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// Signs, in a journal and in lines that come, that numbers of its own device are used elsewhere.
@Suite struct OwnEndTests {
  private let box: Sandbox

  init() throws { box = try Sandbox() }

  /// Lines of the journal's own device that go on behind its first ones, with another text.
  private func otherBranch(behind kept: Int, count: Int) throws -> [[UInt8]] {
    let lines = Sandbox.lines(try box.bytes())
    let device = try #require(box.events().first).device
    var chain = try #require(LineChecksum(text: lines[kept - 1].suffix(19).prefix(16))).chain
    return (1...count).map { step in
      var writer = EventLineWriter(after: chain)
      writer.write(
        id: EventID(device: device, sequence: Int64(kept + step)),
        at: Timestamp(milliseconds: 0)!, type: "note.added", entity: nil, seen: [],
        data: ["text": "elsewhere"])
      chain = writer.checksum.chain
      return writer.bytes
    }
  }

  /// Lines of a device of the same user, that has seen an event.
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
    let terms = ReceivingTerms(missing: missing)
    _ = try box.writer().commit { (batch) throws(EventLogError) in
      result = try batch.receive(Array(lines.joined()), on: terms)
    }
    return result
  }

  // MARK: - Lines that come

  @Test func `an own event that is the next one is taken, and the ID is used no more`() throws {
    try box.begin()
    let result = try receive(try otherBranch(behind: 3, count: 1))
    #expect(result.hasDuplicateWriter && result.refused.isEmpty)
    #expect(try box.writer().append().freshDevice == .duplicateWriter)
    #expect(try box.notes() == [])
  }

  @Test func `after the ID could not be given up, the same lines are taken`() throws {
    try box.begin()
    let lines = try otherBranch(behind: 3, count: 1)
    let writer = box.writer()
    func receive() throws -> Bool {
      try writer.commit { (batch) throws(EventLogError) in
        _ = try batch.receive(Array(lines.joined()), on: ReceivingTerms())
      }
      .wrote
    }
    box.disk.failNext(.rename, with: .noSpace)
    #expect(throws: EventLogError.self) { try receive() }
    let resetCount = writer.resetCount
    #expect(try receive())
    // Else its readers would not hear that it has read from the beginning.
    #expect(writer.resetCount == resetCount + 1)
    #expect(try writer.append().freshDevice != nil)
    #expect(try box.journal().verify().eventCount == 6)
  }

  @Test(arguments: [3, 2, 1])
  func `another history of the own device is taken beside the own one`(behind: Int) throws {
    let device = try box.begin()
    let before = try box.bytes()
    let result = try receive(try otherBranch(behind: behind, count: 5))
    #expect(result.hasDuplicateWriter && result.refused.isEmpty)
    #expect(result.received.count == 5)
    #expect(try box.bytes().starts(with: before))
    let outcome = try box.writer().append()
    #expect(outcome.freshDevice == (behind == 3 ? .duplicateWriter : .forked))
    #expect(outcome.events[0].device != device)
    let report = try box.journal().verify()
    #expect(report.problems == [] && report.eventCount == 10)
    #expect(try box.notes() == (behind == 3 ? [] : [.fork]))
  }

  @Test(arguments: [3, 2, 1], [2, 5])
  func `an own event that is refused tells as much`(behind: Int, count: Int) throws {
    try box.begin()
    let branch = try otherBranch(behind: behind, count: count)
    let before = try box.bytes()
    let result = try receive([branch[count - 1]])
    #expect(result.refused.map(\.code) == [.gap])
    #expect(result.hasDuplicateWriter)
    #expect(try box.bytes() == before)
    #expect(try box.writer().append().freshDevice == .duplicateWriter)
  }

  @Test func `an event that has seen a later own one tells as much`() throws {
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

  @Test func `an event is taken that has seen an own one which is missing everywhere`() throws {
    let device = try box.begin()
    let later = FullEventID(device: device, sequence: 5, chain: 7)
    let result = try receive(stranger(seeing: later), missing: [EventRange(from: 5, to: later)])
    #expect(result.refused == [])
    let outcome = try box.writer().append()
    #expect(outcome.freshDevice != nil && outcome.events[0].device != device)
    #expect(try box.journal().verify().problems.map(\.code) == [.gap])
  }

  @Test func `own events that are held already tell nothing`() throws {
    try box.begin()
    #expect(try !receive(Sandbox.lines(try box.bytes())).hasDuplicateWriter)
    #expect(try box.writer().append().freshDevice == nil)
  }

  @Test func `an own event that is missing here comes back, and the ID stays`() throws {
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

  // MARK: - The journal itself

  @Test func `somebody in it has seen what is gone`() throws {
    let device = try box.begin()
    // As if lines had been taken out by hand, and the record said nothing of them.
    let later = FullEventID(device: device, sequence: 5, chain: 7)
    try box.put(try box.bytes() + Array(stranger(seeing: later).joined()))
    let outcome = try box.writer().append()
    #expect(outcome.freshDevice == .laterEvents && outcome.events[0].device != device)
  }

  @Test func `two events stand in it under one own ID`() throws {
    try box.begin()
    try box.put(try box.bytes() + Array(try otherBranch(behind: 2, count: 1).joined()))
    #expect(try box.writer().append().freshDevice == .forked)
    #expect(try box.writer().append().freshDevice == nil)
  }

  // MARK: - A writer that is open

  @Test(arguments: [true, false])
  func `it knows more than a record that was rolled back with the journal`(hasRead: Bool) throws {
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
    // Nothing is written yet, and the next process is told all the same.
    _ = try writer.commit { (batch) throws(EventLogError) in #expect(batch.device == nil) }
    let outcome = try box.writer().append()
    #expect(outcome.freshDevice == .lacksSyncedEvent && outcome.events[0].device != device)
  }

  @Test func `one that only read knows it too`() throws {
    try box.begin()
    let (bytes, record) = (try box.bytes(), try box.bytes("ada.eventlog/device.json"))
    try box.writer().append()
    let reader = box.writer()
    _ = try reader.refresh()
    try box.put(bytes)
    try box.put(record, "ada.eventlog/device.json")
    #expect(try reader.append().freshDevice == .lacksSyncedEvent)
  }

  @Test func `events behind it are no reason to doubt`() throws {
    let writer = box.writer()
    let device = try writer.append(2).events[0].device
    // The record is older, the journal is not, and it has to be read anew.
    let record = try box.bytes("ada.eventlog/device.json")
    try box.writer().append(3)
    try box.put(record, "ada.eventlog/device.json")
    #expect(try writer.append().events[0].device == device)
    #expect(try box.events().map(\.sequence) == Array(1...7))
  }
}
