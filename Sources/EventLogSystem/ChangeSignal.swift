import Dispatch
import Synchronization

/// Runs a closure once for all requests before its start.
///
/// A request during a run causes another run, so no run misses a change before its request. Between
/// runs there is a pause: a burst costs one run per hundredth of a second, not one per change.
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

  /// Requests a run; returns at once.
  func raise() {
    let mustStart = state.withLock { state in
      state.isWanted = true
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustStart { queue.async { self.run() } }
  }

  /// Prevents all later runs, except one that is just starting.
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
