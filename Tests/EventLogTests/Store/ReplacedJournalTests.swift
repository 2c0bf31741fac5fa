import EventLogAccounts
import EventLogCollections
import EventLogInspection
import EventLogTesting
import EventLogUndo
import Synchronization
import Testing

@testable import EventLog

/// An open store whose journal was deleted or replaced refuses every call, and creates no other
/// journal.
@Suite struct ReplacedJournalTests {
  enum Change: CaseIterable { case deleted, replaced, swapped }

  private let box: Sandbox

  init() throws { box = try Sandbox() }

  /// Changes the file at the journal's path, and returns its contents, or nil if it was deleted.
  private func change(_ change: Change) throws -> [UInt8]? {
    let bytes = try box.bytes()
    switch change {
    case .deleted:
      try box.remove("ada.jsonl")
      return nil
    case .replaced:
      // A restored backup: another file with the same bytes.
      try box.put(bytes, "new.jsonl")
      try box.rename("new.jsonl", to: "ada.jsonl")
      return bytes
    case .swapped:
      let other = Array(Sandbox.lines(of: "tablet-bbbbbbbb", count: 2).joined())
      try box.put(other, "new.jsonl")
      try box.rename("new.jsonl", to: "ada.jsonl")
      return other
    }
  }

  private func content() -> [UInt8]? { try? box.bytes() }

  private func codeOfWriting(_ store: EventStore) async -> EventLogError.Code? {
    do {
      _ = try await store.write { _ in 1 }
      return nil
    } catch { return (error as? EventLogError)?.code }
  }

  /// The error codes of all kinds of calls.
  private func codes(_ store: EventStore, _ remote: JournalRemote) async -> [EventLogError.Code?] {
    [
      await failureCode { () throws(EventLogError) in _ = try await store.append([.advance]) },
      await failureCode { () throws(EventLogError) in
        _ = try await store.append([.advance], durability: .buffered)
      },
      await failureCode { () throws(EventLogError) in try await store.refresh() },
      await codeOfWriting(store),
      await failureCode { () throws(EventLogError) in _ = try await store.sync(with: remote) },
      await failureCode { () throws(EventLogError) in
        _ = try await store.sync(with: remote, readingAll: true)
      },
      await failureCode { () throws(EventLogError) in _ = try await store.verify() },
      await failureCode { () throws(EventLogError) in
        _ = try await store.why("habit/read", "name")
      },
      await failureCode { () throws(EventLogError) in _ = try await store.undoAdoption(of: "x") },
    ]
  }

  @Test(arguments: Change.allCases, [true, false])
  func `every call fails with one error after the journal was deleted or replaced`(
    change kind: Change, hasOnlyRead: Bool
  ) async throws {
    let other = try Sandbox(seed: 2)
    let tablet = other.store()
    _ = try await tablet.append([.theme("light")])
    try await tablet.close()
    let remote = JournalRemote(path: other.path)
    if hasOnlyRead { _ = try await box.store().append([.begin, .advance]) }
    let store = box.store()
    if hasOnlyRead {
      try await store.refresh()
    } else {
      _ = try await store.append([.begin, .advance])
    }
    let state = store.snapshot.json()
    let expected = try change(kind)
    for _ in 0..<2 {
      for code in await codes(store, remote) { #expect(code == .journalReplaced) }
      #expect(content() == expected)
      #expect(store.snapshot.json() == state && store.snapshot.eventCount == 3)
    }
    // The same if there is a journal at the path again.
    if kind == .deleted { _ = try await box.store().append([.begin]) }
    let before = content()
    for code in await codes(store, remote) { #expect(code == .journalReplaced) }
    #expect(content() == before)
    try await store.close()
    _ = try await box.store().append([.theme("dark")])
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `a store that has read an empty file accepts a journal created later`() async throws {
    try box.put([])
    let store = box.store()
    try await store.refresh()
    try box.remove("ada.jsonl")
    _ = try await box.store().append([.begin])
    _ = try await store.append([.advance])
    #expect(store.snapshot.eventCount == 3)
  }

  @Test func `a path that temporarily can't be checked doesn't count as removed`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    box.disk.failNext(.status, with: .permissionDenied, times: 20)
    #expect(
      await failureCode { () throws(EventLogError) in try await store.refresh() } == .inputOutput)
    box.disk.stopFailing()
    _ = try await store.append([.advance])
    #expect(store.snapshot.eventCount == 3)
  }

  @Test(arguments: Change.allCases)
  func `a report never comes from a file that was swapped in while it was made`(
    change kind: Change
  ) async throws {
    var hasEnded = false
    for after in 0..<200 where !hasEnded {
      let test = try Self()
      let store = test.box.store()
      _ = try await store.append([.begin, .advance])
      let hasChanged = Mutex(false)
      test.box.disk.reportChanges(false)
      test.box.disk.interrupt(after: after) {
        _ = try? test.change(kind)
        hasChanged.withLock { $0 = true }
      }
      do throws(EventLogError) {
        let count = try await store.reading { (journal) throws(EventLogError) in
          try journal.status().eventCount
        }
        #expect(count == 3, "call \(after)")
        hasEnded = !hasChanged.withLock(\.self)
      } catch {
        #expect(error.code == .journalReplaced, "call \(after): \(error)")
      }
      try? await store.close()
    }
    #expect(hasEnded)
  }

  @Test func `deleting the journal at any call of a sync never empties the snapshot`() async throws
  {
    let other = try Sandbox(seed: 2)
    let tablet = other.store()
    for _ in 0..<3 { _ = try await tablet.append([.theme("light")]) }
    try await tablet.close()
    let remote = JournalRemote(path: other.path)
    for after in 0..<80 {
      let box = try Sandbox()
      let store = box.store()
      _ = try await store.append([.begin, .advance])
      let states = store.changes
      let least = Task {
        var least = Int.max
        for await state in states { least = min(least, state.eventCount) }
        return least
      }
      box.disk.interrupt(after: after) { try? box.remove("ada.jsonl") }
      let code = await failureCode { () throws(EventLogError) in
        _ = try await store.sync(with: remote)
      }
      #expect([nil, .journalReplaced].contains(code), "call \(after)")
      #expect(await !store.isClosed)
      #expect(store.snapshot.eventCount >= 3, "call \(after)")
      try? await store.close()
      #expect(await least.value >= 3, "call \(after)")
      if box.exists("ada.jsonl") { break }
    }
  }
}
