import Testing

@testable import EventLog
@testable import EventLogPipe

/// The timeouts of a side of a pipe, depending on its peer's messages.
@Suite struct ProgressWatchTests {
  private var watch = ProgressWatch(patience: 60, answerMilliseconds: 600, at: 0)

  private func isOver(_ watch: ProgressWatch, at now: Int64) -> PipeFault? {
    do throws(PipeFault) {
      try watch.check(at: now)
      return nil
    } catch { return error }
  }

  @Test func `all timeouts are derived from the patience`() {
    let limits = PipeLimits(patience: 2000)
    #expect(limits.patienceMilliseconds == 2000 && limits.connectingMilliseconds == 6000)
    #expect(limits.messageMilliseconds == 20_000 && limits.initiatorMilliseconds == 20_000)
    #expect(PipeLimits().connectingMilliseconds == 180_000)
    #expect(PipeLimits(patience: .max).connectingMilliseconds == .max)
  }

  @Test mutating func `silence is a fault after the timeout`() {
    #expect(isOver(watch, at: 59) == nil)
    #expect(isOver(watch, at: 60) == .silent(milliseconds: 60))
  }

  @Test func `silence is reported even if the answer's timeout is shorter`() {
    var watch = ProgressWatch(patience: 1000, answerMilliseconds: 300, at: 0)
    #expect(watch.fault == .silent(milliseconds: 300))
    watch.noteBytes(1, at: 10)
    #expect(watch.fault == .endless(milliseconds: 300))
  }

  @Test mutating func `bytes count as progress until their message is known to be useless`() {
    watch.noteBytes(1, at: 50)
    #expect(isOver(watch, at: 109) == nil)
    watch.note(.wait(done: nil), at: 100)
    #expect(isOver(watch, at: 100) == .useless(milliseconds: 60))
  }

  @Test mutating func `single bytes don't keep a message from timing out`() {
    for time in stride(from: Int64(50), to: 110, by: 10) {
      watch.noteBytes(1, at: time)
      #expect(isOver(watch, at: time) == nil)
    }
    #expect(isOver(watch, at: 110) == .endless(milliseconds: 60))
    watch.noteBytes(ProgressWatch.bytesMin, at: 109)
    #expect(isOver(watch, at: 168) == nil)
    #expect(isOver(watch, at: 169) == .silent(milliseconds: 60))
  }

  @Test mutating func `growing work counts as progress, and the same work doesn't`() {
    watch.note(.wait(done: 1), at: 50)
    #expect(isOver(watch, at: 109) == nil)
    watch.note(.wait(done: 1), at: 105)
    #expect(isOver(watch, at: 110) == .useless(milliseconds: 60))
    watch.note(.wait(done: 0), at: 105)
    #expect(isOver(watch, at: 110) == .useless(milliseconds: 60))
    watch.note(.wait(done: 2), at: 105)
    #expect(isOver(watch, at: 164) == nil)
  }

  @Test mutating func `an answer times out despite growing work`() {
    for time in Int64(1)..<600 {
      watch.note(.wait(done: time), at: time)
      watch.note(.statement(FrontierStatement(), isLast: false), at: time)
      #expect(isOver(watch, at: time) == nil)
    }
    #expect(isOver(watch, at: 600) == .endless(milliseconds: 600))
    watch.note(.statement(FrontierStatement(), isLast: true), at: 600)
    #expect(isOver(watch, at: 600) == nil)
  }

  @Test mutating func `lines count as progress unless they turn out useless`() {
    watch.noteBytes(1, at: 59)
    watch.note(.lines(count: 1, byteCount: 9), at: 59)
    #expect(isOver(watch, at: 118) == nil)
    watch.noteUselessLines(at: 118)
    #expect(isOver(watch, at: 118) == .useless(milliseconds: 60))
    watch.begin(at: 118)
    #expect(isOver(watch, at: 177) == nil)
  }

  @Test mutating func `bytes that have already arrived are read after the timeout`() {
    #expect(watch.left(at: 59) == 1 && watch.left(at: 60) == 0 && watch.left(at: 1000) == 0)
  }

  @Test mutating func `time that this side spends doesn't count against the peer`() {
    watch.noteUseless()
    watch.skip(1000)
    #expect(isOver(watch, at: 1059) == nil)
    #expect(isOver(watch, at: 1060) == .useless(milliseconds: 60))
  }
}
