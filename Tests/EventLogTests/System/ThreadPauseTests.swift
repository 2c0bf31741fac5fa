import Testing

@testable import EventLog

@Suite struct ThreadPauseTests {
  @Test func `whoever waits for long lets the processor go`() {
    var pause = ThreadPause()
    for _ in 0..<ThreadPause.yieldCount { pause.take() }
    let start = monotonicMilliseconds()
    for _ in 0..<20 { pause.take() }
    #expect(monotonicMilliseconds() - start >= 15)
  }

  @Test func `a short wait is a short one`() {
    // The least of some: now and then the system has something else to do. With a sleep
    // each time, it would take twice as long.
    let shortest = (0..<20).map { _ in
      let start = monotonicMilliseconds()
      var pause = ThreadPause()
      for _ in 0..<ThreadPause.yieldCount { pause.take() }
      return monotonicMilliseconds() - start
    }.min()!
    #expect(shortest < 50)
  }
}
