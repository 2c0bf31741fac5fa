extension ObjectHistories {
  /// Finds out which of the writers' statements cannot be compared yet: not all of the history of
  /// which they state the end has arrived, and so it is open whether it is the visitor's.
  ///
  /// Such a statement is no claim, and what has seen that history is not taken on its writer's word:
  /// it may have seen another past than the visitor's. All else that the writer says counts.
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

  /// Up to where a writer's history of a device is the visitor's by what the writer has said before;
  /// 0 where that is not known.
  private mutating func agreed(
    _ device: DeviceID, _ frontier: FrontierObject, _ frontiers: [FrontierObject]
  ) async throws(EventLogError) -> Int64 {
    guard let own = visitor.points[device] else { return 0 }
    var agreed: Int64 = 0
    for earlier in frontiers where earlier.name.writer == frontier.name.writer {
      guard let point = earlier.claims[device], earlier.name.number < frontier.name.number,
        point.sequence <= frontier.points[device]?.sequence ?? 0
      else { continue }
      let event = EventID(device: device, sequence: min(point.sequence, own.sequence))
      let held = try await visitor.checksum(of: event)
      let said = try await checksum(of: event, inHistoryTo: point)
      if held != nil, held == said { agreed = max(agreed, event.sequence) }
    }
    return agreed
  }
}
