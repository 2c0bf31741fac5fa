import EventLog
import EventLogInspection
import EventLogTesting

/// All readings of a journal agree, only appends change it, and it accepts an append.
enum OpeningTarget {
  static func check(_ input: [UInt8]) async throws {
    let memory = try MemoryJournal(input)
    let (report, state) = try memory.reading().checkAgreement()
    try Finding.require(memory.bytes == input, "Reading has changed the journal.")
    guard let state else { return }
    let second = try memory.reading().snapshot().snapshot
    try Finding.require(
      second.json() == state.json() && second.frontier == state.frontier, "Read twice, it is two.")
    if report.problems.isEmpty { try checkOrder(memory, state) }
    try await append(to: memory, input, state)
  }

  /// Checks that the order of lines has no meaning.
  private static func checkOrder(_ memory: MemoryJournal, _ state: Snapshot) throws {
    let lines = Sections.lines(of: memory.filledBytes)
    let reversed = try MemoryJournal(Sections.text(of: lines.reversed()))
    let other = try reversed.reading().snapshot().snapshot
    try Finding.require(
      other.json() == state.json() && other.frontier == state.frontier,
      "In the reverse order of its lines, the journal is another one.")
  }

  private static func append(
    to memory: MemoryJournal, _ input: [UInt8], _ state: Snapshot
  ) async throws {
    let events = try memory.events()
    let kept = try memory.keptBytes()
    let store = memory.store()
    let receipt: AppendReceipt
    do throws(EventLogError) {
      receipt = try await store.append([
        EventDraft(type: "settings.changed", data: ["theme": "dark"])
      ])
    } catch {
      // An append may fail only if the journal's user is unknown.
      try Finding.require(
        state.user == nil && [.noJournal, .userNeeded].contains(error.code), "Unexpected: \(error)")
      return try Finding.require(memory.bytes == input, "A refused append has written something.")
    }
    let later = try memory.checkGrown(from: kept, holding: events)
    try Finding.require(receipt.appended.count == 1, "The append wrote \(receipt.appended).")
    // A fresh device joins first.
    let grown = later.eventCount - state.eventCount
    try Finding.require(grown == 1 || grown == 2, "One append made \(grown) events count.")
    try Finding.require(
      receipt.snapshot.json() == later.json(), "The store shows another state than its journal.")
    try await store.close()
  }
}
