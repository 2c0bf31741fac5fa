import EventLog

/// The requested events of one object.
struct ObjectPiece: Sendable {
  let object: RangeObject
  /// The first sequence.
  let first: Int64
  /// The last event.
  let end: FullEventID
  let history: RangeHistory

  /// The event before the first one, or nil at the beginning of a history.
  var before: FullEventID? {
    if first == 1 { return nil }
    return FullEventID(
      device: end.device, sequence: first - 1, chain: history.chain(at: first - 1))
  }

  func holds(_ event: FullEventID) -> Bool {
    first <= event.sequence && event.sequence <= end.sequence
      && history.chain(at: event.sequence) == event.chain
  }
}

extension ObjectIndex {
  /// Returns the pieces of objects that cover the given ranges.
  ///
  /// Devices that joined as the remote's user come first, so that the receiver gets their adoptions
  /// before the events of adopted users.
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
    pieces.sort { ($0.end.device, $0.first) < ($1.end.device, $1.first) }
    return pieces.filter { isOwn($0.end.device) } + pieces.filter { !isOwn($0.end.device) }
  }

  private func isOwn(_ device: DeviceID) -> Bool {
    guard let joined = users[device], let user = catalog.user else { return true }
    return joined.hasBytes(of: user)
  }
}
