import Dispatch
import EventLog
import Synchronization

/// Shows the progress of long work, on one line of a terminal.
///
/// The work only counts the bytes it reads and writes. A timer polls the counts ten times a second,
/// so the display doesn't slow down the work.
final class ProgressLine: Sendable {
  /// The terminal that shows the line.
  struct Screen: Sendable {
    /// Whether the line is shown at all.
    var isShown: Bool
    var columns: @Sendable () -> Int = { 80 }
    /// Milliseconds since some fixed moment.
    var now: @Sendable () -> Int64 = { monotonicMilliseconds() }
    var write: @Sendable ([UInt8]) -> Void
    /// Calls a closure ten times a second, until it returns false.
    var `repeat`: @Sendable (_ tick: @escaping @Sendable () -> Bool) -> Void = ProgressLine.repeat
  }

  /// The time before anything is shown, in milliseconds.
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

  /// A file system that counts, or the system's own if no progress is shown.
  var fileSystem: any FileSystem {
    screen.isShown ? CountingFileSystem(SystemFileSystem(), count) : SystemFileSystem()
  }

  /// Begins new work, which replaces the current work.
  ///
  /// - Parameters:
  ///   - what: The label, such as "reading ada.jsonl".
  ///   - byteTotal: The number of bytes to read, if known.
  ///   - eventTotal: The number of events to append, if the work is an append.
  func begin(_ what: String, byteTotal: Int64? = nil, eventTotal: Int64? = nil) {
    guard screen.isShown else { return }
    let mustTick = state.withLock { state in
      state.work = WorkProgress(
        what, byteTotal: byteTotal, eventTotal: eventTotal, at: moment)
      defer { state.isTicking = true }
      return !state.isTicking
    }
    if mustTick { screen.repeat { [weak self] in self?.tick() ?? false } }
  }

  /// Sets the number of events done and planned.
  ///
  /// A new label restarts the measurement.
  func update(_ what: String, events done: Int64, of total: Int64) {
    state.withLock { state in
      guard let work = state.work else { return }
      if work.what != what {
        state.work = WorkProgress(what, at: moment, waitingFrom: work.waitingFrom)
      }
      state.work?.events = (done, total)
    }
  }

  /// Shows the progress, if the work has taken longer than the delay.
  ///
  /// - Returns: Whether there is work.
  @discardableResult
  func tick() -> Bool {
    state.withLock { state in
      guard let work = state.work else {
        state.isTicking = false
        return false
      }
      let moment = moment
      if moment.time - work.waitingFrom >= Self.delay {
        let columns = max(0, screen.columns() - 1)
        let text = work.text(at: moment, columns: columns)
        screen.write(Array("\r\u{1B}[K\(text.prefix(columns))".utf8))
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

  /// Clears the line, and writes something else to the terminal.
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
