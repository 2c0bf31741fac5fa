import EventLog
import EventLogCollections
import EventLogImport
import EventLogInspection
import EventLogTesting

/// An import writes all of its events or none, and a pull takes the sound part of any journal.
///
/// Input: the lines of an import and, after a line `--`, a journal to pull from.
enum ImportTarget {
  static func check(_ input: [UInt8]) async throws {
    let (lines, journal) = Sections.parts(of: input)
    let memory = try await MemoryJournal.shared()
    try await append(Sections.lines(of: lines), to: memory)
    if !journal.isEmpty { try await take(journal, into: memory) }
  }

  private static func append(_ lines: [[UInt8]], to memory: MemoryJournal) async throws {
    var items: [(draft: EventDraft, entity: EntityReference?)] = []
    for line in lines {
      try JSONAgreement.check(line)
      // An import would end at a refused line. Here, the others are still imported.
      do throws(ImportLine.Refusal) {
        let read = try ImportLine(parsing: line[...])
        items.append((read.draft, read.entity))
      } catch { continue }
    }
    if items.isEmpty { return }
    let before = memory.bytes
    let events = try memory.events()
    let store = memory.store(by: .bundled)
    for isLenient in [false, true] {
      let receipt: AppendReceipt
      do throws(EventLogError) {
        receipt = try await store.append(
          items, lines: Array(1...items.count), allowingUnknownTypes: isLenient)
      } catch {
        try error.checkIsOfEvent()
        try Finding.require(memory.bytes == before, "A refused import has written something.")
        continue
      }
      try Finding.require(
        receipt.appended.count + receipt.skippedCount == items.count,
        "\(items.count) events were given, \(receipt.appended.count) written.")
      let state = try memory.checkGrown(from: before, holding: events, by: .bundled)
      try Finding.require(
        state.eventCount == events.count + receipt.appended.count
          && state.json() == receipt.snapshot.json(),
        "The store shows another state than its journal.")
      try await checkNotes(memory, isLenient)
      return try await repeatImport(items, store, memory, isLenient)
    }
  }

  private static func checkNotes(_ memory: MemoryJournal, _ isLenient: Bool) async throws {
    let report = try memory.reading(by: .bundled).verify()
    try Finding.require(report.problems.isEmpty, "The import left \(report.problems).")
    let broken = report.noteCounts[.brokenRule] ?? 0
    let unknown = isLenient ? 0 : report.noteCounts[.unknownType] ?? 0
    try Finding.require(broken + unknown == 0, "What was imported is read with \(report.notes).")
  }

  /// Checks that events with a `ref` are imported only once.
  private static func repeatImport(
    _ items: [(draft: EventDraft, entity: EntityReference?)], _ store: EventStore,
    _ memory: MemoryJournal, _ isLenient: Bool
  ) async throws {
    let before = memory.bytes
    let named = items.filter { $0.draft.ref != nil }
    if !named.isEmpty {
      let receipt = try await store.append(named, allowingUnknownTypes: isLenient)
      try Finding.require(
        receipt.appended.isEmpty && memory.bytes == before, "Repeated, the import has written.")
    }
    try await store.close()
  }

  private static func take(_ journal: [UInt8], into memory: MemoryJournal) async throws {
    let other = "/other.jsonl"
    try memory.put(journal, to: other)
    let before = memory.bytes
    let events = try memory.events()
    let remote = JournalRemote(path: other, options: memory.options("other"))
    do throws(EventLogError) {
      _ = try await memory.store().sync(with: remote, .pull)
    } catch { try error.checkIsOfRemote() }
    try memory.checkGrown(from: before, holding: events)
    try Finding.require(
      try memory.disk.contents(ofFile: other, maximumBytes: 1 << 24) == journal,
      "The journal that was taken from has changed.")
  }
}
