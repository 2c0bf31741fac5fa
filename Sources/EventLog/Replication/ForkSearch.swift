/// Finds where two histories of one device part, by asking about one event after the other.
///
/// Two histories that agree about an event agree about all before it, because the checksum
/// continues theirs; so one comparison tells whether they part at all, and a search by halves finds
/// the place. What a side cannot tell counts as different: then less crosses than could.
struct ForkSearch {
  /// The event about which both sides are to be asked next; nil when the search is over.
  private(set) var question: EventID?
  /// The first event about which they differ; nil where the shorter one is a beginning of the
  /// longer one. To be looked at when the search is over.
  var firstDifference: Int64? { agreed < shared ? high : nil }

  /// Whether both sides have answered all that was asked: else the first difference is at the one
  /// found, or somewhere behind it.
  private(set) var isLocated = true

  private let device: DeviceID
  private let ours: HistoryPoint
  private let theirs: HistoryPoint
  /// The end of the shorter one.
  private let shared: Int64
  /// They agree up to here.
  private var agreed: Int64 = 0
  /// They differ here, unless nothing was asked yet.
  private var high: Int64

  /// - Complexity: one question where they agree, else O(log sequences).
  init(of device: DeviceID, _ ours: HistoryPoint, _ theirs: HistoryPoint) {
    self.device = device
    self.ours = ours
    self.theirs = theirs
    shared = min(ours.sequence, theirs.sequence)
    high = shared
    question = EventID(device: device, sequence: shared)
  }

  /// What need not be asked: the ends that were stated.
  func knownOfOurs(_ event: EventID) -> LineChecksum? {
    event.sequence == ours.sequence ? ours.checksum : nil
  }

  /// The same of the other side.
  func knownOfTheirs(_ event: EventID) -> LineChecksum? {
    event.sequence == theirs.sequence ? theirs.checksum : nil
  }

  /// Takes the answers to ``question``.
  mutating func answer(_ ours: LineChecksum?, _ theirs: LineChecksum?) {
    guard let sequence = question?.sequence else { return }
    if ours == nil || theirs == nil { isLocated = false }
    if ours != nil, ours == theirs { agreed = sequence } else { high = sequence }
    question = nil
    if agreed < shared, agreed + 1 < high {
      question = EventID(device: device, sequence: agreed + (high - agreed) / 2)
    }
  }

  /// Searches with sides that are asked by waiting.
  static func firstDifference(
    of device: DeviceID, _ ours: HistoryPoint, _ theirs: HistoryPoint,
    ourLookup: (EventID) async throws(EventLogError) -> LineChecksum?,
    theirLookup: (EventID) async throws(EventLogError) -> LineChecksum?
  ) async throws(EventLogError) -> Int64? {
    var search = ForkSearch(of: device, ours, theirs)
    while let event = search.question {
      var here = search.knownOfOurs(event)
      if here == nil { here = try await ourLookup(event) }
      var there = search.knownOfTheirs(event)
      if there == nil { there = try await theirLookup(event) }
      search.answer(here, there)
    }
    return search.firstDifference
  }

  /// Searches with sides that answer at once.
  static func firstDifferenceAtOnce(
    of device: DeviceID, _ ours: HistoryPoint, _ theirs: HistoryPoint,
    ourLookup: (EventID) throws(EventLogError) -> LineChecksum?,
    theirLookup: (EventID) throws(EventLogError) -> LineChecksum?
  ) throws(EventLogError) -> Int64? {
    var search = ForkSearch(of: device, ours, theirs)
    while let event = search.question {
      var here = search.knownOfOurs(event)
      if here == nil { here = try ourLookup(event) }
      var there = search.knownOfTheirs(event)
      if there == nil { there = try theirLookup(event) }
      search.answer(here, there)
    }
    return search.firstDifference
  }
}
