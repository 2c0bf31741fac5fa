import EventLog

/// Merges the objects of a shared remote, so that each event follows the events that it needs.
///
/// A remote has no order of its own, and the objects of many devices don't fit into memory. An
/// event that needs absent events is sent anyway, and the receiver refuses it.
actor ObjectLineSource: LineSource {
  private let objectIndex: ObjectIndex
  private var cursors: [Cursor]
  /// The cursors that may have events to send.
  private var ready = MinHeap<Int>()
  /// The blocked cursors, by the events that they wait for.
  private var waiting: [FullEventID: [Int]] = [:]
  /// Each device's cursors, sorted by first event, with a running maximum of their ends.
  private let indices: [DeviceID: [Int]]
  private let lasts: [DeviceID: [Int64]]
  /// The cursors whose pieces continue each event.
  private let followers: [FullEventID: [Int]]
  /// The missing events that frontiers state.
  private let missing: ReceiveFilter
  /// The ``ObjectIndex/namedEvents``, or nil before the first use.
  private var named: Set<FullEventID>?

  /// The progress in a piece.
  private struct Cursor {
    let piece: ObjectPiece
    var next: Int64
    /// An unsent event that the next batch depends on.
    var awaited: FullEventID?
    /// The object's content, cached while its events are being added.
    var content: RangeContent?
  }

  /// - Parameter missing: The missing events that frontiers state.
  init(_ objectIndex: ObjectIndex, _ pieces: [ObjectPiece], missing: [EventRange]) {
    self.objectIndex = objectIndex
    cursors = pieces.map { Cursor(piece: $0, next: $0.first, awaited: $0.before) }
    indices = Dictionary(grouping: pieces.indices) { pieces[$0].end.device }
      .mapValues { $0.sorted { (pieces[$0].first, $0) < (pieces[$1].first, $1) } }
    lasts = indices.mapValues { indices in
      var last: Int64 = 0
      return indices.map { index in
        last = max(last, pieces[index].end.sequence)
        return last
      }
    }
    followers = Dictionary(
      grouping: pieces.indices.filter { pieces[$0].before != nil }, by: { pieces[$0].before! })
    self.missing = ReceiveFilter(missing: missing)
    for index in pieces.indices { ready.insert(index) }
  }

  func next() async throws(EventLogError) -> LineBatch? {
    var batch = LineBatch()
    while let index = ready.popLeast() {
      if try await addReadyEvents(index, to: &batch) { continue }
      ready.insert(index)
      return batch
    }
    return batch.isEmpty ? nil : batch
  }

  /// Adds the ready events of a piece.
  ///
  /// - Returns: False if the next ready events don't fit into the batch.
  private func addReadyEvents(
    _ index: Int, to lines: inout LineBatch
  ) async throws(EventLogError) -> Bool {
    if deferIfBlocked(index) { return true }
    let piece = cursors[index].piece
    if cursors[index].content == nil {
      cursors[index].content = try await objectIndex.content(of: piece.object)
    }
    while let content = cursors[index].content,
      let batch = try await batch(cursors[index], content)
    {
      cursors[index].awaited = batch.lazy.flatMap { content[$0].seen }.first(where: isUnsent)
      if deferIfBlocked(index) { return true }
      // Another object may contain the same event.
      let events = batch.map { event($0, content, piece) }
      let lineRanges = events.filter { !isSent($0) }.map { content[$0.sequence].byteRange }
      let byteCount = lineRanges.reduce(0) { $0 + $1.count + 1 }
      guard
        lines.isEmpty
          || lines.bytes.count + byteCount <= LineBatch.bytesMax
            && lines.count + lineRanges.count <= LineBatch.linesMax
      else { return false }
      for range in lineRanges { lines.add(Array(content.bytes[range])) }
      cursors[index].next = batch.upperBound + 1
      for event in events {
        for index in waiting.removeValue(forKey: event) ?? [] { ready.insert(index) }
      }
    }
    cursors[index].content = nil
    return true
  }

  /// Blocks a cursor if its next batch depends on an unsent event.
  ///
  /// Returns whether it is blocked.
  private func deferIfBlocked(_ index: Int) -> Bool {
    guard let awaited = cursors[index].awaited, isUnsent(awaited) else { return false }
    waiting[awaited, default: []].append(index)
    return true
  }

  private func event(
    _ sequence: Int64, _ content: RangeContent, _ piece: ObjectPiece
  ) -> FullEventID {
    FullEventID(
      device: piece.end.device, sequence: sequence, chain: content.history.chain(at: sequence))
  }

  /// The next batch of events, or nil if there is none or its last event is absent.
  private func batch(
    _ cursor: Cursor, _ content: RangeContent
  ) async throws(EventLogError) -> ClosedRange<Int64>? {
    let end = cursor.piece.end
    guard cursor.next <= end.sequence else { return nil }
    var last = cursor.next
    while content[last].hasMore, last < end.sequence { last += 1 }
    guard content[last].hasMore, last == content.history.last else { return cursor.next...last }
    return try await isComplete(end) ? cursor.next...last : nil
  }

  /// Whether a batch that its object cuts off at `end` may be sent, because the rest is in other
  /// pieces or isn't needed.
  private func isComplete(_ end: FullEventID) async throws(EventLogError) -> Bool {
    if missing.isBeforeGap(end) { return true }
    if named == nil { named = await objectIndex.namedEvents }
    if named?.contains(end) ?? false { return true }
    for piece in (followers[end] ?? []).map({ cursors[$0].piece }) {
      guard let content = try await objectIndex.content(of: piece.object) else { continue }
      var last = piece.first
      while content[last].hasMore, last < piece.end.sequence { last += 1 }
      if !content[last].hasMore || last < content.history.last { return true }
      if try await isComplete(piece.end) { return true }
    }
    return false
  }

  private func isUnsent(_ event: FullEventID) -> Bool {
    !isSent(event) && holders(of: event).contains { _ in true }
  }

  private func isSent(_ event: FullEventID) -> Bool {
    holders(of: event).contains { event.sequence < cursors[$0].next }
  }

  /// The cursors whose pieces contain an event.
  private func holders(of event: FullEventID) -> some Sequence<Int> {
    let (indices, lasts) = (indices[event.device] ?? [], lasts[event.device] ?? [])
    let start = lasts.partitioningIndex { $0 >= event.sequence }
    return indices[start...].lazy.prefix { self.cursors[$0].piece.first <= event.sequence }
      .filter { self.cursors[$0].piece.holds(event) }
  }
}

extension ObjectIndex {
  /// The events that count without the rest of their batches, because a frontier states them as
  /// tips or the initiator as missing.
  fileprivate var namedEvents: Set<FullEventID> {
    Set(catalog.frontiers.flatMap(\.statement.tips)).union(initiator.missing.map(\.end))
  }
}
