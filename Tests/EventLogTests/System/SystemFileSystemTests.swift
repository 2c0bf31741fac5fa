import EventLogTesting
import Testing

@testable import EventLog

@Suite struct SystemFileSystemTests {
  let disk = SystemFileSystem()
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Opens, hands out and closes again.
  private func withFile(
    _ name: String, _ access: FileAccess = .create, _ body: (FileDescriptor) throws -> Void
  ) throws {
    let file = try disk.open(folder.file(name), access)
    defer { disk.close(file) }
    try body(file)
  }

  // MARK: - Opening

  @Test func `a file is created once and opened again`() throws {
    try withFile("a", .createNew) { try disk.writeAll($0, Array("one".utf8), at: 0) }
    try withFile("a", .create) { file in
      try #expect(disk.readBytes(file, at: 0, count: 10) == Array("one".utf8))
    }
    #expect(throws: Errno.exists) { try withFile("a", .createNew) { _ in } }
    #expect(throws: Errno.noSuchFile) { try withFile("b", .read) { _ in } }
    #expect(throws: Errno.noSuchFile) { try withFile("b", .readWrite) { _ in } }
  }

  @Test func `a file opened for reading takes no writes`() throws {
    try withFile("a") { _ in }
    try withFile("a", .read) { file in
      #expect(throws: Errno.badDescriptor) { try disk.writeAll(file, [1], at: 0) }
    }
  }

  @Test func `writes go where they say and never to the end instead`() throws {
    try withFile("a") { file in
      try disk.writeAll(file, Array("abcdef".utf8), at: 0)
      try disk.writeAll(file, Array("XY".utf8), at: 2)
      #expect(try disk.readBytes(file, at: 0, count: 6) == Array("abXYef".utf8))
    }
  }

  @Test func `a path with a zero byte names nothing`() throws {
    try withFile("a") { _ in }
    let path = folder.file("a\0b")
    #expect(throws: Errno.invalidArgument) { try disk.open(path, .read) }
    #expect(throws: Errno.invalidArgument) { try disk.status(at: path) }
    #expect(throws: Errno.invalidArgument) { try disk.remove(path) }
  }

  @Test func `a negative offset is refused and does not trap`() throws {
    try withFile("a") { file in
      #expect(throws: Errno.invalidArgument) { try disk.readBytes(file, at: -1, count: 1) }
      #expect(throws: Errno.invalidArgument) { try disk.writeAll(file, [1], at: -1) }
      #expect(throws: Errno.invalidArgument) { try disk.truncate(file, to: -1) }
    }
  }

  @Test func `reading past the end gives what there is`() throws {
    try withFile("a") { file in
      try disk.writeAll(file, [1, 2, 3], at: 0)
      #expect(try disk.readBytes(file, at: 2, count: 100) == [3])
      #expect(try disk.readBytes(file, at: 3, count: 100) == [])
      #expect(try disk.readBytes(file, at: 1 << 40, count: 1) == [])
      #expect(try disk.readBytes(file, at: 0, count: 0) == [])
    }
  }

  @Test func `a sync of a file and of a folder succeeds`() throws {
    try withFile("a") { try disk.sync($0) }
    try disk.syncFolder(folder.path)
    #expect(throws: Errno.noSuchFile) { try disk.syncFolder(folder.file("none")) }
    #expect(throws: Errno.notDirectory) { try disk.syncFolder(folder.file("a")) }
  }

  // MARK: - Locks

  @Test func `two descriptors of one process exclude each other`() throws {
    try withFile("a") { first in
      try withFile("a") { second in
        #expect(try disk.tryLock(first, exclusive: true))
        #expect(try !disk.tryLock(second, exclusive: true))
        #expect(try !disk.tryLock(second, exclusive: false))
        try disk.unlock(first)
        #expect(try disk.tryLock(second, exclusive: true))
      }
    }
  }

  @Test func `shared locks go together and keep an exclusive one out`() throws {
    try withFile("a") { first in
      try withFile("a") { second in
        try #expect(disk.tryLock(first, exclusive: false))
        try #expect(disk.tryLock(second, exclusive: false))
        try #expect(!disk.tryLock(second, exclusive: true))
      }
    }
  }

  @Test func `closing lets go of the lock`() throws {
    try withFile("a") { first in
      let second = try disk.open(folder.file("a"), .readWrite)
      #expect(try disk.tryLock(second, exclusive: true))
      #expect(try !disk.tryLock(first, exclusive: true))
      disk.close(second)
      #expect(try disk.tryLock(first, exclusive: true))
    }
  }

  @Test func `unlocking without a lock does nothing`() throws {
    try withFile("a") { try disk.unlock($0) }
  }

  // MARK: - Status

  @Test func `the status of a path and of its descriptor agree`() throws {
    let before = WallClock.system.now()
    try withFile("a") { file in
      try disk.writeAll(file, [1, 2, 3], at: 0)
      let status = try disk.status(of: file)
      #expect(try disk.status(at: folder.file("a")) == status)
      #expect(status.kind == .regular)
      #expect(status.size == 3)
      #expect(status.inode != 0)
      // File systems stamp with the last tick, so allow a little before.
      let modified = status.modified / 1_000_000
      #expect(modified > before - 1000 && modified <= WallClock.system.now())
      if let birth = status.birth {
        #expect(birth / 1_000_000 > before - 1000 && birth <= status.modified)
      }
    }
  }

  @Test func `a time of birth outlives changes, not the file`() throws {
    try withFile("a") { file in
      let born = try disk.status(of: file).birth
      sleepMilliseconds(20)
      try disk.writeAll(file, [1], at: 0)
      #expect(try disk.status(of: file).birth == born)
      #expect(try born == nil || disk.status(of: file).modified > born!)
    }
    let first = try disk.status(at: folder.file("a"))
    try disk.remove(folder.file("a"))
    sleepMilliseconds(20)
    try withFile("a") { _ in }
    let second = try disk.status(at: folder.file("a"))
    #expect(first.birth == nil || first.birth != second.birth)
  }

  @Test func `a folder and a device are not regular files`() throws {
    #expect(try disk.status(at: folder.path).kind == .folder)
    #expect(try disk.status(at: "/dev/null").kind == .other)
    #expect(throws: Errno.noSuchFile) { try disk.status(at: folder.file("none")) }
    #expect(throws: Errno.noSuchFile) { try disk.status(at: "") }
  }

  @Test func `truncation cuts and grows by zeros`() throws {
    try withFile("a") { file in
      try disk.writeAll(file, [1, 2, 3], at: 0)
      try disk.truncate(file, to: 1)
      try disk.truncate(file, to: 3)
      #expect(try disk.readBytes(file, at: 0, count: 9) == [1, 0, 0])
    }
  }

  // MARK: - Folders and names

  @Test func `names are sorted by their bytes`() throws {
    for name in ["b", "a", "é", "Z", ".hidden", "e\u{301}"] { try withFile(name) { _ in } }
    let names = try disk.contents(of: folder.path)
    let expected = [".hidden", "Z", "a", "b", "e\u{301}", "é"]
    #expect(names.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    #expect(throws: Errno.notDirectory) { try disk.contents(of: folder.file("a")) }
    #expect(throws: Errno.noSuchFile) { try disk.contents(of: folder.file("none")) }
  }

  @Test func `a folder is made once and removed when empty`() throws {
    let inner = folder.file("inner")
    try disk.makeFolder(inner)
    #expect(throws: Errno.exists) { try disk.makeFolder(inner) }
    try withFile("inner/a") { _ in }
    #expect(throws: Errno.notEmpty) { try disk.remove(inner) }
    try disk.remove(inner + "/a")
    try disk.remove(inner)
    #expect(throws: Errno.noSuchFile) { try disk.remove(inner) }
  }

  @Test func `a rename replaces, and an open descriptor keeps the old file`() throws {
    try withFile("old") { try disk.writeAll($0, [1], at: 0) }
    try withFile("new") { try disk.writeAll($0, [2], at: 0) }
    try withFile("old", .read) { file in
      try disk.rename(folder.file("new"), to: folder.file("old"))
      #expect(try disk.readBytes(file, at: 0, count: 1) == [1])
      #expect(try disk.status(of: file) != disk.status(at: folder.file("old")))
    }
    #expect(try disk.contents(ofFile: folder.file("old"), maximumBytes: 1) == [2])
    #expect(try disk.contents(of: folder.path) == ["old"])
  }

  // MARK: - The machine

  @Test func `the machine has the same identity each time`() {
    let identity = disk.machineIdentity()
    #expect(identity == disk.machineIdentity())
    #expect(identity.map { !$0.isEmpty && !$0.utf8.contains { $0 <= 0x20 } } ?? true)
  }

  @Test(arguments: [
    ("abc\n", "def", "abc"), (" abc \n", nil, "abc"), ("", "def\n", "def"),
    ("uninitialized\n", "def", "def"), (nil, nil, nil),
  ])
  func `the machine's identity is the first file that has one`(
    first: String?, second: String?, expected: String?
  ) {
    #if os(Linux)
      let found = systemMachineIdentity { path in
        (path == "/etc/machine-id" ? first : second).map { Array($0.utf8) }
      }
      #expect(found == expected)
    #endif
  }

  @Test func `excluding from backups is accepted`() throws {
    try disk.excludeFromBackup(folder.path)
  }
}
