extension Journal {
  /// Finds the clocks that a cut names. One reading, where it names any.
  func resolve(_ cut: Cut, _ file: JournalFile) throws(EventLogError) -> ResolvedCut {
    var resolved = ResolvedCut(time: cut.time?.milliseconds)
    guard cut.event != nil || cut.device != nil else { return resolved }
    let (pass, _) = try read(file, into: LedgerSink(), watching: cut.event)
    var points: [(device: Int, sequence: Int64)] = []
    if let event = cut.event {
      guard let device = pass.ledger.find(event.device), pass.watched?.found != nil else {
        throw Self.noEvent(event, pass.ledger, path)
      }
      points.append((device, event.sequence))
    }
    if let id = cut.device {
      guard let device = pass.ledger.find(id), pass.ledger.devices[device].last > 0 else {
        throw Self.noDevice(id, pass.ledger, path)
      }
      points.append((device, pass.ledger.devices[device].last))
    }
    let ledger = pass.ledger
    resolved.clock = Self.common(
      points.map { ledger.clock(of: $0.device, at: $0.sequence) }, ledger)
    resolved.lines = Self.common(
      points.map { ledger.history.clock(of: $0.device, at: $0.sequence) }, ledger)
    return resolved
  }

  private static func common(_ clocks: [[Int64]], _ ledger: Ledger) -> VectorClock {
    let common = clocks.dropFirst().reduce(clocks[0]) { zip($0, $1).map(min) }
    return VectorClock(common.indices.map { (DeviceID(trusted: ledger.name($0)), common[$0]) })
  }

  private static func noEvent(
    _ event: EventID, _ ledger: Ledger, _ path: String
  ) -> EventLogError {
    guard let device = ledger.find(event.device), ledger.devices[device].last > 0 else {
      return noDevice(event.device, ledger, path)
    }
    let last = ledger.devices[device].last
    return EventLogError(
      .noEvent, "\(path) does not hold the event \(event).",
      hint: event.sequence > last
        ? "The last event of that device here is \(event.device):\(last)."
        : "Later ones of that device are there: eventlog verify tells what is missing.",
      at: .init(file: path))
  }

  private static func noDevice(
    _ id: DeviceID, _ ledger: Ledger, _ path: String
  ) -> EventLogError {
    let known = ledger.devices.indices.filter { ledger.devices[$0].last > 0 }.map(ledger.name)
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
          : "eventlog status lists the devices."),
      at: .init(file: path))
  }
}
