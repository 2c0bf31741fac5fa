/// One event as it stands in a journal.
public struct Event: Sendable, Hashable {
  public let id: EventID
  /// Nil only for a line of a later version of the format.
  public let at: Timestamp?
  /// Empty only for a line of a later version of the format.
  public let type: String
  public let entity: EntityID?
  /// The entries of the vector clock that advanced since the device's previous event.
  public let seen: VectorClock
  public let ref: String?
  /// What this event was re-issued from, `<id>/<crc>`.
  public let was: String?
  /// Whether another line that stands before it is the same event, issued again by somebody else:
  /// then that one counts. Only a replay tells.
  public internal(set) var isRepeated = false
  /// 1, or more for a line that a later version of the format wrote.
  public let version: Int64
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
    seen = VectorClock(
      layout.seen.map { (DeviceID(trusted: text($0.device)), $0.sequence) })
    ref =
      layout.ref.isEmpty
      ? nil
      : String(decoding: StringSpelling.unescaped(canonical.copy(layout.ref)), as: UTF8.self)
    was = layout.was.isEmpty ? nil : text(layout.was)
    version = layout.version
    if isKnown, case .object(let object) = JSONValue(canonical: canonical.copy(layout.data)[...]) {
      data = object
    } else {
      data = JSONObject()
    }
    checksum = layout.checksum.text
  }
}
