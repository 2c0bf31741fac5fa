/// A set of histories, each up to some event.
///
/// The clock of an event contains all events that its writer had seen, and the event itself. The
/// frontier of a journal is the clock that its next event will have.
///
/// See Fidge, "Timestamps in Message-Passing Systems That Preserve the Partial Ordering", 1988, and
/// Mattern, "Virtual Time and Global States of Distributed Systems", 1989. As in version control,
/// events are identified by their history instead of by a number.
public struct VectorClock: Sendable, Hashable {
  /// The last event of each history, sorted. None of them is in the history of another.
  package let tips: [FullEventID]

  /// Creates an empty clock.
  public init() { tips = [] }

  package init(_ tips: [FullEventID]) { self.tips = tips.sorted() }

  /// A Boolean value that indicates whether the clock contains no events.
  public var isEmpty: Bool { tips.isEmpty }

  /// The tips of a device: one, or several after a fork.
  ///
  /// - Complexity: O(log *n* + *m*), where *n* is the number of all tips, and *m* of those
  ///   returned.
  package subscript(device: DeviceID) -> [FullEventID] {
    let start = tips.partitioningIndex { $0.device >= device }
    return Array(tips[start...].prefix { $0.device == device })
  }
}
