/// An event in a journal.
///
/// Events written by a later version of the format have neither a time, type, entity, nor data
/// here.
public struct Event: Sendable, Hashable {
  /// The event's ID, without its chain.
  public let id: EventID
  /// The event's unique ID, which includes its chain.
  package let fullID: FullEventID
  /// The time of the event, or `nil` if a later version of the format wrote it.
  public let at: Timestamp?
  /// The type of the event, or an empty string if a later version of the format wrote it.
  public let type: String
  /// The entity that the event is about, or `nil` for a singleton and for events of a later
  /// version.
  public let entity: EntityID?
  /// The tips that the writer had seen and that its own history hadn't stated before.
  package let seen: [FullEventID]
  /// The reference that the writer gave the event, such as an ID in imported data, or `nil` if
  /// there is none: 1–128 characters.
  public let ref: String?
  /// A Boolean value that indicates whether the event belongs to a batch with the next event of its
  /// history.
  ///
  /// Neither counts without the other.
  public let hasMore: Bool
  /// The version of the format: 1, or more if a later version wrote the event.
  public let version: Int64
  /// The event's data, as its writer spelled it, or an empty object for an event of a later
  /// version.
  public let data: JSONObject
  /// The checksum at the end of the line: 16 hexadecimal digits.
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
    checksum = layout.checksum.description
    fullID = FullEventID(
      device: id.device, sequence: id.sequence, chain: layout.checksum.chain)
  }
}
