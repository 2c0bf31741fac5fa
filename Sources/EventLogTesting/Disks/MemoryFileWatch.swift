import EventLog
import Synchronization

/// A watch of one name in one folder of a disk in memory.
final class MemoryFileWatch: FileWatch {
  /// The disk's weak reference to a watch, so that a watch ends with its last owner.
  struct Reference {
    weak let watch: MemoryFileWatch?
  }

  private struct State {
    var isWaiting = false
    var hasEnded = false
  }

  let folder: MemoryTree.Inode
  let name: MemoryTree.Name
  private let onChange: @Sendable (FileChange) -> Void
  private let worker = SerialWorker(label: "eventlog.memory.watch")
  private let state = Mutex(State())

  init(
    _ folder: MemoryTree.Inode, _ name: MemoryTree.Name,
    _ onChange: @escaping @Sendable (FileChange) -> Void
  ) {
    self.folder = folder
    self.name = name
    self.onChange = onChange
  }

  /// Schedules one callback for all changes until it starts.
  func tell(_ change: FileChange) {
    let isNew = state.withLock { state in
      defer { state.isWaiting = true }
      return change == .lost || !state.isWaiting
    }
    if !isNew { return }
    worker.run { [weak self] in self?.call(change) }
  }

  private func call(_ change: FileChange) {
    let hasEnded = state.withLock { state in
      state.isWaiting = false
      defer { if change == .lost { state.hasEnded = true } }
      return state.hasEnded
    }
    if !hasEnded { onChange(change) }
  }

  func cancel() { state.withLock { $0.hasEnded = true } }
}
