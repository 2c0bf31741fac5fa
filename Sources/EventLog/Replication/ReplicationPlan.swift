/// The events that a replication is going to transfer.
public struct ReplicationPlan: Sendable, Hashable {
  /// The events to receive, sorted by device.
  public internal(set) var pulls: [EventRange] = []
  /// The events to send, sorted by device.
  public internal(set) var pushes: [EventRange] = []
  /// The events that only a run in both directions would receive.
  public internal(set) var notPulled: [EventRange] = []
  /// The events that only a run in both directions would send.
  public internal(set) var notPushed: [EventRange] = []

  /// A Boolean value that indicates whether there is nothing to transfer.
  public var isEmpty: Bool { pulls.isEmpty && pushes.isEmpty }

  /// The directions in which events are transferred.
  public struct Directions: OptionSet, Sendable, Hashable {
    /// The bits of the directions.
    public let rawValue: Int
    /// Creates a set of directions from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Receive events from the other side.
    public static let pull = Directions(rawValue: 1)
    /// Send events to the other side.
    public static let push = Directions(rawValue: 2)
    /// Receive and send events.
    public static let both: Directions = [.pull, .push]
  }

  init() {}

  /// Creates the plan of a run.
  ///
  /// - Parameters:
  ///   - ours: The events of this side.
  ///   - theirs: The statement of the other side.
  ///   - found: The result of comparing the two.
  ///   - directions: The directions of the run.
  package init(
    ours: Ledger, theirs: FrontierStatement, _ found: DivergenceSearch.Result,
    _ directions: Directions = .both
  ) {
    if directions.contains(.pull) { pulls = found.wanted } else { notPulled = found.wanted }
    let lacking = Self.lacking(of: theirs, found, ours)
    if directions.contains(.push) { pushes = lacking } else { notPushed = lacking }
  }

  /// The events of this side that the other side is missing.
  private static func lacking(
    of theirs: FrontierStatement, _ found: DivergenceSearch.Result, _ ours: Ledger
  ) -> [EventRange] {
    let shared = found.shared.union(theirs.tips).compactMap { ours.locate($0) }
      .filter(ours.isHeld)
    var pushes = Set(found.theirRefills)
    for (end, known) in ours.runEnds(with: shared) {
      let first = known.map { $0 + 1 } ?? ours.runStart(of: end)
      if first <= end.sequence { pushes.insert(EventRange(from: first, to: ours.fullID(end))) }
    }
    return pushes.sorted()
  }
}

extension ReplicationPlan: CustomStringConvertible {
  /// One line for each range, or `nothing to do`.
  public var description: String {
    if isEmpty { return "nothing to do" }
    return (pulls.map { "pull \($0)" } + pushes.map { "push \($0)" }).joined(separator: "\n")
  }
}
