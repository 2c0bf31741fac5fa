import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// Completed days and the streak: the number of days up to the last completed one whose windows of
/// the last `<days>` days each contain at least `<times>` completed ones.
@Suite struct DayTallyTests {
  private static let section = CollectionSchema.habits.presentation.daySection!

  /// A habit with this progress for each day, counted from 2026-01-01.
  private static func habit(
    schedule: JSONValue = .null, goal: JSONValue = .null, _ progress: [Int32: Int64]
  ) -> ProjectedEntity {
    let first = Day("2026-01-01")!.number
    func field(_ name: String, _ value: JSONValue) -> ProjectedField {
      ProjectedField(name: name, value: .json(value), isContested: false, isUnreadable: false)
    }
    let days = progress.sorted { $0.key < $1.key }.map { day, count in
      ProjectedDay(
        day: Day(number: first + day),
        fields: [
          ProjectedField(
            name: "progress", value: .count(JSONNumber(count)), isContested: false,
            isUnreadable: false)
        ])
    }
    return ProjectedEntity(
      id: EntityID("habit/read")!, fields: [field("goal", goal), field("schedule", schedule)],
      days: days, isDeleted: false, isPresenceContested: false)
  }

  private static func streak(_ schedule: JSONValue, _ completed: [Int32]) -> Int {
    let progress = Dictionary(uniqueKeysWithValues: completed.map { ($0, Int64(1)) })
    return DayTally(habit(schedule: schedule, progress), section).streak
  }

  @Test func `without a schedule, every day counts and a missed one ends the run`() {
    #expect(Self.streak(.null, []) == 0)
    #expect(Self.streak(.null, [5]) == 1)
    #expect(Self.streak(.null, [3, 4, 5]) == 3)
    #expect(Self.streak(.null, [1, 2, 4, 5]) == 2)
  }

  @Test func `a run ends at the last completed day, even if that was long ago`() {
    #expect(Self.streak("1/1", [0, 1, 2]) == 3)
  }

  @Test func `a completed day after today is in no streak`() {
    let first = Day("2026-01-01")!.number
    let habit = Self.habit([0: 1, 1: 1, 2: 1, 400: 1])
    func tally(_ today: Int32) -> DayTally {
      DayTally(habit, Self.section, today: Day(number: first + today))
    }
    #expect(tally(2).streak == 3 && tally(2).lastCompleted == Day("2026-01-03"))
    #expect(tally(1).streak == 2 && tally(1).completed.count == 4)
    #expect(tally(400).streak == 1)
    #expect(tally(-1).streak == 0 && tally(-1).lastCompleted == nil)
  }

  @Test func `a schedule of three times in seven days bridges the days between`() {
    // Day 4 is the first whose last seven days contain three; the run is days 4 to 6.
    #expect(Self.streak("3/7", [0, 2, 4, 6]) == 3)
    // Every window of seven days that ends on days 4 to 14 contains three.
    #expect(Self.streak("3/7", [0, 2, 4, 7, 9, 11, 14]) == 11)
    #expect(Self.streak("3/7", [0, 7, 8]) == 0, "the last day's own week holds two")
  }

  @Test func `an invalid schedule counts as every day`() {
    // Only an event written under an older rule can contain one; it must not trap.
    #expect(Self.streak("7/3", [1, 2]) == 2)
    #expect(Self.streak(7, [1, 2]) == 2)
  }

  @Test func `a day is completed when its progress reaches the goal`() {
    func completed(_ goal: JSONValue) -> [Int32] {
      let tally = DayTally(Self.habit(goal: goal, [0: 0, 1: 1, 2: 2, 3: 5]), Self.section)
      return tally.completed.map { $0.number - Day("2026-01-01")!.number }
    }
    #expect(completed(.null) == [1, 2, 3], "no goal counts as 1")
    #expect(completed(2) == [2, 3])
    #expect(completed(5) == [3])
    #expect(completed(6) == [])
  }

  @Test func `a skipped day doesn't break the streak unless the skip is undone`() throws {
    var history = History(user: "ada")
    let phone = history.device("phone")
    history.append(phone, "habit.created", "habit/read", ["name": "Read"])
    for day in [1, 2, 3, 5, 6] {
      history.append(
        phone, "completion.recorded", "habit/read",
        ["date": .string("2026-02-0\(day)"), "progress": 1])
    }
    func skip(_ reason: JSONValue) {
      history.append(
        phone, "completion.skipped", "habit/read", ["date": "2026-02-04", "reason": reason])
    }
    func streak() throws -> Int {
      DayTally(try project(history).entities("habit")[0], Self.section).streak
    }
    #expect(try streak() == 2)
    skip("ill")
    #expect(try streak() == 6)
    skip(.null)
    #expect(try streak() == 2)
  }

  @Test func `a new goal changes the completed days and the streak`() throws {
    var history = History(user: "ada")
    let phone = history.device("phone")
    history.append(phone, "habit.created", "habit/read", ["goal": 10, "schedule": "1/1"])
    for (date, pages) in [("2026-01-30", 10), ("2026-01-31", 12), ("2026-02-01", 9)] {
      history.append(
        phone, "completion.recorded", "habit/read",
        ["date": .string(date), "progress": .number(JSONNumber(Int64(pages)))])
    }
    func tally() throws -> DayTally {
      DayTally(try project(history).entities("habit")[0], Self.section)
    }
    #expect(try tally().streak == 2)
    #expect(try tally().completed.last == Day("2026-01-31"))
    history.append(phone, "habit.edited", "habit/read", ["goal": 9])
    #expect(try tally().streak == 3)
    history.append(phone, "habit.edited", "habit/read", ["goal": 12])
    #expect(try tally().streak == 1)
    history.append(phone, "habit.edited", "habit/read", ["goal": .null])
    #expect(try tally().streak == 3)
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
      let schedule = JSONValue.string("\(times)/\(length)")
      try #require(
        Self.streak(schedule, completed) == expected,
        "EVENTLOG_SEED=\(seed): \(times)/\(length) of \(completed)")
    }
  }
}

extension DayTally {
  /// Computes the tally of days that are all in the past.
  fileprivate init(_ entity: ProjectedEntity, _ section: Presentation.DaySection) {
    self.init(entity, section, today: Day("2100-01-01")!)
  }
}
