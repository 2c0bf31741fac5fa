import EventLogTesting
import Testing

@testable import EventLog

/// A copied state doesn't change with the original, and pagination changes no result.
@Suite(.tags(.random)) struct FoldCopiesTests {
  @Test func `a paginated state and its copies produce the same result as a flat one`() throws {
    for seed in RandomRounds(120) {
      let history = RandomHistory.maybeForked(seed: seed, sizes: 3...40)
      let lines = history.lines(order: seed)
      var random = SplitMix64(seed: seed)
      let cut = Int.random(in: 0...lines.count, using: &random)
      var plain = HistoryReading()
      var paged = HistoryReading()
      var copies: [(count: Int, reading: HistoryReading)] = []
      for (index, line) in lines.enumerated() {
        if index == cut { paged.pass.sink.paginate() }
        if random.once(in: 4) { copies.append((index, paged)) }
        plain.read(line)
        paged.read(line)
      }
      try Self.compare(paged, plain, seed)
      for copy in copies {
        // First its state, then its state after it continues independently.
        var copy = copy
        var expected = HistoryReading()
        expected.read(lines[..<copy.count])
        try Self.compare(copy.reading, expected, seed)
        copy.reading.read(lines[copy.count...])
        try Self.compare(copy.reading, plain, seed)
      }
      try Self.compare(paged, plain, seed)
    }
  }

  private static func compare(
    _ left: HistoryReading, _ right: HistoryReading, _ seed: UInt64
  ) throws {
    try #require(left.snapshot.report == right.snapshot.report, "EVENTLOG_SEED=\(seed)")
    try #require(left.snapshot.json() == right.snapshot.json(), "EVENTLOG_SEED=\(seed)")
  }
}
