import EventLog
import Testing

@Suite struct ScheduleTests {
  @Test func `a schedule is parsed into its times and days`() throws {
    let schedule = try #require(Schedule("3/7"))
    #expect(schedule.times == 3)
    #expect(schedule.days == 7)
  }

  @Test func `a schedule is valid if its times are at most its days, and these at most 366`() {
    for days in -1...367 {
      for times in [-1, 0, 1, 2, days - 1, days, days + 1] {
        let isOne = 1 <= times && times <= days && days <= 366
        #expect((Schedule("\(times)/\(days)") != nil) == isOne, "\(times)/\(days)")
      }
    }
  }
}
