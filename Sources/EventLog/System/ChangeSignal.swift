// How many changes become few calls.

import Dispatch
import Synchronization

/// Runs a piece of work after it was asked for, however often that was meanwhile.
///
/// Work that is asked for while it runs is run once more; so nothing that happened before it was
/// asked for is missed by it. Between two runs there is a pause: a burst costs a run for each
/// hundredth of a second, not for each change.
final class ChangeSignal: Sendable {
  private struct State {
    var isWanted = false
    var isScheduled = false
    var isCancelled = false
  }

  private static let pause = DispatchTimeInterval.milliseconds(10)
  private let queue = DispatchQueue(label: "eventlog.watch")
  private let state = Mutex(State())
  private let work: @Sendable () -> Void

  init(_ work: @escaping @Sendable () -> Void) { self.work = work }

  /// Has the work run; returns at once.
  func raise() {
    let mustStart = state.withLock { state in
      state.isWanted = true
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustStart { queue.async { self.run() } }
  }

  /// From here on no work begins, save what is just beginning.
  func cancel() { state.withLock { $0.isCancelled = true } }

  private func run() {
    let isWanted = state.withLock { state in
      let isWanted = state.isWanted && !state.isCancelled
      state.isWanted = false
      state.isScheduled = isWanted
      return isWanted
    }
    guard isWanted else { return }
    work()
    queue.asyncAfter(deadline: .now() + Self.pause) { self.run() }
  }
}
