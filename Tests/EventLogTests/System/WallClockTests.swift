import Testing

@testable import EventLog
@testable import EventLogSystem

@Suite struct WallClockTests {
  @Test func `a fixed clock stands still`() {
    let clock = WallClock.fixed(1_769_591_553_123)
    #expect(clock.now() == 1_769_591_553_123)
    #expect(clock.now() == clock.now())
  }

  @Test func `the system's clock is in this century`() {
    #expect(WallClock.system.now() > 1_700_000_000_000)
    #expect(WallClock.system.now() < 4_102_444_800_000)
  }

  @Test func `sleeping takes at least the requested time`() {
    let start = monotonicMilliseconds()
    sleepMilliseconds(30)
    #expect(monotonicMilliseconds() - start >= 29)
    sleepMilliseconds(0)
    sleepMilliseconds(-5)
  }
}
