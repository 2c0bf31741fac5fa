/// What a shared place lists, and what its publishers say, by one look at it.
struct ObjectCatalog: Sendable {
  /// The objects that hold ranges, by their names: of each device those that begin first, and of
  /// these the longest, before the others.
  private(set) var ranges: [DeviceID: [RangeObject]] = [:]
  /// Per device and object the greatest sequence that it or one before it holds.
  private var lasts: [DeviceID: [Int64]] = [:]
  /// What the publishers say.
  private(set) var frontiers: [FrontierObject] = []
  /// Frontiers that are not what their names say: they are late, cut off or damaged.
  private(set) var unread: [StoredObject] = []
  /// The names of frontiers that a later version has written, and that say nothing here.
  private(set) var later: [String] = []
  /// Whose events they are; nil where nobody has said.
  private(set) var user: String?
  /// What the next run need not ask for.
  var memory: PlaceMemory

  /// Lists the place, and reads its frontiers.
  static func read(
    _ storage: any ObjectStorage, _ memory: PlaceMemory = PlaceMemory()
  ) async throws(EventLogError) -> ObjectCatalog {
    var (attempt, memory) = (1, memory)
    while true {
      let objects = try await memory.objects(of: storage)
      var catalog = ObjectCatalog(memory: memory)
      let isComplete = try await catalog.add(objects, of: storage)
      // A frontier that vanished was followed by another one: look again.
      if isComplete || attempt == 3 { return catalog }
      attempt += 1
      memory = catalog.memory.withoutListing
    }
  }

  private init(memory: PlaceMemory) { self.memory = memory }

  /// - Returns: whether all frontiers were still there.
  private mutating func add(
    _ objects: [StoredObject], of storage: any ObjectStorage
  ) async throws(EventLogError) -> Bool {
    var (isComplete, frontierBytes) = (true, 0)
    // What is longer is nobody's.
    for object in objects where (0...Int64(ObjectLimits.bytesMax)).contains(object.byteCount) {
      if let name = RangeName(object.name) {
        ranges[name.range.device, default: []].append(
          RangeObject(name: name, byteCount: object.byteCount))
      } else if let name = FrontierName(object.name) {
        frontierBytes += Int(object.byteCount)
        guard frontierBytes <= ObjectLimits.frontierBytesMax else {
          throw Self.endless("contains more frontiers", storage)
        }
        let bytes = try await memory.frontier(name.text, of: storage)
        isComplete = isComplete && bytes != nil
        // One that is not all there yet is not there.
        if let frontier = bytes.flatMap({ FrontierObject(name, $0) }) {
          frontiers.append(frontier)
        } else if bytes.map({ FrontierObject.isOfLaterVersion(name, $0) }) ?? false {
          later.append(name.text)
        } else if bytes != nil {
          unread.append(object)
        }
      }
    }
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

  /// The objects whose ranges hold a sequence of a device, in their order.
  ///
  /// - Complexity: O(log objects), and what begins before the sequence behind the first one found.
  func ranges(of device: DeviceID, around sequence: Int64) -> [RangeObject] {
    guard let ranges = ranges[device], let lasts = lasts[device] else { return [] }
    let start = lasts.partitioningIndex { $0 >= sequence }
    let end = ranges.partitioningIndex { $0.range.first > sequence }
    return start < end ? ranges[start..<end].filter { $0.range.last >= sequence } : []
  }

  static func endless(_ what: String, _ storage: any ObjectStorage) -> EventLogError {
    EventLogError(
      .remoteFailed, "\"\(storage.address)\" \(what) than allowed. Nothing was changed.",
      hint: "Check that it is the right place.")
  }

  /// Whether nothing was listed that devices share.
  var isEmpty: Bool { ranges.isEmpty && frontiers.isEmpty && unread.isEmpty && later.isEmpty }

  /// The objects that hold ranges, if they are what their names say.
  var objects: [RangeObject] { ranges.keys.sorted().flatMap { ranges[$0]! } }

  // MARK: - Users

  /// Leaves out what belongs to users who have nothing to do with the initiator's.
  ///
  /// - Throws: `remoteFailed` where it cannot be told whose events are meant.
  mutating func leaveOutOthers(
    than initiator: FrontierStatement, at address: String
  ) throws(EventLogError) {
    // Users, by the bytes of their names, with those whom they are said to have adopted.
    var families: [[UInt8]: Set<[UInt8]>] = [:]
    for said in frontiers.map(\.statement) + [initiator] {
      guard let user = said.user.map({ Array($0.utf8) }) else { continue }
      families[user, default: [user]].formUnion(said.adoptedUsers.map { Array($0.utf8) })
    }
    let own = initiator.user.map { Array($0.utf8) }
    let related = own.flatMap { families[$0] } ?? []
    let users = Set(frontiers.map { Array($0.user.utf8) })
    // Whom somebody else here has adopted, too, is that one's, and so is the place.
    var roots = users.intersection(related).filter { user in
      !users.contains { $0 != user && !related.contains($0) && families[$0]!.contains(user) }
    }
    if roots.isEmpty {
      // Whom no other one here has adopted, and of these who has adopted the initiator's user.
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
    // Ranges do not tell whose they are. A device that only others speak of is theirs.
    let theirs = Set(others.flatMap(\.statement.tips).map(\.device))
      .subtracting((frontiers.flatMap(\.statement.tips) + initiator.tips).map(\.device))
    ranges = ranges.filter { !theirs.contains($0.key) }
  }
}

/// An object that holds a range, if its content is what its name says.
struct RangeObject: Sendable, Hashable, Comparable {
  let name: RangeName
  let byteCount: Int64
  var range: EventRange { name.range }
  /// The object as it was listed: another one, or half of it, has another key.
  var key: String { "\(name.text) \(byteCount)" }

  /// Orders by the first event; of those that begin alike, the longest is the first.
  static func < (left: RangeObject, right: RangeObject) -> Bool {
    if left.range.device != right.range.device { return left.range.device < right.range.device }
    let (one, other) = (left.range, right.range)
    if (one.first, one.last) != (other.first, other.last) {
      return (one.first, -one.last) < (other.first, -other.last)
    }
    if left.name.hasAddition != right.name.hasAddition { return right.name.hasAddition }
    return left.name.text.precedes(right.name.text)
  }
}
