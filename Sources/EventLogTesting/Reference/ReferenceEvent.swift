package import EventLog

/// One event as the reference sees it: with its full clock.
package struct ReferenceEvent {
  package private(set) var id: EventID
  package let at: Timestamp
  package let type: String
  /// `<kind>/<key>`.
  package let entity: String?
  /// Under the ``ReferenceValue/plain(_:)`` names.
  package let data: [String: JSONValue]
  package let version: Int64
  package let clock: [DeviceID: Int64]
  /// What it was re-issued from.
  package let was: String?
  /// All names under which it stands in the journal.
  package private(set) var names: Set<EventID>
  /// The events that it has seen, where some have several names; nil: as the clock says.
  private var past: Set<EventID>?

  /// What the event does; nil if it breaks a rule of its type, is unknown, or of a later version.
  package var effects: [ReferenceEffect]?

  package init(
    id: EventID, at: Timestamp, type: String, entity: EntityID?, data: JSONObject, version: Int64,
    clock: [DeviceID: Int64], was: String?
  ) {
    self.id = id
    names = [id]
    self.was = was
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
    if id == other.id { return false }
    return past?.contains(other.id) ?? hasStated(other.id)
  }

  /// Whether the clock says that it has seen the event, or is it.
  package func hasStated(_ other: EventID) -> Bool {
    (clock[other.device] ?? 0) >= other.sequence
  }

  /// The same event with all its names, called by one of them.
  package func named(_ name: EventID, _ names: Set<EventID>, past: Set<EventID>) -> Self {
    var event = self
    event.id = name
    event.names = names
    event.past = past
    return event
  }

  /// Whether both say the same of the same original, as far as version 1 can tell.
  package func isReissued(as other: ReferenceEvent) -> Bool {
    guard was != nil, was == other.was else { return false }
    if version > 1 || other.version > 1 { return version > 1 && other.version > 1 }
    return at == other.at && type == other.type && entity == other.entity && data == other.data
  }

  /// The latest of concurrent writes is the one with the greatest (`at`, device, sequence).
  package func isLater(than other: ReferenceEvent) -> Bool {
    if at != other.at { return at > other.at }
    return Self.isBefore(other.id, id)
  }

  /// By the device's bytes, then by sequence.
  package static func isBefore(_ left: EventID, _ right: EventID) -> Bool {
    let (first, second) = (Array(left.device.text.utf8), Array(right.device.text.utf8))
    return first == second
      ? left.sequence < right.sequence : first.lexicographicallyPrecedes(second)
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
