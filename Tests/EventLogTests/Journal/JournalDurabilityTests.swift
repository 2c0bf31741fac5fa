import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// Appends to full disks and after failed syncs, and recovery when the journal is reopened.
@Suite(.tags(.faults)) struct JournalDurabilityTests {
  let box: Sandbox

  init() throws { box = try Sandbox() }

  // MARK: - Buffered lines

  private func buffer(_ writer: JournalWriter<EventList>) throws(EventLogError) {
    _ = try writer.commit(durably: false) { (batch) throws(EventLogError) in
      _ = try batch.add(EventDraft(type: "note.added", data: JSONObject()))
    }
  }

  @Test func `buffered lines are synced even after the whole journal was reread`() throws {
    let writer = box.writer()
    try writer.append()
    try buffer(writer)
    // Moves every line.
    try box.put([0x0A] + (try box.bytes()))
    _ = try writer.refresh()
    let before = box.disk.count(of: .sync)
    try writer.sync()
    #expect(box.disk.count(of: .sync) > before)
    let after = box.disk.count(of: .sync)
    try writer.sync()
    #expect(box.disk.count(of: .sync) == after)
  }

  @Test func `buffered lines are synced before the record names another device`() throws {
    let writer = box.writer()
    try writer.append()
    try buffer(writer)
    try box.remove("ada.eventlog/device.json")
    box.disk.failNext(.sync, with: .inputOutput)
    let error = failure { () throws(EventLogError) in try writer.append() }
    #expect(error?.code == .syncFailed)
    #expect(!box.exists("ada.eventlog/device.json"))
    try box.writer().append()
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `a journal that was replaced after it was read isn't written to`() throws {
    try box.begin(3)
    let sound = try box.bytes()
    var lines = Sandbox.lines(sound)
    lines[1] = Sandbox.broken(lines[1])
    try box.put(Array(lines.joined()))
    let writer = box.writer()
    _ = try writer.refresh()
    #expect(writer.pass.report.problems.isEmpty == false)
    try box.put(sound, "new.jsonl")
    try box.rename("new.jsonl", to: "ada.jsonl")
    let error = failure { () throws(EventLogError) in try writer.append() }
    #expect(error?.code == .journalReplaced)
    #expect(try box.bytes() == sound)
    let reopened = box.writer()
    try reopened.append()
    #expect(reopened.pass.report.problems.isEmpty)
    #expect(try box.events().count == 6)
  }

  // MARK: - Full disks

  @Test(arguments: [1, 30], [0, 1, 99])
  func `a full disk leaves the journal unchanged`(count: Int, written: Int) throws {
    let writer = box.writer()
    try writer.append(2)
    let before = try box.bytes()
    box.disk.shortWrites(of: written > 0 ? written : nil)
    box.disk.failNext(.write, after: written > 0 ? 1 : 0, with: .noSpace)
    let error = failure { () throws(EventLogError) in try writer.append(count, textBytes: 400) }
    box.disk.stopFailing()
    #expect(error?.code == .inputOutput)
    #expect(error?.cause == .noSpace)
    #expect(error?.hint != nil)
    #expect(try box.bytes() == before)
    try writer.append(count, textBytes: 400)
    #expect(try box.events().count == 3 + count)
    #expect(Set(try box.events().map(\.device)).count == 1)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `an error doesn't claim an unchanged journal if a short write remains`() throws {
    let writer = box.writer()
    try writer.append(2)
    let before = try box.bytes()
    box.disk.shortWrites(of: 100)
    box.disk.failNext(.write, after: 1, with: .noSpace)
    box.disk.failNext(.truncate, with: .inputOutput)
    let error = failure { () throws(EventLogError) in try writer.append() }
    box.disk.stopFailing()
    #expect(error?.message.contains("unchanged") == false)
    #expect(try box.bytes().count == before.count + 100)
    let outcome = try writer.append()
    #expect(outcome.freshDevice == .doubtfulTail)
    #expect(outcome.quarantinedBytes == 100)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test(arguments: [1, 60])
  func `a full disk at the first batch doesn't affect later ones`(count: Int) throws {
    let writer = box.writer()
    box.disk.failNext(.write, with: .noSpace, times: 1)
    #expect(failure { () throws(EventLogError) in try writer.append(count) } != nil)
    box.disk.failNext(.write, after: 1, with: .noSpace, times: 1)
    #expect(failure { () throws(EventLogError) in try writer.append(count) } != nil)
    for _ in 0..<2 { try writer.append(count) }
    #expect(try box.events().count == 1 + 2 * count)
    try box.writer().append(count)
    #expect(try box.events().count == 1 + 3 * count)
    #expect(Set(try box.events().map(\.device)).count == 1)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `after a full disk at the first batch, the journal isn't called a copy`() throws {
    box.disk.failNext(.write, after: 1, with: .noSpace)
    #expect(failure { () throws(EventLogError) in try box.writer().append() }?.cause == .noSpace)
    #expect(box.exists("ada.eventlog/device.json"))
    // Another file takes the inode of the removed one.
    try box.put([], "placeholder")
    let outcome = try box.writer().append()
    #expect(outcome.freshDevice == .noRecord)
    #expect(try box.events().count == 2)
  }

  @Test func `the sequence of a quarantined event isn't used again after a failed append`() throws {
    let device = try box.begin()
    let sound = try box.bytes()
    try box.writer().append()
    // The last line may have been sent to another device. Here, it is torn.
    let torn = Array(try box.bytes().dropLast(5))
    try box.put(torn)
    box.disk.failNext(.write, after: 2, with: .noSpace)
    let error = failure { () throws(EventLogError) in try box.writer().append() }
    #expect(error?.cause == .noSpace)
    let meaning = "Nothing was appended; its damaged end was moved to the quarantine folder."
    #expect(error?.message.hasSuffix(meaning) == true)
    #expect(try box.bytes() == sound)
    #expect(try box.quarantine() == [Array(torn[sound.count...])])
    try box.writer().append()
    let events = try box.events()
    #expect(events.filter { $0.device == device }.map(\.sequence) == [1, 2, 3])
    #expect(events.count == 5)
  }

  // MARK: - Failed syncs

  @Test(arguments: [1, 60])
  func `after a failed sync, appends are refused until the journal is reopened`(count: Int) throws {
    let disk = CrashRecorder(box.disk)
    let writer = box.writer(on: disk)
    try writer.append(1, textBytes: 1000)
    let before = try box.bytes()
    box.disk.failNext(.sync, with: .inputOutput)
    for _ in 0..<3 {
      let error = failure { () throws(EventLogError) in try writer.append(count) }
      #expect(error?.code == .syncFailed)
    }
    #expect(try box.events().count == 2 + count)
    #expect(possible(disk).contains(before))
    let reopened = box.writer(on: disk)
    // The unsynced bytes are rewritten and synced before anything new is written.
    _ = try reopened.commit { (batch) throws(EventLogError) in
      #expect(possible(disk).allSatisfy { $0.starts(with: (try? box.bytes()) ?? [0]) })
    }
    try reopened.append(1, textBytes: 1000)
    #expect(Set(try box.events().map(\.device)).count == 1)
    #expect(possible(disk) == [try box.bytes()])
  }

  @Test(arguments: [1, 60])
  func `the next append rewrites a first batch whose sync failed`(count: Int) throws {
    let disk = CrashRecorder(box.disk)
    // The record is synced before the journal.
    box.disk.failNext(.sync, after: 1, with: .inputOutput)
    let error = failure { () throws(EventLogError) in try box.writer(on: disk).append(count) }
    #expect(error?.code == .syncFailed)
    try box.writer(on: disk).append(1, textBytes: 1000)
    #expect(possible(disk) == [try box.bytes()])
    #expect(!disk.mayBeMissing(box.path))
    #expect(try box.events().count == 1 + count + 1)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `nothing is appended until the unsynced end is rewritten and synced`() throws {
    let disk = CrashRecorder(box.disk)
    let writer = box.writer(on: disk)
    try writer.append(1, textBytes: 1000)
    box.disk.failNext(.sync, with: .inputOutput)
    #expect(
      failure { () throws(EventLogError) in try writer.append(1, textBytes: 1000) }?.code
        == .syncFailed)
    let reopened = box.writer(on: disk)
    for operation in [FileOperation.sync, .write, .sync] {
      box.disk.failNext(operation, with: .inputOutput)
      #expect(
        failure { () throws(EventLogError) in try reopened.append(1, textBytes: 1000) } != nil)
    }
    #expect(try box.events().count == 3)
    try reopened.append(1, textBytes: 1000)
    #expect(possible(disk) == [try box.bytes()])
    #expect(try box.events().count == 4)
  }

  @Test func `another open writer rewrites the unsynced end`() throws {
    let disk = CrashRecorder(box.disk)
    let other = box.writer(on: disk)
    try other.append(1, textBytes: 1000)
    let writer = box.writer(on: disk)
    box.disk.failNext(.sync, with: .inputOutput)
    #expect(
      failure { () throws(EventLogError) in try writer.append(1, textBytes: 1000) }?.code
        == .syncFailed)
    try other.append(1, textBytes: 1000)
    #expect(possible(disk) == [try box.bytes()])
    #expect(try box.events().count == 4)
  }

  @Test func `received lines whose sync failed are rewritten`() throws {
    let disk = CrashRecorder(box.disk)
    try box.writer("other.jsonl").append(2, textBytes: 1000)
    let theirs = try box.bytes("other.jsonl")
    let writer = box.writer(on: disk)
    try writer.append(1, textBytes: 1000)
    box.disk.failNext(.sync, with: .inputOutput)
    let error = failure { () throws(EventLogError) in
      try writer.commit { (batch) throws(EventLogError) in _ = try batch.receive(theirs) }
    }
    #expect(error?.code == .syncFailed)
    try box.writer(on: disk).append(1, textBytes: 1000)
    #expect(possible(disk) == [try box.bytes()])
    #expect(try box.events().count == 6)
  }

  @Test func `received lines that are synced aren't rewritten`() throws {
    try box.writer("other.jsonl").append(2)
    let theirs = try box.bytes("other.jsonl")
    let writer = box.writer()
    try writer.append()
    try writer.commit { (batch) throws(EventLogError) in _ = try batch.receive(theirs) }
    let before = box.disk.count(of: .sync)
    try box.writer().append()
    #expect(box.disk.count(of: .sync) == before + 1)
  }

  @Test func `lines that replace synced ones in the same file count as unsynced`() throws {
    let disk = CrashRecorder(box.disk)
    try box.writer("other.jsonl").append(4, textBytes: 1000)
    let theirs = try box.bytes("other.jsonl")
    let writer = box.writer(on: disk)
    try writer.append(1, textBytes: 1000)
    let backup = try box.bytes()
    try writer.commit { (batch) throws(EventLogError) in _ = try batch.receive(theirs) }
    let file = try disk.open(box.path, .readWrite)
    try disk.truncate(file, to: Int64(backup.count))
    try disk.sync(file)
    disk.close(file)
    // The sync of the record comes first.
    box.disk.failNext(.sync, after: 1, with: .inputOutput)
    #expect(
      failure { () throws(EventLogError) in
        try box.writer(on: disk).append(1, textBytes: 1000)
      }?.code == .syncFailed)
    try box.writer(on: disk).append(1, textBytes: 1000)
    #expect(possible(disk) == [try box.bytes()])
    #expect(try box.events().map(\.sequence) == [1, 2, 3, 4])
  }

  @Test func `a journal that lacks its synced event records which received lines are synced`()
    throws
  {
    try box.writer("other.jsonl").append(2)
    let theirs = try box.bytes("other.jsonl")
    try box.begin(1)
    try box.put(Array(Sandbox.lines(try box.bytes()).dropLast().joined()))
    for _ in 0..<2 {
      let before = box.disk.count(of: .sync)
      try box.writer().commit { (batch) throws(EventLogError) in _ = try batch.receive(theirs) }
      let record = try #require(DeviceRecord(encoded: box.bytes("ada.eventlog/device.json")))
      #expect(record.syncedOffset == Int64(try box.bytes().count))
      #expect(box.disk.count(of: .sync) <= before + 3)
    }
    let before = box.disk.count(of: .write)
    try box.writer().commit { (_) throws(EventLogError) in }
    #expect(box.disk.count(of: .write) == before)
  }

  @Test func `an unsynced line without its LF is rewritten`() throws {
    let disk = CrashRecorder(box.disk)
    let writer = box.writer(on: disk)
    try writer.append(1, textBytes: 1000)
    let line = Int(try box.bytes().count)
    box.disk.failNext(.sync, with: .inputOutput)
    #expect(
      failure { () throws(EventLogError) in try writer.append(1, textBytes: 1000) }?.code
        == .syncFailed)
    let file = try disk.open(box.path, .readWrite)
    try disk.truncate(file, to: Int64(try box.bytes().count - 1))
    disk.close(file)
    try box.writer(on: disk).append(1, textBytes: 1000)
    #expect(try box.bytes().count > line)
    #expect(possible(disk) == [try box.bytes()])
    #expect(try box.events().map(\.sequence) == [1, 2, 3, 4])
  }

  @Test func `a folder whose sync failed is synced with the next append`() throws {
    let disk = CrashRecorder(box.disk)
    let writer = box.writer(on: disk)
    // The first two syncs are those of the side folder.
    box.disk.failNext(.syncFolder, after: 2, with: .inputOutput)
    #expect(
      failure { () throws(EventLogError) in try writer.append(1, textBytes: 1000) }?.code
        == .syncFailed)
    try box.writer(on: disk).append(1, textBytes: 1000)
    #expect(!disk.mayBeMissing(box.path))
    #expect(possible(disk) == [try box.bytes()])
  }

  @Test func `the folder of an empty file that another process created is synced`() throws {
    let disk = CrashRecorder(box.disk)
    disk.close(try disk.open(box.path, .create))
    #expect(disk.mayBeMissing(box.path))
    try box.writer(on: disk).append(1, textBytes: 1000)
    #expect(!disk.mayBeMissing(box.path))
  }

  @Test func `the folder of a journal that received lines recreate is synced`() throws {
    let disk = CrashRecorder(box.disk)
    try box.writer("other.jsonl").append(2)
    let theirs = try box.bytes("other.jsonl")
    try box.writer(on: disk).append(1)
    try disk.remove(box.path)
    try disk.syncFolder(box.folder.path)
    try box.writer(on: disk).commit { (batch) throws(EventLogError) in
      _ = try batch.receive(theirs)
    }
    #expect(!disk.mayBeMissing(box.path))
  }

  // MARK: - Device record

  @Test func `an append succeeds even if its record can't be updated`() throws {
    let writer = box.writer()
    try writer.append(1, textBytes: 1000)
    // The journal is written before the record.
    box.disk.failNext(.write, after: 1, with: .inputOutput)
    try writer.append(1, textBytes: 1000)
    try writer.append(1, textBytes: 1000)
    let events = try box.events()
    #expect(events.map(\.sequence) == [1, 2, 3, 4])
    try box.writer().append()
    #expect(Set(try box.events().map(\.device)).count == 1)
  }

  private func possible(_ disk: CrashRecorder) -> [[UInt8]] {
    disk.possibleContents(of: box.path, limit: 64, seed: 1)
  }
}
