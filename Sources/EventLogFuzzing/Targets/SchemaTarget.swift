import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting

/// A schema file is refused, or is written as it was read.
///
/// Any journal can be read with a valid schema, and accepts no event that a reading then reports.
///
/// Input: a schema file and, after a line `--`, a journal.
enum SchemaTarget {
  static func check(_ input: [UInt8]) async throws {
    let (file, journal) = Sections.parts(of: input)
    let collections: [CollectionSchema]
    let catalog: SchemaCatalog
    do throws(EventLogError) {
      collections = try CollectionSchema.collections(parsing: file)
      let core = Set(SchemaCatalog.standard.collections.map(\.kind))
      let kinds = Set(SchemaCatalog.bundled.collections.map(\.kind)).subtracting(core)
      catalog = try SchemaCatalog.bundled.adding(collections, replacing: kinds)
    } catch {
      return try Finding.require(error.code == .invalidSchema, "Unexpected: \(error)")
    }
    let reread = try CollectionSchema.collections(
      parsing: CollectionSchema.file(collections).text.utf8)
    try Finding.require(reread == collections, "The schema is not read as it was written.")
    let memory = try MemoryJournal(journal)
    guard try memory.reading(by: catalog).checkAgreement().state != nil else { return }
    try await append(eventsOf: memory, by: catalog)
  }

  /// Appends the content of the journal's events to an empty journal.
  private static func append(
    eventsOf memory: MemoryJournal, by catalog: SchemaCatalog
  ) async throws {
    var drafts: [EventDraft] = []
    _ = try memory.reading(by: catalog).replay { event, _ in
      drafts.append(
        EventDraft(type: event.type, entity: event.entity, data: event.data, ref: event.ref))
      return true
    }
    let other = MemoryJournal(on: MemoryFileSystem(clock: .fixed(1_700_000_000_000)))
    let store = other.store(by: catalog, user: "ada")
    var count = 0
    for draft in drafts {
      do throws(EventLogError) {
        count += try await store.append([draft]).appended.count
      } catch {
        try error.checkIsOfEvent()
      }
    }
    guard count > 0 else { return }
    let (report, state) = try other.reading(by: catalog).checkAgreement()
    try Finding.require(report.problems.isEmpty, "Appending left \(report.problems).")
    let broken = [JournalProblem.Note.brokenRule, .unknownType].filter {
      report.noteCounts[$0] ?? 0 > 0
    }
    try Finding.require(broken.isEmpty, "What was appended is read with \(report.notes).")
    try await store.refresh()
    try Finding.require(
      store.snapshot.json() == state?.json(), "The store shows another state than its journal.")
    try await store.close()
  }
}
