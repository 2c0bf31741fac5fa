/// One event as it stands in a journal.
public struct Event: Sendable, Hashable {
  /// The device that wrote it and its place in that device's history, without the chain.
  public let id: EventID
  /// The event's name with its chain, which no other event has.
  package let fullID: FullEventID
  /// Nil only for a line of a later version of the format.
  public let at: Timestamp?
  /// Empty only for a line of a later version of the format.
  public let type: String
  /// What it is about; nil for singletons, and for a line of a later version of the format.
  public let entity: EntityID?
  /// The tips that its writer held and that its own history had not stated before.
  package let seen: [FullEventID]
  /// 1–128 characters of the writer's choice, for imports; nil where it gave none.
  public let ref: String?
  /// Whether the next event of its history belongs with it: neither counts without the other.
  public let hasMore: Bool
  /// 1, or more for a line that a later version of the format wrote.
  public let version: Int64
  /// What happened, in the writer's spelling; empty for a line of a later version of the format.
  public let data: JSONObject
  /// The 16 hex digits that end the line.
  public let checksum: String

  package init(_ layout: LineLayout, canonical: Span<UInt8>) {
    func text(_ range: ByteRange) -> String {
      String(decoding: canonical.copy(range), as: UTF8.self)
    }
    id = EventID(device: DeviceID(trusted: text(layout.device)), sequence: layout.sequence)
    let isKnown = layout.version == 1
    at = isKnown ? Timestamp(trusted: layout.atMilliseconds) : nil
    type = isKnown ? text(layout.type) : ""
    entity = layout.entity.isEmpty ? nil : EntityID(text(layout.entity))
    seen = layout.seen.map {
      FullEventID(
        device: DeviceID(trusted: text($0.device)), sequence: $0.sequence, chain: $0.chain)
    }
    ref =
      layout.ref.isEmpty
      ? nil
      : String(decoding: StringSpelling.unescaped(canonical.copy(layout.ref)), as: UTF8.self)
    hasMore = layout.hasMore
    version = layout.version
    if isKnown, case .object(let object) = JSONValue(canonical: canonical.copy(layout.data)[...]) {
      data = object
    } else {
      data = JSONObject()
    }
    checksum = layout.checksum.text
    fullID = FullEventID(
      device: id.device, sequence: id.sequence, chain: layout.checksum.chain)
  }
}
