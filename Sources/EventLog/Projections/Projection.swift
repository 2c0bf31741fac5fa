/// A fold of an app's own over the events of a journal.
///
/// Pass its type when the store is opened: the store applies every event once, in an order that
/// respects causality, keeps the state in each ``Snapshot`` and in a checkpoint. Two devices may
/// see concurrent events in different orders; a projection that is to be the same on both has to
/// give the same state for every such order.
///
/// ```swift
/// struct EventsPerType: Projection {
///   static let name = "events-per-type"
///   static let version = 1
///   var counts: [String: Int] = [:]
///   mutating func apply(_ event: Event) { counts[event.type, default: 0] += 1 }
/// }
/// ```
public protocol Projection: Codable, Sendable {
  /// Names its checkpoint: 1–64 of `a–z 0–9 -`.
  static var name: String { get }
  /// To be changed with ``apply(_:)`` or with the stored form; a checkpoint of another version is
  /// not used.
  static var version: Int { get }

  /// The state before the first event.
  init()

  /// Takes one event into account. It must not fail, and depend on nothing but the state and the
  /// event: events of unknown types and of any content come too.
  mutating func apply(_ event: Event)
}
