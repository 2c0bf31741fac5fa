/// One run with a place for objects.
actor ObjectSession: RemoteSession {
  private let storage: any ObjectStorage
  private let visit: RemoteVisit
  private let random: RandomText
  /// What the place held when the run began.
  private var before: ObjectCatalog
  private var histories: ObjectHistories?
  private var writer: ObjectWriter
  private var hasAnnounced = false
  private var upkeep: ObjectUpkeep?
  /// What was found to be given up, in words for the next run.
  private var givenUp: Set<String> = []
  /// The objects that were found whole, by their keys.
  private var known: Set<String>
  /// Which of those are looked at again: as the run before has left it, and for the next one.
  private let roundBefore: CheckRound
  private var round: CheckRound
  /// What was put, or would have been.
  private var taken = EventRanges()

  init(
    _ storage: any ObjectStorage, _ catalog: ObjectCatalog, _ visit: RemoteVisit,
    _ random: RandomText
  ) {
    self.storage = storage
    self.visit = visit
    self.random = random
    before = catalog
    writer = ObjectWriter(storage, random)
    var known = visit.known
    roundBefore = CheckRound(from: &known)
    round = roundBefore
    self.known = known
  }

  func statement(
    to visitor: any DeviceHistories
  ) async throws(EventLogError) -> FrontierStatement {
    var histories = try await examine(before, visitor)
    // An object that vanished was joined with others into a larger one: look again.
    for _ in 0..<2 where histories.hasVanished {
      before = try await ObjectCatalog.read(storage, for: visit.user)
      histories = try await examine(before, visitor)
    }
    self.histories = histories
    let catalog = histories.catalog
    var statement = FrontierStatement(
      user: catalog.user,
      adoptedUsers: catalog.adoptedUsers,
      frontier: catalog.available, claims: catalog.frontiers.map(\.claims),
      reissues: catalog.reissues)
    statement.withheld = catalog.frontiers.map(\.withheld).filter { !$0.isEmpty }
    statement.hearsay = catalog.hearsay
    statement.pending = catalog.pending(besides: statement.frontier, visitor.points)
    return statement
  }

  private func examine(
    _ catalog: ObjectCatalog, _ visitor: any DeviceHistories
  ) async throws(EventLogError) -> ObjectHistories {
    var histories = ObjectHistories(storage, catalog, visitor)
    var givenUp: Set<String> = []
    try await histories.leaveOutWhatIsGivenUp(visit.known, &givenUp)
    self.givenUp = givenUp
    var (known, round) = (known, roundBefore)
    try await histories.leaveOutWhatIsNotWhole(&known, &round)
    (self.known, self.round) = (known, round)
    try await histories.findWhatCannotBeCompared()
    return histories
  }

  func checksum(
    of event: EventID, inHistoryTo point: HistoryPoint
  ) async throws(EventLogError) -> LineChecksum? {
    guard var histories else { return nil }
    let checksum = try await histories.checksum(of: event, inHistoryTo: point)
    self.histories = histories
    return checksum
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    guard let histories else {
      return ObjectLineSource([], storage, before, NoHistories())
    }
    return ObjectLineSource(ranges, storage, histories.catalog, histories.visitor)
  }

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {
    guard !visit.isRehearsal, let user = statement.user else { return }
    hasAnnounced = true
    if before.frontiers.contains(where: {
      $0.points == statement.frontier && $0.reissues == statement.reissues
        && $0.adoptedUsers.map { Array($0.utf8) } == statement.adoptedUsers.map { Array($0.utf8) }
        && $0.withheld == FrontierObject.withheld(statement)
    }) {
      return
    }
    let earlier = try await histories?.earlierPoints(than: statement.frontier) ?? [:]
    let content = FrontierObject.content(statement, user: user, earlier: earlier)
    let writer = visit.device?.text ?? "reader-" + random.next(8)
    var taken = Set(before.frontiers.filter { $0.name.writer == writer }.map(\.name.number))
    while true {
      let number = FrontierName.number(besides: taken)
      if try await storage.put(FrontierName(writer, number, content: content).text, content) {
        return
      }
      taken.insert(number)
    }
  }

  func write(_ lines: LineBatch) async throws(EventLogError) -> Reception {
    let reception = try await take(lines)
    taken.formUnion(reception.received)
    return reception
  }

  private func take(_ lines: LineBatch) async throws(EventLogError) -> Reception {
    if visit.isRehearsal { return ObjectWriter.rehearse(lines) }
    var writer = writer
    defer { self.writer = writer }
    return try await writer.add(lines)
  }

  /// Puts one range, or joins one row of them.
  func proceed() async throws(EventLogError) -> Reception? {
    guard hasAnnounced, let histories else { return nil }
    var writer = writer
    defer { self.writer = writer }
    if let reception = try await writer.putNext() {
      taken.formUnion(reception.received)
      return reception
    }
    var upkeep =
      upkeep
      ?? ObjectUpkeep(
        storage, histories.catalog, histories.visitor, visit.device, written: writer.written)
    defer { self.upkeep = upkeep }
    return try await upkeep.joinNext(&writer) ? Reception() : nil
  }

  func finish() async throws(EventLogError) -> Set<String> {
    let listed = Set(before.ranges.values.joined().map(\.key))
    while try await proceed() != nil {}
    let known = next(listed)
    guard let upkeep else { return known }
    try await upkeep.removeWhatIsSuperfluous()
    return known.union(writer.written.map(\.key))
  }

  /// What the next run is to know.
  private func next(_ listed: Set<String>) -> Set<String> {
    known.intersection(listed).union(round.words).union(givenUp)
  }

  var notices: [String] {
    guard let catalog = histories?.catalog else { return [] }
    let place = "in \"\(storage.address)\""
    let replaced = catalog.ranges.values.joined().filter { object in
      catalog.isDamaged(object) && taken.ranges.contains { $0.overlaps(object.range) }
    }
    let later = catalog.later.map { name in
      "\"\(name)\" \(place) was written by a later version of eventlog: what it"
        + " says to be there was not taken on its word. Update eventlog on this device."
    }
    return later
      + replaced.map(\.name.text).sorted().map { name in
        visit.isRehearsal
          ? "\"\(name)\" \(place) is not whole: its events would be put there again."
          : "\"\(name)\" \(place) was not whole: its events were put there again."
      }
  }
}

/// Of a visitor that holds nothing.
private struct NoHistories: DeviceHistories {
  var points: [DeviceID: HistoryPoint] { [:] }
  var reissues: [Reissue] { [] }
  func checksum(of event: EventID) async throws(EventLogError) -> LineChecksum? { nil }
}
