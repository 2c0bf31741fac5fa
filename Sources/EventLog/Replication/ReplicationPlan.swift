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
    public let rawValue: Int
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
  ///   - partings: for each tip of theirs that this side does not hold, the last event before it
  ///     that this side holds; nil where there is none.
  ///   - refills: what this side lacks and the other one holds, behind which this side goes on.
  package init(
    ours: Ledger, theirs: FrontierStatement, partings: [FullEventID: FullEventID?],
    refills: [EventRange] = [], _ directions: Directions = .both
  ) {
    let wanted =
      (partings.map { EventRange(from: ($0.value?.sequence ?? 0) + 1, to: $0.key) }
      + refills).sorted()
    if directions.contains(.pull) { pulls = wanted } else { notPulled = wanted }
    let lacking = Self.lacking(of: theirs, partings, ours)
    if directions.contains(.push) { pushes = lacking } else { notPushed = lacking }
  }

  /// What the other side lacks of what this side holds.
  private static func lacking(
    of theirs: FrontierStatement, _ partings: [FullEventID: FullEventID?], _ ours: Ledger
  ) -> [EventRange] {
    // The last events of which both sides hold the history.
    let shared = (theirs.tips + partings.values.compactMap(\.self)).compactMap { ours.locate($0) }
    var pushes: Set<EventRange> = []
    for tip in ours.tips {
      let device = ours.branches[Int(tip.branch)].device
      let known =
        shared.filter { ours.branches[Int($0.branch)].device == device }
        .compactMap { ours.common($0, tip)?.sequence }.max() ?? 0
      if known < tip.sequence { pushes.insert(EventRange(from: known + 1, to: ours.fullID(tip))) }
    }
    for gap in theirs.missing where ours.holds(gap.end) { pushes.insert(gap) }
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
