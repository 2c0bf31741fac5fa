/// What a shared place holds, by one look at it.
struct ObjectCatalog: Sendable {
  /// Per device the objects that hold ranges of it, by first and last event.
  private(set) var ranges: [DeviceID: [RangeObject]] = [:]
  /// For each of them the furthest event up to which it or one before it reaches.
  private var reach: [DeviceID: [Int64]] = [:]
  /// What the writers say, of one user.
  var frontiers: [FrontierObject] = [] { didSet { summarizeFrontiers() } }
  /// All that was said, also what counts for nothing.
  private(set) var announcing: [FrontierObject] = []
  /// The names of statements that a later version has made, and that say nothing here.
  private(set) var later: [String] = []
  /// Whose events they are; nil where nobody has said.
  private(set) var user: String?
  /// Objects that were read and are not what their names say.
  private var damaged: Set<RangeName> = []
  /// Objects of histories that were given up.
  private var dead: Set<RangeName> = []
  /// The events with which such histories begin.
  private(set) var givenUp: [EventID: Set<LineChecksum>] = [:]
  /// Per device what all writers together say.
  private var coverage: [DeviceID: Coverage] = [:]
  /// Whether somebody says what cannot be compared.
  private var hasLimits = false

  /// An object that holds a range, if its content is what its name says.
  struct RangeObject: Sendable, Hashable {
    let name: RangeName
    let byteCount: Int64
    var range: EventRange { name.range }
    /// The object as it was listed: another one, or half of it, has another key.
    var key: String { "\(name.text) \(byteCount)" }
  }

  /// Up to where somebody says to hold the events of a device.
  private struct Coverage: Sendable {
    var end: Int64 = 0
    var points: Set<HistoryPoint> = []

    func covers(_ object: RangeObject) -> Bool {
      object.range.last < end
        || points.contains(
          HistoryPoint(sequence: object.range.last, checksum: object.name.checksum))
    }
  }

  /// Lists the place, and reads what its writers say.
  ///
  /// - Parameter user: whose events are asked for; of writers for other users no notice is taken,
  ///   unless there are no others.
  static func read(
    _ storage: any ObjectStorage, for user: String?
  ) async throws(EventLogError) -> ObjectCatalog {
    var (catalog, names) = try await list(storage)
    var found: Statements?
    // A frontier that vanished was followed by another one: look again.
    for _ in 0..<2 {
      found = try await read(names, storage)
      if found != nil { break }
      (catalog, names) = try await list(storage)
    }
    if found == nil { found = try await read(names, storage, isComplete: false) }
    catalog.later = found?.later ?? []
    try catalog.take(found?.objects ?? [], for: user, at: storage.address)
    return catalog
  }

  /// Lists the objects once more. What the writers had said stays as it was compared: what they say
  /// since counts for the next run.
  mutating func listAgain(_ storage: any ObjectStorage) async throws(EventLogError) {
    let listed = try await Self.list(storage).0
    ranges = listed.ranges
    reach = listed.reach
  }

  private static func list(
    _ storage: any ObjectStorage
  ) async throws(EventLogError) -> (ObjectCatalog, [FrontierName]) {
    var catalog = ObjectCatalog()
    var names: [FrontierName] = []
    var last: String?
    while true {
      let objects = try await storage.list(after: last)
      guard let end = objects.last else { break }
      // What is longer is nobody's.
      for object in objects where (0...Int64(ObjectLimits.bytesMax)).contains(object.byteCount) {
        if let name = RangeName(object.name) {
          catalog.ranges[name.range.device, default: []].append(
            RangeObject(name: name, byteCount: object.byteCount))
        } else if let name = FrontierName(object.name) {
          names.append(name)
        }
      }
      last = end.name
    }
    catalog.sortRanges()
    return (catalog, names)
  }

  private struct Statements {
    var objects: [FrontierObject] = []
    var later: [String] = []
  }

  /// What the writers say; nil if some of it has vanished and all is asked for.
  private static func read(
    _ names: [FrontierName], _ storage: any ObjectStorage, isComplete: Bool = true
  ) async throws(EventLogError) -> Statements? {
    var found = Statements()
    for name in names {
      if let bytes = try await storage.read(name.text) {
        // One that is not all there yet is not there.
        if let object = FrontierObject(name, bytes) {
          found.objects.append(object)
        } else if FrontierObject.isOfLaterVersion(name, bytes) {
          found.later.append(name.text)
        }
      } else if isComplete {
        return nil
      }
    }
    return found
  }

  private mutating func take(
    _ found: [FrontierObject], for user: String?, at address: String
  ) throws(EventLogError) {
    let own = found.filter { object in
      user.map { $0.utf8.elementsEqual(object.user.utf8) } ?? false
    }
    frontiers = own.isEmpty ? found : own
    announcing = found
    self.user = frontiers.first?.user
    if Set(frontiers.map { Array($0.user.utf8) }).count > 1 {
      throw EventLogError(
        .remoteFailed,
        "\"\(address)\" holds the events of several users, and it is not said whose are meant."
          + " Nothing was changed.",
        hint: "Give each user a folder, or begin the journal with an event of its own.")
    }
  }

  /// Takes note of an object that was put since.
  mutating func add(_ object: RangeObject) {
    ranges[object.range.device, default: []].append(object)
  }

  private mutating func sortRanges() {
    for device in ranges.keys {
      ranges[device]!.sort(by: Self.isBefore)
      var end: Int64 = 0
      reach[device] = ranges[device]!.map { object in
        end = max(end, object.range.last)
        return end
      }
    }
  }

  private static func isBefore(_ left: RangeObject, _ right: RangeObject) -> Bool {
    (left.range.first, left.range.last, left.name.text)
      < (right.range.first, right.range.last, right.name.text)
  }

  /// Takes note that an object is not what its name says.
  mutating func leaveOut(_ object: RangeObject) { damaged.insert(object.name) }

  /// Takes note that an object belongs to a history that was given up.
  mutating func giveUp(_ object: RangeObject) { dead.insert(object.name) }

  /// Takes note of where a history begins that was given up.
  mutating func giveUp(_ event: EventID, _ checksum: LineChecksum) {
    givenUp[event, default: []].insert(checksum)
  }

  private mutating func summarizeFrontiers() {
    coverage = [:]
    for (device, point) in frontiers.lazy.flatMap(\.points) {
      coverage[device, default: Coverage()].end = max(
        point.sequence, coverage[device]?.end ?? 0)
      coverage[device]!.points.insert(point)
    }
    hasLimits = frontiers.contains { !$0.limits.isEmpty }
  }

  /// Whether a writer has said that it holds the range, and the object is not known to be bad or
  /// given up: only then is it there.
  func isThere(_ object: RangeObject) -> Bool {
    !isDamaged(object) && !isGivenUp(object)
      && coverage[object.range.device]?.covers(object) ?? false
  }

  /// Whether the object was read and is not what its name says.
  func isDamaged(_ object: RangeObject) -> Bool { damaged.contains(object.name) }

  /// Whether the object is known to belong to a history that was given up.
  func isGivenUp(_ object: RangeObject) -> Bool { dead.contains(object.name) }

  /// Whether an event may be taken that has seen the given ones: by some writer who holds it, these
  /// are the visitor's past too.
  func allows(_ event: EventID, seeing seen: [EventID]) -> Bool {
    if !hasLimits || seen.isEmpty { return true }
    return frontiers.contains { frontier in
      frontier.points[event.device]?.sequence ?? 0 >= event.sequence
        && seen.allSatisfy { $0.sequence <= frontier.limits[$0.device] ?? .max }
    }
  }

  /// The objects that hold event `sequence` of a device, if they hold what their names say.
  ///
  /// - Complexity: O(log objects), and the objects found; with larger ones among smaller ones
  ///   O(objects).
  func objects(of device: DeviceID, holding sequence: Int64) -> [RangeObject] {
    guard let objects = ranges[device], let reach = reach[device] else { return [] }
    var (low, high) = (0, objects.count)
    while low < high {
      let middle = (low + high) / 2
      if objects[middle].range.first <= sequence { low = middle + 1 } else { high = middle }
    }
    var found: [RangeObject] = []
    var place = low - 1
    while place >= 0, reach[place] >= sequence {
      if objects[place].range.last >= sequence { found.append(objects[place]) }
      place -= 1
    }
    return found
  }

  /// What is said of events that are not there, or cannot be compared yet: by frontiers, and by the
  /// names of objects.
  var hearsay: [[DeviceID: HistoryPoint]] {
    let said = frontiers.map { frontier in
      frontier.points.filter { frontier.unreadable.contains($0.key) }
    }
    let named = ranges.values.joined().filter { !isThere($0) }.map { object in
      [
        object.range.device: HistoryPoint(
          sequence: object.range.last, checksum: object.name.checksum)
      ]
    }
    return said.filter { !$0.isEmpty } + named
  }

  /// The objects that can go on behind event `sequence` of a device, those that reach furthest
  /// first.
  func objects(of device: DeviceID, behind sequence: Int64) -> [RangeObject] {
    objects(of: device, holding: sequence + 1).filter(isThere).sorted {
      ($1.range.last, $0.name.hasAddition ? 1 : 0, $0.name.text)
        < ($0.range.last, $1.name.hasAddition ? 1 : 0, $1.name.text)
    }
  }

  /// The users that some writer says were adopted, by bytes.
  var adoptedUsers: [String] {
    Set(frontiers.flatMap(\.adoptedUsers).map { Array($0.utf8) })
      .sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// What the writers say of devices that carry events which were issued again, by device; several
  /// of one device where they disagree.
  var reissues: [Reissue] {
    Set(frontiers.flatMap(\.reissues)).sorted {
      $0.device == $1.device
        ? $0.was.utf8.lexicographicallyPrecedes($1.was.utf8) : $0.device < $1.device
    }
  }

  /// Per device the end of what is there without a gap, from its first event on, by the names.
  var available: [DeviceID: HistoryPoint] {
    var available: [DeviceID: HistoryPoint] = [:]
    for device in ranges.keys {
      var end: HistoryPoint?
      while let next = objects(of: device, behind: end?.sequence ?? 0).first {
        end = HistoryPoint(sequence: next.range.last, checksum: next.name.checksum)
      }
      available[device] = end
    }
    return available
  }
}

extension FrontierObject {
  /// Whether the writer says that it holds the range.
  func covers(_ object: ObjectCatalog.RangeObject) -> Bool {
    guard let point = points[object.range.device] else { return false }
    return point.sequence > object.range.last
      || point.sequence == object.range.last && point.checksum == object.name.checksum
  }
}
