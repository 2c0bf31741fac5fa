// Seed inputs for the targets with a peer, recorded from valid devices.

import EventLog
import EventLogCollections
import EventLogPipe
import EventLogRemotes
import EventLogTesting
import Synchronization

enum Seeds {
  /// Writes seed inputs for each target that needs some, in a folder of its own.
  static func write(to folder: String) async throws {
    for (name, tablet) in try await tablets() {
      try await put(
        talk(from: try await MemoryJournal.shared(), to: tablet).heard, folder, .initiator, name)
      try await put(
        talk(from: tablet, to: try await MemoryJournal.shared()).said, folder, .responder, name)
      try await put(objects(of: tablet), folder, .folder, name)
    }
  }

  private static func put(
    _ bytes: [UInt8], _ folder: String, _ target: FuzzTarget, _ name: String
  ) throws {
    let disk = SystemFileSystem()
    let targetFolder = Path.join(folder, target.rawValue)
    for path in [folder, targetFolder] {
      do throws(Errno) { try disk.makeFolder(path) } catch {
        guard error == .exists else { throw error }
      }
    }
    try disk.replaceFile(at: Path.join(targetFolder, name), with: bytes)
  }

  /// Returns devices that sync with the shared journal.
  private static func tablets() async throws -> [(String, MemoryJournal)] {
    let fresh = MemoryJournal(on: MemoryFileSystem(clock: .fixed(1_700_000_000_000)))
    try await append(to: fresh)
    let known = MemoryJournal(on: MemoryFileSystem(clock: .fixed(1_700_000_000_000)))
    let shared = try await MemoryJournal.shared()
    let other = "/other.jsonl"
    try known.put(shared.bytes, to: other)
    _ = try await known.store(user: "ada").sync(
      with: JournalRemote(path: other, options: known.options("other")), .pull)
    try await append(to: known)
    // A copy of the shared journal that continues under the same device ID.
    let copy = try await MemoryJournal.shared()
    try await append(to: copy)
    return [("fresh", fresh), ("known", known), ("copy", copy)]
  }

  private static func append(to memory: MemoryJournal) async throws {
    let store = EventStore.unread(
      path: MemoryJournal.path, options: memory.options("tablet", user: "ada"), catalog: .standard)
    _ = try await store.append([
      EventDraft(type: "habit.created", entity: EntityID("habit/run"), data: ["name": "Run"]),
      EventDraft(
        type: "completion.advanced", entity: EntityID("habit/run"),
        data: ["date": "2026-01-28", "by": 1]),
    ])
    _ = try await store.append([EventDraft(type: "settings.changed", data: ["theme": "light"])])
    try await store.close()
  }

  /// Returns the bytes that an initiator sends and receives in a sync.
  private static func talk(
    from initiator: MemoryJournal, to server: MemoryJournal
  ) async throws -> (said: [UInt8], heard: [UInt8]) {
    // Sync copies, so that other syncs start with unchanged devices.
    let near = MemoryJournal(on: initiator.disk.copy(machineIdentity: "memory"))
    let far = MemoryJournal(on: server.disk.copy(machineIdentity: "memory"))
    let (here, there) = MemoryChannel.pair()
    let channel = RecordingChannel(here)
    let serving = Task {
      try await PipeServer(path: MemoryJournal.path, options: far.options()).serve(there)
    }
    let remote = PipeRemote(address: "far") { () throws(EventLogError) in channel }
    _ = try await near.store(user: "ada").sync(with: remote)
    try await serving.value
    return channel.recorded
  }

  /// Returns the objects that a device leaves in a shared remote.
  private static func objects(of memory: MemoryJournal) async throws -> [UInt8] {
    let storage = MemoryStorage()
    _ = try await memory.store().sync(with: ObjectRemote(storage, random: .seeded(2)))
    return storage.names.flatMap { name -> [UInt8] in
      let parts = name.split(separator: "_")
      let head =
        name.hasSuffix(".jsonl") ? "#range\n" : "#frontier \(parts[0]) \(parts[parts.count - 2])\n"
      return Array(head.utf8) + (storage.objects[name] ?? [])
    }
  }
}

/// Records the bytes that cross a channel.
private final class RecordingChannel: ByteChannel {
  private let base: MemoryChannel
  private let record = Mutex((said: [UInt8](), heard: [UInt8]()))

  init(_ base: MemoryChannel) { self.base = base }

  var recorded: (said: [UInt8], heard: [UInt8]) { record.withLock { $0 } }

  func read(within milliseconds: Int64) async throws(Errno) -> [UInt8] {
    let bytes = try await base.read(within: milliseconds)
    record.withLock { $0.heard += bytes }
    return bytes
  }

  func write(_ bytes: [UInt8], within milliseconds: Int64) async throws(Errno) {
    try await base.write(bytes, within: milliseconds)
    record.withLock { $0.said += bytes }
  }

  func close() { base.close() }
}
