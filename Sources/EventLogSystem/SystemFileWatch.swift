import Synchronization

/// Watches the folders that contain a path's file and the links to it.
final class SystemFileWatch: FileWatch {
  private struct State {
    var arms: [any FileWatch] = []
    /// A name changed, so the path may lead to another file than the watched one.
    var mustArm = false
    var isCancelled = false
  }

  private let path: String
  private let onChange: @Sendable (FileChange) -> Void
  private let state = Mutex(State())
  private let signal: ChangeSignal

  init(_ path: String, _ onChange: @escaping @Sendable (FileChange) -> Void) throws(Errno) {
    self.path = path
    self.onChange = onChange
    let target = WeakTarget()
    signal = ChangeSignal { target.watch?.run() }
    target.watch = self
    try arm()
  }

  deinit { cancel() }

  func cancel() {
    signal.cancel()
    let arms = state.withLock { state in
      state.isCancelled = true
      defer { state.arms = [] }
      return state.arms
    }
    for arm in arms { arm.cancel() }
  }

  /// Watches the file to which the path leads now and releases the previous arms.
  ///
  /// A change during the call is noticed by the previous arms or by the new ones.
  private func arm() throws(Errno) {
    let arms = try systemArms(WatchedName.chain(of: path), path: path) { [weak self] mustArm in
      self?.notice(mustArm: mustArm)
    }
    let released = state.withLock { state in
      if state.isCancelled { return arms }
      defer { state.arms = arms }
      return state.arms
    }
    for arm in released { arm.cancel() }
  }

  private func notice(mustArm: Bool) {
    if mustArm { state.withLock { $0.mustArm = true } }
    signal.raise()
  }

  private func run() {
    let mustArm = state.withLock { state in
      defer { state.mustArm = false }
      return state.mustArm
    }
    if mustArm {
      do throws(Errno) { try arm() } catch {
        let wasCancelled = state.withLock { $0.isCancelled }
        cancel()
        if !wasCancelled { onChange(.lost) }
        return
      }
    }
    if !state.withLock({ $0.isCancelled }) { onChange(.changed) }
  }
}

/// A weak reference from the signal to the watch.
private final class WeakTarget: Sendable {
  private struct Reference { weak var watch: SystemFileWatch? }
  private let reference = Mutex(Reference())

  var watch: SystemFileWatch? {
    get { reference.withLock { $0.watch } }
    set { reference.withLock { $0.watch = newValue } }
  }
}
