import Testing

@testable import EventLog
@testable import EventLogSystem

@Suite struct BackoffTests {
  @Test func `a long wait sleeps instead of yielding`() {
    var pause = Backoff()
    for _ in 0..<Backoff.yieldCount { pause.take() }
    let start = monotonicMilliseconds()
    for _ in 0..<20 { pause.take() }
    #expect(monotonicMilliseconds() - start >= 15)
  }

  @Test func `a short wait doesn't sleep`() {
    // The minimum of several runs, since the system may preempt any of them. With a sleep each
    // time, a run would take twice as long.
    let shortest = (0..<20).map { _ in
      let start = monotonicMilliseconds()
      var pause = Backoff()
      for _ in 0..<Backoff.yieldCount { pause.take() }
      return monotonicMilliseconds() - start
    }.min()!
    #expect(shortest < 50)
  }
}
