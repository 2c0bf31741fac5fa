/// The result of a sync, from the point of view of the side that started it.
public struct SyncReport: Sendable {
  /// The events that were received, sorted by device.
  public internal(set) var pulled: [EventRange] = []
  /// The events that the other side has accepted, sorted by device.
  public internal(set) var pushed: [EventRange] = []
  /// The device IDs for which this run has found that two copies wrote under them. Both histories
  /// count.
  package internal(set) var forks: [JournalFork] = []
  /// The events that are still missing here and not acknowledged as lost.
  public internal(set) var missing: [EventRange] = []
  /// The first remaining problem in this journal that is damage, or `nil` if there is none.
  public internal(set) var damage: JournalProblem?
  /// The events that had been missing here and were recovered.
  public internal(set) var refilled: [EventRange] = []
  /// The events that one side has refused.
  ///
  /// All other events were transferred.
  public internal(set) var refused: [Refusal] = []
  /// The events that the other side has announced, but that aren't available there yet, and the
  /// events that depend on them.
  ///
  /// For example, a file in a shared folder is late, incomplete, or damaged. A later sync receives
  /// these events.
  public internal(set) var pending: [EventRange] = []
  /// The events that only the other side has, after a sync that only sends.
  public internal(set) var notPulled: [EventRange] = []
  /// The events that only this side has, after a sync that only receives.
  public internal(set) var notPushed: [EventRange] = []
  /// The conflicts that are new on this side or have a new candidate.
  public package(set) var newConflicts: [Conflict] = []
  /// A Boolean value that indicates whether this journal is missing events of its own device.
  ///
  /// The journal was rolled back, or a copy of it has continued to write. It now continues under a
  /// new device ID.
  public internal(set) var hasDuplicateWriter = false
  /// A Boolean value that indicates whether the other side, a journal, is missing events of its own
  /// device.
  public internal(set) var otherHasDuplicateWriter = false
  /// Messages for the user.
  ///
  /// They report forks, new device IDs and the reasons for them, recovered events, and other
  /// findings and changes on either side.
  public var notices: [String] {
    // The notices about forks cover both copies.
    if !forks.isEmpty { return forks.map(\.sentence) + healingNotices + remarks }
    var notices = duplicateNotice.map { [$0] } ?? []
    if otherHasDuplicateWriter {
      notices.append(
        "The other journal was missing events of its own device (it was rolled back, or a copy of"
          + " it was used), so "
          + (isDryRun
            ? "a sync would make it write under a new device ID."
            : "from now on it writes under a new device ID."))
    }
    return notices + healingNotices + remarks
  }
  private var duplicateNotice: String?
  /// Why events can go in one direction only, or `nil` if they can go in both.
  package internal(set) var oneWay: OneWay?
  /// Whether nothing was changed.
  var isDryRun = false
  /// Messages about recovered events on either side.
  package var healingNotices: [String] = []
  /// Other messages.
  var remarks: [String] = []
  /// The events that both sides had before the sync, and those of this side after it.
  @Boxed var clocks = SyncClocks()

  /// The report without the ledgers of both sides, which are large.
  package var withoutLedgers: SyncReport {
    var report = self
    (report.clocks.before, report.clocks.after) = (Ledger(), Ledger())
    return report
  }

  /// Creates an empty report, to which you can add others.
  public init() {}

  /// Adds the report of a later sync with the same remote.
  ///
  /// - Parameter later: The report of the later sync.
  public mutating func formUnion(_ later: SyncReport) {
    func union(_ left: [EventRange], _ right: [EventRange]) -> [EventRange] {
      Set(left + right).sorted()
    }
    pulled = union(pulled, later.pulled)
    pushed = union(pushed, later.pushed)
    refilled = union(refilled, later.refilled)
    (missing, damage) = (later.missing, later.damage)
    let known = Set(forks)
    forks += later.forks.filter { !known.contains($0) }
    (pending, notPulled, notPushed) = (later.pending, later.notPulled, later.notPushed)
    refused += later.refused.filter { !refused.contains($0) }
    newConflicts += later.newConflicts
    hasDuplicateWriter = hasDuplicateWriter || later.hasDuplicateWriter
    healingNotices += later.healingNotices.filter { !healingNotices.contains($0) }
    remarks += later.remarks.filter { !remarks.contains($0) }
    otherHasDuplicateWriter = otherHasDuplicateWriter || later.otherHasDuplicateWriter
    duplicateNotice = duplicateNotice ?? later.duplicateNotice
  }

  /// Records that this journal's device ID was retired.
  mutating func noteDuplicateWriter(_ reason: String?) {
    hasDuplicateWriter = true
    duplicateNotice = duplicateNotice ?? reason
  }

  /// The number of events that were received.
  public var pulledCount: Int64 { pulled.saturatingCount }
  /// The number of events that were sent.
  public var pushedCount: Int64 { pushed.saturatingCount }

  /// An event's ID for display, with its chain only if this journal contains another event with the
  /// same short ID.
  package func id(of event: FullEventID) -> EventID {
    clocks.after.shownID(of: event)
  }

  /// The side that had an event before the sync.
  package func side(of event: FullEventID) -> Side {
    wasThere(event) ? (wasHere(event) ? .both : .theirs) : .ours
  }

  /// Whether this side had the event before.
  package func wasHere(_ event: FullEventID) -> Bool { clocks.before.holds(event) }

  /// Whether the other side had the event before.
  package func wasThere(_ event: FullEventID) -> Bool { clocks.wasThere(event) }

  /// A Boolean value that indicates whether the other side contained any events before the sync.
  public var otherHeldEvents: Bool { !clocks.theirs.isEmpty }

  /// The only direction in which events go.
  package struct OneWay: Sendable, Hashable {
    package let direction: ReplicationPlan.Directions
    /// The adopted user, whose side only sends. Nil if the sync was asked to send only.
    package let adopted: String?
  }

  /// A side of a sync.
  public enum Side: String, Sendable, Hashable {
    /// The side that started the sync, the other side, or both.
    case ours, theirs, both
  }

  /// Events that were refused: the first one of a device, and those that depend on it.
  public struct Refusal: Sendable, Hashable {
    /// The device that wrote the event, or `nil` if the line isn't an event.
    public let device: DeviceID?
    /// The sequence number of the first event of the device that was refused.
    public let sequence: Int64?
    /// The reason for the refusal.
    public let code: JournalProblem.Code
    /// The side that refused the event.
    public let by: Side

    init(device: DeviceID?, sequence: Int64?, code: JournalProblem.Code, by: Side) {
      self.device = device
      self.sequence = sequence
      self.code = code
      self.by = by
    }

    /// A description of the reason.
    public var reason: String {
      let what =
        device.map { device in sequence.map { "\(device):\($0)" } ?? device.text } ?? "A line"
      return "\(what) \(code.refusalClause)"
    }

    /// A description of the reason and its effect on the data.
    public var message: String {
      let whose = by == .ours ? "this journal" : "the other side"
      return "\(reason), so \(whose) refused it and all that depends on it."
    }
  }
}

extension JournalProblem.Code {
  /// The reason for a refusal, as part of a sentence about the event.
  fileprivate var refusalClause: String {
    switch self {
    case .line: "is not a valid event"
    case .gap: "depends on an event that is missing"
    case .notJoined: "comes from a device that never joined"
    case .otherUser: "belongs to another user"
    case .unnamedErasure: "was erased, but no event says so"
    case .otherThanStated: "is not what its sender announced"
    case .doubtfulTail, .cutOff, .note: "is out of place"
    }
  }
}
