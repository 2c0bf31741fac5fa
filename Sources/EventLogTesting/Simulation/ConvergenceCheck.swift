import EventLog
import EventLogErasure
import EventLogInspection

/// The requirements after all devices have synced with each other.
struct ConvergenceCheck {
  let world: SimulatedWorld
  /// Changes a state's report before the comparison, to check that the change is detected.
  let altering: @Sendable ([String]) -> [String]

  /// Returns a sentence for each violation.
  ///
  /// - Parameter latecomers: Devices that were created after the final syncs.
  func failures(with latecomers: [SimulatedDevice] = []) throws(EventLogError) -> [String] {
    if !world.failures.isEmpty { return world.failures }
    let first = world.devices[0]
    let state = first.store.snapshot
    // Without events, there is no journal.
    if state.eventCount == 0 { return missing(in: [:]) }
    var failures: [String] = []
    let counted = try counted(on: first)
    // The first device of each version of the app.
    let firsts = world.catalogs.indices.compactMap { version in
      world.devices.first { world.version(of: $0) == version }
    }
    for device in world.devices + latecomers {
      let other = device.store.snapshot
      if other.frontier != state.frontier {
        failures.append("\(device.name) has a different frontier than \(first.name)")
      }
      if device !== first { failures += compare(try self.counted(on: device), device, counted) }
      let version = world.version(of: device)
      let peer = firsts.first { world.version(of: $0) == version } ?? first
      if other.json() != peer.store.snapshot.json() {
        let difference = try differences(between: peer.store.snapshot, and: other).prefix(3)
        failures.append(
          "\(device.name) shows a different state than \(peer.name): "
            + difference.map(\.description).joined(separator: "; "))
      }
      failures += try check(device)
    }
    failures += missing(in: counted)
    failures += strays(in: counted)
    failures += forks(in: counted)
    let all = world.devices.reduce(into: [:]) { $0.merge($1.lines) { first, _ in first } }
    for device in firsts { failures += bruteForce(all, device.store) }
    if world.hasErasures {
      failures += remainders(in: counted, all)
      for device in world.devices + latecomers { failures += try proof(of: device) }
    }
    return failures
  }

  /// Returns conflicts that are open although all were resolved before the devices synced again.
  func failuresOfSettling() -> [String] {
    world.devices.flatMap { device in
      device.store.snapshot.conflicts.prefix(3).map {
        "\($0.id) was resolved, but is open on \(device.name)"
      }
    }
  }

  /// Returns problems that remain although all losses were acknowledged.
  func failuresOfAcceptedLosses() throws(EventLogError) -> [String] {
    var failures: [String] = []
    for device in world.devices {
      if let problem = try device.store.journal.verify().problems.first {
        failures.append("\(device.name) still has a problem: \(problem.message)")
      }
    }
    return failures
  }

  // MARK: - Lines

  /// Returns the lines of a device's admitted events.
  private func counted(
    on device: SimulatedDevice
  ) throws(EventLogError) -> [FullEventID: [UInt8]] {
    var lines: [FullEventID: [UInt8]] = [:]
    var count = 0
    try device.store.replay { event, line in
      lines[event.fullID] = line
      count += 1
    }
    if lines.count != count { world.failures.append("\(device.name) counts an event twice") }
    return lines
  }

  private func compare(
    _ lines: [FullEventID: [UInt8]], _ device: SimulatedDevice, _ expected: [FullEventID: [UInt8]]
  ) -> [String] {
    let lacking = Set(expected.keys).subtracting(lines.keys).min()
    let surplus = Set(lines.keys).subtracting(expected.keys).min()
    let other = lines.first { !world.isSame($0.value, as: expected[$0.key] ?? $0.value) }
    return [
      lacking.map { "\(device.name) is missing \($0)" },
      surplus.map { "only \(device.name) has \($0)" },
      other.map { "\(device.name) has a different line for \($0.key)" },
    ].compactMap { $0 }
  }

  private func missing(in lines: [FullEventID: [UInt8]]) -> [String] {
    world.acknowledged.filter { event, line in
      lines[event].map { world.isSame($0, as: line) } != true
    }.map(\.key).sorted().prefix(3)
      .map { "\($0) was acknowledged, but is gone or has a different line" }
  }

  /// Returns events whose line contains more or less than the erasures have left of it.
  private func remainders(
    in lines: [FullEventID: [UInt8]], _ all: [FullEventID: [UInt8]]
  ) -> [String] {
    let histories = ReferenceHistories(all.values.compactMap { ReferenceLine($0) }, user: "ada")
    return lines.filter { event, line in
      guard let number = histories.number(event), let expected = histories.lines[number],
        let found = ReferenceLine(line)
      else { return false }
      return found.data != expected.data || found.version != expected.version
    }
    .map(\.key).sorted().prefix(3).map { "\($0) contains more or less than what erasures left" }
  }

  private func proof(of device: SimulatedDevice) throws(EventLogError) -> [String] {
    let damaged = device.journal.failing.keys
    // A damaged line that may contain something else is left.
    let remainders = try ErasureProof(device.store.journal).remainders.filter { remainder in
      guard world.hasDamage, let event = remainder.event else { return true }
      return !damaged.contains { $0.starts(with: Array("{\"id\":\"\(event)\"".utf8)) }
    }
    return remainders.prefix(3).map {
      "\(device.name) still has something that was erased: \($0)"
    }
  }

  /// Returns events without an acknowledged append, which only `device.joined` may lack.
  private func strays(in lines: [FullEventID: [UInt8]]) -> [String] {
    if world.hasStrayEvents { return [] }
    return lines.filter { id, line in
      world.acknowledged[id] == nil && !world.lost.contains(id)
        && !line.contains(text: "\"device.joined\"")
    }
    .map(\.key).sorted().prefix(3).map { "\($0) exists, but nobody has written it" }
  }

  private func forks(in lines: [FullEventID: [UInt8]]) -> [String] {
    var first: [EventID: FullEventID] = [:]
    var failures: [String] = []
    for event in lines.keys.sorted() {
      let known = first.updateValue(event, forKey: event.shortID)
      if let known, !world.sharedIDs.contains(event.device) {
        failures.append(
          "\(known) and \(event) have the same number, although their writer could know")
      }
    }
    return Array(failures.prefix(3))
  }

  // MARK: - One device

  /// Checks that a device shows the state of its journal, with and without a checkpoint, and that
  /// the journal has no problems other than lost events.
  private func check(_ device: SimulatedDevice) throws(EventLogError) -> [String] {
    var failures: [String] = []
    let json = device.store.snapshot.json()
    let whole = try device.store.journal(usingCheckpoint: false).snapshot().snapshot
    if whole.json() != json {
      failures.append("\(device.name) shows a different state than its journal, read again")
    }
    if try device.store.journal.snapshot().snapshot.json() != json {
      failures.append("\(device.name) shows a different state than its journal with a checkpoint")
    }
    let problems = try device.store.journal.verify().problems
    let lines = device.lines
    let isLost = device.journal.failing.values.contains { $0.contains { lines[$0] == nil } }
    for problem in problems {
      let isExpected: Bool =
        switch problem.code {
        case .line: isLost || device.journal.hasUnclearDamage
        // The event that says so may have been removed or damaged, as well as the original line.
        case .unnamedErasure: world.hasErasures && (world.hasDamage || world.isTroubled)
        case .gap: world.hasDamage || world.isTroubled
        // The lines that named the missing event may have been removed, too.
        case .cutOff: (world.hasDamage || world.isTroubled) && isMissing(problem, in: lines)
        default: false
        }
      if !isExpected { failures.append("\(device.name) is not sound: \(problem.message)") }
    }
    if problems.isEmpty, isLost, !world.hasAcceptedLosses {
      failures.append("\(device.name) is reported as sound, but is missing damaged events")
    }
    return failures
  }

  private func isMissing(_ problem: JournalProblem, in lines: [FullEventID: [UInt8]]) -> Bool {
    !lines.keys.contains { event in
      event.device.text == problem.device && event.sequence == problem.sequence
        && !world.sharedIDs.contains(event.device)
    }
  }

  // MARK: - Brute force

  private func bruteForce(
    _ lines: [FullEventID: [UInt8]], _ store: TemporaryStore
  ) -> [String] {
    let snapshot = store.snapshot
    let reference = ReferenceState(Reference(lines: lines.values, user: "ada", store.catalog))
    if reference.frontier != snapshot.frontier.tips {
      return ["by the rules it must have a different frontier"]
    }
    let (expected, found) = (reference.report, altering(snapshot.report))
    if expected == found { return [] }
    let (missing, wrong) = (Set(expected).subtracting(found), Set(found).subtracting(expected))
    return missing.sorted().prefix(3).map { "by the rules it must show: \($0)" }
      + wrong.sorted().prefix(3).map { "by the rules it must not show: \($0)" }
  }
}
