import EventLog
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
      let expected = Self.runs(completed, schedule)
      let found = schedule.runs(of: completed.map(day))
      #expect(
        found.map { [$0.first.number, $0.last.number] } == expected,
        "EVENTLOG_SEED=\(seed) \(schedule) \(completed)")
      let streak = expected.last.map { $0[1] == completed.last ? $0[1] - $0[0] + 1 : 0 } ?? 0
      #expect(schedule.streak(of: completed.map(day)) == Int(streak), "EVENTLOG_SEED=\(seed)")
    }
  }

  /// Finds runs by checking the window of each day.
  private static func runs(_ completed: [Int32], _ schedule: Schedule) -> [[Int32]] {
    var runs: [[Int32]] = []
    var current: [Int32] = []
    for day in Int32(0)..<60 {
      let window = (day - Int32(schedule.days) + 1)...day
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
}
