extension ObjectHistories {
  /// Finds out which of the writers' statements cannot be compared yet: not all of the history of
  /// which they state the end has arrived, and so it is open whether it is the visitor's.
  ///
  /// Such a statement is no claim, and what has seen that history is not taken on its writer's
  /// word: it may have seen another past than the visitor's. All else that the writer says counts.
  mutating func findWhatCannotBeCompared() async throws(EventLogError) {
    var frontiers = catalog.frontiers
    var answers: [DeviceID: [HistoryPoint: Bool]] = [:]
    for index in frontiers.indices {
      for (device, point) in frontiers[index].points {
        guard let own = visitor.points[device], own != point else { continue }
        if answers[device]?[point] == nil {
          answers[device, default: [:]][point] = try await canLocate(device, own, point)
        }
        if answers[device]?[point] == false { frontiers[index].unreadable.insert(device) }
      }
    }
    // Of a device that the visitor does not know, the writers are compared with one another.
    for device in Set(frontiers.flatMap(\.points.keys)).sorted()
    where visitor.points[device] == nil {
      try await compare(writersOf: device, &frontiers)
    }
    for index in frontiers.indices {
      for device in frontiers[index].unreadable {
        let known = try await agreed(device, frontiers[index], frontiers)
        frontiers[index].limits[device] = min(known, frontiers[index].limits[device] ?? .max)
      }
    }
    catalog.frontiers = frontiers
  }

  /// Whether all can be read that tells where the visitor's history and one that ends at `point`
  /// part, or that they do not.
  private mutating func canLocate(
    _ device: DeviceID, _ own: HistoryPoint, _ point: HistoryPoint
  ) async throws(EventLogError) -> Bool {
    var search = ForkSearch(of: device, own, point)
    while let event = search.question, search.isLocated {
      var here = search.knownOfOurs(event)
      if here == nil { here = try await visitor.checksum(of: event) }
      var there = search.knownOfTheirs(event)
      if there == nil { there = try await checksum(of: event, inHistoryTo: point) }
      search.answer(here, there)
    }
    return search.isLocated
  }

  private mutating func compare(
    writersOf device: DeviceID, _ frontiers: inout [FrontierObject]
  ) async throws(EventLogError) {
    while true {
      let points = Set(frontiers.compactMap { $0.claims[device] }).sorted {
        ($0.sequence, $0.checksum) < ($1.sequence, $1.checksum)
      }
      guard let longest = points.last,
        let unreadable = try await unreadable(of: device, points.dropLast(), longest)
      else { return }
      for index in frontiers.indices where frontiers[index].points[device] == unreadable {
        frontiers[index].unreadable.insert(device)
      }
    }
  }

  /// The first of some points whose history cannot be read as far as it has to be compared with the
  /// longest one; nil for none.
  private mutating func unreadable(
    of device: DeviceID, _ points: ArraySlice<HistoryPoint>, _ longest: HistoryPoint
  ) async throws(EventLogError) -> HistoryPoint? {
    for point in points {
      var search = ForkSearch(of: device, point, longest)
      while let event = search.question {
        let one = try await checksum(of: event, inHistoryTo: point)
        let other = try await checksum(of: event, inHistoryTo: longest)
        if other == nil { return longest }
        if one == nil { return point }
        search.answer(one, other)
      }
    }
    return nil
  }

  /// Up to where a writer's history of a device is the visitor's, by what was said of earlier
  /// points of it: by the writer before, or by anybody who states the same end. 0 where that is not
  /// known.
  private mutating func agreed(
    _ device: DeviceID, _ frontier: FrontierObject, _ frontiers: [FrontierObject]
  ) async throws(EventLogError) -> Int64 {
    guard let own = visitor.points[device], let end = frontier.points[device] else { return 0 }
    var points: Set<HistoryPoint> = []
    for other in frontiers {
      if other.points[device] == end { points.formUnion(other.earlier[device] ?? []) }
      if other.name.writer == frontier.name.writer, other.name.number < frontier.name.number,
        let point = other.claims[device]
      {
        points.insert(point)
      }
    }
    var agreed: Int64 = 0
    for point in points where point.sequence < end.sequence {
      let event = EventID(device: device, sequence: min(point.sequence, own.sequence))
      let held = try await visitor.checksum(of: event)
      let said = try await checksum(of: event, inHistoryTo: point)
      if held != nil, held == said { agreed = max(agreed, event.sequence) }
    }
    return agreed
  }

  /// Earlier points of the histories whose ends are given, at which others in this place are: there
  /// they can compare, though not all that came since is there.
  func earlierPoints(
    than ends: [DeviceID: HistoryPoint]
  ) async throws(EventLogError) -> [DeviceID: [HistoryPoint]] {
    var earlier: [DeviceID: [HistoryPoint]] = [:]
    for (device, end) in ends {
      let said = Set(
        catalog.frontiers.flatMap { frontier in
          (frontier.earlier[device] ?? []) + (frontier.points[device].map { [$0] } ?? [])
        })
      var points: [HistoryPoint] = []
      for point in said.sorted(by: { $0.sequence > $1.sequence })
      where point.sequence < end.sequence && points.count < Self.earlierPointsMax {
        let event = EventID(device: device, sequence: point.sequence)
        if try await visitor.checksum(of: event) == point.checksum { points.append(point) }
      }
      if !points.isEmpty { earlier[device] = points }
    }
    return earlier
  }

  /// So many of each device, the latest: who has stayed away for longer has to wait for what is
  /// late.
  private static let earlierPointsMax = 8
}
