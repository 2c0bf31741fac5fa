/// What a replication did, as the side sees it that it was started on.
public struct SyncReport: Sendable {
  /// The events taken from the other side, by device.
  public internal(set) var pulled: [EventRange] = []
  /// The events that the other side took, by device.
  public internal(set) var pushed: [EventRange] = []
  /// Device IDs of which this run has found that two copies have written under them: both histories
  /// count.
  package internal(set) var forks: [JournalFork] = []
  /// What is still missing here, and nobody has acknowledged to be lost.
  public internal(set) var missing: [EventRange] = []
  /// The first damage that is left in this journal; nil for none.
  public internal(set) var damage: JournalProblem?
  /// What had been missing here and came back.
  public internal(set) var refilled: [EventRange] = []
  /// What one of the sides would not take, or could not; all else was taken.
  public internal(set) var refused: [Refusal] = []
  /// What the other side announces, and this side neither holds nor could take, because it is not
  /// there yet: a file that is late, cut off or damaged; and what needs it. A later run takes it.
  public internal(set) var pending: [EventRange] = []
  /// What the other side has more, in a run that only gives.
  public internal(set) var notPulled: [EventRange] = []
  /// What this side has more, in a run that only takes.
  public internal(set) var notPushed: [EventRange] = []
  /// The conflicts that this side has now and did not have before, and those that have got a
  /// further candidate.
  public internal(set) var newConflicts: [Conflict] = []
  /// Whether this journal was found to lack events of its own device: it was rolled back, or a copy
  /// of it has gone on under its ID. It then goes on under a fresh one.
  public internal(set) var hasDuplicateWriter = false
  /// Whether that was found of the other side, where that is a journal.
  public internal(set) var otherHasDuplicateWriter = false
  /// Sentences for the person whose journal it is: what forks were found, or else that it goes on
  /// under a fresh device ID, and why, or that the other side does; what was missing and came back;
  /// what else was found and done on either side, as a doubtful end that was put aside.
  public var notices: [String] {
    // A fork says the same of both copies.
    if !forks.isEmpty { return forks.map(\.sentence) + healingNotices + remarks }
    var notices = duplicateNotice.map { [$0] } ?? []
    if otherHasDuplicateWriter {
      notices.append(
        "The other journal lacked events of its own device (it was rolled back, or a copy of it"
          + " went"
          + " on), so "
          + (isDryRun
            ? "a sync would have it write under a fresh device ID from then on."
            : "from now on it writes under a fresh device ID."))
    }
    return notices + healingNotices + remarks
  }
  private var duplicateNotice: String?
  /// Whether nothing of it was done.
  var isDryRun = false
  /// What was missing on either side and came back.
  var healingNotices: [String] = []
  /// What there is to say besides.
  var remarks: [String] = []
  /// What both sides held before.
  var clocks = SyncClocks()

  /// A report of nothing yet.
  public init() {}

  /// Adds what a further run with the same remote did.
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

  /// Takes note that the own ID is given up.
  mutating func noteDuplicateWriter(_ reason: String?) {
    hasDuplicateWriter = true
    duplicateNotice = duplicateNotice ?? reason
  }

  /// How many events came.
  public var pulledCount: Int64 { pulled.saturatingCount }
  /// How many events went.
  public var pushedCount: Int64 { pushed.saturatingCount }

  /// An event's ID as it is shown: with its chain only where this journal holds another event under
  /// the short one.
  package func id(of event: FullEventID) -> EventID {
    clocks.after.shownID(of: event)
  }

  /// Where an event stood before the two sides synced.
  package func side(of event: FullEventID) -> Side {
    wasThere(event) ? (wasHere(event) ? .both : .theirs) : .ours
  }

  /// Whether this side held the event before.
  package func wasHere(_ event: FullEventID) -> Bool { clocks.before.holds(event) }

  /// Whether the other side held the event before.
  package func wasThere(_ event: FullEventID) -> Bool { clocks.wasThere(event) }

  /// Whether the other side held any event before.
  public var otherHeldEvents: Bool { !clocks.theirs.isEmpty }

  /// One of the two that synced, or both.
  public enum Side: String, Sendable, Hashable {
    case ours, theirs, both
  }

  /// Events that did not cross: one, and what needs it.
  public struct Refusal: Sendable, Hashable {
    /// Whose event; nil for a line that is no event.
    public let device: DeviceID?
    /// The first event of the device that did not cross.
    public let sequence: Int64?
    /// Why it was not taken.
    public let code: JournalProblem.Code
    /// Which side would not take it.
    public let by: Side

    init(device: DeviceID?, sequence: Int64?, code: JournalProblem.Code, by: Side) {
      self.device = device
      self.sequence = sequence
      self.code = code
      self.by = by
    }

    /// Why the event is not taken.
    public var reason: String {
      let what =
        device.map { device in sequence.map { "\(device):\($0)" } ?? device.text } ?? "A line"
      return "\(what) \(code.refusalClause)"
    }

    /// What happened and what it means for the data.
    public var message: String {
      let whose = by == .ours ? "this journal" : "the other side"
      return "\(reason), so \(whose) took neither it nor what needs it."
    }
  }
}

/// What both sides of a run held before it.
struct SyncClocks: Sendable {
  var before = Ledger()
  var after = Ledger()
  var theirs: [FullEventID] = []

  func wasThere(_ event: FullEventID) -> Bool {
    guard let point = after.locate(event) else { return false }
    return theirs.contains { tip in
      after.locate(tip).map { after.isInHistory(point, of: $0) } ?? false
    }
  }
}

extension JournalProblem.Code {
  /// Why an event is not taken, for a sentence about it.
  fileprivate var refusalClause: String {
    switch self {
    case .line: "is no sound event"
    case .gap: "needs an event that is not held and did not come before it"
    case .notJoined: "comes of a device that never joined"
    case .otherUser: "belongs to another user"
    case .otherThanStated: "is not what its sender had stated"
    case .doubtfulTail, .note: "is out of place"
    }
  }
}
