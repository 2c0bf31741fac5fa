/// What a shared place holds, by one look at it.
struct ObjectCatalog: Sendable {
  /// Per device the objects that hold ranges of it, by first and last event.
  private(set) var ranges: [DeviceID: [RangeObject]] = [:]
  /// What the writers say, of one user.
  private(set) var frontiers: [FrontierObject] = []
  /// Whose events they are; nil where nobody has said.
  private(set) var user: String?
  /// Objects that were read and are not what their names say.
  private var damaged: Set<RangeName> = []

  /// An object that holds a range, if its content is what its name says.
  struct RangeObject: Sendable, Hashable {
    let name: RangeName
    let byteCount: Int64
    var range: EventRange { name.range }
    /// The object as it was listed: another one, or half of it, has another key.
    var key: String { "\(name.text) \(byteCount)" }
  }

  /// Lists the place, and reads what its writers say.
  ///
  /// - Parameter user: whose events are asked for; of writers for other users no notice is taken,
  ///   unless there are no others.
  static func read(
    _ storage: any ObjectStorage, for user: String?
  ) async throws(EventLogError) -> ObjectCatalog {
    var (catalog, names) = try await list(storage)
    var found: [FrontierObject]?
    // A frontier that vanished was followed by another one: look again.
    for _ in 0..<2 {
      found = try await read(names, storage)
      if found != nil { break }
      (catalog, names) = try await list(storage)
    }
    if found == nil { found = try await read(names, storage, isComplete: false) }
    try catalog.take(found ?? [], for: user, at: storage.address)
    for device in catalog.ranges.keys { catalog.ranges[device]!.sort(by: Self.isBefore) }
    return catalog
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
      for object in objects {
        if let name = RangeName(object.name) {
          catalog.ranges[name.range.device, default: []].append(
            RangeObject(name: name, byteCount: object.byteCount))
        } else if let name = FrontierName(object.name) {
          names.append(name)
        }
      }
      last = end.name
    }
    return (catalog, names)
  }

  /// What the writers say; nil if some of it has vanished and all is asked for.
  private static func read(
    _ names: [FrontierName], _ storage: any ObjectStorage, isComplete: Bool = true
  ) async throws(EventLogError) -> [FrontierObject]? {
    var found: [FrontierObject] = []
    for name in names {
      if let bytes = try await storage.read(name.text) {
        // One that is not all there yet is not there.
        if let object = FrontierObject(name, bytes) { found.append(object) }
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

  private static func isBefore(_ left: RangeObject, _ right: RangeObject) -> Bool {
    (left.range.first, left.range.last, left.name.text)
      < (right.range.first, right.range.last, right.name.text)
  }

  /// Takes no further notice of what a writer says.
  mutating func leaveOut(_ frontier: FrontierName) {
    frontiers.removeAll { $0.name == frontier }
  }

  /// Takes note that an object is not what its name says.
  mutating func leaveOut(_ object: RangeObject) { damaged.insert(object.name) }

  /// Whether a writer has said that it holds the range, and the object is not known to be bad: only
  /// then is it there.
  func isThere(_ object: RangeObject) -> Bool {
    if damaged.contains(object.name) { return false }
    return frontiers.contains { frontier in
      guard let point = frontier.points[object.range.device] else { return false }
      return point.sequence > object.range.last
        || point.sequence == object.range.last && point.checksum == object.name.checksum
    }
  }

  /// What is said in this catalog and not in the other one, from which was left out what is not
  /// there yet: by frontiers, and by the names of objects. What writers withhold, too.
  func hearsay(besides other: ObjectCatalog) -> [[DeviceID: HistoryPoint]] {
    let kept = Set(other.frontiers.map(\.name.text))
    let said = frontiers.filter { !kept.contains($0.name.text) }.map(\.points)
    let named = ranges.values.joined().filter { !other.isThere($0) }.map { object in
      [
        object.range.device: HistoryPoint(
          sequence: object.range.last, checksum: object.name.checksum)
      ]
    }
    return said + named + frontiers.map(\.withheld).filter { !$0.isEmpty }
  }

  /// The objects that can go on behind event `sequence` of a device, those that reach furthest
  /// first.
  func objects(of device: DeviceID, behind sequence: Int64) -> [RangeObject] {
    (ranges[device] ?? [])
      .filter { $0.range.first <= sequence + 1 && $0.range.last > sequence && isThere($0) }
      .sorted {
        ($1.range.last, $0.name.hasAddition ? 1 : 0, $0.name.text)
          < ($0.range.last, $1.name.hasAddition ? 1 : 0, $1.name.text)
      }
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
