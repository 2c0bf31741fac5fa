import EventLog
import EventLogTesting
import Testing

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

  /// A line of a device of the same user, that has seen an event of this journal's device.
  private func stranger(seeing sequence: Int64) throws -> [[UInt8]] {
    let device = try #require(box.events().first).device
    let first = Sandbox.lines(of: "tablet-bbbbbbbb", count: 1)
    let chain = try #require(LineChecksum(text: first[0].suffix(19).prefix(16))).chain
    var writer = EventLineWriter(after: chain)
    writer.write(
      id: EventID("tablet-bbbbbbbb:2")!, at: Timestamp(milliseconds: 0)!, type: "note.added",
      entity: nil, seen: [(device, sequence)], data: [:])
    return first + [writer.bytes]
  }

  private func receive(_ lines: [[UInt8]]) throws -> Reception {
    var reception = Reception()
    _ = try box.writer().commit { (batch) throws(EventLogError) in
      reception = batch.receive(Array(lines.joined()))
    }
    return reception
  }

  // MARK: - Lines that come

  @Test func `an own event that is the next one is taken, and the ID is used no more`() throws {
    try box.begin()
    let reception = try receive(try otherBranch(behind: 3, count: 1))
    #expect(reception.hasTwin && reception.refused.isEmpty)
    #expect(try box.writer().append().freshDevice == .continuedElsewhere)
  }

  @Test(arguments: [2, 1], [1, 2, 5])
  func `one that is refused tells as much`(behind: Int, count: Int) throws {
    try box.begin()
    let branch = try otherBranch(behind: behind, count: count)
    let before = try box.bytes()
    let reception = try receive([branch[count - 1]])
    // An old number alone tells nothing: of those the chain tells, with the next one.
    let isNews = behind + count >= 3
    #expect(reception.hasTwin == isNews)
    #expect(try box.bytes() == before)
    #expect(try box.writer().append().freshDevice == (isNews ? .continuedElsewhere : nil))
  }

  @Test(arguments: [3, 4])
  func `an event that has seen a later own one tells as much`(sequence: Int64) throws {
    try box.begin()
    let reception = try receive(try stranger(seeing: sequence))
    #expect(reception.hasTwin == (sequence > 3))
    #expect(reception.refused.map(\.code) == (sequence > 3 ? [.unseenEvent] : []))
    #expect(
      try box.writer().append().freshDevice == (sequence > 3 ? .continuedElsewhere : nil))
  }

  @Test func `own events that are held already tell nothing`() throws {
    try box.begin()
    #expect(try !receive(Sandbox.lines(try box.bytes())).hasTwin)
    #expect(try box.writer().append().freshDevice == nil)
  }

  // MARK: - The journal itself

  @Test func `somebody in it has seen what is gone`() throws {
    let device = try box.begin()
    // As if lines had been taken out by hand, and the record said nothing of them.
    try box.put(try box.bytes() + Array(stranger(seeing: 5).joined()))
    let outcome = try box.writer().append()
    #expect(outcome.freshDevice == .behindHole && outcome.events[0].device != device)
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
