import Dispatch
import EventLog
import EventLogTesting
import Synchronization
import Testing

/// Observing changes with a watch, and by polling.
@Suite struct FileObserverTests {
  private let watched: WatchedFolder
  private let disk = InstrumentedFileSystem()
  private let looks = Looks()

  init() throws { watched = try WatchedFolder() }

  private func observer(_ name: String = "a", poll: Int = 5) -> FileObserver {
    let path = watched.path(name)
    return FileObserver(path, in: disk, pollMilliseconds: poll) { [looks] in
      looks.look(at: path)
    }
  }

  @Test func `while a watch works, the file isn't polled`() async throws {
    let observer = observer(poll: 1)
    #expect(observer.mode == .watching)
    #expect(try await watched.growsAreSeen(by: looks))
    #expect(disk.count(of: .status) == 0)
    observer.cancel()
  }

  @Test(arguments: [Errno.tooManyOpenFiles, .noSpace, .notSupported])
  func `without a watch, the file is polled`(_ error: Errno) async throws {
    disk.failNext(.watch, with: error, times: .max)
    let observer = observer()
    #expect(observer.mode == .polling)
    #expect(try await watched.growsAreSeen(by: looks))
    try watched.grow("b", by: 100)
    try watched.move("b", to: "a")
    #expect(await looks.wait(for: 100))
    try watched.remove()
    #expect(await looks.wait(for: nil))
    #expect(try await watched.growsAreSeen(by: looks))
    #expect(observer.mode == .polling)
    observer.cancel()
  }

  @Test func `an observer switches from polling to watching when a watch becomes available`()
    async throws
  {
    disk.failNext(.watch, with: .tooManyOpenFiles, times: 3)
    let observer = observer()
    #expect(observer.mode == .polling)
    // The observer calls back after it changed to watching.
    #expect(await looks.waitForCall())
    #expect(observer.mode == .watching)
    #expect(try await watched.growsAreSeen(by: looks))
    observer.cancel()
  }

  @Test func `changes are seen after the folder is moved away and recreated`() async throws {
    try watched.disk.makeFolder(watched.path("folder"))
    let observer = observer("folder/a")
    #expect(try await watched.growsAreSeen("folder/a", by: looks))
    for round in 0..<3 {
      try watched.move("folder", to: "old\(round)")
      #expect(await looks.wait(for: nil))
      try watched.disk.makeFolder(watched.path("folder"))
      #expect(try await watched.growsAreSeen("folder/a", by: looks))
    }
    observer.cancel()
  }

  @Test func `changes are seen after a missing folder is created`() async throws {
    let observer = observer("folder/a")
    #expect(observer.mode == .polling)
    try watched.disk.makeFolder(watched.path("folder"))
    #expect(try await watched.growsAreSeen("folder/a", by: looks))
    observer.cancel()
  }

  @Test func `changes during a slow callback are coalesced into the next one`() async throws {
    let path = watched.path()
    let isFirst = Atomic(true)
    let began = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    let observer = FileObserver(path, in: disk) { [looks] in
      if isFirst.exchange(false, ordering: .relaxed) {
        began.signal()
        gate.wait()
      }
      looks.look(at: path)
    }
    try watched.grow()
    #expect(began.wait(timeout: .now() + 20) == .success)
    for _ in 0..<1000 { try watched.grow() }
    gate.signal()
    #expect(await looks.wait(for: 1001))
    observer.cancel()
    #expect(looks.count < 50)
  }

  @Test(arguments: [true, false])
  func `a released observer makes no calls`(_ isWatching: Bool) async throws {
    if !isWatching { disk.failNext(.watch, with: .noSpace, times: .max) }
    var observer: FileObserver? = observer()
    #expect(try await watched.growsAreSeen(by: looks))
    weak let ended = observer
    observer = nil
    let other = Looks()
    let path = watched.path()
    let witness = FileObserver(path, in: disk, pollMilliseconds: 5) { other.look(at: path) }
    while ended != nil { #expect(try await watched.growsAreSeen(by: other, times: 1)) }
    let count = looks.count
    #expect(try await watched.growsAreSeen(by: other))
    #expect(looks.count == count)
    witness.cancel()
  }

  @Test func `a crash recorder watches files like its base disk`() async throws {
    let recorder = CrashRecorder(disk)
    let path = watched.path()
    let watch = try recorder.watch(path) { [looks] _ in looks.look(at: path) }
    #expect(try await watched.growsAreSeen(by: looks))
    watch.cancel()
    disk.failNext(.watch, with: .noSpace)
    #expect(throws: Errno.noSpace) { try recorder.watch(path) { _ in } }
  }
}
