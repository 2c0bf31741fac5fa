public import EventLog

/// The part of a journal to erase.
public enum Erasure: Sendable, Hashable {
  /// All events of an entity, which is deleted first.
  case entity(EntityID)
  /// The past values of a field. The present one stays.
  ///
  /// The place is an entity, the kind of a singleton, or `<kind>/<key>@<date>` for a day. The total
  /// of a counter and the members of a set are written again first, so that all earlier events of
  /// the field are past.
  case field(String, of: String)
  /// Some events, none of which may be shown.
  case events([EventID])
}

/// The events that were erased, or would be.
public struct ErasureReport: Sendable {
  /// The events that are erased as a whole.
  public package(set) var events: [EventRange] = []
  /// The events of which only a member of `data` is erased.
  public package(set) var parts: [EventID] = []
  /// The fields whose values were written again first, so that nothing that is shown changes.
  public package(set) var restated: [String] = []
  /// The entity that is deleted, or `nil` if it was deleted before.
  public package(set) var deleted: EntityID?
  /// The devices whose last event hasn't seen everything here: they may still have the contents.
  public package(set) var unheardDevices: [DeviceID] = []

  /// The hashes of attachments that the events name.
  ///
  /// If nothing else names one, it is released: `Attachments.release()` removes its content.
  public package(set) var attachments: [String] = []

  /// The number of events of which something is erased.
  public var eventCount: Int64 { events.saturatingCount + Int64(parts.count) }
}
