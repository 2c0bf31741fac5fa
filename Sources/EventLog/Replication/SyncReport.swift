/// What a replication did, as the side sees it that it was started on.
public struct SyncReport: Sendable {
  /// The events taken from the other side, by device.
  public internal(set) var pulled: [EventRange] = []
  /// The events that the other side took, by device.
  public internal(set) var pushed: [EventRange] = []
  /// Per device with a fork the first event about which the sides differ: two events have that ID.
  /// From there on nothing of the device crossed, and nothing that has seen it.
  public internal(set) var forks: [EventID] = []
  /// What one of the sides would not take, or could not; all else was taken.
  public internal(set) var refused: [Refusal] = []
  /// What the other side announces, and this side neither holds nor could take, because it is not
  /// there yet: a file that is late, cut off or damaged; and what has seen it. A later run takes
  /// it.
  public internal(set) var pending: [EventRange] = []
  /// What the other side has more, in a run that only gives.
  public internal(set) var notPulled: [EventRange] = []
  /// What this side has more, in a run that only takes.
  public internal(set) var notPushed: [EventRange] = []
  /// The conflicts that this side has now and did not have before, and those that have got a
  /// further candidate.
  public internal(set) var newConflicts: [Conflict] = []
  /// Whether this journal was found to lack events of its own device, or to hold others than the
  /// other side: it was rolled back, or a copy of it has gone on under its ID. It then goes on
  /// under a fresh one.
  public internal(set) var hasTwin = false
  /// Whether that was found of the other side, where that is a journal.
  public internal(set) var otherHasTwin = false
  /// Sentences for the person whose journal it is: that it goes on under a fresh device ID, and
  /// why; that the other side does; what else was found and done on either side, as a doubtful end
  /// that was put aside.
  public var notices: [String] {
    var notices = twinNotice.map { [$0] } ?? []
    if otherHasTwin {
      notices.append(
        "The other journal lacked events of its own device, or holds others than this one (it was"
          + " rolled back, or a copy of it went on), so "
          + (isRehearsal
            ? "a sync would have it write under a fresh device ID from then on."
            : "from now on it writes under a fresh device ID."))
    }
    return notices + remarks
  }
  private var twinNotice: String?
  /// Whether nothing of it was done.
  var isRehearsal = false
  /// What there is to say besides.
  var remarks: [String] = []
  /// What this side held before.
  public internal(set) var ours = VectorClock()
  /// What the other side held before.
  public internal(set) var theirs = VectorClock()

  /// A report of nothing yet.
  public init() {}

  /// Adds what a further run with the same remote did.
  public mutating func formUnion(_ later: SyncReport) {
    func union(_ left: [EventRange], _ right: [EventRange]) -> [EventRange] {
      var all = EventRanges()
      for range in left + right { all.insert(range) }
      return all.ranges
    }
    pulled = union(pulled, later.pulled)
    pushed = union(pushed, later.pushed)
    forks = later.forks
    (pending, notPulled, notPushed) = (later.pending, later.notPulled, later.notPushed)
    refused += later.refused.filter { !refused.contains($0) }
    newConflicts += later.newConflicts
    hasTwin = hasTwin || later.hasTwin
    remarks += later.remarks.filter { !remarks.contains($0) }
    otherHasTwin = otherHasTwin || later.otherHasTwin
    twinNotice = twinNotice ?? later.twinNotice
  }

  /// Takes note that the own ID is given up.
  mutating func noteTwin(_ reason: String?) {
    hasTwin = true
    twinNotice = twinNotice ?? reason
  }

  /// How many events came.
  public var pulledCount: Int64 { pulled.saturatingCount }
  /// How many events went.
  public var pushedCount: Int64 { pushed.saturatingCount }

  /// Where an event stood before the two sides met.
  public func side(of event: EventID) -> Side {
    switch (ours.contains(event), theirs.contains(event)) {
    case (true, true): .both
    case (false, true): .theirs
    default: .ours
    }
  }

  /// One of the two that met, or both.
  public enum Side: String, Sendable, Hashable {
    case ours, theirs, both
  }

  /// Events that did not cross: one, and what follows from it.
  public struct Refusal: Sendable, Hashable {
    /// Whose event; nil for a line that is no event.
    public let device: DeviceID?
    /// The first event of the device that did not cross.
    public let sequence: Int64?
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
      return "\(reason), so \(whose) took neither it nor what follows from it."
    }
  }
}

extension JournalProblem.Code {
  /// Why an event is not taken, for a sentence about it.
  fileprivate var refusalClause: String {
    switch self {
    case .line: "is no sound event"
    case .gap: "comes after an event that is missing or damaged"
    case .chainMismatch: "does not continue the events before it"
    case .unseenEvent: "has seen an event that did not come before it"
    case .staleSeen: "states what it had stated before"
    case .notJoined: "comes of a device that never joined"
    case .otherUser: "belongs to another user"
    case .otherThanStated: "is not what its sender had stated"
    case .fork: "has seen a fork, or is one side of it"
    case .outOfOrder, .repeatedLine, .doubtfulTail, .note: "is out of place"
    }
  }
}
