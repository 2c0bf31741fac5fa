/// Events of one object that are asked for.
struct ObjectPiece: Sendable {
  let object: RangeObject
  /// The first of them.
  let first: Int64
  /// The last of them.
  let end: FullEventID
  let history: RangeHistory

  /// The event before the first one; nil where that begins its history.
  var before: FullEventID? {
    if first == 1 { return nil }
    return FullEventID(
      device: end.device, sequence: first - 1, chain: history.chain(at: first - 1))
  }

  /// Whether it holds an event, among those up to before `next`.
  func holds(_ event: FullEventID, before next: Int64) -> Bool {
    first <= event.sequence && event.sequence < next
      && history.chain(at: event.sequence) == event.chain
  }
}

extension ObjectPlace {
  /// What the objects hold of some ranges: first that of devices which joined as the place's own
  /// user, so that it is known who was adopted before anything of theirs comes.
  func pieces(of ranges: [EventRange]) async throws(EventLogError) -> [ObjectPiece] {
    var found: Set<EventRange> = []
    var pieces: [ObjectPiece] = []
    for range in ranges {
      var next: FullEventID? = range.end
      while let end = next, end.sequence >= range.first, let object = try await holder(of: end) {
        guard let history = try await history(of: object) else { break }
        let first = max(object.range.first, range.first)
        if found.insert(EventRange(from: first, to: end)).inserted {
          pieces.append(ObjectPiece(object: object, first: first, end: end, history: history))
        }
        next = first == object.range.first ? try await event(before: object) : nil
      }
    }
    let own = pieces.filter { isOwn($0.end.device) }.sorted { $0.isBefore($1) }
    return own + pieces.filter { !isOwn($0.end.device) }.sorted { $0.isBefore($1) }
  }

  private func isOwn(_ device: DeviceID) -> Bool {
    guard let joined = users[device], let user = catalog.user else { return true }
    return joined.hasBytes(of: user)
  }
}

extension ObjectPiece {
  fileprivate func isBefore(_ other: ObjectPiece) -> Bool {
    (end.device, first) < (other.end.device, other.first)
  }
}
