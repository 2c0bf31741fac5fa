import EventLog
import EventLogTesting
import Testing

/// What an open writer knows of device IDs beyond the files that are there.
@Suite struct DeviceMemoryTests {
  private let box: Sandbox

  init() throws { box = try Sandbox() }

  /// What tells under which ID a journal writes, and up to where.
  private struct Files {
    let journal: [UInt8]
    let record: [UInt8]
  }

  private func keep() throws -> Files {
    Files(journal: try box.bytes(), record: try box.bytes("ada.eventlog/device.json"))
  }

  private func putBack(_ files: Files) throws {
    try box.put(files.journal)
    try box.put(files.record, "ada.eventlog/device.json")
  }

  /// Has another process find the end cut off, and take a fresh ID.
  private func takeFreshID() throws -> DeviceID {
    let lines = Sandbox.lines(try box.bytes())
    try box.put(Array(lines.dropLast().joined()))
    return try box.writer().append().events[0].device
  }

  @Test func `a first look believes the files`() throws {
    let device = try box.begin()
    #expect(try box.writer().append().events[0].device == device)
  }

  @Test func `what others have appended under the ID is gone on with`() throws {
    let writer = box.writer()
    let device = try writer.append().events[0].device
    try box.writer().append(3)
    #expect(try writer.append().events == [EventID(device: device, sequence: 6)])
  }

  @Test(arguments: [true, false])
  func `a fresh ID that another process has taken is taken over`(hasLooked: Bool) throws {
    let writer = box.writer()
    let device = try writer.append(2).events[0].device
    let fresh = try takeFreshID()
    #expect(fresh != device)
    if hasLooked {
      #expect(try writer.refresh())
      #expect(writer.foreseen == .same(fresh))
    }
    #expect(try writer.append().events == [EventID(device: fresh, sequence: 3)])
  }

  @Test func `it is taken over by who was just reading when it was taken`() throws {
    let reader = box.writer()
    try reader.append(2)
    let box = box
    var fresh: DeviceID?
    // `device.json` was read before, the journal is read behind.
    reader.checkpoint = { _ in
      if fresh == nil { fresh = try? box.writer().append().events[0].device }
      return nil
    }
    let lines = Sandbox.lines(try box.bytes())
    try box.put(Array(lines.dropLast().joined()))
    #expect(try reader.refresh())
    let taken = try #require(fresh)
    #expect(reader.foreseen == .same(taken))
    #expect(try reader.append().events == [EventID(device: taken, sequence: 3)])
  }

  @Test func `the ID before is not taken up again, even where nothing of it is gone`() throws {
    let writer = box.writer()
    try writer.append(2)
    let lines = Sandbox.lines(try box.bytes())
    try box.put(Array(lines.dropLast().joined()))
    // The state that this one comes to know, and no later one.
    let reader = box.writer()
    _ = try reader.refresh()
    let record = try box.bytes("ada.eventlog/device.json")
    let fresh = try box.writer().append().events[0].device
    #expect(try reader.refresh())
    #expect(reader.foreseen == .same(fresh))
    try box.put(Array(lines.joined()))
    try box.put(record, "ada.eventlog/device.json")
    #expect(try reader.append().freshDevice == .lacksSyncedEvent)
  }

  @Test func `an event that only the record spoke of is known`() throws {
    let device = try box.begin()
    let early = try keep()
    try box.writer().append()
    try box.put(early.journal)
    let reader = box.writer()
    #expect(try reader.refresh())
    #expect(reader.foreseen == .fresh(.lacksSyncedEvent))
    try putBack(early)
    let outcome = try reader.append()
    #expect(outcome.freshDevice == .lacksSyncedEvent && outcome.events[0].device != device)
  }

  @Test func `a journal that is there again as it was goes on as it did`() throws {
    let writer = box.writer()
    let device = try writer.append(2).events[0].device
    let whole = try keep()
    let lines = Sandbox.lines(whole.journal)
    try box.put(Array(lines.dropLast().joined()))
    #expect(try writer.refresh())
    #expect(writer.foreseen == .fresh(.lacksSyncedEvent))
    try putBack(whole)
    #expect(try writer.append().events == [EventID(device: device, sequence: 4)])
  }

  @Test func `another event under a known number is told from the known one`() throws {
    let writer = box.writer()
    try writer.append()
    let early = try keep()
    try writer.append(textBytes: 5)
    try putBack(early)
    // Another process cannot know.
    try box.writer().append(2, textBytes: 6)
    #expect(try writer.append().freshDevice == .lacksSyncedEvent)
  }

  @Test func `what was given up is so in every past`() throws {
    let writer = box.writer()
    let device = try writer.append(2).events[0].device
    let early = try keep()
    _ = try writer.commit { (batch) throws(EventLogError) in
      let later = EventID(device: device, sequence: 9)
      #expect(batch.receive(Self.stranger(seeing: later)).hasTwin)
    }
    try putBack(early)
    #expect(try writer.append().events[0].device != device)
  }

  @Test func `events of a batch that was given up were never there`() throws {
    let writer = box.writer()
    let device = try writer.append().events[0].device
    let error = failure { () throws(EventLogError) in
      _ = try writer.commit { (batch) throws(EventLogError) in
        _ = try batch.add(EventDraft(type: "note.added", data: [:]))
        throw EventLogError(.invalidInput, "given up")
      }
    }
    #expect(error?.code == .invalidInput)
    #expect(try writer.append().events == [EventID(device: device, sequence: 3)])
  }

  @Test func `an append that failed gives its numbers back`() throws {
    let writer = box.writer()
    let device = try writer.append().events[0].device
    box.disk.failNext(.write, with: .noSpace)
    #expect(failure { () throws(EventLogError) in try writer.append() } != nil)
    #expect(try writer.append().events == [EventID(device: device, sequence: 3)])
  }

  /// A device of the same user that has seen an event.
  private static func stranger(seeing event: EventID) -> [UInt8] {
    let first = Sandbox.lines(of: "tablet-bbbbbbbb", count: 1)
    let chain = LineChecksum(text: first[0].suffix(19).prefix(16))!.chain
    var writer = EventLineWriter(after: chain)
    writer.write(
      id: EventID("tablet-bbbbbbbb:2")!, at: Timestamp(milliseconds: 0)!, type: "note.added",
      entity: nil, seen: [(event.device, event.sequence)], data: [:])
    return first[0] + writer.bytes
  }
}
