/// Hands out ranges from the objects of a shared place, in an order that respects causality.
///
/// Nothing there is believed: an object that is not what its name says, or does not continue what
/// came before, is not there. What cannot go on ends its device, and what has seen that waits too.
actor ObjectLineSource: LineSource {
  private let storage: any ObjectStorage
  private var catalog: ObjectCatalog
  /// Per device the end of the history that the place was said to hold.
  private let ends: [DeviceID: HistoryPoint]
  private var cursors: [Cursor]
  /// What the taker holds, and what was handed out.
  private var held: [DeviceID: Int64]

  /// One device's events on their way.
  private struct Cursor {
    let device: DeviceID
    var next: Int64
    let last: Int64
    /// The checksum of the event before `next`.
    var previous: LineChecksum
    var content: (first: Int64, last: Int64, lines: RangeContent)?
    var isAtEnd = false
  }

  /// - Parameter catalog: what the place was said to hold, and what was left out of that.
  init(
    _ ranges: [EventRange], _ storage: any ObjectStorage, _ catalog: ObjectCatalog,
    _ visitor: any DeviceHistories
  ) {
    self.storage = storage
    self.catalog = catalog
    ends = catalog.available
    held = visitor.points.mapValues(\.sequence)
    cursors = ranges.map { range in
      Cursor(
        device: range.device, next: range.first, last: range.last,
        previous: visitor.points[range.device]?.checksum ?? LineChecksum(line: 0, chain: 0))
    }
  }

  func next() async throws(EventLogError) -> LineBatch? {
    var batch = LineBatch()
    var hasProgressed = true
    while hasProgressed, !batch.isFull {
      hasProgressed = false
      for index in cursors.indices where !batch.isFull {
        while !batch.isFull, try await isReady(index) {
          handOut(index, to: &batch)
          hasProgressed = true
        }
      }
    }
    return batch.isEmpty ? nil : batch
  }

  /// Whether the device's next event is there, and all that it has seen was handed out.
  private func isReady(_ index: Int) async throws(EventLogError) -> Bool {
    if cursors[index].isAtEnd || cursors[index].next > cursors[index].last { return false }
    if cursors[index].content.map({ cursors[index].next > $0.last }) ?? true {
      try await load(index)
    }
    guard let content = cursors[index].content?.lines else { return false }
    let event = EventID(device: cursors[index].device, sequence: cursors[index].next)
    let seen = content[event.sequence].seen
    return seen.allSatisfy { held[$0.device] ?? 0 >= $0.sequence }
      && catalog.allows(event, seeing: seen)
  }

  private func handOut(_ index: Int, to batch: inout LineBatch) {
    guard let content = cursors[index].content?.lines else { return }
    let line = content[cursors[index].next]
    batch.add(Array(content.bytes[line.place]))
    held[cursors[index].device] = cursors[index].next
    cursors[index].previous = line.checksum
    cursors[index].next += 1
  }

  /// Finds the object that goes on with a device.
  private func load(_ index: Int) async throws(EventLogError) {
    cursors[index].content = nil
    // An object that vanished was joined with others into a larger one: look again.
    for _ in 0..<3 {
      var hasVanished = false
      let cursor = cursors[index]
      for object in candidates(cursor) {
        guard let bytes = try await storage.read(object.name.text) else {
          hasVanished = true
          continue
        }
        guard let content = RangeContent(object.name, bytes), fits(content, object, cursor) else {
          continue
        }
        cursors[index].content = (object.range.first, object.range.last, content)
        return
      }
      if !hasVanished { break }
      var listed = catalog
      try await listed.listAgain(storage)
      catalog = listed
    }
    cursors[index].isAtEnd = true
  }

  /// The objects that may hold a device's next event: those that are there, then those that hold
  /// more than anybody has said yet, and so at least the end that was said.
  private func candidates(_ cursor: Cursor) -> [ObjectCatalog.RangeObject] {
    let there = catalog.objects(of: cursor.device, behind: cursor.next - 1)
    guard let end = ends[cursor.device] else { return there }
    return there
      + catalog.objects(of: cursor.device, holding: cursor.next).filter { object in
        object.range.last > end.sequence && !catalog.isThere(object)
      }
  }

  /// Whether the content goes on with the device, on the way to the end that was said to be there,
  /// and not by way of an event that was given up.
  private func fits(
    _ content: RangeContent, _ object: ObjectCatalog.RangeObject, _ cursor: Cursor
  ) -> Bool {
    guard content.checksum(at: cursor.next).continues(cursor.previous) else { return false }
    if let end = ends[cursor.device], cursor.last == end.sequence,
      object.range.contains(EventID(device: cursor.device, sequence: end.sequence)),
      content.checksum(at: end.sequence) != end.checksum
    {
      return false
    }
    return !catalog.givenUp.contains { event, checksums in
      object.range.contains(event) && checksums.contains(content.checksum(at: event.sequence))
    }
  }
}
