import EventLog
import EventLogTesting
import Testing

/// A copy of a person's journal, on a disk of its own.
struct JournalCopy {
  let name: String
  let memory: MemoryFileSystem
  let disk: InstrumentedFileSystem
  let options: JournalOptions
  let path = "/ada.jsonl"

  init(_ name: String, clock: AdjustableClock, on memory: MemoryFileSystem? = nil, seed: UInt64 = 1)
  {
    self.name = name
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

  var journal: Journal { Journal(path: path, fileSystem: memory) }
  var remote: JournalRemote { JournalRemote(path: path, options: options) }

  /// Changes settings, one event each.
  @discardableResult
  func set(_ fields: KeyValuePairs<String, JSONValue>) async throws -> [EventID] {
    let store = try await EventStore.open(path: path, options: options, readsAroundDamage: true)
    let receipt = try await store.append(
      fields.map { EventDraft(type: "settings.changed", data: [$0.key: $0.value]) })
    try await store.close()
    return receipt.appended.map(\.id)
  }

  @discardableResult
  func sync(with other: JournalCopy) async throws -> SyncReport {
    try await sync(with: other.remote)
  }

  @discardableResult
  func sync(with remote: some Remote) async throws -> SyncReport {
    let store = try await EventStore.open(path: path, options: options, readsAroundDamage: true)
    let report = try await store.sync(with: remote)
    try await store.close()
    return report
  }

  @discardableResult
  func repair(from other: JournalCopy) async throws -> RepairReport {
    try await Journal(path: path, fileSystem: disk).repair(from: other.remote, options: options)
  }

  func abandon() async throws -> RepairReport {
    try await Journal(path: path, fileSystem: disk).repair(givingUp: true, options: options)
  }

  // MARK: - What it holds

  func bytes(_ file: String = "/ada.jsonl") throws -> [UInt8] {
    try memory.contents(ofFile: file, maximumBytes: 1 << 26)
  }

  /// Its lines, sorted: what two copies with the same events have in common.
  func lines() throws -> [String] {
    String(decoding: try bytes(), as: UTF8.self).split(separator: "\n").map(String.init).sorted()
  }

  /// Where an event came from first, and what it says: what a repair keeps, whatever the ID.
  func facts() throws -> Set<String> {
    var facts: Set<String> = []
    _ = try journal.replay { event, _ in
      if event.type != "device.joined" { facts.insert("\(event.type) \(event.data)") }
      return true
    }
    return facts
  }

  func problems() throws -> [JournalProblem] { try journal.verify().problems }

  /// All that was ever taken out of it.
  func quarantined() throws -> String {
    let folder = "/ada.eventlog/quarantine"
    let names = (try? memory.contents(of: folder)) ?? []
    return try names.map { String(decoding: try bytes(folder + "/" + $0), as: UTF8.self) }.joined()
  }

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
