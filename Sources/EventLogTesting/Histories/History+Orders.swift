// The orders in which a history may stand in a journal: every one that respects causality.

public import EventLog

extension History {
  /// The journal's lines, each with its LF, in the order they were appended.
  public var lines: [[UInt8]] { entries.map(\.line) }

  /// The journal's lines in a random order that respects causality: the same for the same seed.
  public func lines(order seed: UInt64) -> [[UInt8]] {
    var generator = SplitMix64(seed: seed)
    var order = CausalOrder(entries)
    while let next = order.ready.randomElement(using: &generator) { order.take(next) }
    return order.taken.map { entries[$0].line }
  }

  /// Hands over the lines in every order that respects causality.
  ///
  /// - Complexity: as many calls as there are orders, which is up to n! for n events.
  package func forEachOrder<Failure: Error>(
    _ body: ([[UInt8]]) throws(Failure) -> Void
  ) throws(Failure) {
    try CausalOrder(entries).forEachCompletion { (order: [Int]) throws(Failure) in
      try body(order.map { entries[$0].line })
    }
  }

  /// Writes the journal, in place of what is at `path`; it is not synced.
  ///
  /// - Parameter lines: the lines to write; nil: ``lines``.
  public func write(to path: String, lines: [[UInt8]]? = nil) throws(Errno) {
    let fileSystem = SystemFileSystem()
    let file = try fileSystem.open(path, .create)
    defer { fileSystem.close(file) }
    try fileSystem.truncate(file, to: 0)
    try fileSystem.writeAll(file, Array((lines ?? self.lines).joined()), at: 0)
  }
}

/// The beginning of an order that respects causality.
private struct CausalOrder {
  private let entries: [History.Entry]
  /// Per device the places of its events.
  private var queues: [DeviceID: [Int]] = [:]
  private var counts: [DeviceID: Int64] = [:]
  private(set) var taken: [Int] = []

  init(_ entries: [History.Entry]) {
    self.entries = entries
    for place in entries.indices { queues[entries[place].id.device, default: []].append(place) }
  }

  /// The places of the events that may come next, in the order they were appended.
  var ready: [Int] {
    queues.compactMap { device, places in
      let count = Int(counts[device] ?? 0)
      guard count < places.count else { return nil }
      let isReady = entries[places[count]].clock.allSatisfy { other, sequence in
        other == device || sequence <= counts[other] ?? 0
      }
      return isReady ? places[count] : nil
    }
    .sorted()
  }

  mutating func take(_ place: Int) {
    counts[entries[place].id.device, default: 0] += 1
    taken.append(place)
  }

  func forEachCompletion<Failure: Error>(
    _ body: ([Int]) throws(Failure) -> Void
  ) throws(Failure) {
    if taken.count == entries.count { return try body(taken) }
    for place in ready {
      var longer = self
      longer.take(place)
      try longer.forEachCompletion(body)
    }
  }
}
