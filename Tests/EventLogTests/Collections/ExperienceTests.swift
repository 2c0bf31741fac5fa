import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@Suite struct ExperienceTests {
  private typealias Course = Experience.Course

  private static let first = Day("2026-01-01")!

  private static func day(_ offset: Int) -> Day { Day(number: first.number + Int32(offset)) }

  private static func course(
    _ key: String, _ completed: [Int], skipped: [Int] = [], schedule: Schedule = .daily,
    archived: Bool = false
  ) -> Course {
    var habit = Habit()
    habit.schedule = schedule
    habit.archived = archived
    var days: [Day: Habit.Daily] = [:]
    for offset in completed { days[day(offset), default: .init()].progress += 1 }
    for offset in skipped { days[day(offset), default: .init()].skipped = "ill" }
    return Course(key: key, habit: habit, days: days)
  }

  @Test func `a completed day earns points, and a perfect day more`() {
    let one = Experience([Self.course("read", [0])])
    #expect(one.total == 35)
    #expect(one.days.map(\.isPerfect) == [true])
    let two = Experience([Self.course("read", [0, 1]), Self.course("run", [0])])
    #expect(two.days.map(\.completed) == [["read", "run"], ["read"]])
    #expect(two.days.map(\.isPerfect) == [true, false])
    #expect(two.total == 20 + 25 + 10)
    #expect(Experience([]).total == 0)
  }

  @Test func `a day is perfect if all habits due on it are completed`() {
    func perfect(_ other: Course) -> [Bool] {
      Experience([Self.course("read", [0, 1, 2]), other]).days.map(\.isPerfect)
    }
    #expect(perfect(Self.course("run", [])) == [true, true, true])
    #expect(perfect(Self.course("run", [1])) == [true, true, false])
    #expect(perfect(Self.course("run", [1], skipped: [2])) == [true, true, true])
    #expect(perfect(Self.course("run", [1], archived: true)) == [true, true, true])
    #expect(perfect(Self.course("run", [0], schedule: Schedule("1/2")!)) == [true, true, false])
  }

  @Test func `a run that reaches a length earns a milestone on that day`() throws {
    let earned = Experience([Self.course("read", Array(0..<8))])
    let milestones = earned.days.flatMap { day in day.milestones.map { (day.day, $0) } }
    #expect(milestones.count == 1)
    #expect(milestones[0].0 == Self.day(6))
    #expect(milestones[0].1.habit == "read" && milestones[0].1.length == 7)
    #expect(earned.total == 8 * 35 + 50)
    let resumed = Experience([Self.course("read", Array(0..<7) + Array(8..<15))])
    #expect(resumed.days.flatMap(\.milestones).count == 2)
  }

  @Test func `a day after today earns nothing and continues no run`() {
    let course = Self.course("read", Array(0..<8))
    let earned = Experience([course], today: Self.day(5))
    #expect(earned.days.map(\.day) == (0...5).map(Self.day))
    #expect(earned.days.flatMap(\.milestones).isEmpty)
    #expect(Experience([course], today: Self.day(6)).days.flatMap(\.milestones).count == 1)
  }

  @Test func `a day below its goal earns no points`() {
    var habit = Habit()
    habit.goal = 3
    var daily = Habit.Daily()
    daily.progress += 2
    let day = Self.first
    #expect(Experience([Course(key: "a", habit: habit, days: [day: daily])]).total == 0)
    daily.progress += 1
    #expect(Experience([Course(key: "a", habit: habit, days: [day: daily])]).total == 35)
  }

  @Test func `a day earns points by the goal and the schedule of that day`() {
    let course = Self.course("read", [0, 1, 2, 4])
    var (limit, strict) = (course.habit, course.habit)
    limit.target = .atMost
    strict.goal = 2
    strict.schedule = Schedule("1/2")!
    func days(_ versions: [(Day?, Habit)], today: Int = 9) -> [Day] {
      Experience(
        [Course(key: "read", habit: strict, versions: versions, days: course.days)],
        today: Self.day(today)
      ).days.map(\.day)
    }
    let habit = course.habit
    #expect(days([]) == [])
    #expect(days([(nil, habit), (Self.day(2), strict)]) == [0, 1].map(Self.day))
    #expect(days([(nil, strict), (Self.day(2), habit)]) == [2, 4].map(Self.day))
    #expect(days([(nil, limit)]) == [0, 1, 2, 4].map(Self.day))
    #expect(days([(nil, limit)], today: 4) == [0, 1, 2].map(Self.day), "today is still open")
  }

  @Test func `the total is the sum of the days' points, in any order of the habits`() {
    for seed in RandomRounds(300) {
      let courses = Self.random(seed)
      let earned = Experience(courses)
      #expect(earned.total == earned.days.map(\.points).reduce(0, +))
      #expect(earned.days.map(\.day) == earned.days.map(\.day).sorted())
      var generator = SplitMix64(seed: seed)
      let shuffled = Experience(courses.shuffled(using: &generator))
      #expect(shuffled == earned, "EVENTLOG_SEED=\(seed)")
    }
  }

  private static func random(_ seed: UInt64) -> [Course] {
    var generator = SplitMix64(seed: seed)
    return (0..<Int.random(in: 0...4, using: &generator)).map { index in
      let days = Int.random(in: 1...7, using: &generator)
      return course(
        "h\(index)", (0..<40).filter { _ in Bool.random(using: &generator) },
        skipped: (0..<40).filter { _ in Int.random(in: 0..<5, using: &generator) == 0 },
        schedule: Schedule("\(Int.random(in: 1...days, using: &generator))/\(days)")!,
        archived: Bool.random(using: &generator))
    }
  }

  @Test func `a completion that is undone leaves the points unchanged`() throws {
    for seed in RandomRounds(20) {
      var history = RandomHistory(seed: seed, devices: 2...2).history
      // An event that hadn't seen a deletion would restore the habit.
      history.syncAll()
      var further = history
      let phone = try #require(history.entries.first?.id.device)
      let before = Self.experience(of: try project(history))
      func complete(_ by: JSONValue) {
        further.append(
          phone,
          EventDraft(
            type: "completion.advanced", entity: EntityID("habit/a"),
            data: ["date": "2025-06-01", "by": by]))
      }
      complete(1_000)
      complete(-1_000)
      let after = Self.experience(of: try project(further))
      #expect(before == after, "EVENTLOG_SEED=\(seed)")
    }
  }

  private static func experience(of snapshot: Snapshot) -> Experience {
    Experience(
      snapshot.entities("habit").map { entity in
        Course(
          key: entity.id.key, habit: Habit.schema.record { entity[$0] },
          versions: snapshot.versions(of: ID<Habit>(entity.id)!),
          days: Dictionary(
            uniqueKeysWithValues: entity.days.map { day in
              (day.day, Habit.schema.daily { day[$0] })
            }))
      })
  }
}

extension Experience {
  /// Computes the points of days that are all in the past.
  fileprivate init(_ courses: [Course]) { self.init(courses, today: Day("2100-01-01")!) }
}
