/// What one side of a replication says it holds: whose events, and up to where of each device.
public struct FrontierStatement: Sendable, Hashable {
  /// Whose events they are; nil where there are none yet.
  public var user: String?
  /// Users whose devices were taken over by `user.adopted`.
  public var adoptedUsers: [String]
  /// Per device the end of what is held without a gap, from its first event on.
  public var frontier: [DeviceID: HistoryPoint]
  /// The devices that carry events which were issued again, by device.
  public var reissues: [Reissue]
  /// What several writers of one place state, each for itself; empty where one speaks for all.
  ///
  /// Where two of them differ about a device, that device has a fork.
  public var claims: [[DeviceID: HistoryPoint]]

  /// What is held too, but behind an event that is missing or damaged: it cannot cross.
  public var stranded: [EventRange]
  /// What is announced there, or has been put there, and cannot be read yet, as far as the visitor
  /// does not hold it: it is late, was cut off, or is damaged.
  public var pending: [EventRange] = []
  /// Of what is held and not given, because it is one side of a fork, the event where this begins;
  /// by writer.
  public var withheld: [[DeviceID: HistoryPoint]] = []
  /// What is said besides of events that are not there, or cannot be compared yet: no event is
  /// taken or given because of it, but whoever finds events of its own device in it that it does
  /// not hold gives that ID up.
  public var hearsay: [[DeviceID: HistoryPoint]] = []
  /// Whether this side, a journal, was just found to lack events of its own device that the visitor
  /// holds, or to hold others: it then goes on under a fresh ID.
  public var hasTwin = false

  public init(
    user: String? = nil, adoptedUsers: [String] = [],
    frontier: [DeviceID: HistoryPoint] = [:], claims: [[DeviceID: HistoryPoint]] = [],
    stranded: [EventRange] = [], reissues: [Reissue] = []
  ) {
    self.user = user
    self.adoptedUsers = adoptedUsers
    self.frontier = frontier
    self.reissues = reissues
    self.claims = claims
    self.stranded = stranded
  }

  /// Whether nothing is there, and nothing is to come.
  var isEmpty: Bool { user == nil && frontier.isEmpty && stranded.isEmpty && pending.isEmpty }

  /// The frontier as a vector clock.
  public var clock: VectorClock { VectorClock(frontier.map { ($0.key, $0.value.sequence) }) }
}
