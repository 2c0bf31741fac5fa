/// A part of a journal to look back at.
///
/// Its conditions are taken together: only events that keep all of them are folded. Clocks come
/// from the whole journal, so a cut never changes what is concurrent with what, and a gap that it
/// makes is no hole.
public struct Cut: Sendable, Hashable {
  /// Exactly the events with this `at` or an earlier one, whatever they had seen. Events that a
  /// later version of the format wrote have no `at` here and are left out.
  public var time: Timestamp?
  /// This event and all it had seen.
  public var event: EventID?
  /// What this device held when it wrote its last event, and that event.
  public var device: DeviceID?

  public init(time: Timestamp? = nil, event: EventID? = nil, device: DeviceID? = nil) {
    self.time = time
    self.event = event
    self.device = device
  }

  /// Whether it leaves nothing out.
  public var isWhole: Bool { time == nil && event == nil && device == nil }
}
