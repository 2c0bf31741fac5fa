import Dispatch
import EventLog
import EventLogTesting
import Foundation
import Synchronization
import Testing

/// When a watch calls, and when it no longer does.
@Suite struct FileWatchCallsTests {
  private let watched: WatchedFolder
  private let looks = Looks()

  init() throws { watched = try WatchedFolder() }

  @Test func `a burst of 10,000 changes makes few calls, and the last change is seen`() async throws
  {
    let path = watched.path()
    let gate = DispatchSemaphore(value: 0)
    let began = DispatchSemaphore(value: 0)
    let isFirst = Atomic(true)
    try watched.grow()
    let watch = try watched.disk.watch(path) { [looks] _ in
      if isFirst.exchange(false, ordering: .relaxed) {
        began.signal()
        gate.wait()
      }
      looks.look(at: path)
    }
    try watched.grow()
    #expect(began.wait(timeout: .now() + 20) == .success)
    let file = try watched.disk.open(path, .readWrite)
    defer { watched.disk.close(file) }
    for index in 0..<10_000 { try watched.disk.writeAll(file, [0x61], at: Int64(2 + index)) }
    gate.signal()
    #expect(await looks.wait(for: 10_002))
    watch.cancel()
    #expect(looks.count < 100)
  }

  @Test func `a change during a call leads to another call`() async throws {
    let path = watched.path()
    let watched = watched
    let watch = try watched.disk.watch(path) { [looks] _ in
      looks.look(at: path)
      if looks.count <= 20 { try? watched.grow() }
    }
    try watched.grow()
    #expect(await looks.wait(for: 21))
    watch.cancel()
  }

  @Test func `a watch that is canceled during a call makes no further calls`() async throws {
    let path = watched.path()
    let stored = Mutex<(any FileWatch)?>(nil)
    let other = Looks()
    let watch = try watched.disk.watch(path) { [looks] _ in
      looks.look(at: path)
      // The watch is stored by now, or will be at a later call.
      stored.withLock { $0?.cancel() }
    }
    stored.withLock { $0 = watch }
    // The witness shows when the changes have arrived.
    let witness = try watched.disk.watch(path) { _ in other.look(at: path) }
    try watched.grow()
    #expect(await looks.waitForCall())
    let count = looks.count
    #expect(try await watched.growsAreSeen(by: other))
    #expect(looks.count == count)
    witness.cancel()
  }

  @Test func `a watch ends with its last reference, and canceling twice is harmless`() async throws
  {
    let path = watched.path()
    let other = Looks()
    var watch: (any FileWatch)? = try watched.disk.watch(path) { [looks] _ in looks.look(at: path) }
    #expect(try await watched.growsAreSeen(by: looks))
    weak let ended = watch
    watch = nil
    // A call in progress may keep a reference until it returns.
    let witness = try watched.disk.watch(path) { _ in other.look(at: path) }
    while ended != nil { #expect(try await watched.growsAreSeen(by: other, times: 1)) }
    let count = looks.count
    #expect(try await watched.growsAreSeen(by: other))
    #expect(looks.count == count)
    witness.cancel()
    witness.cancel()
  }

  @Test func `watches can be created, canceled and called on many threads`() async throws {
    let watched = watched
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<50 {
            let watch = try? watched.disk.watch(watched.path("\(round % 3)")) { _ in }
            try? watched.grow("\(task % 3)")
            if round.isMultiple(of: 2) { watch?.cancel() }
          }
        }
      }
    }
    let watch = try watched.disk.watch(watched.path()) { [looks] _ in looks.look(at: watched.path())
    }
    #expect(try await watched.growsAreSeen(by: looks))
    watch.cancel()
  }

  #if os(Linux)
    /// The number of inotify descriptors of this process.
    private static var descriptors: Int {
      let folder = "/proc/self/fd/"
      let names = (try? SystemFileSystem().contents(of: folder)) ?? []
      return names.filter {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0))?
          .hasSuffix("inotify") == true
      }.count
    }

    @Test func `200 watches share one descriptor and release it`() async {
      // In a separate process, where no other test watches.
      await OwnQueue.run {
        await #expect(processExitsWith: .success) {
          let watched = try WatchedFolder()
          try #require(Self.descriptors == 0)
          var watches = try (0..<200).map { index in
            try watched.disk.watch(watched.path("\(index % 50)")) { _ in }
          }
          try #require(Self.descriptors == 1)
          for watch in watches.dropFirst() { watch.cancel() }
          try #require(Self.descriptors == 1)
          watches = []
          // Another thread closes it.
          let end = ContinuousClock.now + .seconds(20)
          while Self.descriptors > 0, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(1))
          }
          try #require(Self.descriptors == 0)
          // A later watch opens a new one.
          let looks = Looks()
          let second = try watched.disk.watch(watched.path()) { _ in looks.look(at: watched.path())
          }
          try #require(try await watched.growsAreSeen(by: looks))
          second.cancel()
        }
      }
    }
  #endif
}
