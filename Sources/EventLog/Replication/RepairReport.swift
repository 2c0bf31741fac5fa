/// What a repair of a journal did, and what it could not do.
public struct RepairReport: Sendable {
  /// Events that had been missing or damaged and are here now, by device.
  public internal(set) var refilled: [EventRange] = []
  /// Further events that came, by device.
  public internal(set) var pulled: [EventRange] = []
  /// Events that are now written under other IDs.
  public internal(set) var reissued: [Move] = []
  /// How many lines stood behind their place, or a second time, and were put in order.
  public internal(set) var reorderedCount = 0
  /// Events that nobody has given back and that were given up, as far as can be told, by device.
  public internal(set) var lost: [EventRange] = []
  /// The files that hold what was taken out of the journal.
  public internal(set) var quarantined: [String] = []
  /// Forks that are still there.
  public internal(set) var forks: [Fork] = []
  /// What the other side had and this one did not take.
  public internal(set) var refused: [SyncReport.Refusal] = []
  /// What the person whose journal it is should know: why it goes on under a fresh device ID.
  public internal(set) var notices: [String] = []
  /// The first damage that is left; nil for none.
  public internal(set) var damage: JournalProblem?

  /// Whether nothing is left to repair, as far as this journal and the other one know.
  public var isWhole: Bool { forks.isEmpty && refused.isEmpty && damage == nil }

  /// Whether nothing was changed.
  public var isEmpty: Bool {
    refilled.isEmpty && pulled.isEmpty && reissued.isEmpty && lost.isEmpty && quarantined.isEmpty
      && reorderedCount == 0
  }

  /// Events that were written again.
  public struct Move: Sendable, Hashable {
    /// Under which IDs they had been written.
    public let from: EventRange
    /// Under which IDs they are now.
    public let to: EventRange
  }

  /// A fork that could not be settled here.
  public struct Fork: Sendable, Hashable {
    /// The first event about which the two sides differ.
    public let event: EventID
    public let reason: Reason

    /// Why it is still there.
    public enum Reason: String, Sendable, Hashable {
      /// The branch of this journal keeps the ID: the other side gives its own one another.
      case keepsID
      /// The other side gave this journal's branch no place to be compared with: its first event is
      /// missing or damaged there.
      case unreadable
      /// This journal's branch gives way, and events are missing in it: they have to be refilled,
      /// or given up, before it can be written again.
      case incomplete
    }
  }

  public init() {}

  mutating func add(_ outcome: RewriteOutcome) {
    refilled += outcome.refilled.ranges
    reissued += outcome.moves.map { Move(from: $0.from, to: $0.to) }
    quarantined += outcome.quarantined
    reorderedCount += outcome.reorderedCount
  }
}
