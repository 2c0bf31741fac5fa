// Noticing changes of a file, also where the system does not help.

import Dispatch
import Synchronization

/// Says when a file may have changed: told by the file system, or where that cannot tell, by
/// looking once a second.
///
/// While it has to look, it also asks for a watch each time: room may have come free, or the folder
/// may have come into being.
package final class FileObserver: Sendable {
  /// How changes are noticed.
  package enum Mode: Sendable, Hashable {
    /// The file system tells.
    case watching
    /// The file's size, identity and time are compared.
    case polling
  }

  private struct State {
    var mode = Mode.watching
    var watch: (any FileWatch)?
    var timer: RunningSource?
    var lastSeen: FileStatus?
    var isCancelled = false
  }

  /// How long it takes at most until a change is noticed, where nobody tells.
  package static let pollMilliseconds = 1000

  private let path: String
  private let fileSystem: any FileSystem
  private let pollMilliseconds: Int
  private let onChange: @Sendable () -> Void
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "eventlog.observe")

  /// Begins to observe; changes after this returns are noticed.
  ///
  /// `onChange` is called on a thread of the observer's own, one call at a time. Calls without a
  /// change happen. Look at the file in each call, and once after this returns, and nothing is
  /// missed.
  package init(
    _ path: String, in fileSystem: any FileSystem,
    pollMilliseconds: Int = FileObserver.pollMilliseconds,
    onChange: @escaping @Sendable () -> Void
  ) {
    self.path = path
    self.fileSystem = fileSystem
    self.pollMilliseconds = pollMilliseconds
    self.onChange = onChange
    queue.sync { if !watch() { poll() } }
  }

  deinit { cancel() }

  /// How changes are noticed just now.
  package var mode: Mode { state.withLock { $0.mode } }

  /// Ends the observation; from any thread, also from within a call. It does not wait: of a call
  /// that is just beginning or going on in another thread, nobody knows.
  package func cancel() {
    let (watch, timer) = state.withLock { state in
      state.isCancelled = true
      defer { (state.watch, state.timer) = (nil, nil) }
      return (state.watch, state.timer)
    }
    watch?.cancel()
    timer?.cancel()
  }

  // MARK: - On the queue

  /// Asks the file system to tell; whether it does.
  private func watch() -> Bool {
    guard
      let watch = try? fileSystem.watch(
        path,
        { [weak self] change in
          guard let self else { return }
          // Waited for, so that changes during a call share the next one.
          queue.sync { change == .lost ? loseWatch() : tell() }
        })
    else { return false }
    let timer = state.withLock { state in
      defer { state.timer = nil }
      state.mode = .watching
      // Cancelled meanwhile: the watch ends with its last reference, which is this one.
      if !state.isCancelled { state.watch = watch }
      return state.timer
    }
    timer?.cancel()
    return true
  }

  private func loseWatch() {
    state.withLock { $0.watch = nil }
    if !watch() { poll() }
    tell()
  }

  /// Looks from time to time from now on.
  private func poll() {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    let pause = DispatchTimeInterval.milliseconds(pollMilliseconds)
    timer.schedule(deadline: .now() + pause, repeating: pause, leeway: .milliseconds(100))
    timer.setEventHandler { [weak self] in self?.look() }
    let status = try? fileSystem.status(at: path)
    let running = RunningSource(timer)
    state.withLock { state in
      state.mode = .polling
      state.lastSeen = status
      if !state.isCancelled { state.timer = running }
    }
  }

  private func look() {
    if state.withLock({ $0.isCancelled }) { return }
    if watch() { return tell() }
    let status = try? fileSystem.status(at: path)
    let hasChanged = state.withLock { state in
      defer { state.lastSeen = status }
      return state.lastSeen != status
    }
    if hasChanged { tell() }
  }

  private func tell() {
    if !state.withLock({ $0.isCancelled }) { onChange() }
  }
}
