import EventLog
import EventLogTesting
import Testing

/// A day's progress is a counter: increments add up, and a set replaces all it had seen.
@Suite struct CountersTests {
  static let day = "habit/read@2026-01-28"
  var two = TwoDevices()

  private mutating func advance(_ device: DeviceID, by amount: JSONValue) {
    two.history.append(
      device, "completion.advanced", "habit/read",
      ["date": "2026-01-28", "by": amount])
  }

  @discardableResult
  private mutating func record(
    _ device: DeviceID, _ amount: JSONValue, at: Timestamp? = nil
  ) -> EventID {
    two.history.append(
      device, at: at, "completion.recorded", "habit/read",
      ["date": "2026-01-28", "progress": amount])
  }

  private var progress: JSONValue? {
    get throws { try two.project().shown(Self.day, "progress") }
  }

  @Test mutating func `every increment of every device counts once`() throws {
    advance(two.phone, by: 1)
    advance(two.phone, by: 1)
    advance(two.tablet, by: 3)
    #expect(try progress == 5)
    #expect(try two.project().conflicts.isEmpty)
  }

  @Test mutating func `a sum of increments shows only above zero but keeps its value`() throws {
    advance(two.phone, by: -3)
    #expect(try progress == nil)
    advance(two.phone, by: 5)
    #expect(try progress == 2)
    advance(two.phone, by: -2)
    #expect(try progress == nil)
  }

  @Test mutating func `a measured zero is a value, and null takes it back`() throws {
    record(two.phone, 0)
    #expect(try progress == 0)
    #expect(try two.project().entities("habit")[0].days.count == 1)
    record(two.phone, .null)
    #expect(try progress == nil)
    #expect(try two.project().entities("habit")[0].days.isEmpty)
    advance(two.phone, by: 2)
    #expect(try progress == 2)
  }

  @Test mutating func `null and zero written concurrently conflict`() throws {
    record(two.phone, .null, at: .minute(1))
    let shown = record(two.tablet, 0, at: .minute(2))
    let conflict = try #require(try two.project().conflict("\(Self.day)#progress"))
    #expect(conflict.values == [.null, 0] && conflict.base == nil && conflict.shown == shown)
    // Both totals are 3 now.
    advance(two.phone, by: 3)
    two.meet()
    #expect(try progress == 3)
  }

  @Test mutating func `fractions add up exactly`() throws {
    for _ in 0..<10 { advance(two.phone, by: .spelled("0.1")) }
    #expect(try progress?.text == "1")
    record(two.tablet, .spelled("6.500"))
    #expect(try progress?.text == "7.5")
    advance(two.tablet, by: .spelled("-0.000001"))
    #expect(try progress?.text == "7.499999")
  }

  @Test mutating func `a set replaces only the events that it had seen`() throws {
    advance(two.phone, by: 4)
    two.meet()
    record(two.phone, 10)
    // The tablet hasn't seen the set, so its increment counts on top.
    advance(two.tablet, by: 1)
    #expect(try progress == 11)
    two.meet()
    record(two.tablet, 2)
    #expect(try progress == 2)
  }

  @Test mutating func `a set absorbs only the increments of a device that it had seen`() throws {
    for amount in [1, 2, 4] as [JSONValue] { advance(two.phone, by: amount) }
    two.meet()
    for amount in [8, 16] as [JSONValue] { advance(two.phone, by: amount) }
    record(two.tablet, 100)
    #expect(try progress == 124)
  }

  @Test mutating func `an increment after a set counts on top of it`() throws {
    record(two.phone, 10)
    advance(two.phone, by: -4)
    #expect(try progress == 6)
    advance(two.phone, by: -40)
    #expect(try progress == 0)
  }

  @Test mutating func `concurrent sets conflict if their totals differ`() throws {
    advance(two.phone, by: 2)
    two.meet()
    advance(two.tablet, by: 1)
    // The phone hasn't seen the tablet's increment; the tablet has.
    let phones = record(two.phone, 10, at: .minute(1))
    let tablets = record(two.tablet, 20, at: .minute(2))
    let conflict = try #require(try two.project().conflict("\(Self.day)#progress"))
    #expect(conflict.candidates.map(\.event) == [phones, tablets])
    #expect(conflict.values == [11, 20])
    #expect(conflict.base == 2)
    #expect(conflict.shown == tablets)
    #expect(try progress == 20)
  }

  @Test mutating func `concurrent sets with equal totals don't conflict`() throws {
    advance(two.tablet, by: 1)
    record(two.phone, 10)
    record(two.tablet, 11)
    #expect(try two.project().conflicts.isEmpty)
    #expect(try progress == 11)
  }

  @Test mutating func `setting a candidate's total ends the conflict and keeps later increments`()
    throws
  {
    record(two.phone, 10)
    record(two.tablet, 20)
    two.meet()
    record(two.phone, 20)
    advance(two.tablet, by: 1)
    #expect(try two.project().conflicts.isEmpty)
    #expect(try progress == 21)
  }

  @Test mutating func `sums are exact far beyond the limit of one amount`() throws {
    record(two.phone, 1_000_000_000)
    // Their millionths overflow 64 bits.
    for _ in 0..<9_300 { advance(two.tablet, by: 1_000_000_000) }
    #expect(try progress == 9_301_000_000_000)
    for _ in 0..<9_299 { advance(two.phone, by: -1_000_000_000) }
    advance(two.phone, by: 7)
    #expect(try progress == 2_000_000_007)
  }

  @Test(arguments: ["1.0000000", "1e0", "-1", "1000000001", #""1""#, "true"])
  mutating func `an unreadable total is live, and nothing is shown`(amount: String) throws {
    record(two.phone, 3)
    two.meet()
    record(two.phone, .spelled(amount))
    advance(two.tablet, by: 1)
    let day = try two.project().entities("habit")[0].days[0]
    #expect(day["progress"] == nil && day.unreadable == ["progress"])
    two.meet()
    record(two.tablet, 4)
    #expect(try progress == 4)
    #expect(try two.project().entities("habit")[0].days[0].unreadable.isEmpty)
  }

  @Test mutating func `an unreadable increment hides only the totals in which it counts`() throws {
    advance(two.phone, by: 2)
    advance(two.phone, by: "two")
    #expect(try progress == nil)
    two.meet()
    record(two.tablet, 5)
    #expect(try progress == 5)
    advance(two.phone, by: "three")
    #expect(try two.project().entities("habit")[0].days[0].unreadable == ["progress"])
  }

  @Test mutating func `two unreadable totals conflict, for they may differ`() throws {
    record(two.phone, "many")
    record(two.tablet, "many")
    #expect(try two.project().conflicts.map(\.values) == [[.null, .null]])
  }

  @Test mutating func `every day has its own progress and its own skip`() throws {
    record(two.phone, 1)
    two.history.append(
      two.tablet, "completion.skipped", "habit/read", ["date": "2026-01-29", "reason": "ill"])
    let state = try two.project()
    #expect(state.entities("habit")[0].days.map(\.day.description) == ["2026-01-28", "2026-01-29"])
    #expect(state.shown("habit/read@2026-01-29", "skipped") == "ill")
    #expect(state.shown("habit/read@2026-01-29", "progress") == nil)
    two.history.append(
      two.tablet, "completion.skipped", "habit/read", ["date": "2026-01-29", "reason": .null])
    #expect(try two.project().shown("habit/read@2026-01-29", "skipped") == nil)
  }
}
