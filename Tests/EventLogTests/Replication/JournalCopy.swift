import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

/// A copy of a user's journal, on its own disk.
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

  /// Clones the disk as with a cloned machine, so that nothing distinguishes the two.
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

  /// Expects that `body` only appends to the journal.
  private func growing<Value>(_ body: () async throws -> Value) async throws -> Value {
    let before = (try? bytes()) ?? []
    let value = try await body()
    if !before.isEmpty { #expect(try bytes().starts(with: before), "A journal only grows.") }
    return value
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

  /// The ledger after the whole journal was read.
  func ledger() throws -> Ledger {
    let file = try JournalFile.open(path, .read, fileSystem: memory)
    defer { file.close() }
    var pass = JournalPass(sink: LedgerSink())
    _ = try JournalReading(path: path, fileSystem: memory, file: file.descriptor)
      .read(into: &pass, record: nil)
    return pass.ledger
  }

  /// Overwrites the journal.
  func put(_ bytes: [UInt8]) throws {
    let file = try memory.open(path, .create)
    defer { memory.close(file) }
    try memory.truncate(file, to: Int64(bytes.count))
    try memory.writeAll(file, bytes, at: 0)
  }

  // MARK: - Contents

  func bytes(_ file: String = "/ada.jsonl") throws -> [UInt8] {
    try memory.contents(ofFile: file, maximumBytes: 1 << 26)
  }

  /// The lines, sorted. They are equal for two copies with the same events.
  func lines() throws -> [String] {
    String(decoding: try bytes(), as: UTF8.self).split(separator: "\n").map(String.init).sorted()
  }

  func problems() throws -> [JournalProblem] { try journal.verify().problems }

  /// Damages a byte of the first line that contains `text`.
  func damage(lineWith text: String) throws {
    var bytes = try bytes()
    let line = try #require(
      String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.contains(text) })
    let start = try #require(bytes.firstRange(of: Array(line.utf8))?.lowerBound)
    let offset = try #require(bytes[start...].firstRange(of: Array("\"data\"".utf8))?.lowerBound)
    bytes[offset + 1] = UInt8(ascii: "D")
    let file = try memory.open(path, .readWrite)
    defer { memory.close(file) }
    try memory.writeAll(file, bytes, at: 0)
  }
}
