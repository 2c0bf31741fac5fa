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
  /// The objects that were found whole, by their keys.
  private var known: Set<String>

  init(
    _ storage: any ObjectStorage, _ catalog: ObjectCatalog, _ visit: RemoteVisit,
    _ random: RandomText
  ) {
    self.storage = storage
    self.visit = visit
    self.random = random
    before = catalog
    writer = ObjectWriter(storage, random)
    known = visit.known
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
      adoptedUsers: Set(catalog.frontiers.flatMap(\.adoptedUsers)).sorted(),
      frontier: catalog.available, claims: catalog.frontiers.map(\.points),
      reissues: catalog.reissues)
    statement.hearsay = before.hearsay(besides: catalog)
    return statement
  }

  private func examine(
    _ catalog: ObjectCatalog, _ visitor: any DeviceHistories
  ) async throws(EventLogError) -> ObjectHistories {
    var histories = ObjectHistories(storage, catalog, visitor)
    var known = known
    if let object = histories.objectToCheckAgain(known) { known.remove(object.key) }
    try await histories.leaveOutWhatIsNotWhole(&known)
    self.known = known
    try await histories.leaveOutWhatCannotBeCompared()
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
      return ObjectLineSource([], storage, before, NoHistories(), user: nil)
    }
    return ObjectLineSource(
      ranges, storage, histories.catalog, histories.visitor, user: visit.user)
  }

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {
    guard !visit.isRehearsal, let user = statement.user else { return }
    hasAnnounced = true
    if before.frontiers.contains(where: {
      $0.points == statement.frontier && $0.adoptedUsers == statement.adoptedUsers
        && $0.withheld == FrontierObject.withheld(statement)
        && $0.reissues == statement.reissues
    }) {
      return
    }
    let content = FrontierObject.content(statement, user: user)
    let writer = visit.device?.text ?? "reader-" + random.next(8)
    var number = before.frontiers.filter { $0.name.writer == writer }.map(\.name.number).max() ?? 0
    repeat {
      number += 1
    } while try await !storage.put(
      FrontierName(writer, number, content: content).text, content)
  }

  func write(_ lines: LineBatch) async throws(EventLogError) -> Reception {
    guard visit.isRehearsal else {
      var writer = writer
      let reception = try await writer.add(lines)
      self.writer = writer
      return reception
    }
    var rehearsed = ObjectWriter(NoStorage(address: storage.address), random)
    return try await rehearsed.add(lines)
  }

  func finish() async throws(EventLogError) -> Set<String> {
    let listed = Set(before.ranges.values.joined().map(\.key))
    guard hasAnnounced, let histories else { return known.intersection(listed) }
    var writer = writer
    try await writer.flush()
    self.writer = writer
    let upkeep = ObjectUpkeep(
      storage: storage, before: histories.catalog, visitor: histories.visitor,
      device: visit.device)
    try await upkeep.join(&writer)
    try await upkeep.removeWhatIsSuperfluous()
    return known.intersection(listed).union(writer.written.map(\.key))
  }
}

/// A place that takes everything and keeps nothing.
private struct NoStorage: ObjectStorage {
  let address: String
  func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool { true }
  func list(after name: String?) async throws(EventLogError) -> [StoredObject] { [] }
  func read(_ name: String) async throws(EventLogError) -> [UInt8]? { nil }
  func remove(_ name: String) async throws(EventLogError) {}
}

/// Of a visitor that holds nothing.
private struct NoHistories: DeviceHistories {
  var points: [DeviceID: HistoryPoint] { [:] }
  var reissues: [Reissue] { [] }
  func checksum(of event: EventID) async throws(EventLogError) -> LineChecksum? { nil }
}
