/// What two journals do not have in common.
public struct JournalDifference: Sendable {
  /// The events that only the left journal holds, by device.
  public internal(set) var left: [EventRange] = []
  /// The events that only the right journal holds, by device.
  public internal(set) var right: [EventRange] = []
  /// From when to when the events of ``left`` are, by their writers' clocks.
  public internal(set) var leftTimes: [DeviceID: ClosedRange<Timestamp>] = [:]
  /// From when to when the events of ``right`` are, by their writers' clocks.
  public internal(set) var rightTimes: [DeviceID: ClosedRange<Timestamp>] = [:]
  /// Device IDs under which two copies have written, once both journals are taken together; both
  /// histories count.
  package internal(set) var forks: [JournalFork] = []
  /// Those of them that not both journals know by themselves.
  package var newForks: [JournalFork] {
    let (left, right) = (Set(leftLedger.forks.map(\.place)), Set(rightLedger.forks.map(\.place)))
    return forks.filter { !left.contains($0.place) || !right.contains($0.place) }
  }
  /// The fields that do not show the same, by place and name.
  public internal(set) var fields: [Field] = []
  /// The conflicts that merging would raise and that neither journal has, and those that it would
  /// give a further candidate.
  public internal(set) var conflicts: [Conflict] = []
  /// What the left journal would not take of the right one.
  public internal(set) var refused: [SyncReport.Refusal] = []
  /// Devices of either side, with the names they joined with.
  public internal(set) var deviceNames: [DeviceID: String] = [:]
  /// Doubtful ends of the files, by side.
  public internal(set) var warnings: (left: [JournalProblem], right: [JournalProblem]) = ([], [])
  /// The first damage of each file.
  public internal(set) var damage: (left: JournalProblem?, right: JournalProblem?)
  /// The tips of each journal.
  var leftTips: [FullEventID] = []
  var rightTips: [FullEventID] = []
  var leftLedger = Ledger()
  var rightLedger = Ledger()

  init() {}

  /// Whether both hold the same events.
  public var isEmpty: Bool { left.isEmpty && right.isEmpty }

  /// An event's ID as it is shown: with its chain only where one of the journals holds another
  /// event under the short one.
  package func id(of event: FullEventID) -> EventID {
    leftLedger.hasNamesake(of: event) || rightLedger.hasNamesake(of: event)
      ? event.id : event.shortID
  }

  /// On which side a candidate of ``conflicts`` stands.
  package func side(of event: FullEventID) -> Side {
    switch (leftLedger.holds(event), rightLedger.holds(event)) {
    case (true, true): .both
    case (false, true): .right
    default: .left
    }
  }

  /// One of two journals that are compared.
  public enum Side: String, Sendable, Hashable {
    case left, right, both
  }

  /// A field that does not show the same.
  public struct Field: Sendable, Hashable {
    /// The kind of a singleton, `<kind>/<key>`, or for a day `<kind>/<key>@<date>`.
    public let entity: String
    /// The field's name; `presence` where the entity is there on one side only, or deleted on one.
    public let field: String
    /// What shows on the left; nil where nothing does.
    public let left: JSONValue?
    /// What shows on the right; nil where nothing does.
    public let right: JSONValue?

    /// A field, with what shows on either side.
    public init(entity: String, field: String, left: JSONValue?, right: JSONValue?) {
      self.entity = entity
      self.field = field
      self.left = left
      self.right = right
    }
  }
}
