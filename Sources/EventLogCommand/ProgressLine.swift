import Dispatch
import EventLog
import Synchronization

/// Shows how far long work is, on one line of a terminal that is written over.
///
/// The work only counts what it reads and writes. A timer looks at the counts ten times a second,
/// so showing them slows nothing down.
final class ProgressLine: Sendable {
  /// Where the line is shown.
  struct Screen: Sendable {
    /// Whether a person watches.
    var isShown: Bool
    var columns: @Sendable () -> Int = { 80 }
    /// Milliseconds since some fixed moment.
    var now: @Sendable () -> Int64 = { monotonicMilliseconds() }
    var write: @Sendable ([UInt8]) -> Void
    /// Calls a closure ten times a second, until it returns false.
    var `repeat`: @Sendable (_ tick: @escaping @Sendable () -> Bool) -> Void = ProgressLine.repeat
  }

  /// Work that takes less time than this shows nothing, in milliseconds.
  static let delay: Int64 = 500
  private let screen: Screen
  private let count = WorkCount()
  private let state = Mutex(State())

  private struct State {
    var work: WorkProgress?
    var isVisible = false
    var isTicking = false
  }

  init(_ screen: Screen) { self.screen = screen }

  /// The file system that counts, or the system's own if no progress is shown.
  var fileSystem: any FileSystem {
    screen.isShown ? CountingFileSystem(SystemFileSystem(), count) : SystemFileSystem()
  }

  /// Begins work, in place of what was shown before.
  ///
  /// - Parameters:
  ///   - what: what is done, such as "reading ada.jsonl".
  ///   - byteTotal: how many bytes a reading has, if that is known.
  func begin(_ what: String, byteTotal: Int64? = nil) {
    guard screen.isShown else { return }
    let mustTick = state.withLock { state in
      state.work = WorkProgress(what, byteTotal: byteTotal, at: moment)
      defer { state.isTicking = true }
      return !state.isTicking
    }
    if mustTick { screen.repeat { [weak self] in self?.tick() ?? false } }
  }

  /// Sets how many events were done of those that were planned; what else is done begins anew.
  func update(_ what: String, events done: Int64, of total: Int64) {
    state.withLock { state in
      guard let work = state.work else { return }
      if work.what != what {
        state.work = WorkProgress(what, at: moment, waitingFrom: work.waitingFrom)
      }
      state.work?.events = (done, total)
    }
  }

  /// Shows the work as it is, if it takes long.
  ///
  /// - Returns: whether there is any.
  @discardableResult
  func tick() -> Bool {
    state.withLock { state in
      guard let work = state.work else {
        state.isTicking = false
        return false
      }
      let moment = moment
      if moment.time - work.waitingFrom >= Self.delay {
        let text = work.text(at: moment).prefix(max(0, screen.columns() - 1))
        screen.write(Array("\r\u{1B}[K\(text)".utf8))
        state.isVisible = true
      }
      return true
    }
  }

  /// Ends the work, and clears the line.
  func end() {
    aside {}
    state.withLock { $0.work = nil }
  }

  /// Writes something else to the terminal, without the line in its way.
  func aside(_ body: () -> Void) {
    state.withLock { state in
      if state.isVisible { screen.write(Array("\r\u{1B}[K".utf8)) }
      state.isVisible = false
      body()
    }
  }

  private var moment: WorkProgress.Moment {
    .init(time: screen.now(), byteCount: count.byteCount, lineCount: count.lineCount)
  }

  private static func `repeat`(_ tick: @escaping @Sendable () -> Bool) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) {
      if tick() { `repeat`(tick) }
    }
  }
}
