/// Hands out events from the objects of a shared place, each behind all that it needs.
///
/// An event waits until the event before it and all that it has seen are held by the initiator,
/// were handed out, or are said to be missing. What never becomes ready is not there yet, and left
/// out.
actor ObjectLineSource: LineSource {
  private let place: ObjectPlace
  private var cursors: [Cursor]
  /// Per device its cursors.
  private let indices: [DeviceID: [Int]]
  /// What is said to be missing: nobody has to wait for it.
  private let missing: [EventRange]
  private let missingEnds: Set<FullEventID>
  /// Of what was asked for, what the initiator holds.
  private var held: Set<FullEventID>

  /// How far a piece is.
  private struct Cursor {
    let piece: ObjectPiece
    var next: Int64
    /// What its next event waits for.
    var awaited: FullEventID?
    /// Kept from the first event that is ready to the last.
    var content: RangeContent?
    var isDone = false
  }

  /// - Parameters:
  ///   - held: of the events before the pieces, those that the initiator holds.
  ///   - missing: what the place's publishers say to be missing.
  init(
    _ place: ObjectPlace, _ pieces: [ObjectPiece], held: Set<FullEventID>, missing: [EventRange]
  ) {
    self.place = place
    cursors = pieces.map { Cursor(piece: $0, next: $0.first, awaited: $0.before) }
    indices = Dictionary(grouping: pieces.indices) { pieces[$0].end.device }
    self.held = held
    self.missing = missing
    missingEnds = Set(missing.map(\.end))
  }

  func next() async throws(EventLogError) -> LineBatch? {
    var batch = LineBatch()
    var index = 0
    while index < cursors.count {
      switch try await handOut(index, to: &batch) {
      case .progress: index = 0
      case .waits: index += 1
      case .isFull: return batch
      }
    }
    return batch.isEmpty ? nil : batch
  }

  private enum Outcome {
    /// Events were handed out; now others may be ready.
    case progress
    /// None of them is ready.
    case waits
    /// The next one that is does not fit into the batch.
    case isFull
  }

  /// Hands out of a piece what is ready.
  private func handOut(
    _ index: Int, to lines: inout LineBatch
  ) async throws(EventLogError) -> Outcome {
    if cursors[index].isDone { return .waits }
    if let awaited = cursors[index].awaited, !isAvailable(awaited) { return .waits }
    if cursors[index].content == nil { try await load(index) }
    var outcome = Outcome.waits
    while let content = cursors[index].content,
      let batch = try await batch(cursors[index], content)
    {
      cursors[index].awaited = awaited(of: batch, in: content)
      if cursors[index].awaited != nil { return outcome }
      let places = batch.filter { !isHandedOut($0, content, cursors[index].piece) }
        .map { content[$0].place }
      let byteCount = places.reduce(0) { $0 + $1.count + 1 }
      guard
        lines.isEmpty
          || lines.bytes.count + byteCount <= LineBatch.bytesMax
            && lines.count + places.count <= LineBatch.linesMax
      else { return .isFull }
      for place in places { lines.add(Array(content.bytes[place])) }
      cursors[index].next = batch.upperBound + 1
      outcome = .progress
    }
    cursors[index].content = nil
    cursors[index].isDone = true
    return outcome
  }

  /// Reads a piece, and asks which of the events that it has seen the initiator holds.
  private func load(_ index: Int) async throws(EventLogError) {
    let piece = cursors[index].piece
    guard let content = try await place.content(of: piece.object) else { return }
    let seen = Set((piece.first...piece.end.sequence).flatMap { content[$0].seen })
    held.formUnion(try await place.lookup.held(seen.subtracting(held).sorted()))
    cursors[index].content = content
  }

  /// The next events that belong together; nil where none is left, or their end is not there.
  private func batch(
    _ cursor: Cursor, _ content: RangeContent
  ) async throws(EventLogError) -> ClosedRange<Int64>? {
    let end = cursor.piece.end
    guard cursor.next <= end.sequence else { return nil }
    var last = cursor.next
    while content[last].hasMore, last < end.sequence { last += 1 }
    guard content[last].hasMore, last == content.history.last else { return cursor.next...last }
    return try await isSealed(end) ? cursor.next...last : nil
  }

  /// Whether an event with more counts: the rest of its batch is there, or is known to be missing.
  private func isSealed(_ end: FullEventID) async throws(EventLogError) -> Bool {
    let isBeforeMissing = missing.contains {
      $0.device == end.device && $0.first <= end.sequence + 1 && end.sequence < $0.last
    }
    if isBeforeMissing { return true }
    if await place.isNamed(end) { return true }
    let pieces = (indices[end.device] ?? []).map { cursors[$0].piece }
    for piece in pieces where piece.before == end {
      guard let content = try await place.content(of: piece.object) else { continue }
      var last = piece.first
      while content[last].hasMore, last < piece.end.sequence { last += 1 }
      if !content[last].hasMore || last < content.history.last { return true }
      if try await isSealed(piece.end) { return true }
    }
    return false
  }

  /// What some events need, and is neither with the initiator nor on the way to it.
  private func awaited(of batch: ClosedRange<Int64>, in content: RangeContent) -> FullEventID? {
    for sequence in batch {
      if let event = content[sequence].seen.first(where: { !isAvailable($0) }) { return event }
    }
    return nil
  }

  private func isAvailable(_ event: FullEventID) -> Bool {
    held.contains(event) || missingEnds.contains(event) || isHandedOut(event)
  }

  private func isHandedOut(_ event: FullEventID) -> Bool {
    (indices[event.device] ?? []).contains {
      cursors[$0].piece.holds(event, before: cursors[$0].next)
    }
  }

  /// Whether another object had the same event.
  private func isHandedOut(
    _ sequence: Int64, _ content: RangeContent, _ piece: ObjectPiece
  ) -> Bool {
    isHandedOut(
      FullEventID(
        device: piece.end.device, sequence: sequence, chain: content.history.chain(at: sequence)))
  }
}

extension ObjectPlace {
  /// Whether somebody knows an event as one of which nothing follows, or waits for it by name: then
  /// it counts without the rest of its batch.
  fileprivate func isNamed(_ event: FullEventID) -> Bool {
    catalog.frontiers.contains { $0.statement.tips.contains(event) }
      || initiator.missing.contains { $0.end == event }
  }
}
