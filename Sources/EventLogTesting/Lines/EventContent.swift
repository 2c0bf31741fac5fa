package import EventLog

/// The content of a line without its checksum, equal for all spellings of an event.
package struct EventContent: Hashable {
  package var id: EventID
  package var at: Timestamp?
  package var type: String
  package var entity: EntityID?
  package var seen: [FullEventID]
  package var ref: [UInt8]?
  package var hasMore: Bool
  package var version: Int64
  package var data: JSONObject

  package init(_ event: Event) {
    id = event.id
    at = event.at
    type = event.type
    entity = event.entity
    seen = event.seen
    ref = event.ref.map { Array($0.utf8) }
    hasMore = event.hasMore
    version = event.version
    data = event.data
  }
}

extension Event {
  /// Whether the event is valid for the public types, and survives being written and read.
  ///
  /// Every line that a scanner accepts must result in such an event.
  package var isLawful: Bool {
    guard EventID(id.description) == id, LineChecksum(text: checksum.utf8) != nil,
      seen.allSatisfy({ FullEventID($0.description) == $0 }),
      zip(seen, seen.dropFirst()).allSatisfy(<)
    else { return false }
    guard version == 1 else { return version > 1 && at == nil }
    guard let at, Timestamp(at.description) == at, EventDraft.isValid(type: type),
      entity.map({ EntityID($0.description) == $0 }) ?? true,
      ref.map(EventDraft.isValid(ref:)) ?? true
    else { return false }
    var writer = EventLineWriter(after: 0)
    writer.write(
      id: id, at: at, type: type, entity: entity, seen: seen, ref: ref, more: hasMore, data: data)
    var scanner = LineScanner()
    guard let reread = try? scanner.read(writer.bytes.dropLast()).event else { return false }
    return scanner.slowLineCount <= 1 && EventContent(reread) == EventContent(self)
  }
}
