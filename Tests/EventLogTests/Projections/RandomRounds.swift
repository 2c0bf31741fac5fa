import EventLog
import Foundation

/// How often a random test goes round, and from which seeds.
///
/// Without `EVENTLOG_SEED` each run takes fresh seeds; `EVENTLOG_ROUNDS` multiplies the rounds.
/// A failing round names its own seed: with it in `EVENTLOG_SEED`, that round comes first.
struct RandomRounds: Sequence {
  /// Whatever the others are: what the rounds have to come by, these come by.
  private let known: Range<UInt64>
  let first: UInt64
  let count: Int

  init(_ count: Int) {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["EVENTLOG_SEED"].flatMap(UInt64.init)
    let factor = environment["EVENTLOG_ROUNDS"].flatMap(Double.init) ?? 1
    let all = Swift.max(1, Int(Double(count) * factor))
    known = 0..<(seed == nil ? UInt64(count / 2) : 0)
    first = seed ?? UInt64.random(in: 0...UInt64.max)
    self.count = Swift.max(0, all - known.count)
  }

  func makeIterator() -> some IteratorProtocol<UInt64> {
    var next = 0
    return AnyIterator { [self] in
      defer { next += 1 }
      if next < known.count { return UInt64(next) }
      return next < known.count + count ? first &+ UInt64(next - known.count) : nil
    }
  }
}
