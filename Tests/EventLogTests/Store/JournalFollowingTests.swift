import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Synchronization
import Testing

/// Following a journal while others append to it.
@Suite struct JournalFollowingTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  /// Reads up to the next `caughtUp`, and returns its result and the events before it.
  private func catchUp(
    _ iterator: inout JournalFollowing.Iterator
  ) async throws -> (events: [EventID], result: ReplayResult)? {
    var events: [EventID] = []
    while let element = try await iterator.next() {
      switch element {
      case .event(let event, _): events.append(event.id)
      case .caughtUp(let result): return (events, result)
      }
    }
    return nil
  }

  /// Reads until `count` events have arrived.
  private func read(
    _ count: Int, _ iterator: inout JournalFollowing.Iterator
  ) async throws -> [EventID] {
    var events: [EventID] = []
    while events.count < count, let element = try await iterator.next() {
      if case .event(let event, _) = element { events.append(event.id) }
    }
    return events
  }

  @Test func `following yields the existing events, then every appended one`() async throws {
    let device = try sandbox.begin(2)
    var iterator = sandbox.journal().follow().makeAsyncIterator()
    let first = try await catchUp(&iterator)
    #expect(first?.events.map(\.sequence) == [1, 2, 3])
    #expect(first?.events.allSatisfy { $0.device == device } == true)
    #expect(first?.result.warnings.isEmpty == true)
    for sequence in 4...20 {
      try sandbox.writer().append(1)
      #expect(try await read(1, &iterator).map(\.sequence) == [Int64(sequence)])
    }
  }

  @Test func `every followed event comes with its line from the file`() async throws {
    try sandbox.begin(3)
    var lines: [[UInt8]] = []
    for try await element in sandbox.journal().follow() {
      guard case .event(let event, let line) = element else { break }
      #expect(event.id.sequence == Int64(lines.count + 1))
      lines.append(line)
    }
    #expect(lines.map { $0 + [0x0A] } == Sandbox.lines(try sandbox.bytes()))
  }

  @Test func `following an empty journal catches up at once and then yields new events`()
    async throws
  {
    try sandbox.put([])
    var iterator = sandbox.journal().follow().makeAsyncIterator()
    #expect(try await catchUp(&iterator)?.events.isEmpty == true)
    try sandbox.begin(1)
    #expect(try await read(2, &iterator).map(\.sequence) == [1, 2])
  }

  @Test func `following a journal that doesn't exist throws once and then ends`() async throws {
    var iterator = sandbox.journal().follow().makeAsyncIterator()
    let code = await failureCode { () throws(EventLogError) in _ = try await iterator.next() }
    #expect(code == .noJournal)
    #expect(try await iterator.next() == nil)
  }

  @Test func `following continues after the journal is replaced or recreated`() async throws {
    try sandbox.begin(3)
    var iterator = sandbox.journal().follow().makeAsyncIterator()
    #expect(try await read(4, &iterator).count == 4)
    let lines = Sandbox.lines(try sandbox.bytes())
    for round in 0..<3 {
      let other = Sandbox.lines(of: "tablet-aaaaaaa\(round + 2)", count: 2)
      try sandbox.put(Array((other + lines).joined()), "new")
      try sandbox.rename("new", to: "ada.jsonl")
      #expect(
        try await read(2, &iterator).map(\.device.text) == [
          "tablet-aaaaaaa\(round + 2)", "tablet-aaaaaaa\(round + 2)",
        ])
    }
    try sandbox.remove("ada.jsonl")
    try sandbox.put(Array((lines + Sandbox.lines(of: "laptop-bbbbbbbb", count: 1)).joined()))
    #expect(try await read(1, &iterator).map(\.device.text) == ["laptop-bbbbbbbb"])
  }

  @Test func `following reports when damage and a doubtful end appear and disappear`() async throws
  {
    let lines = Sandbox.lines(of: "tablet-aaaaaaaa", count: 5)
    let whole = Array(lines.joined())
    try sandbox.put(Array(whole.dropLast(40)))
    var iterator = sandbox.journal().follow().makeAsyncIterator()
    let doubtful = try await catchUp(&iterator)
    #expect(doubtful?.events.count == 4)
    #expect(doubtful?.result.warnings.map(\.code) == [.doubtfulTail])
    #expect(doubtful?.result.firstDamage == nil)
    try sandbox.put(whole, "new")
    try sandbox.rename("new", to: "ada.jsonl")
    let completed = try await catchUp(&iterator)
    #expect(completed?.events.map(\.sequence) == [5])
    #expect(completed?.result.warnings.isEmpty == true)
    try sandbox.put(Array((lines.prefix(2) + lines.suffix(2)).joined()), "new")
    try sandbox.rename("new", to: "ada.jsonl")
    let damaged = try await catchUp(&iterator)
    #expect(damaged?.events.isEmpty == true)
    #expect(damaged?.result.firstDamage?.code == .gap)
  }

  @Test func `following polls the journal if it can't be watched`() async throws {
    try sandbox.begin(1)
    let disk = InstrumentedFileSystem(machineIdentity: "desk")
    disk.failNext(.watch, with: .tooManyOpenFiles, times: .max)
    var iterator = Journal(path: sandbox.path, fileSystem: disk).follow().makeAsyncIterator()
    #expect(try await read(2, &iterator).count == 2)
    try sandbox.writer().append(1)
    #expect(try await read(1, &iterator).map(\.sequence) == [3])
    #expect(disk.count(of: .watch) > 0)
  }

  @Test func `following ends when its task is canceled while waiting`() async throws {
    try sandbox.begin(1)
    let journal = sandbox.journal()
    let (caughtUp, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var count = 0
      for try await element in journal.follow() {
        if case .event = element { count += 1 } else { continuation.yield() }
      }
      return count
    }
    for await _ in caughtUp { break }
    task.cancel()
    #expect(try await task.value == 2)
  }

  @Test func `leaving the loop closes the followed file`() async throws {
    try sandbox.begin(1)
    sandbox.disk.resetCounts()
    let journal = Journal(path: sandbox.path, catalog: .standard, fileSystem: sandbox.disk)
    for try await element in journal.follow() { if case .caughtUp = element { break } }
    // The worker may keep the file open for a moment longer.
    while sandbox.disk.count(of: .open) != sandbox.disk.count(of: .close) { await Task.yield() }
    #expect(sandbox.disk.count(of: .open) > 0)
  }

  @MainActor @Test func `following doesn't block its actor`() async throws {
    try sandbox.begin(1)
    let journal = sandbox.journal()
    var count = 0
    let task = Task { @MainActor in
      for try await element in journal.follow() {
        if case .event = element { count += 1 }
        if count == 4 { break }
      }
    }
    // Both tasks run on the main actor, so this one continues only while the other is suspended.
    while count < 2 { await Task.yield() }
    try sandbox.writer().append(2)
    try await task.value
    #expect(count == 4)
  }

  @Test func `events of two processes are followed once, in file order`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("ada.jsonl")
    _ = try await EventStore.open(
      path: path, options: JournalOptions(deviceName: "phone", user: "ada"), catalog: .standard
    ).append([.begin])
    let processes = (0..<2).map { _ in Task { await Self.append(path) } }
    var events: [EventID] = []
    for try await element in Journal(path: path).follow() {
      if case .event(let event, _) = element { events.append(event.id) }
      if events.count == 602 { break }
    }
    for process in processes { await process.value }
    var expected: [EventID] = []
    _ = try Journal(path: path).replay { event, _ in
      expected.append(event.id)
      return true
    }
    #expect(events == expected)
  }

  private static func append(_ path: String) async {
    await OwnQueue.run {
      await #expect(processExitsWith: .success) { [path = path as String] in
        let store = try await EventStore.open(
          path: path, options: JournalOptions(deviceName: "phone", user: "ada"), catalog: .standard)
        for index in 0..<300 {
          _ = try await store.append([.theme(.string("\(index)"))])
        }
      }
    }
  }
}
