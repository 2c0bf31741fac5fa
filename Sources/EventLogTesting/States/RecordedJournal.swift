// A journal that was written once and is replayed by tests ever since.

public import EventLog

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A journal that was recorded, for example on somebody's phone, with the state it gives today.
///
/// ```swift
/// let url = Bundle.module.url(forResource: "ada", withExtension: "jsonl")!
/// let journal = try RecordedJournal(url, records: Food.self)
/// #expect(try differences(of: journal, from: .file(expected)) == [])
/// ```
///
/// Nothing is written beside a recorded file. A journal with damage is refused: a test would
/// compare only what is left of it.
public struct RecordedJournal: Sendable {
  /// The state after its last event.
  public let snapshot: Snapshot
  /// Its events, in its order.
  public let events: [Event]
  /// The file as it stands.
  let bytes: [UInt8]

  /// Replays a file.
  ///
  /// - Parameters:
  ///   - records: the collections besides those of `catalog`.
  ///   - allowsDamage: whether a journal with damage is taken.
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`, `damaged`; `invalidSchema` for
  ///   declarations that cannot be.
  /// - Complexity: O(file size), in memory too.
  public init(
    _ url: URL, records: any Record.Type..., catalog: SchemaCatalog = SchemaCatalog(),
    allowingDamage allowsDamage: Bool = false
  ) throws(EventLogError) {
    try self.init(
      path: url.path, try catalog.adding(records), allowingDamage: allowsDamage)
  }

  /// Replays the lines of a journal that stand in the test itself.
  ///
  /// - Throws: as for a file.
  public init(
    text: String, records: any Record.Type..., catalog: SchemaCatalog = SchemaCatalog(),
    allowingDamage allowsDamage: Bool = false
  ) throws(EventLogError) {
    try self.init(
      bytes: Array(text.utf8), try catalog.adding(records), allowingDamage: allowsDamage)
  }

  /// Replays the journal of a made-up history.
  ///
  /// - Throws: as for a file; `damaged` where the history is unsound.
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
