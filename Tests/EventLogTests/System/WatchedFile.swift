import Dispatch
import EventLog
import EventLogTesting
import Synchronization

/// The file sizes seen by the calls of a watch.
final class Looks: Sendable {
  private let disk: any FileSystem
  private let sizes = Mutex<[Int64?]>([])
  private let called = DispatchSemaphore(value: 0)

  init(_ disk: any FileSystem = SystemFileSystem()) { self.disk = disk }

  /// Records the current size of the file when a watch calls.
  func look(at path: String) {
    let size = (try? disk.status(at: path))?.size
    sizes.withLock { $0.append(size) }
    called.signal()
  }

  var count: Int { sizes.withLock { $0.count } }

  /// Waits until a call has seen this size, or no file if `size` is nil.
  ///
  /// False after a timeout.
  func wait(for size: Int64?) async -> Bool {
    while sizes.withLock({ $0.last }) != size {
      if await !waitForCall() { return false }
    }
    return true
  }

  /// Waits for one more call; false after a timeout.
  func waitForCall() async -> Bool {
    await withCheckedContinuation { continuation in
      // Blocks a thread that other tests don't need.
      DispatchQueue.global().async { [called] in
        continuation.resume(returning: called.wait(timeout: .now() + 20) == .success)
      }
    }
  }
}

/// A folder with a watched file, and operations on it.
struct WatchedFolder {
  private let root: DiskFolder
  var disk: any FileSystem { root.disk }
  var folder: String { root.path }

  init(_ kind: DiskKind = .system) throws { root = try kind.emptyFolder() }

  func path(_ name: String = "a") -> String { root.file(name) }

  func watch(_ name: String = "a", by looks: Looks) throws -> any FileWatch {
    let path = path(name)
    return try disk.watch(path) { _ in looks.look(at: path) }
  }

  /// Extends the file, or the one that a link leads to, by `count` bytes.
  func grow(_ name: String = "a", by count: Int = 1) throws {
    let file = try disk.open(path(name), .create)
    defer { disk.close(file) }
    let size = try disk.status(of: file).size
    try disk.writeAll(file, [UInt8](repeating: 0x61, count: count), at: size)
  }

  func move(_ name: String, to target: String) throws {
    try disk.rename(path(name), to: path(target))
  }

  func remove(_ name: String = "a") throws { try disk.remove(path(name)) }

  /// Grows the file `times` times and waits until each growth is seen.
  ///
  /// A callback for an earlier change may still be pending, so growing the file once proves
  /// nothing.
  func growsAreSeen(
    _ name: String = "a", by looks: Looks, times: Int = 20
  ) async throws -> Bool {
    for _ in 0..<times {
      try grow(name)
      let size = try disk.status(at: path(name)).size
      if await !looks.wait(for: size) { return false }
    }
    return true
  }
}
