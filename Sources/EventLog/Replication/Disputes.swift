/// About which events two sides differ: from there on nothing of a device crosses, and nothing that
/// has seen it.
struct Disputes {
  /// Per device with a fork the first event about which the sides differ.
  var forks: [DeviceID: Int64] = [:]
  /// Devices that carry events again which the other side still has under their old IDs: they stay
  /// out, so that these count once.
  var barred: Set<DeviceID> = []

  /// The first event of each device that does not cross.
  var first: [DeviceID: Int64] {
    forks.merging(barred.map { ($0, 1) }) { min($0, $1) }
  }
}

extension Disputes {
  /// What is left in dispute when some events are given up here.
  ///
  /// - Parameter theirs: what the other side has written again.
  func without(_ lost: [EventID: LineChecksum], _ theirs: [Reissue]) -> Disputes {
    var left = self
    for event in lost.keys where left.forks[event.device] ?? 0 >= event.sequence {
      left.forks[event.device] = nil
    }
    for reissue in theirs where lost[reissue.original] == reissue.checksum {
      left.barred.remove(reissue.device)
    }
    return left
  }
}

/// Finds out about which events two sides differ, or those who speak for the other one among
/// themselves.
struct DisputeSearch {
  let ours: FrontierStatement
  let theirs: FrontierStatement
  let local: any LocalReplica
  let session: any RemoteSession

  /// - Complexity: one question for each device of which the sides hold different events, and
  ///   O(log sequences) for each fork.
  func find() async throws(EventLogError) -> Disputes {
    var disputes = Disputes()
    let claims = theirs.claims.isEmpty ? [theirs.frontier] : theirs.claims
    for device in Set(claims.flatMap(\.keys)).sorted() {
      let points = Set(claims.compactMap { $0[device] }).sorted { $0.sequence < $1.sequence }
      guard let longest = points.last else { continue }
      let own = ours.frontier[device]
      for point in points {
        var first: Int64?
        if let own, point != own { first = try await firstDifference(of: device, own, point) }
        // Those who speak for the other side may differ behind what is held here.
        if first == nil, point != longest {
          first = try await firstDifference(of: device, among: longest, point)
        }
        if let first { disputes.forks[device] = min(first, disputes.forks[device] ?? .max) }
      }
    }
    for (device, point) in theirs.withheld.joined() {
      guard let own = ours.frontier[device], point.sequence <= own.sequence,
        let checksum = try await local.checksum(
          of: EventID(device: device, sequence: point.sequence)),
        checksum != point.checksum
      else { continue }
      disputes.forks[device] = min(point.sequence, disputes.forks[device] ?? .max)
    }
    try await findGivenUp(&disputes)
    return disputes
  }

  /// Where this side and the other part.
  private func firstDifference(
    of device: DeviceID, _ own: HistoryPoint, _ point: HistoryPoint
  ) async throws(EventLogError) -> Int64? {
    try await ForkSearch.firstDifference(
      of: device, own, point,
      ourLookup: { [local] (event) throws(EventLogError) in try await local.checksum(of: event) },
      theirLookup: { [session] (event) throws(EventLogError) in
        try await session.checksum(of: event, inHistoryTo: point)
      })
  }

  /// Where two part who speak for the other side; nil also where one of them cannot be read as far
  /// as that, and so gives nothing away.
  ///
  /// - Parameter left: the longer one.
  private func firstDifference(
    of device: DeviceID, among left: HistoryPoint, _ right: HistoryPoint
  ) async throws(EventLogError) -> Int64? {
    let end = EventID(device: device, sequence: right.sequence)
    guard try await session.checksum(of: end, inHistoryTo: left) != nil else { return nil }
    return try await ForkSearch.firstDifference(
      of: device, left, right,
      ourLookup: { [session] (event) throws(EventLogError) in
        try await session.checksum(of: event, inHistoryTo: left)
      },
      theirLookup: { [session] (event) throws(EventLogError) in
        try await session.checksum(of: event, inHistoryTo: right)
      })
  }

  /// What one side has given up and the other one holds.
  private func findGivenUp(_ disputes: inout Disputes) async throws(EventLogError) {
    for reissue in Set(theirs.reissues).subtracting(ours.reissues) {
      // Also behind a hole: it may be filled, and then both would count.
      guard try await local.checksum(of: reissue.original) == reissue.checksum else { continue }
      disputes.add(reissue)
    }
    for reissue in Set(ours.reissues).subtracting(theirs.reissues) {
      let original = reissue.original
      guard let end = theirs.end(of: original.device), original.sequence <= end.sequence,
        try await session.checksum(of: original, inHistoryTo: end) == reissue.checksum
      else { continue }
      disputes.add(reissue)
    }
  }
}

extension FrontierStatement {
  /// The last event of a device that is held, also behind a hole.
  fileprivate func end(of device: DeviceID) -> HistoryPoint? {
    guard let range = stranded.first(where: { $0.device == device }) else {
      return frontier[device]
    }
    return HistoryPoint(sequence: range.last, checksum: LineChecksum(line: 0, chain: 0))
  }
}

extension Disputes {
  fileprivate mutating func add(_ reissue: Reissue) {
    let original = reissue.original
    forks[original.device] = min(original.sequence, forks[original.device] ?? .max)
    barred.insert(reissue.device)
  }
}
