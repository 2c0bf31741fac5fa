public import EventLog

/// The differences between two journals.
public struct JournalDifference: Sendable {
  /// The events that only the left journal contains, sorted by device.
  public internal(set) var left: [EventRange] = []
  /// The events that only the right journal contains, sorted by device.
  public internal(set) var right: [EventRange] = []
  /// For each device, the period of its events in ``left``, according to the device's clock.
  public internal(set) var leftTimes: [DeviceID: ClosedRange<Timestamp>] = [:]
  /// For each device, the period of its events in ``right``, according to the device's clock.
  public internal(set) var rightTimes: [DeviceID: ClosedRange<Timestamp>] = [:]
  /// Device IDs under which two copies have written, in both journals taken together.
  ///
  /// Both histories count.
  package internal(set) var forks: [JournalFork] = []
  /// The forks that at least one of the journals doesn't contain by itself.
  package var newForks: [JournalFork] {
    let (left, right) = (Set(leftLedger.forks.map(\.point)), Set(rightLedger.forks.map(\.point)))
    return forks.filter { !left.contains($0.point) || !right.contains($0.point) }
  }
  /// The fields with different values, sorted by entity and name.
  public internal(set) var fields: [Field] = []
  /// The conflicts that merging would raise or extend.
  ///
  /// Neither journal contains these conflicts yet, or merging would add a candidate to them.
  public internal(set) var conflicts: [Conflict] = []
  /// The events of the right journal that the left one would refuse.
  public internal(set) var refused: [SyncReport.Refusal] = []
  /// The names that the devices of both journals gave themselves when they joined.
  public internal(set) var deviceNames: [DeviceID: String] = [:]
  /// For each journal, a warning if the end of its file may be a torn write.
  public internal(set) var warnings: (left: [JournalProblem], right: [JournalProblem]) = ([], [])
  /// The names in each journal that the catalog doesn't declare (`Snapshot.unknownNames`).
  package internal(set) var unknownNames: (left: [String], right: [String]) = ([], [])
  /// The first damage in each file.
  public internal(set) var damage: (left: JournalProblem?, right: JournalProblem?)
  /// The last events of each journal's histories.
  var leftTips: [FullEventID] = []
  var rightTips: [FullEventID] = []
  @Boxed var leftLedger = Ledger()
  @Boxed var rightLedger = Ledger()

  init() {}

  /// A Boolean value that indicates whether both journals contain the same events.
  public var isEmpty: Bool { left.isEmpty && right.isEmpty }

  /// The side whose user was adopted by the other side's user, and that user; nil if neither was.
  package var adopted: (side: Side, user: String)? {
    guard let left = leftLedger.user, let right = rightLedger.user else { return nil }
    if leftLedger.users.adoptedUsers.contains(where: right.hasBytes(of:)) { return (.right, right) }
    if rightLedger.users.adoptedUsers.contains(where: left.hasBytes(of:)) { return (.left, left) }
    return nil
  }

  /// An event's ID for display, with its chain only if one of the journals contains another event
  /// with the same short ID.
  package func id(of event: FullEventID) -> EventID {
    leftLedger.hasNamesake(of: event) || rightLedger.hasNamesake(of: event)
      ? event.id : event.shortID
  }

  /// The side that contains a candidate of ``conflicts``.
  package func side(of event: FullEventID) -> Side {
    switch (leftLedger.holds(event), rightLedger.holds(event)) {
    case (true, true): .both
    case (false, true): .right
    default: .left
    }
  }

  /// A side of the comparison.
  public enum Side: String, Sendable, Hashable {
    /// The left journal, the right journal, or both.
    case left, right, both
  }

  /// A field whose value differs.
  public struct Field: Sendable, Hashable {
    /// The kind of a singleton, `<kind>/<key>` for an entity, or `<kind>/<key>@<date>` for a day.
    public let entity: String
    /// The name of the field, or `presence` if the entity exists on one side only or is deleted on
    /// one side.
    public let field: String
    /// The value on the left, or `nil` if none is shown.
    public let left: JSONValue?
    /// The value on the right, or `nil` if none is shown.
    public let right: JSONValue?

    /// Creates a difference from the values on both sides.
    ///
    /// - Parameters:
    ///   - entity: The kind of a singleton, `<kind>/<key>`, or `<kind>/<key>@<date>`.
    ///   - field: The name of the field.
    ///   - left: The value on the left, or `nil` if none is shown.
    ///   - right: The value on the right, or `nil` if none is shown.
    public init(entity: String, field: String, left: JSONValue?, right: JSONValue?) {
      self.entity = entity
      self.field = field
      self.left = left
      self.right = right
    }
  }
}

extension JournalDifference: CustomStringConvertible {
  /// A summary on one line, such as `2 events only left, 1 event only right`.
  public var description: String {
    if isEmpty { return "the same events" }
    return Summary.line([
      Summary.some(left.saturatingCount, "event", "only left"),
      Summary.some(right.saturatingCount, "event", "only right"),
      Summary.some(fields.count, "different field"), Summary.some(conflicts.count, "conflict"),
      Summary.some(refused.count, "refusal"),
    ])
  }
}
