/// One run with a place for objects.
actor ObjectSession: RemoteSession {
  private let storage: any ObjectStorage
  private let visit: RemoteVisit
  private let random: RandomText
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
  private var upkeep: ObjectUpkeep?
  /// What was put, or would have been.
  private var taken = EventRanges()

  init(
    _ storage: any ObjectStorage, _ catalog: ObjectCatalog, _ visit: RemoteVisit,
    _ random: RandomText
  ) {
    self.storage = storage
    self.visit = visit
    self.random = random
    self.catalog = catalog
    writer = ObjectWriter(storage, random)
  }

  // MARK: - Taking from it

  func statement(
    to initiator: FrontierStatement, _ lookup: any HistoryLookup
  ) async throws(EventLogError) -> FrontierStatement {
    let place = ObjectPlace(storage, catalog, initiator, lookup, known: visit.known)
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
    while true {
      let name = FrontierName(writer, FrontierName.number(besides: numbers), content: content)
      if try await storage.put(name.text, content) {
        announced = (statement, name)
        return
      }
      numbers.insert(name.number)
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
    var upkeep: ObjectUpkeep
    if let begun = self.upkeep {
      upkeep = begun
      self.upkeep = nil
    } else {
      upkeep = try await ObjectUpkeep.begin(place, visit.device, written: writer.written)
    }
    defer { self.upkeep = upkeep }
    return try await upkeep.joinNext(&writer) ? ReceiveResult() : nil
  }

  func finish() async throws(EventLogError) -> Set<String> {
    guard let place else { return visit.known }
    while try await proceed() != nil {}
    var written: [RangeObject] = []
    if let upkeep, let announced {
      try await upkeep.removeFrontiers(besides: announced.name, announced.statement)
      written = writer.written
    }
    // Afterwards: what was removed is not remembered, or each later run would remove it again.
    let catalog = await place.catalog
    return await place.known.intersection(catalog.objects.map(\.key))
      .union(place.round.words).union(catalog.memory.words).union(written.map(\.key))
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
      let later = await place.catalog.later.map { name in
        "\"\(name)\" in \"\(storage.address)\" was written by a later version of eventlog"
          + " and was ignored. Update eventlog on this device."
      }
      return later + faulty.sentences(in: storage.address)
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
