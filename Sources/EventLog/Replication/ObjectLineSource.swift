/// Hands out events from the objects of a shared place, each behind all that it needs.
///
/// An event waits until the event before it and all that it has seen are held by the initiator,
/// were handed out, or are said to be missing. What never becomes ready is not there yet, and left
/// out.
actor ObjectLineSource: LineSource {
  private let place: ObjectPlace
  private var cursors: [Cursor]
  /// Those that may hand something out.
  private var ready = MinHeap<Int>()
  /// The others, by what they wait for.
  private var waiting: [FullEventID: [Int]] = [:]
  /// Per device its cursors, by their first events, and how far each of them or one before reaches.
  private let indices: [DeviceID: [Int]]
  private let lasts: [DeviceID: [Int64]]
  /// The users whose devices the initiator takes in, by the bytes of their names; nil before the
  /// first line.
  private var letIn: Set<[UInt8]>?
  /// Those of other users, until somebody lets them in.
  private var parked: [Int] = []
  /// By the event before them, the cursors that go on from it.
  private let followers: [FullEventID: [Int]]
  /// What is said to be missing: nobody has to wait for it.
  private let missing: ReceivingTerms
  /// The events that somebody knows to be the last, or waits for by name; nil until it was asked.
  private var named: Set<FullEventID>?
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
    self.held = held
    self.missing = ReceivingTerms(missing: missing)
    for index in pieces.indices { ready.insert(index) }
  }

  func next() async throws(EventLogError) -> LineBatch? {
    var batch = LineBatch()
    if letIn == nil { letIn = await place.usersOfInitiator }
    while true {
      // What comes first of all that is ready, of those whom the initiator takes in by then.
      while let index = ready.popLeast() {
        if let user = await stranger(index), !(letIn ?? []).contains(user) {
          parked.append(index)
        } else if try await !handOut(index, to: &batch) {
          ready.insert(index)
          return batch
        }
      }
      if parked.isEmpty { break }
      // Nobody here lets them in: whoever receives them says so.
      for index in parked { if let user = await stranger(index) { letIn?.insert(user) } }
      unpark()
    }
    return batch.isEmpty ? nil : batch
  }

  /// As whom the device of a piece joined, by the bytes of the name, if that is known.
  private func stranger(_ index: Int) async -> [UInt8]? {
    await place.users[cursors[index].piece.end.device].map { Array($0.utf8) }
  }

  private func unpark() {
    for index in parked { ready.insert(index) }
    parked = []
  }

  /// Hands out of a piece what is ready.
  ///
  /// - Returns: false where the next event that is does not fit into the batch.
  private func handOut(
    _ index: Int, to lines: inout LineBatch
  ) async throws(EventLogError) -> Bool {
    if let awaited = cursors[index].awaited, !isAvailable(awaited) {
      waiting[awaited, default: []].append(index)
      return true
    }
    if cursors[index].content == nil { try await load(index) }
    while let content = cursors[index].content,
      let batch = try await batch(cursors[index], content)
    {
      cursors[index].awaited = awaited(of: batch, in: content)
      if let awaited = cursors[index].awaited {
        waiting[awaited, default: []].append(index)
        return true
      }
      let places = batch.filter { !isHandedOut($0, content, cursors[index].piece) }
        .map { content[$0].place }
      let byteCount = places.reduce(0) { $0 + $1.count + 1 }
      guard
        lines.isEmpty
          || lines.bytes.count + byteCount <= LineBatch.bytesMax
            && lines.count + places.count <= LineBatch.linesMax
      else { return false }
      for place in places { lines.add(Array(content.bytes[place])) }
      cursors[index].next = batch.upperBound + 1
      for sequence in batch {
        wake(event(sequence, content, cursors[index].piece))
        if let user = content[sequence].adopts {
          letIn?.insert(Array(user.utf8))
          unpark()
        }
      }
    }
    cursors[index].content = nil
    return true
  }

  /// Looks again at what has waited for an event.
  private func wake(_ event: FullEventID) {
    for index in waiting.removeValue(forKey: event) ?? [] { ready.insert(index) }
  }

  private func event(
    _ sequence: Int64, _ content: RangeContent, _ piece: ObjectPiece
  ) -> FullEventID {
    FullEventID(
      device: piece.end.device, sequence: sequence, chain: content.history.chain(at: sequence))
  }

  /// Reads a piece, and asks which of the events that it has seen the initiator holds.
  private func load(_ index: Int) async throws(EventLogError) {
    let piece = cursors[index].piece
    guard let content = try await place.content(of: piece.object) else { return }
    let seen = Set((piece.first...piece.end.sequence).flatMap { content[$0].seen })
    for event in try await place.lookup.held(seen.subtracting(held).sorted()) {
      held.insert(event)
      wake(event)
    }
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
    if missing.isBeforeGap(end) { return true }
    if named == nil { named = await place.namedEvents }
    if named?.contains(end) ?? false { return true }
    for piece in (followers[end] ?? []).map({ cursors[$0].piece }) {
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
    held.contains(event) || missing.missing.contains(event) || isHandedOut(event)
  }

  private func isHandedOut(_ event: FullEventID) -> Bool {
    guard let indices = indices[event.device], let lasts = lasts[event.device] else {
      return false
    }
    let start = lasts.partitioningIndex { $0 >= event.sequence }
    let end = indices.partitioningIndex { cursors[$0].piece.first > event.sequence }
    return start < end
      && indices[start..<end].contains {
        cursors[$0].piece.holds(event, before: cursors[$0].next)
      }
  }

  /// Whether another object had the same event.
  private func isHandedOut(
    _ sequence: Int64, _ content: RangeContent, _ piece: ObjectPiece
  ) -> Bool {
    isHandedOut(event(sequence, content, piece))
  }
}

extension ObjectPlace {
  /// The events that somebody knows as ones of which nothing follows, or waits for by name: they
  /// count without the rest of their batches.
  fileprivate var namedEvents: Set<FullEventID> {
    Set(catalog.frontiers.flatMap(\.statement.tips)).union(initiator.missing.map(\.end))
  }

  /// Whose devices belong to the initiator's journal, by the bytes of their names.
  fileprivate var usersOfInitiator: Set<[UInt8]> {
    Set(
      ([catalog.user, initiator.user].compactMap(\.self) + initiator.adoptedUsers)
        .map { Array($0.utf8) })
  }
}
