/// Compares what several say of one device, who may be this side, the other one, or each of those
/// who speak for the other one.
struct HistoryComparison {
  let ours: FrontierStatement
  let theirs: FrontierStatement
  let local: LedgerReplica
  let session: any RemoteSession

  /// One history of each device.
  enum View {
    /// What this side holds.
    case ours
    /// What one of those holds who speak for the other side.
    case claim(Int)
  }

  func points(of view: View) -> [DeviceID: HistoryPoint] {
    switch view {
    case .ours: ours.frontier
    case .claim(let index): theirs.claims[index]
    }
  }

  /// The checksum of an event; nil where it cannot be read, or is not there.
  func checksum(
    of event: EventID, in view: View
  ) async throws(EventLogError) -> LineChecksum? {
    guard let end = points(of: view)[event.device], event.sequence <= end.sequence else {
      return nil
    }
    switch view {
    case .ours: return try await local.checksum(of: event)
    case .claim: return try await session.checksum(of: event, inHistoryTo: end)
    }
  }

  /// The first event about which two differ; nil also where one of them cannot be read there.
  func firstDifference(
    of device: DeviceID, _ left: View, _ right: View
  ) async throws(EventLogError) -> EventID? {
    guard let one = points(of: left)[device], let other = points(of: right)[device], one != other
    else { return nil }
    let sequence = try await ForkSearch.firstDifference(
      of: device, one, other,
      ourLookup: { (event) throws(EventLogError) in try await checksum(of: event, in: left) },
      theirLookup: { (event) throws(EventLogError) in try await checksum(of: event, in: right) })
    return sequence.map { EventID(device: device, sequence: $0) }
  }

  /// What contradicts a view: the first events of other branches.
  func rivals(of view: View) async throws(EventLogError) -> Rivals {
    var rivals = Rivals()
    var others = theirs.claims.indices.map { View.claim($0) }
    if case .claim = view { others.append(.ours) }
    for device in points(of: view).keys.sorted() {
      for other in others {
        guard let event = try await firstDifference(of: device, view, other),
          let own = try await checksum(of: event, in: view),
          let checksum = try await checksum(of: event, in: other), checksum != own
        else { continue }
        rivals.add(event, checksum, of: other)
      }
    }
    return rivals
  }

  /// What contradicts a view.
  struct Rivals {
    /// The first events of other branches, as if they had been given up.
    private(set) var reissues: Set<Reissue> = []
    /// Per device where this side parts.
    private(set) var ours: [DeviceID: Int64] = [:]
    /// Those who hold another branch of any device.
    private(set) var claims: Set<Int> = []

    mutating func add(_ event: EventID, _ checksum: LineChecksum, of view: View) {
      reissues.insert(Reissue(device: event.device, original: event, checksum: checksum))
      switch view {
      case .ours: ours[event.device] = event.sequence
      case .claim(let index): claims.insert(index)
      }
    }
  }
}
