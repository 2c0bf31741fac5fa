/// A set of histories, each up to some event.
///
/// An event's clock is all that its writer held, and the event itself. The frontier of a journal is
/// the clock that its next event will have.
///
/// Fidge, "Timestamps in Message-Passing Systems That Preserve the Partial Ordering", 1988;
/// Mattern, "Virtual Time and Global States of Distributed Systems", 1989. Naming an event by what
/// led to it, instead of by a number, is as in version control.
public struct VectorClock: Sendable, Hashable {
  /// The last event of each history: sorted, none of them in the history of another one.
  package let tips: [FullEventID]

  /// A clock that holds nothing.
  public init() { tips = [] }

  package init(_ tips: [FullEventID]) { self.tips = tips.sorted() }

  /// Whether it holds nothing.
  public var isEmpty: Bool { tips.isEmpty }

  /// The tips of a device: one, or several after a fork.
  ///
  /// - Complexity: O(log tips), and what is returned.
  package subscript(device: DeviceID) -> [FullEventID] {
    let start = tips.partitioningIndex { $0.device >= device }
    return Array(tips[start...].prefix { $0.device == device })
  }
}
