import EventLog

/// A run with a remote that stores objects.
actor ObjectSession: RemoteSession {
  private let storage: any ObjectStorage
  private let request: SyncRequest
  private let random: RandomText
  private let now: @Sendable () -> Int64
  private let initialNotices: [String]
  /// The objects at the start of the run.
  private let catalog: ObjectCatalog
  /// Nil until the initiator's statement was received.
  private var objectIndex: ObjectIndex?
  private var stated = FrontierStatement()
  /// The names of the objects that were invalid at the start of the run.
  private var damaged: [RangeName] = []
  /// The damaged objects with events that the initiator lacks, by their faults.
  private var damagedRanges: [RangeFault: [RangeName]] = [:]
  private var writer: ObjectWriter
  /// The initiator's statement at the remote, and the name of its object.
  private var announced: (statement: FrontierStatement, name: FrontierName)?
  private var compaction = Compaction.due
  /// The error that kept the schema files from being exchanged.
  private var schemaFailure: EventLogError?
  /// The objects that replaced others with erased events.
  private var replacements: [RangeObject] = []
  /// The events that were put or, in a dry run, would have been.
  private var pushed = EventRanges()

  /// The compaction of a run: due ─▶ running ─▶ ended, due ─▶ ended, or due ─▶ paused.
  private enum Compaction {
    case due
    case running(RangeCompactor)
    /// With the failure, or nil if the work was completed or its budget spent.
    case ended(EventLogError?)
    /// The remote has refused it in a recent run.
    case paused
  }

  init(
    _ storage: any ObjectStorage, _ catalog: ObjectCatalog, _ request: SyncRequest,
    _ random: RandomText, _ now: @escaping @Sendable () -> Int64, initialNotices: [String]
  ) {
    self.initialNotices = initialNotices
    self.storage = storage
    self.now = now
    self.request = request
    self.random = random
    self.catalog = catalog
    writer = ObjectWriter(storage, random)
  }

  // MARK: - Pulling

  func statement(
    to initiator: FrontierStatement, _ lookup: any HistoryLookup
  ) async throws(EventLogError) -> FrontierStatement {
    let objectIndex = ObjectIndex(storage, catalog, initiator, lookup, known: request.known, now)
    self.objectIndex = objectIndex
    stated = try await objectIndex.statement()
    damaged = await objectIndex.invalidObjects.map(\.name)
    let pending = Set(stated.pending.map(\.end))
    damagedRanges = Dictionary(grouping: await objectIndex.faults) { $0.value }
      .mapValues { $0.map(\.key.name).filter { pending.contains($0.range.end) } }
    return stated
  }

  func checkUserIsStated() async throws(EventLogError) {
    try await objectIndex?.checkUserIsStated()
  }

  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    var chains: [UInt32?] = []
    for query in queries { chains.append(try await objectIndex?.chain(query)) }
    return chains
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    guard let objectIndex else { return NoLines() }
    let pieces = try await objectIndex.pieces(of: ranges)
    return ObjectLineSource(objectIndex, pieces, missing: stated.missing)
  }

  // MARK: - Pushing

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {
    try await state(statement, ifAllowed: false)
  }

  func restate(_ statement: FrontierStatement) async throws(EventLogError) {
    guard let objectIndex else { return }
    let isDamaged = await !objectIndex.catalog.unreadFrontiers(of: request.device).isEmpty
    guard try await objectIndex.lacksFrontier() || isDamaged else { return }
    try await state(statement, ifAllowed: true)
  }

  /// Puts a frontier, unless an existing one states the same.
  ///
  /// - Parameter isOptional: Whether the remote may refuse it, because it may be read-only.
  private func state(
    _ statement: FrontierStatement, ifAllowed isOptional: Bool
  ) async throws(EventLogError) {
    guard !request.isDryRun, statement.user != nil, let objectIndex else { return }
    let content = FrontierObject.content(statement)
    let catalog = await objectIndex.catalog
    let frontiers = catalog.frontiers
    if let same = frontiers.first(where: { FrontierObject.content($0.statement) == content }) {
      announced = (statement, same.name)
      return
    }
    let unread = catalog.unreadFrontiers(of: request.device)
    // A remote that garbles everything it returns would accumulate frontiers.
    if frontiers.isEmpty, unread.count >= ObjectLimits.namesMax {
      do throws(EventLogError) { try await storage.remove(unread[0].text) } catch {
        throw error.code == .canceled ? error : garblingError
      }
    }
    let writer = request.device ?? DeviceID(trusted: "reader-" + random.next(8))
    var numbers = Set(
      (frontiers.map(\.name) + unread).filter { $0.writer == writer }.map(\.number))
    var name: FrontierName {
      FrontierName(writer, FrontierName.number(excluding: numbers), content: content)
    }
    let isStored: Bool
    do throws(EventLogError) {
      isStored = try await storage.put(
        content, as: { name.text }, or: { $0 == content },
        choosing: { numbers.insert(name.number) })
    } catch {
      guard isOptional else { throw error }
      return try await endCompaction(error)
    }
    guard isStored else { throw storage.namesAreTaken }
    announced = (statement, name)
    if catalog.isEmpty { try await checkIsListed(name.text) }
    if frontiers.isEmpty { try await checkReadsBack(name.text, content) }
  }

  /// Reads back the only readable frontier.
  ///
  /// - Throws: `remoteFailed` if it isn't what was put, so that no device could read the remote.
  private func checkReadsBack(_ name: String, _ content: [UInt8]) async throws(EventLogError) {
    let read = try await storage.read(name)
    if read == content { return }
    // The next sync finds it if the remote is only late.
    if read != nil { try? await storage.remove(name) }
    throw garblingError
  }

  private var garblingError: EventLogError {
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
  private func checkIsListed(_ name: String) async throws(EventLogError) {
    var cache = catalog.cache.withoutListing
    if try await cache.objects(of: storage).contains(where: { $0.name.hasBytes(of: name) }) {
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
    let result = try await store(lines)
    pushed.formUnion(result.received)
    return result
  }

  private func store(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult {
    if request.isDryRun { return ObjectWriter.dryRun(lines) }
    var writer = moveWriter()
    defer { self.writer = writer }
    return try await writer.add(lines)
  }

  /// Moves the writer out of the actor. The caller puts it back.
  ///
  /// A second reference to its buffers would copy them at each change.
  private func moveWriter() -> ObjectWriter {
    defer { writer = ObjectWriter(storage, random) }
    return writer
  }

  /// Puts one range, or merges one run of objects.
  func proceed() async throws(EventLogError) -> ReceiveResult? {
    guard announced != nil, let objectIndex else { return nil }
    var writer = moveWriter()
    defer { self.writer = writer }
    if let result = try await writer.putNext() {
      pushed.formUnion(result.received)
      return result
    }
    do throws(EventLogError) {
      var step: RangeCompactor
      switch compaction {
      case .due:
        guard await objectIndex.catalog.cache.compactionPause == 0 else {
          compaction = .paused
          return nil
        }
        step = try await RangeCompactor.begin(objectIndex, request.device, written: writer.written)
      case .running(let begun): step = begun
      case .ended, .paused: return nil
      }
      let hasMerged = try await step.mergeNext(&writer)
      compaction = hasMerged ? .running(step) : .ended(nil)
      return hasMerged ? ReceiveResult() : nil
    } catch {
      try await endCompaction(error)
      return nil
    }
  }

  /// Ends the compaction of this run. Its failure doesn't fail the sync, unless it was canceled.
  private func endCompaction(_ error: EventLogError) async throws(EventLogError) {
    if error.code == .canceled { throw error }
    let isSpent = await objectIndex?.compactionBudget.end != nil && error.code == .remoteFailed
    compaction = .ended(isSpent ? nil : error)
  }

  func exchange(
    _ schema: SchemaFile?, _ directions: ReplicationPlan.Directions
  ) async throws(EventLogError) -> SchemaFile? {
    guard let objectIndex else { return nil }
    do throws(EventLogError) { return try await objectIndex.exchange(schema, directions) } catch {
      // The events don't depend on it.
      if error.code == .canceled { throw error }
      // A place that only lets itself be read refuses everything.
      if error.code != .accessDenied || announced != nil { schemaFailure = error }
      return nil
    }
  }

  func erase(_ erasures: Erasures) async throws(EventLogError) {
    guard let objectIndex else { return }
    while try await proceed() != nil {}
    replacements = try await objectIndex.erase(erasures, written: writer.written)
  }

  func finish() async throws(EventLogError) -> Set<String> {
    guard let objectIndex else { return request.known }
    while try await proceed() != nil {}
    if let announced, case .ended(nil) = compaction {
      do throws(EventLogError) {
        try await objectIndex.removeFrontiers(
          excluding: announced.name, announced.statement, writer: request.device)
      } catch {
        try await endCompaction(error)
      }
    }
    // Read the catalog only now, without the removed objects: otherwise, each later run would
    // remove them again.
    var catalog = await objectIndex.catalog
    switch compaction {
    case .ended(let failure?) where [.accessDenied, .wrongAddress].contains(failure.code):
      catalog.cache.compactionPause = ListingCache.compactionPauseMax
    case .paused: catalog.cache.compactionPause -= 1
    case .due, .running, .ended: break
    }
    return await objectIndex.known.intersection(catalog.objects.map(\.key))
      .union(objectIndex.scrubSchedule.entries).union(catalog.cache.entries).union(
        writer.written.map(\.key)
      ).union(replacements.map(\.key))
  }

  var notices: [String] {
    get async {
      guard let objectIndex else { return [] }
      let held = await objectIndex.held
      // A dry run puts nothing. A sync would put the events that the initiator holds.
      let replaced = damaged.filter { name in
        request.isDryRun
          ? held.contains(name.range.end) : pushed.ranges.contains { $0.overlaps(name.range) }
      }
      var notices = await objectIndex.catalog.later.map { name in
        "\"\(name)\" in \"\(storage.address)\" was written by a later version of eventlog"
          + " and was ignored. Update eventlog on this device."
      }
      if case .ended(let failure?) = compaction {
        notices.append("\"\(storage.address)\" was not tidied up. \(failure.message)")
      } else if await objectIndex.compactionBudget.end == .slow {
        notices.append(
          "\"\(storage.address)\" is too slow to be tidied up at once: the next sync continues.")
      }
      if let schemaFailure {
        notices.append(
          "The app's declarations were not exchanged with \"\(storage.address)\", so tools may lack"
            + " them elsewhere. \(schemaFailure.message)")
      }
      let isWritten = announced != nil
      notices += (try? await objectIndex.frontierNotices(isWritten, by: request.device)) ?? []
      notices += initialNotices + ((storage as? any NoticingStorage)?.notices ?? [])
      return notices + damagedRanges.notices(in: storage.address)
        + replaced.map(\.text).sorted().map { name in
          "\"\(name)\" in \"\(storage.address)\" "
            + (request.isDryRun
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
