// The watch of the operating system, in what is common to all of them.

import Synchronization

/// Watches the folders in which a path's file, and the links to it, have their names.
final class SystemFileWatch: FileWatch {
  private struct State {
    var arms: [any FileWatch] = []
    /// A name came, went or changed: what is watched may not be where the path leads.
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

  /// Watches what the path leads to now, and lets go of what it led to before.
  ///
  /// What happens meanwhile is noticed by the old arms or by the new ones.
  private func arm() throws(Errno) {
    let arms = try systemArms(FilePlace.chain(of: path), path: path) { [weak self] mustArm in
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

/// Leads from the signal to the watch without keeping it.
private final class WeakTarget: Sendable {
  private struct Reference { weak var watch: SystemFileWatch? }
  private let reference = Mutex(Reference())

  var watch: SystemFileWatch? {
    get { reference.withLock { $0.watch } }
    set { reference.withLock { $0.watch = newValue } }
  }
}
