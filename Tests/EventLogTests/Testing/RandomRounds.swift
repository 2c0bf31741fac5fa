import EventLog
import Foundation

/// Scales the random and exhaustive tests by `EVENTLOG_ROUNDS`.
///
/// The default is an eighth, so that `swift test` is fast. The gate uses a quarter, and
/// `EVENTLOG_ROUNDS=1` runs everything. A larger number multiplies the random rounds, and also runs
/// tests that take minutes.
enum Rounds {
  static let factor =
    ProcessInfo.processInfo.environment["EVENTLOG_ROUNDS"].flatMap(Double.init) ?? 0.125

  /// Whether to try every call, byte and case.
  static var areComplete: Bool { factor >= 1 }

  /// Whether to run tests that take minutes.
  static var areLong: Bool { factor > 1 }

  /// Returns `count` scaled by the factor, but at least 1.
  static func of(_ count: Int) -> Int { max(1, Int(Double(count) * factor)) }

  /// Returns the indices to try out of `count`, such as failing calls or cut bytes.
  ///
  /// If the rounds are complete, these are all indices. Otherwise, they are the first, the last,
  /// and one of each eight, the same in each run.
  static func sample(_ count: Int) -> [Int] {
    if areComplete { return Array(0..<count) }
    var random = SplitMix64(seed: UInt64(count))
    let spread = 8
    var indices: Set<Int> = count > 0 ? [0, count - 1] : []
    for first in stride(from: 0, to: count, by: spread) {
      indices.insert(Int.random(in: first..<min(count, first + spread), using: &random))
    }
    return indices.sorted()
  }
}

/// The seeds of a random test.
///
/// Without `EVENTLOG_SEED`, each run uses some known and some new seeds. A failing round reports
/// its seed; with it in `EVENTLOG_SEED`, that round comes first.
struct RandomRounds: Sequence {
  /// Seeds used in every run, so that the required cases are always covered.
  private let known: Range<UInt64>
  let first: UInt64
  let count: Int
  /// The maximum number of rounds while `isEnough` is false.
  private var limit = 0
  private var isEnough: () -> Bool = { true }

  /// - Parameter minimum: the number of rounds that covers all required cases.
  init(_ count: Int, atLeast minimum: Int = 2) {
    let seed = ProcessInfo.processInfo.environment["EVENTLOG_SEED"].flatMap(UInt64.init)
    // At least one known and one new seed.
    let all = Swift.max(Rounds.of(count), Swift.min(minimum, count))
    known = 0..<(seed == nil ? UInt64(Swift.min(count, all + 1) / 2) : 0)
    first = seed ?? UInt64.random(in: 0...UInt64.max)
    self.count = Swift.max(0, all - known.count)
  }

  /// Runs as many rounds as other tests, and then up to `count` in total until `isEnough` returns
  /// true.
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
      // Continues with more known seeds.
      return next < limit && !isEnough() ? UInt64(next - count) : nil
    }
  }
}
