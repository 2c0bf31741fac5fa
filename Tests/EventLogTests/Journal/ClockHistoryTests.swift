import EventLogTesting
import Testing

@testable import EventLog

@Suite struct ClockHistoryTests {
  @Test func `a lookup returns the last mark at or before the event`() {
    for seed in RandomRounds(200) {
      var random = SplitMix64(seed: seed)
      var history = ClockHistory()
      if Bool.random(using: &random) { history.paginate() }
      let others = [0, 1, 5, 31, 32, 33, 70, 400].shuffled(using: &random).prefix(5)
      var marks: [Int: [(sequence: Int64, seen: Int64)]] = [:]
      var sequence: Int64 = 0
      for _ in 0..<Int.random(in: 1...300, using: &random) {
        sequence += Int64.random(in: 0...3, using: &random)
        let other = others.randomElement(using: &random)!
        let seen = (marks[other]?.last?.seen ?? 0) + Int64.random(in: 1...4, using: &random)
        history.add(3, sequence, sees: other, upTo: seen)
        marks[other, default: []].append((sequence, seen))
      }
      for at in -1...(sequence + 1) {
        for other in [0, 1, 2, 5, 31, 32, 33, 70, 400] {
          let expected = marks[other]?.last { $0.sequence <= at }?.seen ?? 0
          #expect(history.seen(other, by: 3, at: at) == expected, "EVENTLOG_SEED=\(seed)")
        }
        let first = history.firstMark(of: 3, after: at)
        #expect(first == history.markCount(of: 3) || history.mark(first, of: 3).sequence > at)
        #expect(first == 0 || history.mark(first - 1, of: 3).sequence <= at)
      }
      #expect(Set(history.others(of: 3)) == Set(marks.keys))
      #expect(history.otherCount(of: 3) == marks.count && history.otherCount(of: 4) == 0)
      #expect(history.seen(0, by: 9, at: 5) == 0 && history.markCount(of: 9) == 0)
    }
  }

  @Test func `a search among many marks takes few steps`() {
    var history = ClockHistory()
    let count = 100_000
    for sequence in 1...count { history.add(0, Int64(sequence), sees: 1, upTo: Int64(sequence)) }
    var steps = 0
    for sequence in stride(from: 1, through: count, by: 977) {
      var index = count - 1
      while history.mark(index, of: 0).sequence > sequence {
        let mark = history.mark(index, of: 0)
        let jump = Int(mark.jump)
        index = history.mark(jump, of: 0).sequence > sequence ? jump : Int(mark.before)
        steps += 1
      }
      #expect(history.seen(1, by: 0, at: Int64(sequence)) == Int64(sequence))
    }
    #expect(steps / (count / 977) < 60)
  }
}

/// Rows of few or many histories that a device has seen.
@Suite struct ClockRowTests {
  @Test func `a row returns its entries however large the branch numbers are`() {
    for seed in RandomRounds(200) {
      var random = SplitMix64(seed: seed)
      let range = [8, 40, 200, 100_000].randomElement(using: &random)!
      var row = ClockRow()
      var expected: [Int: Int64] = [:]
      for step in 1...Int.random(in: 1...120, using: &random) {
        let branch = Int.random(in: 0..<range, using: &random)
        row[branch] = Int64(step)
        expected[branch] = Int64(step)
      }
      #expect(row.count == expected.count)
      #expect(row.entries.map(\.branch) == expected.keys.sorted().map { Int32($0) })
      #expect(row.entries.allSatisfy { expected[Int($0.branch)] == $0.sequence })
      for branch in 0..<min(range, 300) { #expect(row[branch] == expected[branch] ?? 0) }
    }
  }
}
