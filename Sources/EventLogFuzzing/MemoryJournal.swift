import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting

/// A journal with the given bytes, alone on a disk in memory.
struct MemoryJournal: Sendable {
  static let path = "/ada.jsonl"
  let disk: MemoryFileSystem

  init(_ bytes: [UInt8]) throws {
    disk = MemoryFileSystem(clock: .fixed(1_700_000_000_000))
    try put(bytes)
  }

  init(on disk: MemoryFileSystem) { self.disk = disk }

  /// The contents of the file, or nothing if it doesn't exist.
  var bytes: [UInt8] {
    (try? disk.contents(ofFile: Self.path, maximumBytes: 1 << 30)) ?? []
  }

  /// The contents without white space after the last line.
  var filledBytes: [UInt8] {
    let bytes = bytes
    return bytes.dropLast(bytes.reversed().prefix { [0x20, 0x09, 0x0D].contains($0) }.count)
  }

  /// Returns the bytes that an append keeps: all but white space at the end and a torn tail.
  func keptBytes() throws -> [UInt8] {
    let tail = try reading(usingCheckpoint: false).snapshot().warnings.first?.byte
    return tail.map { Array(bytes[..<Int($0)]) } ?? filledBytes
  }

  /// Writes bytes after the contents of a file.
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

  /// Returns the full IDs of all events that count.
  func events() throws -> Set<FullEventID> {
    var events: Set<FullEventID> = []
    _ = try reading(usingCheckpoint: false).replay { event, _ in
      events.insert(event.fullID)
      return true
    }
    return events
  }

  /// Checks that the file is still a journal, has only grown, and has lost no event.
  ///
  /// - Parameter taken: The number of new events that a sync has reported.
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
      // If the end of a batch is missing everywhere, its first events are received, but wait.
      // Under the journal's own device, they look like a torn tail.
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
  /// Returns a journal of two devices, the same in each run, for exchanges with others.
  static func shared() async throws -> MemoryJournal {
    MemoryJournal(on: try await base.value.disk.copy(machineIdentity: "memory"))
  }

  private static let base = Task { () async throws -> MemoryJournal in
    let journal = MemoryJournal(on: MemoryFileSystem(clock: .fixed(1_700_000_000_000)))
    let clock = AdjustableClock()
    for device in ["phone", "desk"] {
      // Each device is a separate machine. The last one continues.
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
