import EventLog
import Foundation

/// How often a random test goes round, and from which seeds.
///
/// Without `EVENTLOG_SEED` each run takes fresh seeds; `EVENTLOG_ROUNDS` multiplies the rounds.
/// A failing round names its own seed: with it in `EVENTLOG_SEED`, that round comes first.
struct RandomRounds: Sequence {
  let first: UInt64
  let count: Int

  init(_ count: Int) {
    let environment = ProcessInfo.processInfo.environment
    first = environment["EVENTLOG_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
    let factor = environment["EVENTLOG_ROUNDS"].flatMap(Double.init) ?? 1
    self.count = Swift.max(1, Int(Double(count) * factor))
  }

  func makeIterator() -> some IteratorProtocol<UInt64> {
    (0..<count).lazy.map { first &+ UInt64($0) }.makeIterator()
  }
}
