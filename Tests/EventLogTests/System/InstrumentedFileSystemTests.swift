import EventLog
import EventLogTesting
import Testing

@Suite struct InstrumentedFileSystemTests {
  let disk = InstrumentedFileSystem()
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `every call is counted by operation`() throws {
    let disk = InstrumentedFileSystem(machineIdentity: "a")
    let path = folder.file("a")
    let file = try disk.open(path, .create)
    try disk.writeAll(file, [1], at: 0)
    _ = try disk.readBytes(file, at: 0, count: 1)
    try disk.sync(file)
    try disk.truncate(file, to: 0)
    _ = try disk.tryLock(file, exclusive: true)
    try disk.unlock(file)
    _ = try disk.status(of: file)
    disk.close(file)
    try disk.rename(path, to: folder.file("b"))
    try disk.remove(folder.file("b"))
    try disk.makeFolder(path)
    _ = try disk.contents(of: folder.path)
    try disk.syncFolder(folder.path)
    try disk.excludeFromBackup(folder.path)
    try disk.watch(folder.file("a")) { _ in }.cancel()
    _ = disk.machineIdentity()
    for operation in FileOperation.allCases {
      #expect(disk.count(of: operation) == 1, "\(operation)")
    }
    #expect(disk.failableCount == FileOperation.allCases.count - 2)
    disk.resetCounts()
    #expect(FileOperation.allCases.allSatisfy { disk.count(of: $0) == 0 })
  }

  @Test func `planned failures occur after the given number of calls, as often as planned`() throws
  {
    let file = try disk.open(folder.file("a"), .create)
    defer { disk.close(file) }
    disk.failNext(.sync, after: 1, with: .inputOutput, times: 2)
    disk.failNext(.sync, after: 1, with: .noSpace)
    var outcomes: [Errno?] = []
    for _ in 0..<6 {
      do throws(Errno) {
        try disk.sync(file)
        outcomes.append(nil)
      } catch {
        outcomes.append(error)
      }
    }
    #expect(outcomes == [nil, .inputOutput, .inputOutput, nil, .noSpace, nil])
    #expect(disk.count(of: .sync) == 6)
  }

  @Test func `a failed call has no effect, and other operations succeed`() throws {
    disk.failNext(.rename, with: .readOnlyFileSystem, times: .max)
    try disk.makeFolder(folder.file("a"))
    #expect(throws: Errno.readOnlyFileSystem) {
      try disk.rename(folder.file("a"), to: folder.file("b"))
    }
    #expect(try disk.contents(of: folder.path) == ["a"])
    disk.stopFailing()
    try disk.rename(folder.file("a"), to: folder.file("b"))
  }

  @Test func `short writes end when turned off`() throws {
    let file = try disk.open(folder.file("a"), .create)
    defer { disk.close(file) }
    disk.shortWrites(of: 1)
    try disk.writeAll(file, [1, 2, 3], at: 0)
    disk.shortWrites(of: nil)
    try disk.writeAll(file, [1, 2, 3], at: 0)
    #expect(disk.count(of: .write) == 4)
  }

  @Test func `the machine identity can be replaced`() {
    let first = InstrumentedFileSystem(machineIdentity: "first")
    #expect(first.machineIdentity() == "first")
    #expect(InstrumentedFileSystem(first).machineIdentity() == "first")
    #expect(InstrumentedFileSystem(first, machineIdentity: "other").machineIdentity() == "other")
    #expect(disk.machineIdentity() == SystemFileSystem().machineIdentity())
  }

  @Test func `calls from many threads are counted exactly`() async throws {
    let path = folder.path
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { [disk] in
          for _ in 0..<100 { _ = try? disk.status(at: path) }
        }
      }
    }
    #expect(disk.count(of: .status) == 800)
  }
}
