/// A part of a journal that represents a past state.
///
/// A cut contains only the events that meet all of its conditions. If it contains one event of a
/// batch, it contains the whole batch. Causality is determined from the whole journal, so a cut
/// never changes which events are concurrent. The events it leaves out don't count as missing.
public struct Cut: Sendable, Hashable {
  /// Limits the cut to events whose `at` is this time or earlier, whatever they had seen.
  ///
  /// Events written by a later version of the format have no `at` and are left out.
  public var time: Timestamp?
  /// Limits the cut to this event and all events that it had seen.
  public var event: EventID?
  /// Limits the cut to the events that this event had seen: what its writer knew before writing it.
  public var before: EventID?
  /// Limits the cut to what this device knew when it wrote its last event, including that event.
  ///
  /// After a fork, the last events of all the device's histories are included.
  public var device: DeviceID?
  /// Limits the cut to one history, up to this event.
  package var tip: FullEventID?

  /// Creates a cut with all of the given conditions.
  ///
  /// Without conditions, a cut contains all events.
  ///
  /// - Parameters:
  ///   - time: The latest `at` of the events.
  ///   - event: An event. The cut contains it and the events that it had seen.
  ///   - before: An event. The cut contains the events that it had seen, without the event itself.
  ///   - device: A device. The cut contains what it knew when it wrote its last event.
  public init(
    time: Timestamp? = nil, event: EventID? = nil, before: EventID? = nil,
    device: DeviceID? = nil
  ) {
    self.init(time: time, event: event, before: before, device: device, tip: nil)
  }

  /// Creates a cut that can also contain the tip of one history.
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

  /// A Boolean value that indicates whether the cut contains all events.
  public var isWhole: Bool {
    time == nil && event == nil && before == nil && device == nil && tip == nil
  }
}
