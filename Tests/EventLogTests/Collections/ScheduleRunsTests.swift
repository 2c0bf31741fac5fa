import EventLog
import EventLogCollections
import EventLogTesting
import Testing

@Suite struct ScheduleRunsTests {
  private func day(_ number: Int32) -> Day { Day(number: number) }

  @Test func `runs equal those found by checking every day separately`() {
    for seed in RandomRounds(2000) {
      var generator = SplitMix64(seed: seed)
      let days = Int.random(in: 1...9, using: &generator)
      let schedule = Schedule("\(Int.random(in: 1...days, using: &generator))/\(days)")!
      let chance = Int.random(in: 1...10, using: &generator)
      let completed = (Int32(0)..<40).filter { _ in
        Int.random(in: 0..<10, using: &generator) < chance
      }
      let skipped = (Int32(0)..<40).filter { _ in Int.random(in: 0..<6, using: &generator) == 0 }
      let expected = Self.runs(completed, Set(skipped).subtracting(completed), schedule)
      let skippedDays = Set(skipped.map(day))
      let found = schedule.runs(of: completed.map(day), skipping: skippedDays)
      #expect(
        found.map { [$0.first.number, $0.last.number] } == expected,
        "EVENTLOG_SEED=\(seed) \(schedule) \(completed) \(skipped)")
      let streak = expected.last.map { $0[1] == completed.last ? $0[1] - $0[0] + 1 : 0 } ?? 0
      #expect(
        schedule.streak(of: completed.map(day), skipping: skippedDays) == Int(streak),
        "EVENTLOG_SEED=\(seed)")
    }
  }

  /// Finds runs by checking the window of each day that isn't skipped.
  private static func runs(
    _ completed: [Int32], _ skipped: Set<Int32>, _ schedule: Schedule
  ) -> [[Int32]] {
    var runs: [[Int32]] = []
    var current: [Int32] = []
    let calendar = (Int32(-10)..<60).filter { !skipped.contains($0) }
    for day in calendar where day >= 0 {
      let window = calendar.filter { $0 <= day }.suffix(schedule.days)
      if completed.filter(window.contains).count >= schedule.times {
        current.append(day)
      } else {
        runs.append(current)
        current = []
      }
    }
    return (runs + [current]).compactMap { run in
      guard let first = run.first, let last = run.last(where: completed.contains) else {
        return nil
      }
      return [first, last]
    }
  }

  @Test func `a run returns the day on which it reached a length`() throws {
    let run = try #require(Schedule.daily.runs(of: [5, 6, 7, 9].map(day)).first)
    #expect(run.length == 3)
    #expect(run.day(ofLength: 1) == day(5))
    #expect(run.day(ofLength: 3) == day(7))
    #expect(run.day(ofLength: 4) == nil)
    #expect(run.day(ofLength: 0) == nil)
    #expect(Schedule.daily.runs(of: []).isEmpty)
  }

  @Test func `skipped days don't break a run and count in its length`() throws {
    let runs = Schedule.daily.runs(of: [1, 2, 3, 5, 6].map(day), skipping: [day(4), day(2)])
    #expect(runs.map(\.length) == [6])
    // Day 4 is not completed, so the length 4 is reached a day later.
    #expect(runs[0].day(ofLength: 3) == day(3))
    #expect(runs[0].day(ofLength: 4) == day(5))
    let rests = Schedule.daily.runs(of: [5, 6].map(day), skipping: [day(4), day(7), day(8)])
    #expect(rests.map(\.first) == [day(5)] && rests.map(\.last) == [day(6)])
  }
}
