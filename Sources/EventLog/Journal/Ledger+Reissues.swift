extension Ledger {
  /// The devices that carry events which were issued again, by device: each with the first of them
  /// that is held without a gap, by what it was at first, and by what it was last.
  ///
  /// - Complexity: O(n log n) in such devices.
  package var reissues: [Reissue] {
    guard let events = reissuedEvents.first else { return [] }
    func reissue(_ device: Int, _ was: String, at sequence: Int64) -> Reissue? {
      guard sequence <= devices[device].frontier else { return nil }
      return Reissue(device: DeviceID(trusted: names.text(device)), was: was)
    }
    return
      (events.superseded.compactMap { reissue($0, $1, at: 1) }
      + events.firsts.compactMap { reissue($0, $1.was, at: $1.sequence) })
      .sorted(by: Reissue.isBefore)
  }

  // MARK: - Clocks

  /// The highest sequence of `other` that a line of `device` has stated.
  @inline(__always)
  func stated(_ other: Int, by device: Int) -> Int64 {
    if other == device { return devices[device].last }
    return hasAliases ? reissuedEvents[0].statedRows[device][other] : rows[device][other]
  }

  /// The clock of event `sequence` of `device`, by device index, with what it has seen under
  /// another name; its own entry is `sequence`.
  ///
  /// What its line and those before it state is told by ``history``.
  ///
  /// - Complexity: O(devices · log marks).
  package func clock(of device: Int, at sequence: Int64) -> [Int64] {
    var clock = history.clock(of: device, at: sequence)
    if !hasAliases { return clock }
    let further = reissuedEvents[0].history.clock(of: device, at: sequence)
    while clock.count < further.count { clock.append(0) }
    for other in further.indices { clock[other] = max(clock[other], further[other]) }
    return clock
  }

  // MARK: - Names

  /// The names of an event that is counted, its own and those of its aliases.
  private func names(
    of device: Int32, _ sequence: Int64
  ) -> [ReissuedEvents.Name] {
    let name = ReissuedEvents.Name(device: device, sequence: sequence)
    return [name] + (reissuedEvents.first?.otherNames[name] ?? [])
  }

  /// All names of an event, given one of them.
  package func names(of event: EventID) -> [EventID] {
    guard hasAliases, let device = find(event.device) else { return [event] }
    let alias = reissuedEvents[0].aliases(
      of: device, behind: event.sequence - 1, upTo: event.sequence
    ).first
    let (counted, sequence) =
      alias.map { ($0.counted.device, $0.counted.sequence) } ?? (Int32(device), event.sequence)
    return names(of: counted, sequence).map {
      EventID(device: DeviceID(trusted: names.text(Int($0.device))), sequence: $0.sequence)
    }
  }

  /// What an event is called: the least of its names.
  package func name(
    of device: Int32, _ sequence: Int64
  ) -> (device: Int32, sequence: Int64) {
    if !hasAliases { return (device, sequence) }
    let names = names(of: device, sequence)
    let least = names.dropFirst().reduce(names[0]) { least, name in
      if name.device == least.device { return name.sequence < least.sequence ? name : least }
      return isBefore(Int(name.device), Int(least.device)) ? name : least
    }
    return (least.device, least.sequence)
  }

  /// Whether an event, under one of its names, is among what `isHeld` says.
  package func isAny(
    of device: Int32, _ sequence: Int64, _ isHeld: (Int32, Int64) -> Bool
  ) -> Bool {
    if isHeld(device, sequence) { return true }
    if !hasAliases { return false }
    return names(of: device, sequence).contains { isHeld($0.device, $0.sequence) }
  }

  /// Whether some device wrote `later` behind `earlier`, under whichever of their names.
  package func isOneDevice(
    _ earlier: (device: Int32, sequence: Int64), before later: (device: Int32, sequence: Int64)
  ) -> Bool {
    isAny(of: earlier.device, earlier.sequence) { device, sequence in
      isAny(of: later.device, later.sequence) { $0 == device && $1 > sequence }
    }
  }

  /// The same where each line is an event of its own: enough to judge what fits.
  var withoutNames: Ledger {
    var ledger = self
    if hasAliases { ledger.rows = reissuedEvents[0].statedRows }
    ledger.hasAliases = false
    ledger.reissuedEvents = []
    return ledger
  }

  // MARK: - Admission

  /// Takes note of what a device says as it joins: which event it carries again first, where that
  /// one was written again itself.
  mutating func noteSuperseded(by device: Int, _ layout: LineLayout, _ canonical: Span<UInt8>) {
    guard let text = Self.text("supersedes", of: layout, in: canonical),
      canonical.matches(layout.type, "device.joined"),
      Reissue(device: DeviceID(trusted: ""), was: text) != nil
    else { return }
    if reissuedEvents.isEmpty { reissuedEvents.append(ReissuedEvents()) }
    reissuedEvents[0].superseded[device] = text
  }

  /// Takes note of an event with a `was`, whose device's row has moved to it.
  ///
  /// - Returns: whether an event that is held counts for it.
  mutating func reissue(_ device: Int, _ layout: LineLayout, _ canonical: Span<UInt8>) -> Bool {
    let name = ReissuedEvents.Name(device: Int32(device), sequence: layout.sequence)
    if reissuedEvents.isEmpty { reissuedEvents.append(ReissuedEvents()) }
    let past = checksumOfPast(of: device, before: layout.sequence)
    guard let counted = reissuedEvents[0].add(name, layout, canonical, past: past) else {
      return false
    }
    // So far the rows held what was stated, and nothing else.
    if !hasAliases { reissuedEvents[0].statedRows = rows }
    hasAliases = true
    raise(device, to: counted, at: layout.sequence)
    return true
  }

  /// Moves the row of a device by the aliases that it has newly seen.
  @inline(never)
  mutating func seeAliases(
    of other: Int, behind first: Int64, upTo last: Int64, _ device: Int, at sequence: Int64
  ) {
    for alias in reissuedEvents[0].aliases(of: other, behind: first, upTo: last) {
      raise(device, to: alias.counted, at: sequence)
    }
  }

  private mutating func raise(_ device: Int, to counted: ReissuedEvents.Name, at sequence: Int64) {
    let other = Int(counted.device)
    guard other != device, rows[device][other] < counted.sequence else { return }
    rows[device][other] = counted.sequence
    if !isTrusting {
      reissuedEvents[0].history.raise(device, sequence, sees: other, upTo: counted.sequence)
    }
  }

  /// Tells the past of an event from others: the events that are counted, and what it has seen of
  /// them. That devices have joined is left out, because it does nothing: a device that issues
  /// events again has one event more than the one that wrote them.
  private func checksumOfPast(of device: Int, before sequence: Int64) -> UInt32 {
    var past: [UInt8] = []
    var clock = rows[device].entries
    clock.append((device: Int32(device), sequence: sequence - 1))
    for entry in clock.sorted(by: { $0.device < $1.device }) {
      let last = reissuedEvents[0].lastNoAlias(of: Int(entry.device), upTo: entry.sequence)
      let isJoining = last == 1 && (isTrusting || !devices[Int(entry.device)].name.isEmpty)
      if last == 0 || isJoining { continue }
      past += ReissuedEvents.bytes(entry.device) + ReissuedEvents.bytes(last)
    }
    return CRC32C.checksum(past)
  }
}
