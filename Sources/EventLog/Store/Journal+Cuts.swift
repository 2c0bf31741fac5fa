extension Journal {
  /// Finds the clocks that a cut names. One reading, where it names any.
  func resolve(_ cut: Cut, _ file: JournalFile) throws(EventLogError) -> ResolvedCut {
    var resolved = ResolvedCut(time: cut.time?.milliseconds)
    guard cut.event != nil || cut.device != nil || cut.tip != nil else { return resolved }
    let pass = try read(file, into: BatchMarks(of: [cut.event?.device, cut.tip?.device]))
    let (ledger, marks) = (pass.0.ledger, pass.0.sink)
    var limits: [[Int64]] = []
    if let event = cut.event { limits.append(try clock(of: event, ledger, marks)) }
    if let tip = cut.tip { limits.append(try clock(of: tip.id, ledger, marks)) }
    if let device = cut.device {
      let ends = ledger.ends(of: device)
      if ends.isEmpty { throw noDevice(device, ledger) }
      limits.append(
        ends.map { ledger.clock(of: Int($0.branch), at: $0.sequence) }.reduce([]) { known, clock in
          (0..<max(known.count, clock.count)).map {
            max($0 < known.count ? known[$0] : 0, $0 < clock.count ? clock[$0] : 0)
          }
        })
    }
    let common = limits.dropFirst().reduce(limits[0]) { zip($0, $1).map(min) }
    resolved.clock = CutClock(ledger: ledger, limits: common)
    return resolved
  }

  private func clock(
    of event: EventID, _ ledger: Ledger, _ marks: BatchMarks
  ) throws(EventLogError) -> [Int64] {
    let points = ledger.points(named: event)
    guard var point = points.first else { throw noEvent(event, ledger) }
    guard points.count == 1 else {
      let names = points.map { ledger.fullID($0).description }.sorted()
      throw EventLogError(
        .noEvent,
        "\(event) names \(points.count) events of \(path): two copies wrote under that device ID.",
        hint: "Give one of \(names.joined(separator: ", ")).", at: .init(file: path))
    }
    // None of a batch counts without the others.
    while marks.haveMore.contains(point), point.sequence < ledger.branches[Int(point.branch)].last {
      point.sequence += 1
    }
    return ledger.clock(of: Int(point.branch), at: point.sequence)
  }

  private func noEvent(_ event: EventID, _ ledger: Ledger) -> EventLogError {
    let ends = ledger.ends(of: event.device)
    guard let last = ends.max(by: { $0.sequence < $1.sequence }) else {
      return noDevice(event.device, ledger)
    }
    return EventLogError(
      .noEvent, "\(path) does not hold the event \(event).",
      hint: event.sequence > last.sequence
        ? "The last event of that device here is \(ledger.id(last))."
        : "Later ones of that device are there.",
      at: .init(file: path))
  }

  private func noDevice(_ id: DeviceID, _ ledger: Ledger) -> EventLogError {
    let known = ledger.devices.indices.filter { ledger.eventCount(of: $0) > 0 }
      .map { ledger.names.text($0) }
    // A device is known by its name; the characters behind it are nobody's memory.
    let near =
      known.first { $0.hasPrefix(id.text + "-") } ?? Suggestion.nearest(to: id.text, among: known)
    // "2026-01-28T09:12" is the event 12 of a device that nobody has.
    let isNearlyTime = Day(String(id.text.prefix(10))) != nil
    return EventLogError(
      .noDevice, "\(path) holds no event of a device \"\(id)\".",
      hint: near.map { "Did you mean \($0)?" }
        ?? (isNearlyTime
          ? "A time has seconds and an offset or Z: 2026-01-28T09:12:33+01:00."
          : "Its devices are \(known.sorted().prefix(5).joined(separator: ", "))."),
      at: .init(file: path))
  }
}

/// Takes note of which events of some devices have more.
private struct BatchMarks: EventSink {
  let devices: Set<DeviceID>
  var haveMore: Set<Ledger.Point> = []

  init(of devices: [DeviceID?]) { self.devices = Set(devices.compactMap(\.self)) }

  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { false }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    guard layout.hasMore, devices.contains(ledger.device(of: branch)) else { return }
    haveMore.insert(.init(branch: Int32(branch), sequence: layout.sequence))
  }
}
