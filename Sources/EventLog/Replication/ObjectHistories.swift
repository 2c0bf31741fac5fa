/// Reads what the writers of a shared place hold of each device, from the objects there.
struct ObjectHistories: Sendable {
  let storage: any ObjectStorage
  var catalog: ObjectCatalog
  let visitor: any DeviceHistories
  /// Of objects that were read, the checksum of each event; nil for one that is not all there.
  private var read: [RangeName: [LineChecksum]?] = [:]
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
    let own = visitor.points[event.device]?.sequence ?? 0
    var end = point
    while event.sequence < end.sequence {
      // What the visitor holds too need not be there.
      if end.sequence <= own, try await visitorHolds(end, of: event.device) {
        return try await visitor.checksum(of: event)
      }
      let target = event.sequence < own && own < end.sequence ? own : event.sequence
      guard
        let before = try await step(
          back: EventID(device: event.device, sequence: target), from: end)
      else { return nil }
      end = before
    }
    return event.sequence == end.sequence ? end.checksum : nil
  }

  private func visitorHolds(
    _ point: HistoryPoint, of device: DeviceID
  ) async throws(EventLogError) -> Bool {
    let event = EventID(device: device, sequence: point.sequence)
    return try await visitor.checksum(of: event) == point.checksum
  }

  /// An earlier point of the history that ends at `end`, not before the event.
  private mutating func step(
    back event: EventID, from end: HistoryPoint
  ) async throws(EventLogError) -> HistoryPoint? {
    // The checksum alone tells which one it continues.
    let previous = EventID(device: event.device, sequence: end.sequence - 1)
    if let own = try await ownPredecessor(previous, of: end.checksum) { return own }
    for object in catalog.objects(of: event.device, holding: end.sequence) {
      let (first, last) = (object.range.first, object.range.last)
      guard last != end.sequence || object.name.checksum == end.checksum,
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
    return try await predecessor(previous, of: end.checksum)
  }

  private func ownPredecessor(
    _ event: EventID, of next: LineChecksum
  ) async throws(EventLogError) -> HistoryPoint? {
    guard event.sequence >= 1, let own = try await visitor.checksum(of: event), next.continues(own)
    else { return nil }
    return HistoryPoint(sequence: event.sequence, checksum: own)
  }

  /// The event before one with the given checksum, in whoever's history it stands.
  mutating func predecessor(
    _ event: EventID, of next: LineChecksum
  ) async throws(EventLogError) -> HistoryPoint? {
    if event.sequence < 1 { return nil }
    if let own = try await ownPredecessor(event, of: next) { return own }
    for object in catalog.objects(of: event.device, holding: event.sequence) {
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
    if let known = read[object.name] { return known }
    let bytes = try await storage.read(object.name.text)
    if bytes == nil { hasVanished = true }
    let checksums = bytes.flatMap { RangeContent(object.name, $0) }?.lines.map(\.checksum)
    read.updateValue(checksums, forKey: object.name)
    if checksums == nil { catalog.leaveOut(object) }
    return checksums
  }
}
