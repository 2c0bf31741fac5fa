import EventLogTesting
import Testing

@testable import EventLog

/// The library's ledger, compared with the reference on valid lines that no writer would write.
@Suite(.tags(.random)) struct MadeUpHistoryTests {
  private static func lines(_ seed: UInt64) -> [[UInt8]] {
    var generator = SplitMix64(seed: seed)
    let lines = MadeUpLines(
      seed: ~seed, count: Int.random(in: 1...14, using: &generator),
      batches: seed % 2 == 0 ? 0 : 30, users: seed % 3 == 0 ? 30 : 0
    ).lines
    let kept = lines.filter { _ in Int.random(in: 0..<8, using: &generator) > 0 }
    return kept.isEmpty ? lines : kept
  }

  @Test func `the ledger of generated lines in any order equals the reference`() throws {
    for seed in RandomRounds(600) {
      let lines = Self.lines(seed)
      var generator = SplitMix64(seed: seed)
      let reference = ReferenceHistories(lines.map { ReferenceLine($0)! }, user: "ada")
      if reference.users.isOthers { continue }
      for lines in [lines, lines.reversed(), lines.shuffled(using: &generator)] {
        var reading = LineReading(LedgerSink(), user: "ada")
        reading.read(lines)
        let difference = reading.pass.ledger.difference(from: reference)
        try #require(difference == nil, "EVENTLOG_SEED=\(seed)")
      }
    }
  }

  @Test func `lines that don't count make no difference to other lines`() throws {
    var leftOutCount = 0
    // Seeds with guests are excluded: an adoption counts even in an unfinished batch.
    for seed in RandomRounds(450, atLeast: 112) where seed % 3 != 0 {
      let lines = Self.lines(seed)
      var all = LineReading(LedgerSink(), user: "ada")
      all.read(lines)
      let unfinished = all.pass.unfinished.map(\.position.number)
      if unfinished.isEmpty || unfinished.count == lines.count { continue }
      leftOutCount += 1
      var rest = LineReading(LedgerSink(), user: "ada")
      rest.read(lines.indices.filter { !unfinished.contains($0 + 1) }.map { lines[$0] })
      let (one, other) = (all.pass.ledger, rest.pass.ledger)
      try #require(one.frontier == other.frontier, "EVENTLOG_SEED=\(seed)")
      try #require(one.missingRanges == other.missingRanges, "EVENTLOG_SEED=\(seed)")
      try #require(one.statement == other.statement, "EVENTLOG_SEED=\(seed)")
    }
    #expect(leftOutCount > 10)
  }

  @Test func `the ledger of generated lines that arrive one by one equals the reference`() throws {
    for seed in RandomRounds(300) {
      var generator = SplitMix64(seed: seed)
      let lines = Self.lines(seed).shuffled(using: &generator)
      var reading = LineReading(LedgerSink(), user: "ada")
      for count in 1...lines.count {
        reading.read(lines[count - 1])
        let reference = ReferenceHistories(
          lines.prefix(count).map { ReferenceLine($0)! }, user: "ada")
        if reference.users.isOthers { continue }
        let difference = reading.pass.ledger.difference(from: reference)
        try #require(difference == nil, "EVENTLOG_SEED=\(seed) after \(count)")
      }
    }
  }
}
