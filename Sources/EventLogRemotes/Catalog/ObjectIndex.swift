import EventLog

/// A remote as one sync sees it: its valid objects and their histories.
///
/// An object is valid if its content matches its name. If the initiator holds its events and an
/// earlier sync has verified it, it isn't read; all other objects are read first.
actor ObjectIndex {
  /// The size of the cache of recently read objects.
  private static let recentBytesMax = 16 << 20

  let storage: any ObjectStorage
  /// The initiator's statement.
  let initiator: FrontierStatement
  /// Answers queries about the initiator's histories.
  let lookup: any HistoryLookup
  private(set) var catalog: ObjectCatalog
  /// The keys of verified objects.
  private(set) var known: Set<String>
  /// The keys of the objects that earlier syncs have verified.
  let knownBefore: Set<String>
  /// The schedule for verifying ``known`` objects again.
  private(set) var scrubSchedule: ScrubSchedule
  /// Objects that don't match their names or have vanished.
  private(set) var invalidObjects: Set<RangeObject> = []
  /// The faults of ``invalidObjects``.
  private(set) var faults: [RangeObject: RangeFault] = [:]
  private var hasVanished = false
  /// The ends of objects that the initiator also holds.
  private(set) var held: Set<FullEventID> = []
  /// The histories of objects that were read.
  private(set) var histories: [RangeObject: RangeHistory] = [:]
  private var recent: [RangeObject: RangeContent] = [:]
  /// The cached objects, oldest first, and their total size.
  private var recentOrder: [RangeObject] = []
  private var recentStart = 0
  private var recentBytes = 0
  /// The users of the devices whose join events were read.
  private(set) var users: [DeviceID: String] = [:]
  var compactionBudget: CompactionBudget

  /// - Parameter known: The result of an earlier sync (`SyncRequest.known`).
  init(
    _ storage: any ObjectStorage, _ catalog: ObjectCatalog, _ initiator: FrontierStatement,
    _ lookup: any HistoryLookup, known: Set<String>,
    _ now: @escaping @Sendable () -> Int64 = monotonicMilliseconds
  ) {
    compactionBudget = CompactionBudget(now)
    self.storage = storage
    self.catalog = catalog
    self.initiator = initiator
    self.lookup = lookup
    var known = known
    scrubSchedule = ScrubSchedule(from: &known)
    (self.known, knownBefore) = (known, known)
  }

  /// The valid objects.
  var validObjects: [RangeObject] { catalog.objects.filter { !invalidObjects.contains($0) } }

  /// Determines the valid objects.
  func examine() async throws(EventLogError) {
    let scheduleBefore = scrubSchedule
    for attempt in 1...3 {
      try catalog.leaveOutOthers(than: initiator, at: storage.address)
      (invalidObjects, faults, hasVanished, scrubSchedule) = ([], [:], false, scheduleBefore)
      let objects = catalog.objects
      held = try await lookup.held(Array(Set(objects.map(\.range.end))))
      let settled = objects.filter { held.contains($0.range.end) && known.contains($0.key) }
      let due = scrubSchedule.next(of: settled, checksItself: storage.checksItself)
      for object in Set(objects).subtracting(settled).union(due).sorted() {
        _ = try await history(of: object)
      }
      // A vanished object was merged into a larger one, so list again.
      if !hasVanished || attempt == 3 { return }
      catalog = try await ObjectCatalog.read(storage, catalog.cache.withoutListing)
    }
  }

  /// Removes an object and its cached state within the budget of upkeep.
  func remove(_ name: String) async throws(EventLogError) {
    try compactionBudget.spend(requests: 1)
    try await storage.remove(name)
    catalog.cache.forget(name)
  }

  /// Forgets an object that was replaced.
  func forget(_ object: RangeObject) {
    catalog.cache.forget(object.name.text)
    known.remove(object.key)
  }

  // MARK: - Reading

  /// Returns the content of an object, or nil if it doesn't match its name.
  func content(of object: RangeObject) async throws(EventLogError) -> RangeContent? {
    try EventLogError.checkCancellation()
    if let content = recent[object] { return content }
    if invalidObjects.contains(object) { return nil }
    let start = compactionBudget.now()
    let bytes = try await storage.read(object.name.text)
    compactionBudget.noteRead(object.byteCount, since: start)
    guard let content = bytes.flatMap({ RangeContent(object.name, $0) }) else {
      hasVanished = hasVanished || bytes == nil
      invalidObjects.insert(object)
      faults[object] = bytes.map { RangeFault(object.name, $0) }
      known.remove(object.key)
      return nil
    }
    known.insert(object.key)
    histories[object] = content.history
    if let user = content.history.user { users[object.range.device] = user }
    keep(content, of: object)
    return content
  }

  private func keep(_ content: RangeContent, of object: RangeObject) {
    recent[object] = content
    recentOrder.append(object)
    recentBytes += content.bytes.count
    while recentBytes > Self.recentBytesMax, recentStart < recentOrder.count - 1 {
      let oldest = recentOrder[recentStart]
      recentStart += 1
      recentBytes -= recent.removeValue(forKey: oldest)?.bytes.count ?? 0
    }
    if recentStart > 1024, recentStart > recentOrder.count / 2 {
      recentOrder.removeFirst(recentStart)
      recentStart = 0
    }
  }

  /// Whether the content isn't cached.
  func isUnread(_ object: RangeObject) -> Bool { recent[object] == nil }

  /// Returns the chains of an object's events, or nil if it doesn't match its name.
  func history(of object: RangeObject) async throws(EventLogError) -> RangeHistory? {
    if let history = histories[object], !invalidObjects.contains(object) { return history }
    return try await content(of: object)?.history
  }

  // MARK: - Histories

  /// Answers a query about a history, following it through objects and the initiator's journal.
  func chain(_ query: HistoryQuery) async throws(EventLogError) -> UInt32? {
    var holder = try await self.holder(of: query.tip)
    while let object = holder {
      if object.range.first <= query.sequence {
        return try await chain(at: query.sequence, of: object)
      }
      guard let before = try await event(before: object) else { return nil }
      let own = try await lookup.chains([HistoryQuery(sequence: query.sequence, in: before)])
      if let chain = own.first ?? nil { return chain }
      holder = try await self.holder(of: before)
    }
    return nil
  }

  /// Returns an object that contains an event.
  ///
  /// If there are several, it is the one that begins first.
  func holder(
    of event: FullEventID, excluding others: Set<RangeObject> = []
  ) async throws(EventLogError) -> RangeObject? {
    try EventLogError.checkCancellation()
    for object in catalog.ranges(of: event.device, around: event.sequence) {
      if !invalidObjects.contains(object), !others.contains(object),
        try await chain(at: event.sequence, of: object) == event.chain
      {
        return object
      }
    }
    return nil
  }

  /// Returns the event before an object's range, or nil if the range begins a history.
  func event(before object: RangeObject) async throws(EventLogError) -> FullEventID? {
    let range = object.range
    if range.first == 1 { return nil }
    let chain =
      range.count == 1
      ? object.name.checksum.before : try await history(of: object)?.chain(at: range.first - 1)
    return chain.map {
      FullEventID(device: range.device, sequence: range.first - 1, chain: $0)
    }
  }

  /// Returns the chain of an event in the history that an object contains a part of.
  private func chain(
    at sequence: Int64, of object: RangeObject
  ) async throws(EventLogError) -> UInt32? {
    let end = object.range.end
    if sequence == end.sequence { return end.chain }
    if sequence == end.sequence - 1 { return object.name.checksum.before }
    if histories[object] == nil, held.contains(end) {
      let own = try await lookup.chains([HistoryQuery(sequence: sequence, in: end)])
      if let chain = own.first ?? nil { return chain }
    }
    return try await history(of: object)?.chain(at: sequence)
  }
}
