/// The clocks of all events read, in the room of what changed: each time a branch learned of
/// another's events, how far.
///
/// An event's clock is the accumulation of `seen` along its history, so the last mark at or before
/// the event tells each entry. 16 bytes for each entry of a `seen`: it grows with how often the
/// devices synced, not with what they wrote. What a branch has seen before it parted is told by the
/// marks of the branch that it goes on from.
package struct ClockHistory: Sendable {
  struct Mark: Sendable {
    /// The branch's own event.
    var sequence: Int64
    /// How far it had then seen the other.
    var seen: Int64
  }

  /// `marks[b][x]`: what b learned of x, in order.
  private(set) var marks: [Int: [Int: [Mark]]] = [:]
  /// What each branch learned, in order: from which event on, and of which other one.
  private(set) var log: [Int: [(sequence: Int64, other: Int32)]] = [:]

  package init() {}

  /// Takes note that event `sequence` of `branch` has seen `other` up to `seen`, which is more than
  /// was noted before.
  mutating func add(_ branch: Int, _ sequence: Int64, sees other: Int, upTo seen: Int64) {
    let mark = Mark(sequence: sequence, seen: seen)
    if marks[branch]?[other]?.last?.sequence == sequence {
      marks[branch]![other]![marks[branch]![other]!.count - 1] = mark
    } else {
      marks[branch, default: [:]][other, default: []].append(mark)
      log[branch, default: []].append((sequence, Int32(other)))
    }
  }

  /// Takes over what was stored of one branch about another, of which nothing was known.
  mutating func add(_ stored: [Mark], of branch: Int, about other: Int) {
    marks[branch, default: [:]][other] = stored
    log[branch, default: []] += stored.map { ($0.sequence, Int32(other)) }
  }

  /// Puts in order what was taken over.
  mutating func sortLog() {
    for branch in log.keys {
      log[branch]!.sort { ($0.sequence, $0.other) < ($1.sequence, $1.other) }
    }
  }

  /// A mark of a branch about another.
  struct Entry {
    var sequence: Int64
    var other: Int32
    var seen: Int64
  }

  /// How many marks there are.
  var entryCount: Int { log.values.reduce(0) { $0 + $1.count } }

  /// Per branch what it learned, in order.
  func learned(by branchCount: Int) -> [[Entry]] {
    (0..<branchCount).map { branch in
      guard let log = log[branch], let marks = marks[branch] else { return [] }
      // How many of the marks about each other one have come.
      var next: [Int32: Int] = [:]
      return log.map { sequence, other in
        let place = next[other, default: 0]
        next[other] = place + 1
        return Entry(sequence: sequence, other: other, seen: marks[Int(other)]![place].seen)
      }
    }
  }

  /// How far event `sequence` of `branch`, or one before it in the branch, has seen `other`.
  ///
  /// - Complexity: O(log marks).
  func seen(_ other: Int, by branch: Int, at sequence: Int64) -> Int64 {
    guard let marks = marks[branch]?[other] else { return 0 }
    let count = Self.count(marks, upTo: sequence)
    return count > 0 ? marks[count - 1].seen : 0
  }

  /// How many marks stand at or before `sequence`.
  private static func count(_ marks: [Mark], upTo sequence: Int64) -> Int {
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// What the branch itself tells of the clock of its event `sequence`; its own entry is
  /// `sequence`.
  ///
  /// - Complexity: O(branches · log marks).
  func clock(of device: Int, at sequence: Int64) -> [Int64] {
    let known = marks[device] ?? [:]
    var clock = [Int64](repeating: 0, count: (known.keys.max() ?? -1) + 1)
    for (other, marks) in known {
      let low = Self.count(marks, upTo: sequence)
      if low > 0 { clock[other] = marks[low - 1].seen }
    }
    while clock.count <= device { clock.append(0) }
    clock[device] = sequence
    return clock
  }
}
