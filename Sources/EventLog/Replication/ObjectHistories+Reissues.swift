extension ObjectHistories {
  /// Leaves out the histories whose events somebody has written again under other IDs, because two
  /// writers had used the old ones.
  ///
  /// Their objects stay in the place, and what was said of them; but everybody who comes would meet
  /// the fork in them for ever.
  ///
  /// - Parameters:
  ///   - known: the words of earlier runs for such objects.
  ///   - found: the words for those that are there.
  mutating func leaveOutWhatIsGivenUp(
    _ known: Set<String>, _ found: inout Set<String>
  ) async throws(EventLogError) {
    let reissues = Set(visitor.reissues).union(catalog.reissues).sorted {
      ($0.original.device, $0.original.sequence, $0.checksum)
        < ($1.original.device, $1.original.sequence, $1.checksum)
    }
    for reissue in reissues {
      catalog.giveUp(reissue.original, reissue.checksum)
      let ends = try await leaveOutObjects(of: reissue, known, &found)
      try await cutFrontiers(before: reissue, knowing: ends)
    }
  }

  /// - Returns: the ends of the objects that were left out.
  private mutating func leaveOutObjects(
    of reissue: Reissue, _ known: Set<String>, _ found: inout Set<String>
  ) async throws(EventLogError) -> Set<HistoryPoint> {
    let original = reissue.original
    var ends: Set<HistoryPoint> = []
    for object in catalog.ranges[original.device] ?? []
    where object.range.last >= original.sequence {
      let word = "\(object.key) \(reissue.was)"
      let end = HistoryPoint(sequence: object.range.last, checksum: object.name.checksum)
      if !known.contains(word) {
        guard try await leads(to: reissue, end) else { continue }
      }
      found.insert(word)
      ends.insert(end)
      catalog.giveUp(object)
    }
    return ends
  }

  private mutating func cutFrontiers(
    before reissue: Reissue, knowing ends: Set<HistoryPoint>
  ) async throws(EventLogError) {
    let device = reissue.original.device
    let last = EventID(device: device, sequence: reissue.original.sequence - 1)
    var frontiers = catalog.frontiers
    for index in frontiers.indices {
      if let point = frontiers[index].withheld[device], try await isGivenUp(point, reissue) {
        frontiers[index].withheld[device] = nil
      }
      guard let point = frontiers[index].points[device], point.sequence > last.sequence else {
        continue
      }
      var isGivenUp = ends.contains(point)
      if !isGivenUp { isGivenUp = try await leads(to: reissue, point) }
      if !isGivenUp { continue }
      frontiers[index].points[device] = try await predecessor(last, of: reissue.checksum)
      frontiers[index].limits[device] = last.sequence
    }
    catalog.frontiers = frontiers
  }

  /// Whether an end is the event that was given up, or comes behind it.
  private mutating func isGivenUp(
    _ end: HistoryPoint, _ reissue: Reissue
  ) async throws(EventLogError) -> Bool {
    if end.sequence <= reissue.original.sequence {
      return end.sequence == reissue.original.sequence && end.checksum == reissue.checksum
    }
    return try await leads(to: reissue, end)
  }

  /// Whether a history goes through the event that was given up.
  private mutating func leads(
    to reissue: Reissue, _ end: HistoryPoint
  ) async throws(EventLogError) -> Bool {
    try await checksum(of: reissue.original, inHistoryTo: end) == reissue.checksum
  }
}
