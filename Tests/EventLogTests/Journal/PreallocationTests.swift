import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// Space preallocated after the last line: writers reserve it, and readers ignore it.
@Suite struct PreallocationTests {
  @Test
  func `space is preallocated after a few single-event appends and keeps the size constant`()
    throws
  {
    let box = try Sandbox()
    try box.begin()
    let writer = box.writer(commitsBeforePreallocation: 3)
    for _ in 0..<3 { try writer.append() }
    #expect(try box.preallocatedByteCount() == 0)
    try writer.append()
    #expect(try box.preallocatedByteCount() == 64 << 10)
    let size = try box.bytes().count
    for _ in 0..<3 { try writer.append() }
    #expect(try box.bytes().count == size)
    #expect(try box.events().count == 10)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `more space is preallocated when it runs out`() throws {
    let box = try Sandbox()
    let writer = try box.preallocate()
    var least = Int.max
    for _ in 0..<30 {
      try writer.append(textBytes: 5000)
      least = min(least, try box.preallocatedByteCount())
      #expect(try box.preallocatedByteCount() > 0)
    }
    #expect(least < 6000)
    #expect(try box.events().count == 34)
  }

  @Test func `trimming removes the remaining preallocation`() throws {
    let box = try Sandbox()
    let writer = try box.preallocate()
    try writer.append()
    writer.trimPreallocation()
    #expect(try box.preallocatedByteCount() == 0)
    #expect(try box.bytes().last == 0x0A)
    try writer.append()
    #expect(try box.events().count == 6)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `a writer removes only its own preallocation`() throws {
    let box = try Sandbox()
    let app = try box.preallocate()
    let other = box.writer()
    try other.append()
    other.trimPreallocation()
    #expect(try box.preallocatedByteCount() > 0)
    app.trimPreallocation()
    #expect(try box.preallocatedByteCount() == 0)
    #expect(try box.events().count == 5)
  }

  @Test(arguments: [Errno.noSpace, .quotaExceeded, .fileTooLarge])
  func `an append without space for preallocation writes only its line`(error: Errno) throws {
    let box = try Sandbox()
    try box.begin()
    let writer = box.writer(commitsBeforePreallocation: 0)
    // Part of it is written before the disk is full.
    box.disk.shortWrites(of: 100)
    box.disk.failNext(.write, after: 1, with: error)
    try writer.append()
    box.disk.shortWrites(of: nil)
    #expect(try box.preallocatedByteCount() == 0)
    try writer.append()
    try writer.append()
    #expect(try box.preallocatedByteCount() > 0)
    #expect(try box.events().count == 6)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `a batch truncates spaces after a last line without LF`() throws {
    let box = try Sandbox()
    try box.begin()
    try box.put(try box.bytes().dropLast() + [UInt8](repeating: 0x20, count: 70_000))
    try box.writer().append(2)
    #expect(try box.preallocatedByteCount() == 0)
    #expect(try box.bytes().count < 10_000)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `an append of several events leaves no preallocation`() throws {
    let box = try Sandbox()
    let writer = try box.preallocate()
    try writer.append(2)
    #expect(try box.preallocatedByteCount() == 0)
    #expect(try box.events().count == 6)
  }

  @Test func `a buffered append and the one after it leave no preallocation`() throws {
    let box = try Sandbox()
    let writer = try box.preallocate()
    try writer.append(durably: false)
    #expect(try box.preallocatedByteCount() == 0)
    try writer.append()
    #expect(try box.preallocatedByteCount() == 0, "What was buffered waited for the same sync.")
    try writer.append()
    #expect(try box.preallocatedByteCount() > 0)
  }

  @Test func `lines that another process writes into the preallocation are read`() throws {
    let box = try Sandbox()
    let app = try box.preallocate()
    let size = try box.bytes().count
    #expect(try app.refresh() == false)
    let first = try box.writer().append().events
    #expect(try box.bytes().count == size)
    #expect(try app.refresh())
    #expect(app.pass.lineCount == 5)
    let second = try box.writer().append().events
    let own = try app.append().events
    #expect(try box.bytes().count == size)
    #expect(try box.events().suffix(3) == first + second + own)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `the size of a journal doesn't include its preallocation`() throws {
    let box = try Sandbox()
    let writer = try box.preallocate()
    let content = Int64(Sandbox.withoutPreallocation(try box.bytes()).count)
    let disk = SystemFileSystem()
    #expect(JournalFile.contentSize(of: box.path, in: disk) == content)
    writer.trimPreallocation()
    #expect(JournalFile.contentSize(of: box.path, in: disk) == content)
    try box.put([UInt8](repeating: 0x20, count: 200_000))
    #expect(JournalFile.contentSize(of: box.path, in: disk) == 0)
    #expect(JournalFile.contentSize(of: box.path + "x", in: disk) == nil)
  }

  @Test func `a closed store leaves no preallocation`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("ada.jsonl")
    let store = try await EventStore.open(
      path: path, options: JournalOptions(deviceName: "phone", user: "ada"))
    func append() async throws {
      _ = try await store.append(
        [EventDraft(type: "note.added", data: JSONObject())], allowingUnknownTypes: true)
    }
    for _ in 0..<12 { try await append() }
    let disk = SystemFileSystem()
    func bytes() throws -> [UInt8] { try disk.contents(ofFile: path, maximumBytes: 1 << 20) }
    #expect(try bytes().last == 0x20)
    try await store.close()
    #expect(try bytes().last == 0x0A)
    #expect(try Journal(path: path).verify().eventCount == 13)
  }
}
