import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// Commits that happen only if they don't have to wait.
@Suite struct CommitAtOnceTests {
  let box: Sandbox

  init() throws { box = try Sandbox() }

  private func commit(_ writer: JournalWriter<EventList>) throws -> EventID? {
    try writer.writeAtOnce(durably: false) { (batch) throws(EventLogError) in
      _ = try batch.add(EventDraft(type: "note.added", data: JSONObject()))
    }?.events[0]
  }

  @Test func `a commit at once makes one read, one write and two status calls`() throws {
    try box.begin()
    let writer = box.writer()
    try writer.append()
    let first = try #require(try commit(writer))
    box.disk.resetCounts()
    let second = try #require(try commit(writer))
    #expect(second.sequence == first.sequence + 1)
    #expect(box.disk.count(of: .sync) == 0 && box.disk.count(of: .open) == 0)
    #expect(box.disk.count(of: .read) == 1 && box.disk.count(of: .write) == 1)
    #expect(box.disk.count(of: .status) == 2)
    #expect(try box.events().suffix(2) == [first, second])
    try writer.sync()
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `a commit at once does nothing before the writer's first commit`() throws {
    try box.begin()
    let writer = box.writer()
    #expect(try commit(writer) == nil)
    _ = try writer.refresh()
    #expect(try commit(writer) == nil)
    try writer.append()
    #expect(try commit(writer) != nil)
  }

  @Test func `a commit at once of many lines syncs nothing`() throws {
    try box.begin()
    let writer = box.writer()
    try writer.append()
    box.disk.resetCounts()
    for _ in 0..<100 { #expect(try commit(writer) != nil) }
    #expect(box.disk.count(of: .sync) == 0)
    try writer.sync()
    #expect(try box.journal().verify().problems.isEmpty)
  }

  /// Writes the first events of `count` other devices into the journal.
  private func addDevices(_ count: Int) throws {
    var history = History(user: "ada")
    for number in 0..<count { history.device("tablet\(count)x\(number)") }
    try box.put(box.bytes() + history.lines.flatMap(\.self))
  }

  @Test func `a commit at once names what others have written meanwhile`() throws {
    let writer = box.writer()
    try writer.append()
    try writer.sync()
    try addDevices(10)
    // A commit without events names nothing as seen.
    _ = try writer.commit { (_) throws(EventLogError) in }
    #expect(try commit(writer) != nil)
    let last = try #require(Sandbox.lines(try box.bytes()).last)
    #expect(String(decoding: last, as: UTF8.self).contains("\"seen\":["))
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `a commit at once does nothing while another process holds the lock`() throws {
    let writer = box.writer()
    try writer.append()
    let file = try JournalFile.open(box.path, .readWrite, fileSystem: SystemFileSystem())
    #expect(try file.lock(exclusive: true, milliseconds: 0))
    #expect(try commit(writer) == nil)
    file.close()
    #expect(try commit(writer) != nil)
  }

  @Test func `a commit at once does nothing after another writer's append`() throws {
    let (writer, other) = (box.writer(), box.writer())
    try writer.append()
    #expect(try commit(writer) != nil)
    try other.append()
    #expect(try commit(writer) == nil)
    try writer.append()
    #expect(try commit(writer) != nil)
    #expect(Set(try box.events().map(\.device)).count == 1)
    #expect(try box.events().count == 6)
  }

  @Test func `a commit at once does nothing if the record was replaced or removed`() throws {
    let writer = box.writer()
    try writer.append()
    let record = try SystemFileSystem().contents(ofFile: box.recordPath, maximumBytes: 1000)
    try SystemFileSystem().replaceFile(at: box.recordPath, with: record)
    #expect(try commit(writer) == nil)
    try writer.append()
    #expect(try commit(writer) != nil)
    try SystemFileSystem().remove(box.recordPath)
    #expect(try commit(writer) == nil)
  }

  @Test func `a commit at once does nothing if the journal was replaced, cut or changed`() throws {
    var writer = box.writer()
    try writer.append()
    let bytes = try box.bytes()
    try SystemFileSystem().replaceFile(at: box.path, with: bytes)
    #expect(try commit(writer) == nil)
    writer = box.writer()
    try writer.append()
    #expect(try commit(writer) != nil)
    let longer = try box.bytes()
    try box.put(longer.dropLast(5))
    #expect(try commit(writer) == nil)
    try box.put(longer + Array("{\"id\":".utf8))
    #expect(try commit(writer) == nil)
    try box.put(longer)
    #expect(try commit(writer) != nil)
    // The same length with other bytes.
    try box.put(longer.dropLast(3) + [0x30, 0x7D, 0x0A])
    #expect(try commit(writer) == nil)
  }

  @Test func `a commit at once writes nothing after a failed sync`() throws {
    let writer = box.writer()
    try writer.append()
    #expect(try commit(writer) != nil)
    box.disk.failNext(.sync, with: .inputOutput)
    #expect(throws: EventLogError.self) { try writer.sync() }
    let bytes = try box.bytes()
    #expect(try commit(writer) == nil)
    #expect(try box.bytes() == bytes)
  }

  @Test func `after a failed write, a commit at once does nothing until the next append`() throws {
    let writer = box.writer()
    try writer.append()
    let bytes = try box.bytes()
    box.disk.failNext(.write, with: .noSpace)
    #expect(throws: EventLogError.self) { try commit(writer) }
    #expect(try box.bytes() == bytes)
    #expect(try commit(writer) == nil)
    try writer.append()
    #expect(try commit(writer) != nil)
    #expect(try box.journal().verify().problems.isEmpty)
  }
}
