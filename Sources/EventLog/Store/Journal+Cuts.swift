extension Journal {
  /// Determines the events that a cut contains.
  ///
  /// Reads the file once.
  func resolve(_ cut: Cut, _ file: JournalFile) throws(EventLogError) -> CutReading {
    var resolved = ResolvedCut(time: cut.time?.milliseconds, writer: cut.writer)
    let (pass, end) = try read(file, into: BatchMarks())
    let (ledger, marks) = (pass.ledger, pass.sink)
    var limits: [[Int64]] = []
    if let event = cut.event { limits.append(try clock(of: event, ledger)) }
    if let event = cut.before {
      let point = try point(of: event, ledger)
      var clock = ledger.clock(of: Int(point.branch), at: point.sequence)
      clock[Int(point.branch)] = point.sequence - 1
      limits.append(clock)
    }
    if let tip = cut.tip { limits.append(try clock(of: tip.id, ledger)) }
    if let device = cut.device {
      let ends = ledger.ends(of: device)
      if ends.isEmpty { throw noDevice(device, ledger) }
      limits.append(union(of: ends.map { ledger.clock(of: Int($0.branch), at: $0.sequence) }))
    }
    if let frontier = cut.frontier {
      var clocks = [[Int64](repeating: 0, count: ledger.branches.count)]
      for tip in frontier.tips { clocks.append(try clock(of: tip.id, ledger)) }
      limits.append(union(of: clocks))
    }
    if let first = limits.first {
      let common = limits.dropFirst().reduce(first) { zip($0, $1).map(min) }
      let clock = CutClock(ledger: ledger, limits: common)
      resolved.clock = clock
      resolved.batchRest = marks.batchRest(of: clock, ledger)
    }
    return CutReading(cut: resolved, pass: pass, end: end)
  }

  private func union(of clocks: [[Int64]]) -> [Int64] {
    clocks.reduce([]) { known, clock in
      (0..<max(known.count, clock.count)).map {
        max($0 < known.count ? known[$0] : 0, $0 < clock.count ? clock[$0] : 0)
      }
    }
  }

  private func clock(
    of event: EventID, _ ledger: Ledger
  ) throws(EventLogError) -> [Int64] {
    let point = try point(of: event, ledger)
    return ledger.clock(of: Int(point.branch), at: point.sequence)
  }

  func point(
    of event: EventID, _ ledger: Ledger
  ) throws(EventLogError) -> Ledger.Point {
    let points = ledger.points(named: event)
    guard let point = points.first else { throw noEvent(event, ledger) }
    guard points.count == 1 else {
      let names = points.map { ledger.fullID($0).description }.sorted()
      throw EventLogError(
        .noEvent,
        "\(event) refers to \(points.count) events in \(path): two copies wrote under that device"
          + " ID.",
        hint: "Use one of \(names.joined(separator: ", ")).", at: .init(file: path))
    }
    return point
  }

  private func noEvent(_ event: EventID, _ ledger: Ledger) -> EventLogError {
    let ends = ledger.ends(of: event.device)
    guard let last = ends.max(by: { $0.sequence < $1.sequence }) else {
      return noDevice(event.device, ledger)
    }
    return EventLogError(
      .noEvent, "\(path) does not contain the event \(event).",
      hint: event.sequence > last.sequence
        ? "The last event of that device in it is \(ledger.id(last))."
        : "It does contain later events of that device.",
      at: .init(file: path))
  }

  private func noDevice(_ id: DeviceID, _ ledger: Ledger) -> EventLogError {
    let known = ledger.devices.indices.filter { ledger.eventCount(of: $0) > 0 }
      .map { ledger.names.text($0) }
    return .noDevice(id.text, among: known, of: path)
  }
}

extension EventLogError {
  /// An error for a device without events in the journal. It suggests a known device.
  package static func noDevice(
    _ text: String, among known: [String], of path: String
  ) -> EventLogError {
    // Users remember the name of a device, but not the random characters after it.
    let near =
      known.first { $0.hasPrefix(text + "-") } ?? Suggestion.nearest(to: text, among: known)
    // "2026-01-28T09:12" is also an event ID: event 12 of a device "2026-01-28T09".
    let isNearlyTime = Day(String(text.prefix(10))) != nil
    return EventLogError(
      .noDevice, "\(path) contains no events of a device \"\(text)\".",
      hint: near.map { "Did you mean \($0)?" }
        ?? (isNearlyTime
          ? "A time has seconds and an offset or Z: 2026-01-28T09:12:33+01:00."
          : "Its devices are \(known.sorted().firstFew)."),
      at: .init(file: path))
  }
}

/// A resolved cut, and the reading that resolved it.
struct CutReading {
  let cut: ResolvedCut
  @Boxed private(set) var pass: JournalPass<BatchMarks>
  let end: JournalReading.End
}

/// Records the events of batches.
struct BatchMarks: EventSink {
  /// The events of each batch, in the order of the reading: each after its predecessor.
  private var batches: [[Ledger.Point]] = []
  /// The batch of each event that isn't the last of its batch.
  private var open: [Ledger.Point: Int] = [:]

  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { false }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    let point = Ledger.Point(branch: Int32(branch), sequence: layout.sequence)
    var batch = open.isEmpty ? nil : ledger.before(point).flatMap { open[$0] }
    if layout.hasMore {
      if batch == nil {
        batch = batches.count
        batches.append([])
      }
      open[point] = batch
    }
    if let batch { batches[batch].append(point) }
  }

  /// The events of batches that a clock contains only in part.
  func batchRest(of clock: CutClock, _ ledger: Ledger) -> Set<FullEventID> {
    var batchRest: Set<FullEventID> = []
    for batch in batches {
      let count = batch.count { clock.contains($0, of: ledger) }
      if count > 0, count < batch.count { batchRest.formUnion(batch.map(ledger.fullID)) }
    }
    return batchRest
  }
}
