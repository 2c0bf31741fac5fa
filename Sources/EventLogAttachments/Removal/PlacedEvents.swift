import EventLog
import EventLogRemotes

/// Checks that a journal holds all events of a place, some of which may be another user's.
struct PlacedEvents: LineSink {
  private let ledger: Ledger
  private var unheld: FullEventID?
  private var damaged: String?
  private var name = ""

  private init(_ ledger: Ledger) { self.ledger = ledger }

  /// - Throws: `remoteFailed` if the place has events that aren't in the journal, or that can't be
  ///   read; the error of the place.
  static func check(
    _ remote: any StorageRemote, heldBy ledger: Ledger
  ) async throws(EventLogError) {
    var events = PlacedEvents(ledger)
    try await remote.readObjects { name, bytes in events.read(name, bytes) }
    if let event = events.unheld {
      throw EventLogError(
        .remoteFailed,
        "\"\(remote.address)\" has events that aren't here, such as \(event.shortID), which may"
          + " name attachments. None is removed there or here.",
        hint: "Sync with it first. If it has the events of several users, its attachments stay.")
    }
    if let name = events.damaged {
      throw EventLogError(
        .remoteFailed,
        "\"\(name)\" at \"\(remote.address)\" is damaged, and may name attachments. None is removed"
          + " there or here.", hint: "Sync the device that wrote it.")
    }
  }

  private mutating func read(_ name: String, _ bytes: [UInt8]) {
    // An object may have been listed before its content is there.
    if let frontier = FrontierName(name) {
      guard let object = FrontierObject(frontier, bytes) else {
        damaged = damaged ?? name
        return
      }
      return note(object.statement.tips)
    }
    guard let range = RangeName(name) else { return }
    note([range.range.end])
    self.name = name
    var scanner = LineScanner()
    var sink = self
    scanner.scanLines(bytes, into: &sink)
    self = sink
  }

  private mutating func note(_ events: [FullEventID]) {
    if unheld == nil { unheld = events.first { !ledger.holds($0) } }
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    note([FullEventID(layout, canonical)])
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    damaged = damaged ?? name
  }
}
