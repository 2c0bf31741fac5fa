import EventLog
import EventLogCollections
import EventLogTesting
import Testing

/// Completed days, runs and the streak: the number of days up to the last completed one on each of
/// which the schedule of that day is kept.
@Suite struct DayProgressTests {
  private static let first = Day("2026-01-01")!

  private static func day(_ offset: Int32) -> Day { Day(number: first.number + offset) }

  private static func rules(_ changes: (from: Int32?, rule: DayRules.Rule)...) -> DayRules {
    DayRules(changes.map { .init(from: $0.from.map(day), rule: $0.rule) })
  }

  /// The progress of days, counted from 2026-01-01.
  private static func progress(
    _ rules: DayRules, _ values: [Int32: Int64], skipped: Set<Int32> = [], today: Int32 = 1000
  ) -> DayRules.Progress {
    let days = skipped.union(values.keys).sorted().map {
      DayRules.Entry(
        day: day($0), value: values[$0].map { Amount($0) }, isSkipped: skipped.contains($0))
    }
    return rules.progress(of: days, today: day(today))
  }

  /// The offsets of the completed days.
  private static func completed(
    _ rules: DayRules, _ values: [Int32: Int64], skipped: Set<Int32> = [], today: Int32 = 1000
  ) -> [Int32] {
    progress(rules, values, skipped: skipped, today: today).completed
      .map { $0.number - first.number }
  }

  private static func streak(_ schedule: String, _ completed: [Int32]) -> Int {
    let values = Dictionary(uniqueKeysWithValues: completed.map { ($0, Int64(1)) })
    return progress(rules((nil, .init(goal: nil, schedule: Schedule(schedule)))), values).streak
  }

  // MARK: - Streaks

  @Test func `without a schedule, every day counts and a missed one ends the run`() {
    func streak(_ completed: [Int32]) -> Int {
      let values = Dictionary(uniqueKeysWithValues: completed.map { ($0, Int64(1)) })
      return Self.progress(DayRules([]), values).streak
    }
    #expect(streak([]) == 0)
    #expect(streak([5]) == 1)
    #expect(streak([3, 4, 5]) == 3)
    #expect(streak([1, 2, 4, 5]) == 2)
  }

  @Test func `a completed day after today is in no streak`() {
    func progress(_ today: Int32) -> DayRules.Progress {
      Self.progress(DayRules([]), [0: 1, 1: 1, 2: 1, 400: 1], today: today)
    }
    #expect(progress(2).streak == 3 && progress(2).past.last == Day("2026-01-03"))
    #expect(progress(1).streak == 2 && progress(1).completed.count == 4)
    #expect(progress(400).streak == 1)
    #expect(progress(-1).streak == 0 && progress(-1).past.isEmpty)
  }

  @Test func `a schedule of three times in seven days bridges the days between`() {
    // Day 4 is the first whose last seven days contain three; the run is days 4 to 6.
    #expect(Self.streak("3/7", [0, 2, 4, 6]) == 3)
    // Every window of seven days that ends on days 4 to 14 contains three.
    #expect(Self.streak("3/7", [0, 2, 4, 7, 9, 11, 14]) == 11)
    #expect(Self.streak("3/7", [0, 7, 8]) == 0, "the last day's own week holds two")
  }

  @Test func `the streak equals its definition, counted day by day`() throws {
    for seed in RandomRounds(2000) {
      var generator = SplitMix64(seed: seed)
      let length = Int32.random(in: 1...7, using: &generator)
      let times = Int32.random(in: 1...length, using: &generator)
      let density = Int32.random(in: 0...10, using: &generator)
      let completed = (Int32(0)..<40).filter { _ in
        Int32.random(in: 0..<10, using: &generator) < density
      }
      var expected = 0
      if var day = completed.last {
        while completed.count(where: { $0 <= day && $0 > day - length }) >= times {
          expected += 1
          day -= 1
        }
      }
      try #require(
        Self.streak("\(times)/\(length)", completed) == expected,
        "EVENTLOG_SEED=\(seed): \(times)/\(length) of \(completed)")
    }
  }

  // MARK: - Goals

  @Test func `a day is completed when its progress reaches the goal`() {
    func completed(_ goal: Int64?) -> [Int32] {
      Self.completed(
        Self.rules((nil, .init(goal: goal.map { Amount($0) }))), [0: 0, 1: 1, 2: 2, 3: 5])
    }
    #expect(completed(nil) == [1, 2, 3], "no goal counts as 1")
    #expect(completed(0) == [1, 2, 3], "0 counts as no goal")
    #expect(completed(2) == [2, 3])
    #expect(completed(5) == [3])
    #expect(completed(6) == [])
  }

  @Test func `a day is judged by the goal that applies to it`() {
    let rules = Self.rules((nil, .init(goal: 10)), (3, .init(goal: 20)), (5, .init(goal: 5)))
    #expect(Self.completed(rules, [0: 10, 1: 9, 2: 10, 3: 10, 4: 20, 5: 5, 6: 4]) == [0, 2, 4, 5])
    let late = Self.rules((3, .init(goal: 20)))
    #expect(Self.completed(late, [0: 1, 3: 1]) == [0], "before the first goal, it is 1")
  }

  @Test func `a day is within a limit, but not before it is over`() {
    let limit = Self.rules((nil, .init(goal: 2, isLimit: true)))
    let values: [Int32: Int64] = [0: 0, 1: 2, 2: 3, 4: 1, 5: 0]
    #expect(Self.completed(limit, values) == [0, 1, 4, 5], "a day without a value isn't completed")
    #expect(Self.completed(limit, values, today: 4) == [0, 1])
    let none = Self.rules((nil, .init(goal: 0, isLimit: true)))
    #expect(Self.completed(none, [0: 0, 1: 1]) == [0])
    let entries = [DayRules.Entry(day: Self.day(0), value: 0, isSkipped: false)]
    #expect(none.areCompleted(entries) == [true], "this doesn't depend on today")
  }

  // MARK: - Periods

  @Test func `progress of a period adds up to the goal, then starts again`() {
    let weekly = Self.rules((nil, .init(goal: 30, period: 7, schedule: Schedule("1/7"))))
    #expect(Self.completed(weekly, [0: 10, 2: 10, 4: 10, 5: 10, 6: 10, 7: 5, 8: 5]) == [4, 8])
    #expect(Self.completed(weekly, [0: 10, 2: 10, 7: 10]) == [], "day 0 is eight days back")
    #expect(Self.completed(weekly, [0: 30, 1: 30]) == [0, 1])
    #expect(Self.progress(weekly, [0: 30, 7: 30, 14: 30]).streak == 15)
  }

  @Test func `a limit of a period counts all of its days`() {
    let weekly = Self.rules((nil, .init(goal: 3, isLimit: true, period: 7)))
    #expect(Self.completed(weekly, [0: 2, 3: 1, 4: 1, 7: 1, 8: 0]) == [0, 3, 7, 8])
  }

  @Test func `a skipped day is left out of a period unless it is completed`() {
    let days3 = Self.rules((nil, .init(goal: 3, period: 3)))
    #expect(Self.completed(days3, [0: 1, 1: 1, 3: 1]) == [])
    #expect(Self.completed(days3, [0: 1, 1: 1, 3: 1], skipped: [2]) == [3])
    #expect(Self.completed(days3, [0: 1, 1: 1, 3: 1], skipped: [1]) == [], "its progress, too")
    #expect(Self.completed(days3, [0: 1, 1: 2, 2: 2, 3: 1], skipped: [1]) == [1, 3])
  }

  @Test func `a period that changes applies to the days from then on`() {
    let rules = Self.rules((nil, .init(goal: 5)), (3, .init(goal: 5, period: 3)))
    #expect(Self.completed(rules, [1: 2, 2: 2, 3: 1, 4: 1, 5: 4]) == [3, 5])
  }

  @Test func `completed days equal those found by adding up each period`() throws {
    for seed in RandomRounds(2000) {
      var generator = SplitMix64(seed: seed)
      let changes = (0..<3).map { index in
        DayRules.Change(
          from: index == 0 ? nil : Self.day(Int32(index * 7)),
          rule: DayRules.Rule(
            goal: Amount(Int64.random(in: 0...6, using: &generator)),
            isLimit: Bool.random(using: &generator),
            period: Int64.random(in: 1...5, using: &generator)))
      }
      let rules = DayRules(changes)
      var values: [Int32: Int64] = [:]
      var skipped: Set<Int32> = []
      for day in Int32(0)..<21 {
        if Int.random(in: 0..<4, using: &generator) > 0 {
          values[day] = Int64.random(in: 0...4, using: &generator)
        }
        if Int.random(in: 0..<5, using: &generator) == 0 { skipped.insert(day) }
      }
      var expected: [Int32] = []
      var left: Set<Int32> = []
      for day in Int32(0)..<21 {
        let rule = changes[Int(day) / 7].rule
        let calendar = ((day - 40)...day).filter { $0 == day || !left.contains($0) }
        var window = calendar.suffix(rule.period)
        if !rule.isLimit { window.removeAll { $0 <= expected.last ?? -100 } }
        let sum = Amount(window.map { values[$0] ?? 0 }.reduce(0, +))
        if values[day] != nil, rule.isLimit ? sum <= rule.goal : sum >= rule.goal {
          expected.append(day)
        } else if skipped.contains(day) {
          left.insert(day)
        }
      }
      try #require(
        Self.completed(rules, values, skipped: skipped) == expected, "EVENTLOG_SEED=\(seed)")
    }
  }

  // MARK: - Schedules

  @Test func `a day is kept by the schedule of that day`() {
    func streak(_ completed: [Int32]) -> Int {
      let rules = Self.rules(
        (nil, .init(goal: nil, schedule: Schedule("1/3"))), (6, .init(goal: nil)))
      let values = Dictionary(uniqueKeysWithValues: completed.map { ($0, Int64(1)) })
      return Self.progress(rules, values).streak
    }
    #expect(streak([0, 3, 5]) == 6)
    #expect(streak([0, 3, 5, 6, 7]) == 8, "the new schedule is kept, too")
    #expect(streak([0, 3, 5, 7]) == 1, "day 6 is missed")
    #expect(streak([0, 3, 6]) == 7, "days 4 and 5 are kept by the old schedule")
    #expect(streak([0, 4]) == 1, "day 3 is missed")
  }

  @Test func `runs under changing schedules equal those found by checking every day`() throws {
    for seed in RandomRounds(2000) {
      var generator = SplitMix64(seed: seed)
      var schedules: [Schedule] = []
      for _ in 0..<4 {
        let days = Int.random(in: 1...6, using: &generator)
        schedules.append(Schedule("\(Int.random(in: 1...days, using: &generator))/\(days)")!)
      }
      let rules = DayRules(
        schedules.enumerated().map { index, schedule in
          .init(
            from: index == 0 ? nil : Self.day(Int32(index * 10)),
            rule: .init(goal: nil, schedule: schedule))
        })
      let chance = Int.random(in: 1...10, using: &generator)
      let done = (Int32(0)..<40).filter { _ in Int.random(in: 0..<10, using: &generator) < chance }
      let skipped = Set(
        (Int32(0)..<40).filter { _ in Int.random(in: 0..<6, using: &generator) == 0 })
      let calendar = (Int32(-10)..<40).filter { done.contains($0) || !skipped.contains($0) }
      var expected: [[Int32]] = []
      var run: [Int32] = []
      for day in calendar where day >= 0 {
        let schedule = schedules[Int(day) / 10]
        let window = calendar.filter { $0 <= day }.suffix(schedule.days)
        if done.filter(window.contains).count >= schedule.times {
          run.append(day)
        } else {
          expected.append(run)
          run = []
        }
      }
      let bounds = (expected + [run]).compactMap { run -> [Int32]? in
        guard let first = run.first(where: done.contains),
          let last = run.last(where: done.contains)
        else { return nil }
        return [first, last]
      }
      let values = Dictionary(uniqueKeysWithValues: done.map { ($0, Int64(1)) })
      let found = Self.progress(rules, values, skipped: skipped).runs
        .map { [$0.first.number - Self.first.number, $0.last.number - Self.first.number] }
      try #require(found == bounds, "EVENTLOG_SEED=\(seed)")
    }
  }
}
