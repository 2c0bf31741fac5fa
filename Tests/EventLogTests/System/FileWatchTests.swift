import Dispatch
import EventLog
import EventLogTesting
import Foundation
import Synchronization
import Testing

/// The watches of the real and the in-memory file system.
@Suite struct FileWatchTests {
  private let watched: WatchedFolder
  private let looks = Looks()

  init() throws { watched = try WatchedFolder() }

  private func watch(_ name: String = "a", at path: String? = nil) throws -> any FileWatch {
    let path = path ?? watched.path(name)
    return try watched.disk.watch(path) { [looks] _ in looks.look(at: path) }
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: watched.path(name), withDestinationPath: target)
  }

  // MARK: - Watched changes

  @Test(arguments: DiskKind.allCases)
  func `a watch sees the growth of a file`(kind: DiskKind) async throws {
    let watched = try WatchedFolder(kind)
    let looks = Looks(watched.disk)
    try watched.grow()
    let watch = try watched.watch(by: looks)
    #expect(try await watched.growsAreSeen(by: looks))
    watch.cancel()
  }

  @Test(arguments: DiskKind.allCases)
  func `a watch sees files that are added to, replaced in and removed from a folder`(kind: DiskKind)
    async throws
  {
    let watched = try WatchedFolder(kind)
    let calls = Looks(watched.disk)
    let folder = watched.path("Shared")
    try watched.disk.makeFolder(folder)
    let watch = try watched.disk.watch(folder) { _ in calls.look(at: folder) }
    func isNoticed(_ change: () throws -> Void) async throws {
      let before = calls.count
      try change()
      while calls.count == before { #expect(await calls.waitForCall()) }
    }
    try await isNoticed { try watched.grow("Shared/a") }
    try await isNoticed {
      try watched.grow("b")
      try watched.move("b", to: "Shared/b")
    }
    try await isNoticed { try watched.move("Shared/b", to: "Shared/a") }
    try await isNoticed { try watched.disk.remove(watched.path("Shared/a")) }
    watch.cancel()
  }

  @Test(arguments: DiskKind.allCases)
  func `a watch sees a folder created after it started`(kind: DiskKind) async throws {
    let watched = try WatchedFolder(kind)
    let calls = Looks(watched.disk)
    let folder = watched.path("Shared")
    let watch = try watched.disk.watch(folder) { _ in calls.look(at: folder) }
    try watched.disk.makeFolder(folder)
    #expect(await calls.waitForCall())
    let before = calls.count
    try watched.grow("Shared/a")
    while calls.count == before { #expect(await calls.waitForCall()) }
    watch.cancel()
  }

  @Test(arguments: DiskKind.allCases)
  func `a watch sees a file created after it started`(kind: DiskKind) async throws {
    let watched = try WatchedFolder(kind)
    let looks = Looks(watched.disk)
    let watch = try watched.watch(by: looks)
    #expect(try await watched.growsAreSeen(by: looks))
    watch.cancel()
  }

  @Test(arguments: DiskKind.allCases)
  func `a watch sees the truncation of a file`(kind: DiskKind) async throws {
    let watched = try WatchedFolder(kind)
    let looks = Looks(watched.disk)
    try watched.grow(by: 10)
    let watch = try watched.watch(by: looks)
    let file = try watched.disk.open(watched.path(), .readWrite)
    defer { watched.disk.close(file) }
    try watched.disk.truncate(file, to: 3)
    #expect(await looks.wait(for: 3))
    watch.cancel()
  }

  @Test(arguments: DiskKind.allCases)
  func `a watch sees a file that replaces its own by a rename, and its later growth`(
    kind: DiskKind
  )
    async throws
  {
    let watched = try WatchedFolder(kind)
    let looks = Looks(watched.disk)
    try watched.grow()
    let watch = try watched.watch(by: looks)
    for round in 1...3 {
      try watched.grow("b", by: 10 * round)
      try watched.move("b", to: "a")
      #expect(await looks.wait(for: Int64(10 * round)))
      #expect(try await watched.growsAreSeen(by: looks))
    }
    watch.cancel()
  }

  @Test(arguments: DiskKind.allCases)
  func `a watch sees a file that is removed, recreated and grows`(kind: DiskKind) async throws {
    let watched = try WatchedFolder(kind)
    let looks = Looks(watched.disk)
    try watched.grow()
    let watch = try watched.watch(by: looks)
    for _ in 1...3 {
      try watched.remove()
      #expect(await looks.wait(for: nil))
      #expect(try await watched.growsAreSeen(by: looks))
    }
    watch.cancel()
  }

  @Test(arguments: DiskKind.allCases)
  func `a watch sees a file that is moved away and back`(kind: DiskKind) async throws {
    let watched = try WatchedFolder(kind)
    let looks = Looks(watched.disk)
    try watched.grow(by: 5)
    let watch = try watched.watch(by: looks)
    try watched.move("a", to: "b")
    #expect(await looks.wait(for: nil))
    try watched.move("b", to: "a")
    #expect(await looks.wait(for: 5))
    #expect(try await watched.growsAreSeen(by: looks))
    watch.cancel()
  }

  @Test(arguments: DiskKind.allCases)
  func `a change to a file calls only its own watch`(kind: DiskKind) async throws {
    let watched = try WatchedFolder(kind)
    let names = ["a", "b", "ab", "a b"]
    let all = try names.map { name in
      let looks = Looks(watched.disk)
      let path = watched.path(name)
      return (name, looks, try watched.disk.watch(path) { _ in looks.look(at: path) })
    }
    for (name, looks, _) in all.dropLast() {
      #expect(try await watched.growsAreSeen(name, by: looks))
    }
    #expect(all.last!.1.count == 0)
    // The other watches continue when one ends.
    all[0].2.cancel()
    for (name, looks, _) in all.dropFirst() {
      #expect(try await watched.growsAreSeen(name, by: looks))
    }
    for (_, _, watch) in all { watch.cancel() }
  }

  @Test(arguments: DiskKind.allCases)
  func `two watches of one file see the same changes`(kind: DiskKind) async throws {
    let watched = try WatchedFolder(kind)
    let looks = Looks(watched.disk)
    let other = Looks(watched.disk)
    let path = watched.path()
    let first = try watched.watch(by: looks)
    let second = try watched.disk.watch(path) { _ in other.look(at: path) }
    #expect(try await watched.growsAreSeen(by: looks))
    first.cancel()
    #expect(try await watched.growsAreSeen(by: other))
    second.cancel()
  }

  // MARK: - Paths

  @Test func `a path without a folder can be watched`() async {
    // In a child process, because the working directory is process-wide.
    await OwnQueue.run {
      await #expect(processExitsWith: .success) {
        let watched = try WatchedFolder()
        try #require(FileManager.default.changeCurrentDirectoryPath(watched.folder))
        let looks = Looks()
        let watch = try watched.disk.watch("a") { _ in looks.look(at: "a") }
        try #require(try await watched.growsAreSeen(by: looks))
        watch.cancel()
      }
    }
  }

  @Test func `a watch follows links, and sees when one is redirected`() async throws {
    try watched.disk.makeFolder(watched.path("far"))
    try watched.grow("far/one", by: 100)
    try link("b", to: "far/one")
    try link("a", to: watched.path("b"))
    let watch = try watch()
    #expect(try await watched.growsAreSeen("far/one", by: looks))
    // Replaces the file at the end of the links.
    try watched.grow("far/new", by: 7)
    try watched.move("far/new", to: "far/one")
    #expect(await looks.wait(for: 7))
    #expect(try await watched.growsAreSeen("far/one", by: looks))
    // Retargets the middle link.
    try watched.grow("two", by: 1000)
    try link("c", to: "two")
    try watched.move("c", to: "b")
    #expect(await looks.wait(for: 1000))
    #expect(try await watched.growsAreSeen("two", by: looks))
    watch.cancel()
  }

  @Test func `watching a loop of links, or in a missing or invalid folder, is refused`() throws {
    try link("a", to: "b")
    try link("b", to: "a")
    #expect(throws: Errno.symlinkLoop) { try watch() }
    #expect(throws: Errno.noSuchFile) { try watch("none/a") }
    try watched.grow("file")
    #expect(throws: Errno.notDirectory) { try watch("file/a") }
    #expect(throws: Errno.invalidArgument) { try watch("a\0b") }
  }

  @Test(arguments: DiskKind.allCases)
  func `a watch reports the loss of its folder and ends`(kind: DiskKind) throws {
    let watched = try WatchedFolder(kind)
    try watched.disk.makeFolder(watched.path("folder"))
    try watched.grow("folder/a")
    let lost = DispatchSemaphore(value: 0)
    let watch = try watched.disk.watch(watched.path("folder/a")) { change in
      if change == .lost { lost.signal() }
    }
    try watched.move("folder", to: "other")
    #expect(lost.wait(timeout: .now() + 20) == .success)
    watch.cancel()
  }
}
