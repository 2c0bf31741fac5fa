/// One run with a place for objects.
actor ObjectSession: RemoteSession {
  private let storage: any ObjectStorage
  private let visit: RemoteVisit
  private let random: RandomText
  private let now: @Sendable () -> Int64
  private let noted: [String]
  /// What the place held when the run began.
  private let catalog: ObjectCatalog
  /// Nil until the initiator has said what it holds.
  private var place: ObjectPlace?
  private var stated = FrontierStatement()
  /// What was found not to be whole then.
  private var damaged: [RangeName] = []
  /// Those of them that keep events from being received, by what is wrong with them.
  private var faulty: [RangeFault: [RangeName]] = [:]
  private var writer: ObjectWriter
  /// What the initiator has said to the place, and where that stands.
  private var announced: (statement: FrontierStatement, name: FrontierName)?
  private var upkeep = Upkeep.due
  /// What was put, or would have been.
  private var taken = EventRanges()

  /// The upkeep of a run: due ─▶ running ─▶ ended, or due ─▶ ended.
  private enum Upkeep {
    case due
    case running(ObjectUpkeep)
    /// With the failure, unless nothing was left to do or to spend.
    case ended(EventLogError?)
  }

  init(
    _ storage: any ObjectStorage, _ catalog: ObjectCatalog, _ visit: RemoteVisit,
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

  // MARK: - Taking from it

  func statement(
    to initiator: FrontierStatement, _ lookup: any HistoryLookup
  ) async throws(EventLogError) -> FrontierStatement {
    let place = ObjectPlace(storage, catalog, initiator, lookup, known: visit.known, now)
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
    let held = try await place.lookup.held(Set(pieces.compactMap(\.before)).sorted())
    return ObjectLineSource(place, pieces, held: held, missing: stated.missing)
  }

  // MARK: - Giving to it

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {
    guard !visit.isDryRun, statement.user != nil, let place else { return }
    let content = FrontierObject.content(statement)
    let frontiers = await place.catalog.frontiers
    if let same = frontiers.first(where: { FrontierObject.content($0.statement) == content }) {
      announced = (statement, same.name)
      return
    }
    let writer = visit.device ?? DeviceID(trusted: "reader-" + random.next(8))
    var numbers = Set(frontiers.map(\.name).filter { $0.writer == writer }.map(\.number))
    var name: FrontierName {
      FrontierName(writer, FrontierName.number(besides: numbers), content: content)
    }
    try await storage.put(
      content, as: { name.text }, or: { $0 == content },
      choosing: { numbers.insert(name.number) })
    announced = (statement, name)
    if await place.catalog.isEmpty { try await checkLists(name.text) }
  }

  /// Lists a place again that has listed nothing, and so may be another one than it stores to.
  ///
  /// - Throws: `remoteFailed` if it doesn't list what was put. Then no device could read it.
  private func checkLists(_ name: String) async throws(EventLogError) {
    var memory = catalog.memory.withoutListing
    if try await memory.objects(of: storage).contains(where: { $0.name.hasBytes(of: name) }) {
      return
    }
    throw EventLogError(
      .remoteFailed,
      "\"\(storage.address)\" stores files, but does not list them, so no device could read them"
        + " there. No events were pushed.",
      hint: "Check the address, and that nothing in between, such as a proxy, changes paths. If it"
        + " lists new files late, sync again.")
  }

  func restate(_ statement: FrontierStatement) async throws(EventLogError) {
    guard !visit.isDryRun, let place, try await place.lacksFrontier() else { return }
    // The place may only be readable.
    do throws(EventLogError) { try await announce(statement) } catch {
      try await endUpkeep(error)
    }
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

  /// The writer, which is given back: a second reference to what it holds would have all of that
  /// copied at each change.
  private func takeWriter() -> ObjectWriter {
    defer { writer = ObjectWriter(storage, random) }
    return writer
  }

  /// Puts one range, or joins one row of them.
  func proceed() async throws(EventLogError) -> ReceiveResult? {
    guard announced != nil, let place else { return nil }
    var writer = takeWriter()
    defer { self.writer = writer }
    if let result = try await writer.putNext() {
      taken.formUnion(result.received)
      return result
    }
    do throws(EventLogError) {
      var step: ObjectUpkeep
      switch upkeep {
      case .due: step = try await ObjectUpkeep.begin(place, visit.device, written: writer.written)
      case .running(let begun): step = begun
      case .ended: return nil
      }
      let hasJoined = try await step.joinNext(&writer)
      upkeep = hasJoined ? .running(step) : .ended(nil)
      return hasJoined ? ReceiveResult() : nil
    } catch {
      try await endUpkeep(error)
      return nil
    }
  }

  /// Ends the upkeep of this run: what it needs for nothing else fails no sync.
  private func endUpkeep(_ error: EventLogError) async throws(EventLogError) {
    if error.code == .cancelled { throw error }
    upkeep = .ended(await place?.upkeep.end == nil ? error : nil)
  }

  private var upkeepFailure: EventLogError? {
    if case .ended(let failure) = upkeep { failure } else { nil }
  }

  func finish() async throws(EventLogError) -> Set<String> {
    guard let place else { return visit.known }
    while try await proceed() != nil {}
    if let announced, upkeepFailure == nil {
      do throws(EventLogError) {
        try await place.removeFrontiers(besides: announced.name, announced.statement)
      } catch {
        try await endUpkeep(error)
      }
    }
    // Afterwards: what was removed is not remembered, or each later run would remove it again.
    let catalog = await place.catalog
    return await place.known.intersection(catalog.objects.map(\.key))
      .union(place.round.words).union(catalog.memory.words).union(writer.written.map(\.key))
  }

  var notices: [String] {
    get async {
      guard let place else { return [] }
      let held = await place.held
      // A dry run gives nothing; what is held is what a sync would give.
      let replaced = damaged.filter { name in
        visit.isDryRun
          ? held.contains(name.range.end) : taken.ranges.contains { $0.overlaps(name.range) }
      }
      var notices = await place.catalog.later.map { name in
        "\"\(name)\" in \"\(storage.address)\" was written by a later version of eventlog"
          + " and was ignored. Update eventlog on this device."
      }
      if let failure = upkeepFailure {
        notices.append("\"\(storage.address)\" was not tidied up. \(failure.message)")
      } else if await place.upkeep.end == .slow {
        notices.append(
          "\"\(storage.address)\" is too slow to be tidied up at once: the next sync continues.")
      }
      if (try? await place.lacksFrontier()) ?? false {
        notices += await place.frontierNotices(isWritten: announced != nil)
      }
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

/// Where nothing was asked for.
private struct NoLines: LineSource {
  func next() async throws(EventLogError) -> LineBatch? { nil }
}
