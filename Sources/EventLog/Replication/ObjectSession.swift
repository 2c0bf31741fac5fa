/// A run with a remote that stores objects.
actor ObjectSession: RemoteSession {
  private let storage: any ObjectStorage
  private let visit: SyncRequest
  private let random: RandomText
  private let now: @Sendable () -> Int64
  private let noted: [String]
  /// The objects at the start of the run.
  private let catalog: ObjectCatalog
  /// Nil until the initiator's statement was received.
  private var place: ObjectIndex?
  private var stated = FrontierStatement()
  /// The names of the objects that were invalid at the start of the run.
  private var damaged: [RangeName] = []
  /// The damaged objects with events that the initiator lacks, by their faults.
  private var faulty: [RangeFault: [RangeName]] = [:]
  private var writer: ObjectWriter
  /// The initiator's statement at the remote, and the name of its object.
  private var announced: (statement: FrontierStatement, name: FrontierName)?
  private var upkeep = Upkeep.due
  /// The events that were put or, in a dry run, would be.
  private var taken = EventRanges()

  /// The compaction of a run: due ─▶ running ─▶ ended, due ─▶ ended, or due ─▶ paused.
  private enum Upkeep {
    case due
    case running(RangeCompactor)
    /// With the failure, or nil if the work was completed or its budget spent.
    case ended(EventLogError?)
    /// The remote has refused it in a recent run.
    case paused
  }

  init(
    _ storage: any ObjectStorage, _ catalog: ObjectCatalog, _ visit: SyncRequest,
    _ random: RandomText, _ now: @escaping @Sendable () -> Int64, noted: [String]
  ) {
    self.noted = noted
    self.storage = storage
    self.now = now
    self.visit = visit
    self.random = random
    self.catalog = catalog
    writer = ObjectWriter(storage, random)
  }

  // MARK: - Pulling

  func statement(
    to initiator: FrontierStatement, _ lookup: any HistoryLookup
  ) async throws(EventLogError) -> FrontierStatement {
    let place = ObjectIndex(storage, catalog, initiator, lookup, known: visit.known, now)
    self.place = place
    stated = try await place.statement()
    damaged = await place.bad.map(\.name)
    let pending = Set(stated.pending.map(\.end))
    faulty = Dictionary(grouping: await place.faults) { $0.value }
      .mapValues { $0.map(\.key.name).filter { pending.contains($0.range.end) } }
    return stated
  }

  func checkTellsUser() async throws(EventLogError) { try await place?.checkTellsUser() }

  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    var chains: [UInt32?] = []
    for query in queries { chains.append(try await place?.chain(query)) }
    return chains
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    guard let place else { return NoLines() }
    let pieces = try await place.pieces(of: ranges)
    return ObjectLineSource(place, pieces, missing: stated.missing)
  }

  // MARK: - Pushing

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {
    try await state(statement, ifAllowed: false)
  }

  func restate(_ statement: FrontierStatement) async throws(EventLogError) {
    guard let place else { return }
    let isDamaged = await !place.catalog.unreadFrontiers(of: visit.device).isEmpty
    guard try await place.lacksFrontier() || isDamaged else { return }
    try await state(statement, ifAllowed: true)
  }

  /// Puts a frontier, unless one states the same.
  ///
  /// - Parameter isOptional: Whether the remote may refuse it, because it may be read-only.
  private func state(
    _ statement: FrontierStatement, ifAllowed isOptional: Bool
  ) async throws(EventLogError) {
    guard !visit.isDryRun, statement.user != nil, let place else { return }
    let content = FrontierObject.content(statement)
    let catalog = await place.catalog
    let frontiers = catalog.frontiers
    if let same = frontiers.first(where: { FrontierObject.content($0.statement) == content }) {
      announced = (statement, same.name)
      return
    }
    let unread = catalog.unreadFrontiers(of: visit.device)
    // A remote that garbles everything it returns would accumulate frontiers.
    if frontiers.isEmpty, unread.count >= ObjectLimits.namesMax {
      do throws(EventLogError) { try await storage.remove(unread[0].text) } catch {
        throw error.code == .canceled ? error : garbled
      }
    }
    let writer = visit.device ?? DeviceID(trusted: "reader-" + random.next(8))
    var numbers = Set(
      (frontiers.map(\.name) + unread).filter { $0.writer == writer }.map(\.number))
    var name: FrontierName {
      FrontierName(writer, FrontierName.number(besides: numbers), content: content)
    }
    let isStored: Bool
    do throws(EventLogError) {
      isStored = try await storage.put(
        content, as: { name.text }, or: { $0 == content },
        choosing: { numbers.insert(name.number) })
    } catch {
      guard isOptional else { throw error }
      return try await endUpkeep(error)
    }
    guard isStored else { throw storage.namesAreTaken }
    announced = (statement, name)
    if catalog.isEmpty { try await checkLists(name.text) }
    if frontiers.isEmpty { try await checkReturns(name.text, content) }
  }

  /// Reads back the only readable frontier.
  ///
  /// - Throws: `remoteFailed` if it isn't what was put, so that no device could read the remote.
  private func checkReturns(_ name: String, _ content: [UInt8]) async throws(EventLogError) {
    let read = try await storage.read(name)
    if read == content { return }
    // The next sync finds it if the remote is only late.
    if read != nil { try? await storage.remove(name) }
    throw garbled
  }

  private var garbled: EventLogError {
    EventLogError(
      .remoteFailed,
      "\"\(storage.address)\" does not return what it stores, so no device could read it there. No"
        + " events were pushed.",
      hint:
        "Check the address, and that nothing in between, such as a proxy, changes answers. If it"
        + " returns new files late, sync again.")
  }

  /// Lists a remote again after the first object was put.
  ///
  /// - Throws: `remoteFailed` if the object isn't listed, because lists and puts use different
  ///   paths.
  private func checkLists(_ name: String) async throws(EventLogError) {
    var memory = catalog.memory.withoutListing
    if try await memory.objects(of: storage).contains(where: { $0.name.hasBytes(of: name) }) {
      return
    }
    let notices = (storage as? any NoticingStorage)?.notices ?? []
    throw EventLogError(
      .remoteFailed,
      "\"\(storage.address)\" stores files, but does not list them, so no device could read them"
        + " there. \((["No events were pushed."] + notices).joined(separator: " "))",
      hint: "Check the address, and that nothing in between, such as a proxy, changes paths. If it"
        + " lists new files late, sync again.")
  }

  func write(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult {
    let result = try await take(lines)
    taken.formUnion(result.received)
    return result
  }

  private func take(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult {
    if visit.isDryRun { return ObjectWriter.dryRun(lines) }
    var writer = takeWriter()
    defer { self.writer = writer }
    return try await writer.add(lines)
  }

  /// Moves the writer out of the actor. The caller puts it back.
  ///
  /// A second reference to its buffers would copy them at each change.
  private func takeWriter() -> ObjectWriter {
    defer { writer = ObjectWriter(storage, random) }
    return writer
  }

  /// Puts one range, or merges one run of objects.
  func proceed() async throws(EventLogError) -> ReceiveResult? {
    guard announced != nil, let place else { return nil }
    var writer = takeWriter()
    defer { self.writer = writer }
    if let result = try await writer.putNext() {
      taken.formUnion(result.received)
      return result
    }
    do throws(EventLogError) {
      var step: RangeCompactor
      switch upkeep {
      case .due:
        guard await place.catalog.memory.upkeepPause == 0 else {
          upkeep = .paused
          return nil
        }
        step = try await RangeCompactor.begin(place, visit.device, written: writer.written)
      case .running(let begun): step = begun
      case .ended, .paused: return nil
      }
      let hasJoined = try await step.joinNext(&writer)
      upkeep = hasJoined ? .running(step) : .ended(nil)
      return hasJoined ? ReceiveResult() : nil
    } catch {
      try await endUpkeep(error)
      return nil
    }
  }

  /// Ends the compaction of this run. Its failure doesn't fail the sync, unless it was canceled.
  private func endUpkeep(_ error: EventLogError) async throws(EventLogError) {
    if error.code == .canceled { throw error }
    let isSpent = await place?.upkeep.end != nil && error.code == .remoteFailed
    upkeep = .ended(isSpent ? nil : error)
  }

  func finish() async throws(EventLogError) -> Set<String> {
    guard let place else { return visit.known }
    while try await proceed() != nil {}
    if let announced, case .ended(nil) = upkeep {
      do throws(EventLogError) {
        try await place.removeFrontiers(
          besides: announced.name, announced.statement, writer: visit.device)
      } catch {
        try await endUpkeep(error)
      }
    }
    // Read only now, without the removed objects, which each later run would remove again.
    var catalog = await place.catalog
    switch upkeep {
    case .ended(let failure?) where [.accessDenied, .wrongAddress].contains(failure.code):
      catalog.memory.upkeepPause = ListingCache.upkeepPauseMax
    case .paused: catalog.memory.upkeepPause -= 1
    case .due, .running, .ended: break
    }
    return await place.known.intersection(catalog.objects.map(\.key))
      .union(place.round.words).union(catalog.memory.words).union(writer.written.map(\.key))
  }

  var notices: [String] {
    get async {
      guard let place else { return [] }
      let held = await place.held
      // A dry run puts nothing. A sync would put the events that the initiator holds.
      let replaced = damaged.filter { name in
        visit.isDryRun
          ? held.contains(name.range.end) : taken.ranges.contains { $0.overlaps(name.range) }
      }
      var notices = await place.catalog.later.map { name in
        "\"\(name)\" in \"\(storage.address)\" was written by a later version of eventlog"
          + " and was ignored. Update eventlog on this device."
      }
      if case .ended(let failure?) = upkeep {
        notices.append("\"\(storage.address)\" was not tidied up. \(failure.message)")
      } else if await place.upkeep.end == .slow {
        notices.append(
          "\"\(storage.address)\" is too slow to be tidied up at once: the next sync continues.")
      }
      let isWritten = announced != nil
      notices += (try? await place.frontierNotices(isWritten, by: visit.device)) ?? []
      notices += noted + ((storage as? any NoticingStorage)?.notices ?? [])
      return notices + faulty.sentences(in: storage.address)
        + replaced.map(\.text).sorted().map { name in
          "\"\(name)\" in \"\(storage.address)\" "
            + (visit.isDryRun
              ? "is damaged: its events would be pushed again."
              : "was damaged: its events were pushed again.")
        }
    }
  }
}

extension EventRange {
  /// Whether two ranges of one device have sequences in common.
  fileprivate func overlaps(_ other: EventRange) -> Bool {
    device == other.device && first <= other.last && other.first <= last
  }
}

/// The source for a session without a statement.
private struct NoLines: LineSource {
  func next() async throws(EventLogError) -> LineBatch? { nil }
}
