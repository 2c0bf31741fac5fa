import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

/// A copy of a person's journal, on a disk of its own.
struct JournalCopy {
  let name: String
  let memory: MemoryFileSystem
  let disk: InstrumentedFileSystem
  let options: JournalOptions
  let clock: AdjustableClock
  let path = "/ada.jsonl"

  init(_ name: String, clock: AdjustableClock, on memory: MemoryFileSystem? = nil, seed: UInt64 = 1)
  {
    self.name = name
    self.clock = clock
    let memory = memory ?? MemoryFileSystem(machineIdentity: name, clock: clock.wallClock)
    self.memory = memory
    disk = InstrumentedFileSystem(memory, machineIdentity: "machine")
    options = .repeatable(device: name, clock: clock, seed: seed, fileSystem: disk)
  }

  /// The whole disk a second time, as of a machine that was cloned: nothing tells the two apart.
  func clone(_ seed: UInt64, clock: AdjustableClock) -> JournalCopy {
    JournalCopy(
      name, clock: clock, on: memory.copy(machineIdentity: "machine"), seed: seed)
  }

  var journal: Journal { Journal(path: path, catalog: .standard, fileSystem: memory) }
  var remote: JournalRemote { JournalRemote(path: path, options: options) }

  /// Changes settings, one event each.
  @discardableResult
  func set(_ fields: KeyValuePairs<String, JSONValue>) async throws -> [EventID] {
    try await growing {
      let store = try await EventStore.open(path: path, options: options, catalog: .standard)
      let receipt = try await store.append(
        fields.map { EventDraft(type: "settings.changed", data: [$0.key: $0.value]) })
      try await store.close()
      return receipt.appended.map(\.id)
    }
  }

  @discardableResult
  func sync(with other: JournalCopy) async throws -> SyncReport {
    try await other.growing { try await sync(with: other.remote) }
  }

  @discardableResult
  func sync(with remote: some Remote) async throws -> SyncReport {
    try await growing {
      let store = try await EventStore.open(path: path, options: options, catalog: .standard)
      let report = try await store.sync(with: remote)
      try await store.close()
      return report
    }
  }

  @discardableResult
  func repair(
    from other: JournalCopy, onProgress: (@Sendable (SyncProgress) -> Void)? = nil
  ) async throws -> RepairReport {
    try await growing {
      try await Journal(path: path, catalog: .standard, fileSystem: disk).repair(
        from: other.remote, options: options, onProgress: onProgress)
    }
  }

  func acceptLoss() async throws -> RepairReport {
    try await growing {
      try await Journal(path: path, catalog: .standard, fileSystem: disk).acceptLoss(
        options: options)
    }
  }

  /// Adds to a counter.
  @discardableResult
  func advance(by amount: Int64) async throws -> [EventID] {
    try await growing {
      let store = try await EventStore.open(path: path, options: options, catalog: .standard)
      let receipt = try await store.append([
        EventDraft(
          type: "completion.advanced", entity: EntityID("habit/read"),
          data: ["date": "2026-01-01", "by": .number(JSONNumber(amount))])
      ])
      try await store.close()
      return receipt.appended.map(\.id)
    }
  }

  /// Expects the journal to grow, and nothing of it to change.
  private func growing<Value>(_ body: () async throws -> Value) async throws -> Value {
    let before = (try? bytes()) ?? []
    let value = try await body()
    if !before.isEmpty { #expect(try bytes().starts(with: before), "A journal only grows.") }
    return value
  }

  /// What the counter shows.
  func total() throws -> Int64 {
    let entity = try journal.snapshot().snapshot.entity(EntityID("habit/read")!)
    guard case .number(let number)? = entity?.days.first?["progress"] else { return 0 }
    return number.integer ?? 0
  }

  /// Two devices with one habit.
  static func pair() async throws -> (phone: JournalCopy, tablet: JournalCopy) {
    let clock = AdjustableClock()
    let (phone, tablet) = (
      JournalCopy("phone", clock: clock, seed: 1), JournalCopy("tablet", clock: clock, seed: 2)
    )
    let store = try await EventStore.open(
      path: phone.path, options: phone.beginning, catalog: .standard)
    _ = try await store.append([
      EventDraft(
        type: "habit.created", entity: EntityID("habit/read"), data: ["name": "Read", "goal": 20])
    ])
    try await store.close()
    try await tablet.sync(with: phone)
    return (phone, tablet)
  }

  private var beginning: JournalOptions {
    var options = options
    options.user = "ada"
    return options
  }

  /// What was read of it.
  func ledger() throws -> Ledger {
    let file = try JournalFile.open(path, .read, fileSystem: memory)
    defer { file.close() }
    var pass = JournalPass(sink: LedgerSink())
    _ = try JournalReading(path: path, fileSystem: memory, file: file.descriptor)
      .read(into: &pass, record: nil)
    return pass.ledger
  }

  /// Puts a journal's bytes in its place.
  func put(_ bytes: [UInt8]) throws {
    let file = try memory.open(path, .create)
    defer { memory.close(file) }
    try memory.truncate(file, to: Int64(bytes.count))
    try memory.writeAll(file, bytes, at: 0)
  }

  // MARK: - What it holds

  func bytes(_ file: String = "/ada.jsonl") throws -> [UInt8] {
    try memory.contents(ofFile: file, maximumBytes: 1 << 26)
  }

  /// Its lines, sorted: what two copies with the same events have in common.
  func lines() throws -> [String] {
    String(decoding: try bytes(), as: UTF8.self).split(separator: "\n").map(String.init).sorted()
  }

  func problems() throws -> [JournalProblem] { try journal.verify().problems }

  /// Changes a byte of the line that holds a text.
  func damage(lineWith text: String) throws {
    var bytes = try bytes()
    let line = try #require(
      String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.contains(text) })
    let start = try #require(bytes.firstRange(of: Array(line.utf8))?.lowerBound)
    let place = try #require(bytes[start...].firstRange(of: Array("\"data\"".utf8))?.lowerBound)
    bytes[place + 1] = UInt8(ascii: "D")
    let file = try memory.open(path, .readWrite)
    defer { memory.close(file) }
    try memory.writeAll(file, bytes, at: 0)
  }
}
