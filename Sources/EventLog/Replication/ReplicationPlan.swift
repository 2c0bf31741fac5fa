/// What a replication is going to do: a pure value, made from what both sides state.
public struct ReplicationPlan: Sendable, Hashable {
  /// What is to be taken from the other side, by device.
  public internal(set) var pulls: [EventRange] = []
  /// What is to be given to it, by device.
  public internal(set) var pushes: [EventRange] = []
  /// What would be taken too, if events might come from the other side.
  public internal(set) var notPulled: [EventRange] = []
  /// What would be given too, if events might go to the other side.
  public internal(set) var notPushed: [EventRange] = []

  /// Whether there is nothing to do.
  public var isEmpty: Bool { pulls.isEmpty && pushes.isEmpty }

  /// Which ways events may go.
  public struct Directions: OptionSet, Sendable, Hashable {
    /// One bit for each way.
    public let rawValue: Int
    /// The ways of some bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Events come from the other side.
    public static let pull = Directions(rawValue: 1)
    /// Events go to the other side.
    public static let push = Directions(rawValue: 2)
    /// Both.
    public static let both: Directions = [.pull, .push]
  }

  init() {}

  /// - Parameters:
  ///   - ours: what this side holds.
  ///   - theirs: what the other side states.
  ///   - found: what was found out about the two.
  package init(
    ours: Ledger, theirs: FrontierStatement, _ found: PartingSearch.Result,
    _ directions: Directions = .both
  ) {
    if directions.contains(.pull) { pulls = found.wanted } else { notPulled = found.wanted }
    let lacking = Self.lacking(of: theirs, found, ours)
    if directions.contains(.push) { pushes = lacking } else { notPushed = lacking }
  }

  /// What the other side lacks of what this side holds.
  private static func lacking(
    of theirs: FrontierStatement, _ found: PartingSearch.Result, _ ours: Ledger
  ) -> [EventRange] {
    let shared = found.shared.union(theirs.tips).compactMap { ours.locate($0) }
      .filter(ours.isHeld)
    var pushes = Set(found.given)
    for (end, known) in ours.runEnds(with: shared) {
      let first = known.map { $0 + 1 } ?? ours.runStart(of: end)
      if first <= end.sequence { pushes.insert(EventRange(from: first, to: ours.fullID(end))) }
    }
    return pushes.sorted()
  }
}

extension ReplicationPlan: CustomStringConvertible {
  /// A line for each range; `nothing to do` for none of them.
  public var description: String {
    if isEmpty { return "nothing to do" }
    return (pulls.map { "pull \($0)" } + pushes.map { "push \($0)" }).joined(separator: "\n")
  }
}
