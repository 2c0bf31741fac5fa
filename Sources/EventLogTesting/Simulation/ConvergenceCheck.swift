import EventLog

/// What must hold when all devices have met.
struct ConvergenceCheck {
  let world: SimulatedWorld
  let catalog: SchemaCatalog
  /// Stands between what is shown and what is judged, to see that it is found out.
  let altering: @Sendable ([String]) -> [String]

  /// What does not hold before anything was repaired, a sentence each.
  func failures() async throws(EventLogError) -> [String] {
    let held = try world.held()
    if world.numbers.hasDamage || world.numbers.hasReissues {
      return world.failures + missing(KeptEvents(held))
    }
    return held.forks.isEmpty
      ? try await failuresOfAgreeing() : try await failuresAroundForks(held)
  }

  /// What does not hold where all must agree in everything: because there was nothing to repair, or
  /// because it is repaired.
  func failuresOfAgreeing() async throws(EventLogError) -> [String] {
    var failures = world.failures
    let first = world.devices[0]
    // Where nothing was written there is no journal.
    if first.snapshot.eventCount == 0 { return failures + missing(KeptEvents(HeldLines())) }
    let lines = try lines(of: first)
    let json = first.snapshot.json()
    // What is said at a place of a branch that is gone keeps its device from whoever comes new.
    let late = world.hasLosses ? [] : try await world.latecomers()
    for device in world.devices + late {
      let state = device.snapshot
      if state.frontier != first.snapshot.frontier {
        failures.append("\(device.name) has another frontier than \(first.name)")
      }
      if try self.lines(of: device) != lines {
        failures.append("\(device.name) holds other lines than \(first.name)")
      }
      if state.json() != json {
        let differences = try differences(between: first.snapshot, and: state)
        failures.append(
          "\(device.name) shows another state than \(first.name): "
            + differences.prefix(3).map(\.description).joined(separator: "; "))
      }
      failures += try check(device)
    }
    failures += missing(KeptEvents(HeldLines(try world.lines(of: first))))
    failures += bruteForce(try first.events(), first.snapshot)
    return failures
  }

  /// What does not hold where two events have one number, until that is settled.
  ///
  /// Nothing of a fork crosses, nor what has seen it; all else has to be everywhere, and nothing
  /// may be gone. A repair that was run everywhere leaves no fork: then all agree.
  private func failuresAroundForks(
    _ held: HeldLines
  ) async throws(EventLogError) -> [String] {
    let forks = held.forks
    var failures = world.failures
    var clean: [Set<EventID>] = []
    for device in world.devices {
      clean.append(try self.clean(device, forks))
      failures += try check(device)
      failures += bruteForce(try device.events(), device.snapshot)
    }
    let everywhere = clean.reduce(into: Set()) { $0.formUnion($1) }
    for (device, its) in zip(world.devices, clean) {
      if let event = everywhere.subtracting(its).map(\.description).min() {
        failures.append("\(device.name) lacks \(event), which has seen no fork")
      }
    }
    let given = held.lines.values.reduce(into: Set()) { $0.formUnion($1) }
    for device in try await world.latecomers() {
      failures += try check(device)
      if try !lines(of: device).isSubset(of: given) {
        failures.append("\(device.name) holds lines that nobody gave")
      }
    }
    return failures + missing(KeptEvents(held))
  }

  /// The events in a journal that are no side of a fork and have seen none.
  private func clean(
    _ device: TemporaryStore, _ forks: [DeviceID: Int64]
  ) throws(EventLogError) -> Set<EventID> {
    var clean: Set<EventID> = []
    var tainted: Set<DeviceID> = []
    try device.replay { event, _ in
      let own = EventID(device: event.id.device, sequence: event.id.sequence)
      let isTainted =
        own.sequence >= forks[own.device] ?? .max
        || event.seen.entries.contains { $0.value >= forks[$0.key] ?? .max }
      if isTainted { tainted.insert(own.device) }
      if !tainted.contains(own.device) { clean.insert(own) }
    }
    return clean
  }

  /// What is open though all of it was settled before the devices met again.
  func failuresOfSettling() -> [String] {
    world.devices.flatMap { device in
      device.snapshot.conflicts.prefix(3).map {
        "\($0.id) was settled, and is open on \(device.name)"
      }
    }
  }

  private func lines(of device: TemporaryStore) throws(EventLogError) -> Set<[UInt8]> {
    var lines: Set<[UInt8]> = []
    try device.replay { _, line in lines.insert(line) }
    return lines
  }

  private func missing(_ kept: KeptEvents) -> [String] {
    world.acknowledged.filter { !kept.hold($0.value, $0.key) }.map(\.key.description).sorted()
      .prefix(3).map { "\($0) was acknowledged and is gone, or is another line" }
  }

  /// The journal is sound, and says what the store shows, with a checkpoint and without.
  private func check(_ device: TemporaryStore) throws(EventLogError) -> [String] {
    var failures: [String] = []
    let problems = try device.journal.verify().problems
    if let problem = problems.first {
      failures.append("the journal of \(device.name) is not sound: \(problem.message)")
    }
    let whole = device.journal(usingCheckpoint: false)
    let json = device.snapshot.json()
    if try whole.snapshot().snapshot.json() != json {
      failures.append("\(device.name) shows another state than its journal, read anew")
    }
    if try device.journal.snapshot().snapshot.json() != json {
      failures.append("\(device.name) shows another state than its journal with a checkpoint")
    }
    return failures
  }

  private func bruteForce(_ events: [Event], _ snapshot: Snapshot) -> [String] {
    let expected = ReferenceState(Reference(events, catalog)).report
    let found = altering(snapshot.report)
    if expected == found { return [] }
    let (missing, wrong) = (Set(expected).subtracting(found), Set(found).subtracting(expected))
    return missing.sorted().prefix(3).map { "by the rules it must show: \($0)" }
      + wrong.sorted().prefix(3).map { "by the rules it must not show: \($0)" }
  }
}
