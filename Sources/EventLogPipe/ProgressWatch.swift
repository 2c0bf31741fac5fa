import EventLog

/// How long the other side of a pipe has brought nothing useful, while this one waits for it.
///
/// Useful is what cannot come again without end: the answer to something that this side has said, a
/// part of one that says something new, lines of which one is taken, and work that grows. Bytes
/// count as long as nobody knows what they make up, the first one and then each ``bytesMin`` of
/// them: what turns out to be of no use gives that time back. Times are given, so that a test can
/// make them up.
struct ProgressWatch: Sendable {
  /// So many bytes have to come while this side is patient, for a message to be on its way.
  static let bytesMin = 4096
  /// How long nothing useful may come.
  var patience: Int64
  /// How long an answer may take, whatever comes meanwhile.
  let answerMilliseconds: Int64
  private var begunAt: Int64
  private var usefulAt: Int64
  /// When what nobody has judged yet began to come, or came on by ``bytesMin``.
  private var byteAt: Int64?
  /// How much has come since.
  private var byteCount = 0
  /// Whether something of no use came since.
  private(set) var hasHeardUseless = false
  /// The most work that the other side has said to have done.
  private var workDone: Int64 = -1

  init(patience: Int64, answerMilliseconds: Int64, at now: Int64) {
    self.patience = patience
    self.answerMilliseconds = answerMilliseconds
    begunAt = now
    usefulAt = now
  }

  /// Waits for something new.
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

  /// What came brings this side on; there may be more of it.
  mutating func noteUseful(at now: Int64) {
    usefulAt = now
    byteAt = nil
    byteCount = 0
    hasHeardUseless = false
  }

  /// What came is of no use.
  mutating func noteUseless() {
    byteAt = nil
    byteCount = 0
    hasHeardUseless = true
  }

  /// Lines came of which none could be taken: what comes next is another message.
  mutating func noteUselessLines(at now: Int64) {
    begunAt = now
    noteUseless()
  }

  /// So long this side had other things to do.
  mutating func skip(_ milliseconds: Int64) {
    begunAt += milliseconds
    usefulAt += milliseconds
  }

  /// Judges a message; lines are judged by ``begin(at:)`` and ``noteUselessLines(at:)``, by
  /// whoever has tried to take them.
  mutating func note(_ message: PipeMessage, at now: Int64) {
    switch message {
    case .wait(let done):
      guard let done, done > workDone else { return noteUseless() }
      workDone = done
      noteUseful(at: now)
    case .lines: break
    // A part is not all, and how long all may take was said before.
    case .statement(_, isLast: false), .announce(_, isLast: false), .read(_, isLast: false):
      noteUseful(at: now)
    default: begin(at: now)
    }
  }

  /// How long to wait for the next bytes. What is there already is read in any case: this side may
  /// have been kept from looking.
  func left(at now: Int64) -> Int64 { max(0, end - now) }

  /// - Throws: where the time is over.
  func check(at now: Int64) throws(PipeFault) {
    guard now < end else { throw fault }
  }

  private var end: Int64 { min(usefulEnd, begunAt + answerMilliseconds) }

  /// What is wrong where the time is over.
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
