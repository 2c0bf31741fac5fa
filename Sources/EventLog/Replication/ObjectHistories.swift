/// Reads what the writers of a shared place hold of each device, from the objects there.
struct ObjectHistories: Sendable {
  let storage: any ObjectStorage
  var catalog: ObjectCatalog
  let visitor: any DeviceHistories
  /// Of objects that were read, the checksum of each event; nil for one that is not all there.
  private var read: [String: [LineChecksum]?] = [:]
  /// Whether an object was listed, and gone when it was to be read.
  private(set) var hasVanished = false

  init(_ storage: any ObjectStorage, _ catalog: ObjectCatalog, _ visitor: any DeviceHistories) {
    self.storage = storage
    self.catalog = catalog
    self.visitor = visitor
  }

  /// The checksum of an event in the history of its device that ends at `point`; nil where the
  /// lines between are not all there.
  mutating func checksum(
    of event: EventID, inHistoryTo point: HistoryPoint
  ) async throws(EventLogError) -> LineChecksum? {
    var end = point
    while event.sequence < end.sequence {
      guard let before = try await step(back: event, from: end) else { return nil }
      end = before
    }
    return event.sequence == end.sequence ? end.checksum : nil
  }

  /// An earlier point of the history that ends at `end`, not before the event.
  private mutating func step(
    back event: EventID, from end: HistoryPoint
  ) async throws(EventLogError) -> HistoryPoint? {
    for object in catalog.ranges[event.device] ?? [] {
      let (first, last) = (object.range.first, object.range.last)
      guard first <= end.sequence, end.sequence <= last,
        last != end.sequence || object.name.checksum == end.checksum,
        let checksums = try await checksums(of: object),
        checksums[Int(end.sequence - first)] == end.checksum
      else { continue }
      if event.sequence >= first {
        return HistoryPoint(
          sequence: event.sequence, checksum: checksums[Int(event.sequence - first)])
      }
      let before = EventID(device: event.device, sequence: first - 1)
      if let point = try await predecessor(before, of: checksums[0]) { return point }
    }
    return nil
  }

  /// The event before one with the given checksum, in whoever's history it stands.
  private mutating func predecessor(
    _ event: EventID, of next: LineChecksum
  ) async throws(EventLogError) -> HistoryPoint? {
    if let own = try await visitor.checksum(of: event), next.continues(own) {
      return HistoryPoint(sequence: event.sequence, checksum: own)
    }
    for object in catalog.ranges[event.device] ?? []
    where object.range.first <= event.sequence && event.sequence <= object.range.last {
      var checksum: LineChecksum? = object.name.checksum
      if object.range.last > event.sequence {
        checksum = try await checksums(of: object)?[Int(event.sequence - object.range.first)]
      }
      if let checksum, next.continues(checksum) {
        return HistoryPoint(sequence: event.sequence, checksum: checksum)
      }
    }
    return nil
  }

  /// The checksums of the events of an object; nil for one that is not what its name says.
  mutating func checksums(
    of object: ObjectCatalog.RangeObject
  ) async throws(EventLogError) -> [LineChecksum]? {
    if let known = read[object.name.text] { return known }
    let bytes = try await storage.read(object.name.text)
    if bytes == nil { hasVanished = true }
    let checksums = bytes.flatMap { RangeContent(object.name, $0) }?.lines.map(\.checksum)
    read.updateValue(checksums, forKey: object.name.text)
    if checksums == nil { catalog.leaveOut(object) }
    return checksums
  }

  /// Leaves out the writers whose histories cannot be compared yet: something of what they say they
  /// hold has not arrived.
  ///
  /// What only they hold is then not there yet either; so nothing is taken that may have seen
  /// another past than the visitor's.
  mutating func leaveOutWhatCannotBeCompared() async throws(EventLogError) {
    for frontier in catalog.frontiers {
      for (device, point) in frontier.points {
        guard let own = visitor.points[device], point.sequence > own.sequence else { continue }
        let event = EventID(device: device, sequence: own.sequence)
        if try await checksum(of: event, inHistoryTo: point) == nil {
          catalog.leaveOut(frontier.name)
          break
        }
      }
    }
    // Of a device that the visitor does not know, the writers are compared with one another.
    for device in Set(catalog.frontiers.flatMap(\.points.keys))
    where visitor.points[device] == nil {
      try await leaveOut(unknown: device)
    }
  }

  private mutating func leaveOut(unknown device: DeviceID) async throws(EventLogError) {
    while true {
      let claims = catalog.frontiers.filter { $0.points[device] != nil }
        .sorted { $0.points[device]!.sequence < $1.points[device]!.sequence }
      guard let last = claims.last, let end = last.points[device] else { return }
      var isWhole = true
      for claim in claims.dropLast() {
        let event = EventID(device: device, sequence: claim.points[device]!.sequence)
        if event.sequence < end.sequence,
          try await checksum(of: event, inHistoryTo: end) == nil
        {
          isWhole = false
          break
        }
      }
      if isWhole { return }
      catalog.leaveOut(last.name)
    }
  }
}
