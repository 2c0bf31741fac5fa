// The possible orders of a history in a journal: all that respect causality.

public import EventLog

extension History {
  /// The journal's lines with their line feeds, in the order in which they were appended.
  public var lines: [[UInt8]] { entries.map(\.line) }

  /// Returns the journal's lines in a random order that respects causality.
  ///
  /// - Parameter seed: The seed that determines the order.
  public func lines(order seed: UInt64) -> [[UInt8]] {
    var generator = SplitMix64(seed: seed)
    var order = RespectfulOrder(entries)
    while let next = order.ready.randomElement(using: &generator) { order.take(next) }
    return order.taken.map { entries[$0].line }
  }

  /// Passes the lines to a closure in every order that respects causality.
  ///
  /// - Complexity: As many calls as there are orders, up to n! for n events.
  package func forEachOrder<Failure: Error>(
    _ body: ([[UInt8]]) throws(Failure) -> Void
  ) throws(Failure) {
    try RespectfulOrder(entries).forEachCompletion { (order: [Int]) throws(Failure) in
      try body(order.map { entries[$0].line })
    }
  }

  /// Writes the journal to a file, which it replaces.
  ///
  /// The file isn't synced to disk.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - lines: The lines to write, or `nil` for ``lines``.
  public func write(to path: String, lines: [[UInt8]]? = nil) throws(Errno) {
    let fileSystem = SystemFileSystem()
    let file = try fileSystem.open(path, .create)
    defer { fileSystem.close(file) }
    try fileSystem.truncate(file, to: 0)
    try fileSystem.writeAll(file, (lines ?? self.lines).flatMap { $0 }, at: 0)
  }
}

/// The first part of an order that respects causality.
private struct RespectfulOrder {
  private let entries: [History.Entry]
  private var set = NumberSet()
  /// The indices of the events that may come next, in the order in which they were written.
  private(set) var ready: [Int] = []
  private(set) var taken: [Int] = []

  init(_ entries: [History.Entry]) {
    self.entries = entries
    ready = entries.indices.filter(isReady)
  }

  private func isReady(_ index: Int) -> Bool {
    var rest = entries[index].truth.subtracting(set)
    rest.remove(index)
    return rest.isEmpty
  }

  mutating func take(_ index: Int) {
    set.insert(index)
    taken.append(index)
    ready.removeAll { $0 == index }
    for other in entries.indices.dropFirst(index + 1)
    where entries[other].truth.contains(index) && isReady(other) {
      ready.append(other)
    }
    ready.sort()
  }

  func forEachCompletion<Failure: Error>(
    _ body: ([Int]) throws(Failure) -> Void
  ) throws(Failure) {
    if taken.count == entries.count { return try body(taken) }
    for index in ready {
      var longer = self
      longer.take(index)
      try longer.forEachCompletion(body)
    }
  }
}
