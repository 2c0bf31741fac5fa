import EventLog

/// The objects and frontiers of a shared remote, as listed at one time.
struct ObjectCatalog: Sendable {
  /// Each device's objects that are named as ranges, in ascending order.
  private(set) var ranges: [DeviceID: [RangeObject]] = [:]
  /// Each device's running maximum of the last sequences in ``ranges``.
  private var lasts: [DeviceID: [Int64]] = [:]
  /// The readable frontiers.
  private(set) var frontiers: [FrontierObject] = []
  /// Frontiers that can't be read or don't match their names: they are late, cut off or damaged.
  private(set) var unread: [StoredObject] = []
  /// The names of frontiers in the format of a later version, which are ignored.
  private(set) var later: [String] = []
  /// The schema files and their sizes, in ascending order.
  private(set) var schemas: [(name: SchemaFile.Name, byteCount: Int)] = []
  /// The user of the events, or nil if no frontier names one.
  private(set) var user: String?
  /// The cache for the next run.
  var cache: ListingCache

  /// Lists the remote and reads its frontiers.
  static func read(
    _ storage: any ObjectStorage, _ cache: ListingCache = ListingCache()
  ) async throws(EventLogError) -> ObjectCatalog {
    var (attempt, cache) = (1, cache)
    while true {
      let objects = try await cache.objects(of: storage)
      var catalog = ObjectCatalog(cache: cache)
      let isComplete = try await catalog.add(objects, of: storage)
      // A vanished frontier was replaced by another one, so list again.
      if isComplete || attempt == 3 { return catalog }
      attempt += 1
      cache = catalog.cache.withoutListing
    }
  }

  private init(cache: ListingCache) { self.cache = cache }

  /// Adds listed objects, and reads the frontiers among them.
  ///
  /// - Returns: Whether all listed frontiers still existed.
  private mutating func add(
    _ objects: [StoredObject], of storage: any ObjectStorage
  ) async throws(EventLogError) -> Bool {
    var (isComplete, frontierBytes) = (true, 0)
    // Longer objects are neither ranges nor frontiers.
    for object in objects where (0...Int64(ObjectLimits.bytesMax)).contains(object.byteCount) {
      if let name = RangeName(object.name) {
        ranges[name.range.device, default: []].append(
          RangeObject(name: name, byteCount: object.byteCount))
      } else if let name = SchemaFile.Name(object.name) {
        if object.byteCount <= SchemaFile.bytesMax {
          schemas.append((name, Int(object.byteCount)))
        }
      } else if let name = FrontierName(object.name) {
        frontierBytes += Int(object.byteCount)
        guard frontierBytes <= ObjectLimits.frontierBytesMax else {
          throw Self.limitExceeded("contains more frontiers", storage)
        }
        let bytes = try await cache.frontier(
          name.text, byteCount: object.byteCount, of: storage)
        isComplete = isComplete && bytes != nil
        if let frontier = bytes.flatMap({ FrontierObject(name, $0) }) {
          frontiers.append(frontier)
        } else if bytes.map({ FrontierObject.isOfLaterVersion(name, $0) }) ?? false {
          later.append(name.text)
        } else {
          unread.append(object)
        }
      }
    }
    schemas.sort { $0.name < $1.name }
    for device in ranges.keys {
      ranges[device]!.sort()
      var last: Int64 = 0
      lasts[device] = ranges[device]!.map {
        last = max(last, $0.range.last)
        return last
      }
    }
    return isComplete
  }

  /// The objects whose ranges contain a sequence of a device, in ascending order.
  ///
  /// - Complexity: O(log n) for n objects of the device, plus the objects from the first result to
  ///   the last one that begins at or before `sequence`.
  func ranges(of device: DeviceID, around sequence: Int64) -> [RangeObject] {
    guard let ranges = ranges[device], let lasts = lasts[device] else { return [] }
    let start = lasts.partitioningIndex { $0 >= sequence }
    let end = ranges.partitioningIndex { $0.range.first > sequence }
    return start < end ? ranges[start..<end].filter { $0.range.last >= sequence } : []
  }

  static func limitExceeded(_ what: String, _ storage: any ObjectStorage) -> EventLogError {
    EventLogError(
      .remoteFailed, "\"\(storage.address)\" \(what) than allowed. Nothing was changed.",
      hint: "Check that it is the right place.")
  }

  /// Whether the listing contains neither ranges nor frontiers.
  var isEmpty: Bool { ranges.isEmpty && frontiers.isEmpty && unread.isEmpty && later.isEmpty }

  /// All objects that are named as ranges.
  var objects: [RangeObject] { ranges.keys.sorted().flatMap { ranges[$0]! } }

  /// The unread frontiers written by a device or, if `writer` is nil, by readers without a device
  /// ID.
  func unreadFrontiers(of writer: DeviceID?) -> [FrontierName] {
    unread.compactMap { FrontierName($0.name) }.filter { name in
      writer.map { $0 == name.writer } ?? name.writer.text.hasPrefix("reader-")
    }
  }

  // MARK: - Users

  /// Determines the user, and leaves out frontiers and ranges of users unrelated to it.
  ///
  /// - Throws: `remoteFailed` if the user is ambiguous.
  mutating func leaveOutOthers(
    than initiator: FrontierStatement, at address: String
  ) throws(EventLogError) {
    // Each user, with the users that it has adopted according to the statements. Names are compared
    // as bytes.
    var families: [[UInt8]: Set<[UInt8]>] = [:]
    for stated in frontiers.map(\.statement) + [initiator] {
      guard let user = stated.user.map({ Array($0.utf8) }) else { continue }
      families[user, default: [user]].formUnion(stated.adoptedUsers.map { Array($0.utf8) })
    }
    let own = initiator.user.map { Array($0.utf8) }
    let related = own.flatMap { families[$0] } ?? []
    let users = Set(frontiers.map { Array($0.user.utf8) })
    // If an unrelated user here has adopted a related one, the remote belongs to the unrelated one.
    var roots = users.intersection(related).filter { user in
      !users.contains { $0 != user && !related.contains($0) && families[$0]!.contains(user) }
    }
    if roots.isEmpty {
      // Users that no other user here has adopted, preferably adopters of the initiator's user.
      roots = users.filter { user in
        !users.contains { $0 != user && families[$0]!.contains(user) }
      }
      let adopting = roots.filter { root in own.map(families[root]!.contains) ?? false }
      if !adopting.isEmpty { roots = adopting }
      guard roots.count <= 1 else {
        throw EventLogError(
          .remoteFailed,
          "\"\(address)\" contains events of several users, and it is unclear whose to sync."
            + " Nothing was changed.",
          hint: "Use one folder per user, or append an event to the journal first.")
      }
    }
    let least = roots.min { $0.lexicographicallyPrecedes($1) }
    guard let root = own.flatMap({ roots.contains($0) ? $0 : nil }) ?? least else { return }
    user = String(decoding: root, as: UTF8.self)
    let family = families[root]!.union(related.contains(root) ? related : [])
    let others = frontiers.filter { !family.contains(Array($0.user.utf8)) }
    frontiers.removeAll { !family.contains(Array($0.user.utf8)) }
    // Ranges don't name a user. Leave out devices that only frontiers of other users name.
    let theirs = Set(others.flatMap(\.statement.tips).map(\.device))
      .subtracting((frontiers.flatMap(\.statement.tips) + initiator.tips).map(\.device))
    ranges = ranges.filter { !theirs.contains($0.key) }
  }
}
