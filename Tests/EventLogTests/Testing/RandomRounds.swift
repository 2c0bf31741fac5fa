import EventLog
import Foundation

/// How much the random tests do, and those that try every place.
///
/// You wait for a plain `swift test`, so it does an eighth. The gate does half, by
/// `EVENTLOG_ROUNDS=0.5`, and `EVENTLOG_ROUNDS=1` does all. `EVENTLOG_ROUNDS=N` does N times as
/// much, and also what takes too long otherwise.
enum Rounds {
  static let factor =
    ProcessInfo.processInfo.environment["EVENTLOG_ROUNDS"].flatMap(Double.init) ?? 0.125

  /// Whether every place and every case is to be tried.
  static var areComplete: Bool { factor >= 1 }

  /// Whether even what takes minutes is to be done.
  static var areLong: Bool { factor > 1 }

  /// So many of `count`, but one at least.
  static func of(_ count: Int) -> Int { max(1, Int(Double(count) * factor)) }

  /// Those of so many places, such as calls that fail or bytes to cut behind, that are tried.
  ///
  /// All of them where the rounds are complete. Else the first, the last, and one of each eight,
  /// the same in each run.
  static func places(_ count: Int) -> [Int] {
    if areComplete { return Array(0..<count) }
    var random = SplitMix64(seed: UInt64(count))
    let spread = 8
    var places: Set<Int> = count > 0 ? [0, count - 1] : []
    for first in stride(from: 0, to: count, by: spread) {
      places.insert(Int.random(in: first..<min(count, first + spread), using: &random))
    }
    return places.sorted()
  }
}

/// How often a random test goes round, and from which seeds.
///
/// Without `EVENTLOG_SEED` each run takes fresh seeds. A failing round names its own seed: with it
/// in `EVENTLOG_SEED`, that round comes first.
struct RandomRounds: Sequence {
  /// Whatever the others are: what the rounds have to come by, these come by.
  private let known: Range<UInt64>
  let first: UInt64
  let count: Int
  /// How far it goes until it has come by what the rounds have to come by.
  private var limit = 0
  private var isEnough: () -> Bool = { true }

  /// - Parameter minimum: how many it takes to come by everything that the test asks for.
  init(_ count: Int, atLeast minimum: Int = 2) {
    let seed = ProcessInfo.processInfo.environment["EVENTLOG_SEED"].flatMap(UInt64.init)
    // One known and one fresh seed at least.
    let all = Swift.max(Rounds.of(count), Swift.min(minimum, count))
    known = 0..<(seed == nil ? UInt64(Swift.min(count, all + 1) / 2) : 0)
    first = seed ?? UInt64.random(in: 0...UInt64.max)
    self.count = Swift.max(0, all - known.count)
  }

  /// Goes round as often as any test, and further, though no further than `count` times, until the
  /// rounds have come by everything that the test asks for.
  init(_ count: Int, until isEnough: @escaping () -> Bool) {
    self.init(count)
    limit = count
    self.isEnough = isEnough
  }

  func makeIterator() -> some IteratorProtocol<UInt64> {
    var next = 0
    return AnyIterator { [self] in
      defer { next += 1 }
      if next < known.count { return UInt64(next) }
      if next < known.count + count { return first &+ UInt64(next - known.count) }
      // Further known ones.
      return next < limit && !isEnough() ? UInt64(next - count) : nil
    }
  }
}
