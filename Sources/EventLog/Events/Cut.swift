/// A part of a journal to look back at.
///
/// Its conditions are taken together: only events that keep all of them are folded, and with one
/// event of a batch all of that batch. Clocks come from the whole journal, so a cut never changes
/// what is concurrent with what, and what it leaves out is not missing.
public struct Cut: Sendable, Hashable {
  /// The events with this `at` or an earlier one, whatever they had seen. Events that a later
  /// version of the format wrote have no `at` here and are left out.
  public var time: Timestamp?
  /// This event and all it had seen.
  public var event: EventID?
  /// All that this event had seen, without itself: what its writer held before it wrote it.
  public var before: EventID?
  /// What this device held when it wrote its last event, and that event; after a fork, the last
  /// events of all its histories.
  public var device: DeviceID?
  /// The same of one history, up to this event.
  package var tip: FullEventID?

  /// A cut with all of these limits; one of none holds all events.
  public init(
    time: Timestamp? = nil, event: EventID? = nil, before: EventID? = nil,
    device: DeviceID? = nil
  ) {
    self.init(time: time, event: event, before: before, device: device, tip: nil)
  }

  /// The same, with the tip of one history.
  package init(
    time: Timestamp? = nil, event: EventID? = nil, before: EventID? = nil,
    device: DeviceID? = nil, tip: FullEventID?
  ) {
    self.time = time
    self.event = event
    self.before = before
    self.device = device
    self.tip = tip
  }

  /// Whether it leaves nothing out.
  public var isWhole: Bool {
    time == nil && event == nil && before == nil && device == nil && tip == nil
  }
}
