import EventLog
import EventLogTesting
import Testing

@Suite struct AdjustableClockTests {
  private static let noon = Timestamp("2026-01-28T12:00:00Z")!

  private func text(_ clock: AdjustableClock) -> String {
    Timestamp(milliseconds: clock.wallClock.now())!.description
  }

  @Test func `every call of the wall clock advances the time by a step`() {
    let clock = AdjustableClock(at: Self.noon, step: .milliseconds(1500))
    #expect(clock.now == Self.noon)
    #expect(text(clock) == "2026-01-28T12:00:00.000Z")
    #expect(text(clock) == "2026-01-28T12:00:01.500Z")
    #expect(clock.now.description == "2026-01-28T12:00:03.000Z")
  }

  @Test func `a clock without a step is moved only by hand, forward or backward`() {
    let clock = AdjustableClock(at: Self.noon, step: .zero)
    #expect(text(clock) == text(clock))
    clock.advance(by: .seconds(90))
    #expect(text(clock) == "2026-01-28T12:01:30.000Z")
    clock.advance(by: .seconds(-91))
    #expect(text(clock) == "2026-01-28T11:59:59.000Z")
  }

  @Test func `clocks that share a time advance together, and one can be wrong`() {
    let right = AdjustableClock(at: Self.noon)
    let wrong = AdjustableClock(sharingTimeOf: right)
    #expect(text(wrong) == "2026-01-28T12:00:00.000Z")
    #expect(text(right) == "2026-01-28T12:00:01.000Z")
    wrong.set(to: Timestamp("2031-06-01T00:00:00Z")!)
    #expect(right.now.description == "2026-01-28T12:00:02.000Z")
    right.advance(by: .seconds(3600))
    #expect(text(wrong) == "2031-06-01T01:00:00.000Z")
    #expect(text(right) == "2026-01-28T13:00:03.000Z")
  }

  @Test func `a clock stops at the ends of the range of times`() {
    let clock = AdjustableClock(at: Timestamp("9999-12-31T23:59:59Z")!)
    clock.advance(by: .seconds(5))
    #expect(text(clock) == "9999-12-31T23:59:59.999Z")
    clock.set(to: Timestamp("0000-01-01T00:00:00Z")!)
    clock.advance(by: .seconds(-60))
    #expect(text(clock) == "0000-01-01T00:00:00.000Z")
  }
}
