import EventLog
import EventLogInspection
import EventLogTesting
import Testing

@Suite struct JournalWriterTests {
  let box: Sandbox

  init() throws { box = try Sandbox() }

  // MARK: - Creating

  @Test func `a new journal is sound and begins with its device's first event`() throws {
    let outcome = try box.writer().append(3)
    #expect(outcome.events.map(\.sequence) == [2, 3, 4])
    #expect(outcome.freshDevice == .noRecord)
    #expect(outcome.quarantined == nil)
    let report = try box.journal().verify()
    #expect(report.problems.isEmpty)
    #expect(report.eventCount == 4)
    let lines = Sandbox.lines(try box.bytes())
    #expect(String(decoding: lines[0], as: UTF8.self).contains(#""type":"device.joined""#))
  }

  @Test func `a batch takes one write and one sync`() throws {
    let writer = box.writer()
    try writer.append()
    box.disk.resetCounts()
    try writer.append(5)
    // The other write updates device.json.
    #expect(box.disk.count(of: .write) == 2)
    #expect(box.disk.count(of: .sync) == 1)
    #expect(box.disk.count(of: .syncFolder) == 0)
    box.disk.resetCounts()
    try writer.append(5, textBytes: 1000)
    #expect(box.disk.count(of: .write) == 2)
    #expect(box.disk.count(of: .sync) == 1)
    #expect(box.disk.count(of: .rename) == 0)
  }

  @Test func `after a retirement that could not be recorded, the next append takes a fresh ID`()
    throws
  {
    let writer = box.writer()
    try writer.append(2)
    let device = try #require(try box.events().last?.device)
    let later = FullEventID(device: device, sequence: 9, chain: 1)
    box.disk.failNext(.rename, with: .noSpace)
    #expect(throws: EventLogError.self) { try writer.notice([later], dryRun: false) }
    try writer.append()
    #expect(try box.events().last?.device != device)
  }

  @Test func `a record that can't be rewritten in place is replaced`() throws {
    let writer = box.writer()
    try writer.append()
    box.disk.resetCounts()
    // The first write is the batch.
    box.disk.failNext(.write, after: 1, with: .inputOutput)
    try writer.append()
    #expect(box.disk.count(of: .rename) == 1)
    let record = try #require(SideFolder(beside: box.path, fileSystem: box.disk).readRecord())
    #expect(record.sequence == 3)
  }

  @Test func `a commit without events removes the file that it created`() throws {
    let writer = box.writer()
    let error = failure { () throws(EventLogError) in
      _ = try writer.commit { (_) throws(EventLogError) in throw EventLogError(usage: "no") }
    }
    #expect(error?.code == .usage)
    #expect(!box.exists("ada.jsonl"))
    let outcome = try writer.commit { (_) throws(EventLogError) in }
    #expect(outcome.events.isEmpty)
    #expect(!box.exists("ada.jsonl"))
    try writer.append()
    #expect(try box.events().count == 2)
  }

  @Test func `a commit without events keeps an empty file that already existed`() throws {
    try box.put([])
    _ = try box.writer().commit { (_) throws(EventLogError) in }
    #expect(box.exists("ada.jsonl"))
  }

  @Test func `an append without a user creates no journal`() throws {
    let error = failure { () throws(EventLogError) in try box.writer(user: nil).append() }
    #expect(error?.code == .noJournal)
    #expect(!box.exists("ada.jsonl"))
  }

  // MARK: - Refused batches

  @Test func `an abandoned batch leaves no trace`() throws {
    try box.begin()
    let before = try box.bytes()
    let writer = box.writer()
    let error = failure { () throws(EventLogError) in
      _ = try writer.commit { (batch) throws(EventLogError) in
        _ = try batch.add(EventDraft(type: "note.added"))
        throw EventLogError(usage: "no")
      }
    }
    #expect(error?.code == .usage)
    #expect(try box.bytes() == before)
    try writer.append()
    #expect(try box.events().map(\.sequence) == [1, 2, 3, 4])
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `a fresh device doesn't join if its first event is refused`() throws {
    let writer = box.writer()
    let error = failure { () throws(EventLogError) in try writer.append(1, textBytes: 1 << 20) }
    #expect(error?.code == .eventTooLarge)
    let device = try writer.append().events[0].device
    #expect(try box.events().map(\.device) == [device, device])
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `an empty commit reads no event twice if the last LF is missing`() throws {
    try box.begin()
    try box.put(Array(try box.bytes().dropLast()))
    let writer = box.writer()
    for _ in 0..<2 {
      _ = try writer.commit { (batch) throws(EventLogError) in
        #expect(batch.pass.report.problems == [])
        #expect(batch.pass.sink.ids.count == 3)
      }
    }
    try writer.append()
    #expect(try box.events().map(\.sequence) == [1, 2, 3, 4])
    #expect(try box.journal().verify().problems.isEmpty)
  }

  // MARK: - Other writers

  @Test func `two writers alternate under one device ID`() throws {
    let writers = [box.writer(), box.writer()]
    for round in 0..<20 { try writers[round % 2].append(1 + round % 3) }
    let events = try box.events()
    #expect(Set(events.map(\.device)).count == 1)
    #expect(events.map(\.sequence) == Array(1...Int64(events.count)))
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `a writer resumes reading after the last line it has read`() throws {
    let first = box.writer()
    let second = box.writer()
    try first.append(50)
    try second.append()
    box.disk.resetCounts()
    try first.append()
    #expect(try box.events().count == 53)
    // device.json is opened twice, for reading and for writing. The journal stays open.
    #expect(box.disk.count(of: .open) == 2)
  }

  @Test func `the next event lists another device's new lines in seen`() throws {
    let writer = box.writer()
    try writer.append()
    let tablet = Sandbox.lines(of: "tablet-bbbbbbbb", count: 3)
    try box.put(try box.bytes() + tablet.joined())
    try writer.append(2)
    let last = Sandbox.lines(try box.bytes()).suffix(2).map { String(decoding: $0, as: UTF8.self) }
    let chain = String(decoding: tablet[2].dropLast(3).suffix(8), as: UTF8.self)
    #expect(last[0].contains(#""seen":["tablet-bbbbbbbb:3~\#(chain)"]"#))
    #expect(!last[1].contains("seen"))
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test
  func `a file renamed over the journal is detected, and is appended to after reopening`() throws {
    let writer = box.writer()
    try writer.append()
    let old = try box.events()
    try box.copy("ada.jsonl", to: "new.jsonl")
    try box.put(
      try box.bytes("new.jsonl") + Sandbox.lines(of: "t-bbbbbbbb", count: 2).joined(), "new.jsonl")
    try box.rename("new.jsonl", to: "ada.jsonl")
    let error = failure { () throws(EventLogError) in try writer.append() }
    #expect(error?.code == .journalReplaced)
    #expect(try box.events().count == old.count + 2)
    let outcome = try box.writer().append()
    #expect(outcome.freshDevice == .otherFile)
    let events = try box.events()
    #expect(events.count == old.count + 2 + 2)
    #expect(events.last?.device != old[0].device)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `a writer doesn't wait for the lock of a replaced file`() throws {
    let writer = box.writer()
    try writer.append()
    let system = SystemFileSystem()
    let old = try system.open(box.path, .readWrite)
    defer { system.close(old) }
    #expect(try system.tryLock(old, exclusive: true))
    #expect(failure { () throws(EventLogError) in try writer.append() }?.code == .locked)
    try box.copy("ada.jsonl", to: "new.jsonl")
    try box.rename("new.jsonl", to: "ada.jsonl")
    let error = failure { () throws(EventLogError) in try writer.append() }
    #expect(error?.code == .journalReplaced)
    try box.writer().append()
    #expect(try box.events().count == 4)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `buffered appends don't reread earlier buffered lines`() throws {
    try box.begin()
    // The reopened writer has synced nothing itself.
    let writer = box.writer()
    var bytesRead: [Int64] = []
    for _ in 0..<40 {
      let before = box.disk.bytesRead
      let outcome = try writer.commit(durably: false) { (batch) throws(EventLogError) in
        _ = try batch.add(EventDraft(type: "note.added", data: JSONObject()))
      }
      #expect(outcome.wrote && outcome.sync == nil)
      bytesRead.append(box.disk.bytesRead - before)
    }
    #expect(bytesRead[39] <= bytesRead[2] + 64)
    try writer.sync()
    #expect(try box.events().count == 43)
  }

  @Test func `a journal removed while a writer is open isn't created again`() throws {
    let writers = [box.writer(), box.writer(user: nil)]
    for writer in writers { try writer.append() }
    try box.remove("ada.jsonl")
    for writer in writers {
      let error = failure { () throws(EventLogError) in try writer.append() }
      #expect(error?.code == .journalReplaced)
    }
    #expect(!box.exists("ada.jsonl"))
    try box.writer().append()
    #expect(try box.events().count == 2)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `an append after removed blank lines leaves no zero bytes`() throws {
    try box.begin()
    let sound = try box.bytes()
    try box.put(sound + [0x0A, 0x0A, 0x20, 0x0A])
    let writer = box.writer()
    _ = try writer.commit { (_) throws(EventLogError) in }
    try box.put(sound)
    try writer.append()
    #expect(!(try box.bytes().contains(0)))
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `a journal of blank lines that was replaced in place is read from its start`() throws {
    try box.put([0x0A, 0x0A, 0x0A])
    let writer = box.writer()
    _ = try writer.commit { (_) throws(EventLogError) in }
    try box.put(Array(Sandbox.lines(of: "tablet-bbbbbbbb", count: 3).joined()))
    let outcome = try writer.append()
    #expect(outcome.quarantined == nil)
    #expect(try box.events().count == 5)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  // MARK: - Locks

  @Test func `waiting for a held lock ends with an error`() throws {
    try box.begin()
    let before = try box.bytes()
    let system = SystemFileSystem()
    let file = try system.open(box.path, .read)
    defer { system.close(file) }
    #expect(try system.tryLock(file, exclusive: true))
    let writer = box.writer()
    let error = failure { () throws(EventLogError) in try writer.append() }
    #expect(error?.code == .locked)
    #expect(error?.location.file == box.path)
    #expect(try box.bytes() == before)
    // A reader doesn't need the lock.
    #expect(try box.journal().verify().problems.isEmpty)
    try system.unlock(file)
    try writer.append()
    #expect(try box.events().count == 4)
  }

  @Test func `a new file that can't be locked stays empty, as the error states`() throws {
    box.disk.failNext(.lock, with: .inputOutput)
    let error = failure { () throws(EventLogError) in try box.writer().append() }
    #expect(error?.message.hasSuffix("The file is new, and stays empty.") == true)
    #expect(try box.bytes().isEmpty)
    box.disk.failNext(.lock, with: .inputOutput)
    let secondError = failure { () throws(EventLogError) in try box.writer().append() }
    #expect(secondError?.message.hasSuffix("Nothing was changed.") == true)
    try box.writer().append()
    #expect(try box.journal().verify().eventCount == 2)
  }

  @Test func `the lock is held for only one batch`() throws {
    let writer = box.writer()
    try writer.append()
    let system = SystemFileSystem()
    let file = try system.open(box.path, .read)
    defer { system.close(file) }
    #expect(try system.tryLock(file, exclusive: true))
    try system.unlock(file)
    _ = try? writer.commit { (_) throws(EventLogError) in
      #expect((try? system.tryLock(file, exclusive: true)) == false)
      throw EventLogError(usage: "no")
    }
    #expect(try system.tryLock(file, exclusive: true))
    withExtendedLifetime(writer) {}
  }
}
