/// A part of a journal that represents a past state.
///
/// A cut contains only the events that meet all of its conditions. If an event or a device had seen
/// one event of a batch, it had seen the whole batch; a time can split a batch. Causality is
/// determined from the whole journal, so a cut never changes which events are concurrent. The
/// events it leaves out don't count as missing.
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
  /// Limits the cut to these events and all events that any of them had seen.
  package var frontier: VectorClock?
  /// Limits the cut to the events of one device, without the events that these had seen.
  package var writer: DeviceID?

  /// Creates a cut that contains all events.
  ///
  /// Set its properties to combine conditions.
  public init() {}

  /// Creates a cut with the events up to a time, whatever they had seen.
  ///
  /// - Parameter time: The latest `at` of the events.
  public init(time: Timestamp) { self.time = time }

  /// Creates a cut with an event and the events that it had seen.
  ///
  /// - Parameter event: The event.
  public init(event: EventID) { self.event = event }

  /// Creates a cut with the events that an event had seen, without the event itself.
  ///
  /// - Parameter before: The event.
  public init(before: EventID) { self.before = before }

  /// Creates a cut with what a device knew when it wrote its last event.
  ///
  /// - Parameter device: The device.
  public init(device: DeviceID) { self.device = device }

  /// Creates a cut with one history, up to an event.
  package init(tip: FullEventID) { self.tip = tip }

  /// Creates a cut with some events and all events that any of them had seen.
  package init(frontier: VectorClock) { self.frontier = frontier }

  /// Creates a cut with the events that one device wrote.
  package init(writer: DeviceID) { self.writer = writer }

  /// A Boolean value that indicates whether the cut contains all events.
  public var isWhole: Bool {
    time == nil && event == nil && before == nil && device == nil && tip == nil
      && frontier == nil && writer == nil
  }
}
