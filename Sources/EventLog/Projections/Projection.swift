/// A state that your app computes from all events of a journal.
///
/// Pass your type when you open a store. The store applies every event once, in an order that
/// respects causality. It keeps the state in each ``Snapshot`` and in its checkpoint.
///
/// ```swift
/// struct EventsPerType: Projection {
///   static let name = "events-per-type"
///   static let version = 1
///   var counts: [String: Int] = [:]
///   mutating func apply(_ event: Event) { counts[event.type, default: 0] += 1 }
/// }
/// ```
///
/// Two devices can receive concurrent events in different orders. For the devices to converge, your
/// projection must compute the same state for every such order.
public protocol Projection: Codable, Sendable {
  /// The name of the projection's checkpoint: 1–64 of the characters `a–z 0–9 -`.
  static var name: String { get }
  /// The version of the projection.
  ///
  /// Change the version whenever you change ``apply(_:)`` or the encoded form. The store ignores a
  /// checkpoint of another version.
  static var version: Int { get }

  /// Creates the state before the first event.
  init()

  /// Updates the state for an event.
  ///
  /// This method must not fail, and it must depend only on the state and the event. It also
  /// receives events of unknown types and with unexpected data.
  ///
  /// - Parameter event: The next event.
  mutating func apply(_ event: Event)
}
