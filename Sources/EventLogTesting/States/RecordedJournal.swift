public import EventLog
import EventLogInspection

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A journal that was recorded earlier, such as on a user's phone, with the state it results in
/// today.
///
/// ```swift
/// let url = Bundle.module.url(forResource: "ada", withExtension: "jsonl")!
/// let journal = try RecordedJournal(url, records: Food.self)
/// #expect(try differences(of: journal, from: .file(expected)) == [])
/// ```
///
/// Nothing is written next to the file. By default, a damaged journal is refused, because a test
/// would compare only the rest of it.
public struct RecordedJournal: Sendable {
  /// The state after the last event.
  public let snapshot: Snapshot
  /// The events, in an order that respects causality.
  public let events: [Event]
  let bytes: [UInt8]

  /// Reads a journal from a file.
  ///
  /// - Parameters:
  ///   - url: The file URL of the journal.
  ///   - records: The record types.
  ///   - catalog: Additional collections.
  ///   - allowsDamage: Whether to accept a damaged journal.
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`; `damaged` if the journal is damaged;
  ///   `invalidSchema` if the declarations are invalid or contradict each other.
  /// - Complexity: O(*n*) in time and memory, where *n* is the size of the file.
  public init(
    _ url: URL, records: any Record.Type..., catalog: SchemaCatalog = SchemaCatalog(),
    allowingDamage allowsDamage: Bool = false
  ) throws(EventLogError) {
    try self.init(
      path: url.path, try catalog.adding(records), allowingDamage: allowsDamage)
  }

  /// Reads a journal from text.
  ///
  /// - Parameters:
  ///   - text: The lines of the journal.
  ///   - records: The record types.
  ///   - catalog: Additional collections.
  ///   - allowsDamage: Whether to accept a damaged journal.
  /// - Throws: `notAJournal`, `inputOutput`; `damaged` if the journal is damaged; `invalidSchema`
  ///   if the declarations are invalid or contradict each other.
  public init(
    text: String, records: any Record.Type..., catalog: SchemaCatalog = SchemaCatalog(),
    allowingDamage allowsDamage: Bool = false
  ) throws(EventLogError) {
    try self.init(
      bytes: Array(text.utf8), try catalog.adding(records), allowingDamage: allowsDamage)
  }

  /// Reads a journal from a history.
  ///
  /// - Parameters:
  ///   - history: The history.
  ///   - records: The record types.
  ///   - catalog: Additional collections.
  /// - Throws: `notAJournal`, `inputOutput`; `damaged` if the history isn't sound; `invalidSchema`
  ///   if the declarations are invalid or contradict each other.
  public init(
    _ history: History, records: any Record.Type..., catalog: SchemaCatalog = SchemaCatalog()
  ) throws(EventLogError) {
    try self.init(
      bytes: Array(history.lines.joined()), try catalog.adding(records), allowingDamage: false)
  }

  private init(
    bytes: [UInt8], _ catalog: SchemaCatalog, allowingDamage allowsDamage: Bool
  ) throws(EventLogError) {
    let folder = try TemporaryFolder.make()
    let path = folder.file("recorded.jsonl")
    try TemporaryFolder.write(bytes, to: path)
    try self.init(path: path, catalog, allowingDamage: allowsDamage)
    _ = folder
  }

  private init(
    path: String, _ catalog: SchemaCatalog, allowingDamage allowsDamage: Bool
  ) throws(EventLogError) {
    let journal = Journal(path: path, catalog: catalog)
    let read = try journal.snapshot()
    if let damage = read.firstDamage, !allowsDamage {
      throw EventLogError(
        .damaged, "\"\(path)\" is damaged. \(damage.message) Only what is left would be compared.",
        at: EventLogError.Location(file: path, line: damage.line, byte: damage.byte))
    }
    var events: [Event] = []
    _ = try journal.replay { event, _ in
      events.append(event)
      return true
    }
    snapshot = read.snapshot
    self.events = events
    bytes = try TemporaryFolder.contents(of: path)
  }
}
