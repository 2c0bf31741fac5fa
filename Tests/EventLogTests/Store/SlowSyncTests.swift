import EventLogInspection
import EventLogTesting
import Foundation
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogSystem

/// Appends and snapshots during a sync.
@Suite struct SlowSyncTests {
  let box: Sandbox
  let disk: SlowSyncs

  init() throws {
    box = try Sandbox()
    disk = SlowSyncs(box.disk)
  }

  private func open() async throws -> EventStore {
    let store = box.store(on: disk)
    _ = try await store.append([.begin])
    return store
  }

  private func advance(_ store: EventStore) async throws(EventLogError) -> AppendReceipt {
    try await store.append([.advance], durability: .buffered)
  }

  @Test func `a buffered append returns during a sync and is read by snapshots`() async throws {
    let store = try await open()
    let first = try await advance(store)
    disk.hold()
    let firstSync = Task { try await first.durable() }
    await disk.waitUntilHeld()
    for count in 4...10 {
      _ = try await advance(store)
      #expect(store.snapshot.eventCount == count)
    }
    #expect(first.snapshot.eventCount == 10)
    disk.release()
    try await firstSync.value
    try await store.close()
    #expect(try box.journal().verify().eventCount == 10)
  }

  @Test func `a skipped append is durable only after the sync of the event that it repeats`()
    async throws
  {
    let store = try await open()
    disk.hold()
    let draft = EventDraft.theme("dark", ref: "once")
    _ = try await store.append([draft], durability: .buffered)
    let repeated = try await store.append([draft], durability: .buffered)
    #expect(repeated.appended.isEmpty && repeated.skippedCount == 1)
    let isDurable = Mutex(false)
    let waiting = Task {
      try await repeated.durable()
      isDurable.withLock { $0 = true }
    }
    await disk.waitUntilHeld()
    // Everything that doesn't wait for the disk has a chance to run.
    for _ in 0..<100 { await Task.yield() }
    #expect(!isDurable.withLock { $0 })
    disk.release()
    try await waiting.value
    try await store.close()
  }

  @Test func `an append during a sync becomes durable with the next sync`() async throws {
    let recorder = CrashRecorder(box.disk)
    let writer = JournalWriter(
      path: box.path, options: box.options(on: recorder), sink: LedgerSink())
    _ = try writer.commit { (batch) throws(EventLogError) in _ = try batch.add(.theme("a")) }
    _ = try writer.commit { (batch) throws(EventLogError) in _ = try batch.add(.theme("b")) }
    let before = try box.bytes().count
    let sync = try #require(
      try writer.write { (batch) throws(EventLogError) in _ = try batch.add(.theme("c")) }.sync)
    let synced = try box.bytes().count
    #expect(sync.run() == nil)
    let later = try writer.writeAtOnce(durably: false) { (batch) throws(EventLogError) in
      _ = try batch.add(.theme("d"))
    }
    #expect(later?.wrote == true && later?.sync == nil)
    #expect(before < synced)
    try writer.finish(sync, failure: nil)
    #expect(writer.syncState.isOwed)
    func counts() -> Set<Int> {
      Set(recorder.possibleContents(of: box.path, limit: 100, seed: 1).map(\.count))
    }
    let all = try box.bytes().count
    #expect(counts().isSuperset(of: [all]) && counts().count > 1)
    #expect(counts().allSatisfy { $0 >= synced })
    try writer.sync()
    #expect(!writer.syncState.isOwed)
    #expect(counts() == [all])
  }

  @Test func `a failed sync also fails the appends that were written during it`() async throws {
    let store = try await open()
    let first = try await advance(store)
    disk.hold()
    let firstCode = Task {
      await failureCode { () throws(EventLogError) in try await first.durable() }
    }
    await disk.waitUntilHeld()
    let second = try await advance(store)
    box.disk.failNext(.sync, with: .inputOutput)
    disk.release()
    #expect(await firstCode.value == .syncFailed)
    #expect(
      await failureCode { () throws(EventLogError) in try await second.durable() } == .syncFailed)
    for durability in [Durability.buffered, .durable] {
      let code = await failureCode { () throws(EventLogError) in
        _ = try await store.append([.advance], durability: durability)
      }
      #expect(code == .syncFailed)
    }
    #expect(store.snapshot.eventCount == 4)
  }

  @Test func `a failed append during a sync loses no acknowledged event`() async throws {
    let store = try await open()
    let first = try await advance(store)
    disk.hold()
    let firstSync = Task { try await first.durable() }
    await disk.waitUntilHeld()
    let second = try await advance(store)
    box.disk.failNext(.write, with: .noSpace)
    let code = await failureCode { () throws(EventLogError) in _ = try await advance(store) }
    #expect(code == .inputOutput)
    #expect(second.snapshot.eventCount == 4 && store.snapshot.eventCount == 4)
    disk.release()
    try await firstSync.value
    try await second.durable()
    #expect(try await advance(store).snapshot.eventCount == 5)
    try await store.close()
    #expect(try box.journal().verify().eventCount == 5)
  }

  @Test func `a flush that can't begin fails the appends that wait for it`() async throws {
    let store = try await open()
    let receipt = try await advance(store)
    try SystemFileSystem().remove(box.path)
    let code = await failureCode { () throws(EventLogError) in try await receipt.durable() }
    #expect(code == .journalReplaced)
  }

  @MainActor
  @Test func `an append of the main actor never writes on the main thread`() async throws {
    let store = try await open()
    disk.forbidMainThread()
    for durability in [Durability.buffered, .durable, .buffered] {
      _ = try await store.append([.advance], durability: durability)
    }
    #expect(!disk.hasUsedMainThread)
    try await store.close()
  }
}

/// A file system whose next sync can be held.
final class SlowSyncs: PassingFileSystem {
  let base: InstrumentedFileSystem
  private let held = BoundedQueue<Void>(capacity: 1)
  private let released = BoundedQueue<Void>(capacity: 1)
  private let state = Mutex((holds: false, checksThread: false, usedMainThread: false))

  init(_ base: InstrumentedFileSystem) { self.base = base }

  func hold() { state.withLock { $0.holds = true } }

  func waitUntilHeld() async {
    await SerialWorker(label: "test").perform { self.held.take() }
  }

  func release() { released.put(()) }

  func forbidMainThread() { state.withLock { $0.checksThread = true } }

  var hasUsedMainThread: Bool { state.withLock { $0.usedMainThread } }

  func write(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    state.withLock { state in
      if state.checksThread, Thread.isMainThread { state.usedMainThread = true }
    }
    return try base.write(file, bytes, at: offset)
  }

  func sync(_ file: FileDescriptor) throws(Errno) {
    let holds = state.withLock { state in
      defer { state.holds = false }
      return state.holds
    }
    if holds {
      held.put(())
      released.take()
    }
    try base.sync(file)
  }
}
