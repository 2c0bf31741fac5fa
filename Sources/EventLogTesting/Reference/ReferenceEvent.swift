package import EventLog

/// One event as the reference sees it: with its full clock.
package struct ReferenceEvent {
  package let id: EventID
  package let at: Timestamp
  package let type: String
  /// `<kind>/<key>`.
  package let entity: String?
  /// Under the ``ReferenceValue/plain(_:)`` names.
  package let data: [String: JSONValue]
  package let version: Int64
  package let clock: [DeviceID: Int64]

  /// What the event does; nil if it breaks a rule of its type, is unknown, or of a later version.
  package var effects: [ReferenceEffect]?

  package init(
    id: EventID, at: Timestamp, type: String, entity: EntityID?, data: JSONObject, version: Int64,
    clock: [DeviceID: Int64]
  ) {
    self.id = id
    self.at = at
    self.type = type
    self.entity = entity?.description
    self.data = Dictionary(
      data.members.map { (ReferenceValue.plain($0.name), $0.value) },
      uniquingKeysWith: { first, _ in first })
    self.version = version
    self.clock = clock
  }

  package func hasSeen(_ other: ReferenceEvent) -> Bool {
    id != other.id && (clock[other.id.device] ?? 0) >= other.id.sequence
  }

  /// The latest of concurrent writes is the one with the greatest (`at`, device, sequence).
  package func isLater(than other: ReferenceEvent) -> Bool {
    if at != other.at { return at > other.at }
    let left = Array(id.device.text.utf8)
    let right = Array(other.id.device.text.utf8)
    if left != right { return right.lexicographicallyPrecedes(left) }
    return id.sequence > other.id.sequence
  }
}

/// One thing that a valid, known event does. A place is `profile`, `settings`, `<kind>/<key>`, or
/// `<kind>/<key>@<date>`.
package enum ReferenceEffect {
  case register(place: String, field: String, JSONValue)
  case total(place: String, field: String, Int64)
  case increment(place: String, field: String, Int64)
  case set(place: String, field: String)
  case include(place: String, field: String, String)
  case exclude(place: String, field: String, String)
  case day(String)
  case deletion
  case restoration
}
