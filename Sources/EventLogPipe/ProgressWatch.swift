import EventLog

/// Measures how long the other side of a pipe has sent nothing useful while this one waits.
///
/// Anything that can't be repeated forever is useful: an answer to a message of this side, a part
/// that adds something to a message, lines of which one is accepted, and growing work. The first
/// byte of an unfinished message counts, too, and then every ``bytesMin`` bytes. If the message
/// turns out to be useless, that time is given back. Times are parameters, so that tests can choose
/// them.
/// make them up.
struct ProgressWatch: Sendable {
  /// The number of bytes of an unfinished message that count as progress.
  static let bytesMin = 4096
  /// The maximum time without anything useful.
  var patience: Int64
  /// The maximum time of an answer, regardless of progress.
  let answerMilliseconds: Int64
  private var begunAt: Int64
  private var usefulAt: Int64
  /// The time of the last progress of an unfinished message.
  private var byteAt: Int64?
  /// The number of bytes received after `byteAt`.
  private var byteCount = 0
  /// Whether anything useless has arrived since the last useful message.
  private(set) var hasHeardUseless = false
  /// The greatest amount of work that the other side has stated.
  private var workDone: Int64 = -1

  init(patience: Int64, answerMilliseconds: Int64, at now: Int64) {
    self.patience = patience
    self.answerMilliseconds = answerMilliseconds
    begunAt = now
    usefulAt = now
  }

  /// Expects something new from now on.
  mutating func begin(at now: Int64) {
    begunAt = now
    noteUseful(at: now)
  }

  mutating func noteBytes(_ count: Int, at now: Int64) {
    byteCount += count
    if byteAt != nil, byteCount < Self.bytesMin { return }
    byteAt = now
    byteCount = 0
  }

  /// Records something useful, which may have more parts.
  mutating func noteUseful(at now: Int64) {
    usefulAt = now
    byteAt = nil
    byteCount = 0
    hasHeardUseless = false
  }

  /// Records something useless.
  mutating func noteUseless() {
    byteAt = nil
    byteCount = 0
    hasHeardUseless = true
  }

  /// Records lines of which none were accepted, so that a new message follows.
  mutating func noteUselessLines(at now: Int64) {
    begunAt = now
    noteUseless()
  }

  /// Excludes time that this side spent on other work.
  mutating func skip(_ milliseconds: Int64) {
    begunAt += milliseconds
    usefulAt += milliseconds
  }

  /// Judges a message.
  ///
  /// Lines are judged later by ``begin(at:)`` or ``noteUselessLines(at:)``, after an attempt to
  /// receive them.
  mutating func note(_ message: PipeMessage, at now: Int64) {
    switch message {
    case .wait(let done):
      guard let done, done > workDone else { return noteUseless() }
      workDone = done
      noteUseful(at: now)
    case .lines: break
    // A part doesn't restart the time limit of its whole message.
    case .statement(_, isLast: false), .announce(_, isLast: false), .read(_, isLast: false):
      noteUseful(at: now)
    default: begin(at: now)
    }
  }

  /// Returns how long to wait for the next bytes.
  ///
  /// Bytes that are available are read in any case, because this side may have been busy.
  func left(at now: Int64) -> Int64 { max(0, end - now) }

  /// Throws if the time is over.
  func check(at now: Int64) throws(PipeFault) {
    guard now < end else { throw fault }
  }

  private var end: Int64 { min(usefulEnd, begunAt + answerMilliseconds) }

  /// The fault to report when the time is over.
  var fault: PipeFault {
    if begunAt + answerMilliseconds < usefulEnd {
      let saidNothing = byteAt == nil && usefulAt == begunAt && !hasHeardUseless
      return saidNothing
        ? .silent(milliseconds: answerMilliseconds) : .endless(milliseconds: answerMilliseconds)
    }
    if byteAt != nil, byteCount > 0 { return .endless(milliseconds: patience) }
    return hasHeardUseless && byteAt == nil
      ? .useless(milliseconds: patience) : .silent(milliseconds: patience)
  }

  private var usefulEnd: Int64 { max(usefulAt, byteAt ?? usefulAt) + patience }
}
