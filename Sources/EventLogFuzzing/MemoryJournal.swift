import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting

/// A journal of some bytes, alone on a disk in memory.
struct MemoryJournal: Sendable {
  static let path = "/ada.jsonl"
  let disk: MemoryFileSystem

  init(_ bytes: [UInt8]) throws {
    disk = MemoryFileSystem(clock: .fixed(1_700_000_000_000))
    try put(bytes)
  }

  init(on disk: MemoryFileSystem) { self.disk = disk }

  /// What stands in the file; none where it is not there.
  var bytes: [UInt8] {
    (try? disk.contents(ofFile: Self.path, maximumBytes: 1 << 30)) ?? []
  }

  /// What stands in the file without room that a writer prepared: spaces behind the last line.
  var filledBytes: [UInt8] {
    let bytes = bytes
    return bytes.dropLast(bytes.reversed().prefix { [0x20, 0x09, 0x0D].contains($0) }.count)
  }

  /// What an append leaves as it is: all but that room, and an end that is in doubt.
  func keptBytes() throws -> [UInt8] {
    let tail = try reading(usingCheckpoint: false).snapshot().warnings.first?.byte
    return tail.map { Array(bytes[..<Int($0)]) } ?? filledBytes
  }

  /// Writes behind what stands in the file.
  func put(_ bytes: [UInt8], to path: String = path) throws {
    let file = try disk.open(path, .create)
    defer { disk.close(file) }
    try disk.writeAll(file, bytes, at: disk.status(of: file).size)
  }

  func options(_ device: String = "phone", user: String? = nil) -> JournalOptions {
    .repeatable(device: device, user: user, fileSystem: disk)
  }

  func reading(
    by catalog: SchemaCatalog = .standard, usingCheckpoint usesCheckpoint: Bool = true
  ) -> Journal {
    Journal(
      path: Self.path, catalog: catalog, fileSystem: disk, usesCheckpoint: usesCheckpoint)
  }

  func store(by catalog: SchemaCatalog = .standard, user: String? = nil) -> EventStore {
    .unread(path: Self.path, options: options(user: user), catalog: catalog)
  }

  /// The full IDs of all events that count.
  func events() throws -> Set<FullEventID> {
    var events: Set<FullEventID> = []
    _ = try reading(usingCheckpoint: false).replay { event, _ in
      events.insert(event.fullID)
      return true
    }
    return events
  }

  /// Checks that the journal still is one, has only grown, and lost no event.
  ///
  /// - Parameter taken: how many further events a run has reported.
  @discardableResult
  func checkGrown(
    from before: [UInt8], holding events: Set<FullEventID>, and taken: Int64? = nil,
    by catalog: SchemaCatalog = .standard
  ) throws -> Snapshot {
    try Finding.require(bytes.starts(with: before), "What stood in the journal has changed.")
    let (report, state) = try reading(by: catalog).checkAgreement()
    guard let state else {
      throw Finding("The journal is none any more.")
    }
    let lost = events.subtracting(try self.events())
    try Finding.require(lost.isEmpty, "The journal has lost \(lost.sorted()).")
    if let taken {
      // The beginning of a batch whose end is missing everywhere is taken, and waits; under the
      // journal's own device it looks like an append that was cut off.
      let grown = Int64(state.eventCount - events.count)
      let isWaiting =
        report.noteCounts[.unfinishedBatch] ?? 0 > 0
        || report.problems.contains { $0.code == .doubtfulTail }
      try Finding.require(
        grown == taken || isWaiting && grown < taken,
        "\(taken) events were taken, and \(grown) came.")
    }
    return state
  }
}

extension MemoryJournal {
  /// A journal of two devices, the same in each run, to which others say something.
  static func shared() async throws -> MemoryJournal {
    MemoryJournal(on: try await base.value.disk.copy(machineIdentity: "memory"))
  }

  private static let base = Task { () async throws -> MemoryJournal in
    let journal = MemoryJournal(on: MemoryFileSystem(clock: .fixed(1_700_000_000_000)))
    let clock = AdjustableClock()
    for device in ["phone", "desk"] {
      // Each is a machine of its own; the last one goes on.
      let disk = InstrumentedFileSystem(
        journal.disk, machineIdentity: device == "desk" ? "memory" : device)
      let store = EventStore.unread(
        path: path,
        options: .repeatable(device: device, user: "ada", clock: clock, fileSystem: disk),
        catalog: .standard)
      _ = try await store.append([
        EventDraft(
          type: "habit.created", entity: EntityID("habit/\(device)"), data: ["name": "Read"]),
        EventDraft(type: "settings.changed", data: ["theme": .string(device)]),
      ])
      try await store.close()
    }
    return journal
  }
}
