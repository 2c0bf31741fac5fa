import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogSystem

/// The file systems that must follow the contract.
enum DiskKind: String, CaseIterable, Sendable {
  case system, memory

  /// Returns an empty folder on such a disk.
  func emptyFolder() throws -> DiskFolder {
    switch self {
    case .system:
      let folder = try TemporaryFolder()
      return DiskFolder(disk: SystemFileSystem(), path: folder.path, folder: folder)
    case .memory:
      let disk = MemoryFileSystem()
      try disk.makeFolder("/folder")
      return DiskFolder(disk: disk, path: "/folder", folder: nil)
    }
  }
}

/// A folder and its disk.
struct DiskFolder {
  let disk: any FileSystem
  let path: String
  /// Keeps a real folder alive; its last reference removes it.
  let folder: TemporaryFolder?

  func file(_ name: String) -> String { path + "/" + name }

  /// Opens a file, passes its descriptor to `body`, and closes it.
  func withFile(
    _ name: String, _ access: FileAccess = .create, _ body: (FileDescriptor) throws -> Void
  ) throws {
    let file = try disk.open(file(name), access)
    defer { disk.close(file) }
    try body(file)
  }
}

/// The contract of every file system.
@Suite struct FileSystemContractTests {
  private static let kinds = DiskKind.allCases

  // MARK: - Opening

  @Test(arguments: kinds)
  func `a file is created once and opened again`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("a", .createNew) { try root.disk.writeAll($0, Array("one".utf8), at: 0) }
    try root.withFile("a", .create) { file in
      try #expect(root.disk.readBytes(file, at: 0, count: 10) == Array("one".utf8))
    }
    #expect(throws: Errno.exists) { try root.withFile("a", .createNew) { _ in } }
    #expect(throws: Errno.noSuchFile) { try root.withFile("b", .read) { _ in } }
    #expect(throws: Errno.noSuchFile) { try root.withFile("b", .readWrite) { _ in } }
  }

  @Test(arguments: kinds)
  func `writing to a file opened for reading is refused`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("a") { _ in }
    try root.withFile("a", .read) { file in
      #expect(throws: Errno.badDescriptor) { try root.disk.writeAll(file, [1], at: 0) }
    }
  }

  @Test(arguments: kinds)
  func `a write goes to its offset, not to the end`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("a") { file in
      try root.disk.writeAll(file, Array("abcdef".utf8), at: 0)
      try root.disk.writeAll(file, Array("XY".utf8), at: 2)
      #expect(try root.disk.readBytes(file, at: 0, count: 6) == Array("abXYef".utf8))
    }
  }

  @Test(arguments: kinds)
  func `a path with a zero byte is refused`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("a") { _ in }
    let path = root.file("a\0b")
    #expect(throws: Errno.invalidArgument) { try root.disk.open(path, .read) }
    #expect(throws: Errno.invalidArgument) { try root.disk.status(at: path) }
    #expect(throws: Errno.invalidArgument) { try root.disk.remove(path) }
  }

  @Test(arguments: kinds)
  func `a negative offset is refused without a trap`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("a") { file in
      #expect(throws: Errno.invalidArgument) { try root.disk.readBytes(file, at: -1, count: 1) }
      #expect(throws: Errno.invalidArgument) { try root.disk.writeAll(file, [1], at: -1) }
      #expect(throws: Errno.invalidArgument) { try root.disk.truncate(file, to: -1) }
    }
  }

  @Test(arguments: kinds)
  func `a read past the end returns the available bytes`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("a") { file in
      try root.disk.writeAll(file, [1, 2, 3], at: 0)
      #expect(try root.disk.readBytes(file, at: 2, count: 100) == [3])
      #expect(try root.disk.readBytes(file, at: 3, count: 100) == [])
      #expect(try root.disk.readBytes(file, at: 1 << 40, count: 1) == [])
      #expect(try root.disk.readBytes(file, at: 0, count: 0) == [])
    }
  }

  @Test(arguments: kinds)
  func `a sync of a file and of a folder succeeds`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("a") { try root.disk.sync($0) }
    try root.disk.syncFolder(root.path)
    #expect(throws: Errno.noSuchFile) { try root.disk.syncFolder(root.file("none")) }
    #expect(throws: Errno.notDirectory) { try root.disk.syncFolder(root.file("a")) }
  }

  // MARK: - Locks

  @Test(arguments: kinds)
  func `exclusive locks on two descriptors of one process exclude each other`(kind: DiskKind) throws
  {
    let root = try kind.emptyFolder()
    try root.withFile("a") { first in
      try root.withFile("a") { second in
        #expect(try root.disk.tryLock(first, exclusive: true))
        #expect(try !root.disk.tryLock(second, exclusive: true))
        #expect(try !root.disk.tryLock(second, exclusive: false))
        try root.disk.unlock(first)
        #expect(try root.disk.tryLock(second, exclusive: true))
      }
    }
  }

  @Test(arguments: kinds)
  func `shared locks are compatible and block an exclusive one`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("a") { first in
      try root.withFile("a") { second in
        try #expect(root.disk.tryLock(first, exclusive: false))
        try #expect(root.disk.tryLock(second, exclusive: false))
        try #expect(!root.disk.tryLock(second, exclusive: true))
      }
    }
  }

  @Test(arguments: kinds)
  func `closing a descriptor releases its lock`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("a") { first in
      let second = try root.disk.open(root.file("a"), .readWrite)
      #expect(try root.disk.tryLock(second, exclusive: true))
      #expect(try !root.disk.tryLock(first, exclusive: true))
      root.disk.close(second)
      #expect(try root.disk.tryLock(first, exclusive: true))
    }
  }

  @Test(arguments: kinds)
  func `unlocking without a lock succeeds`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("a") { try root.disk.unlock($0) }
  }

  // MARK: - Status

  @Test(arguments: kinds)
  func `the status of a path equals that of its descriptor`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    let before = WallClock.system.now()
    try root.withFile("a") { file in
      try root.disk.writeAll(file, [1, 2, 3], at: 0)
      let status = try root.disk.status(of: file)
      #expect(try root.disk.status(at: root.file("a")) == status)
      #expect(status.kind == .regular)
      #expect(status.size == 3)
      #expect(status.inode != 0)
      // File systems use the time of the last clock tick, so allow a second before.
      let modified = status.modified / 1_000_000
      #expect(modified > before - 1000 && modified <= WallClock.system.now())
      if let birth = status.birth {
        #expect(birth / 1_000_000 > before - 1000 && birth <= status.modified)
      }
    }
  }

  @Test(arguments: kinds)
  func `the birth time of a file survives changes, but not removal`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("a") { file in
      let born = try root.disk.status(of: file).birth
      sleepMilliseconds(20)
      try root.disk.writeAll(file, [1], at: 0)
      #expect(try root.disk.status(of: file).birth == born)
      #expect(try born == nil || root.disk.status(of: file).modified > born!)
    }
    let first = try root.disk.status(at: root.file("a"))
    try root.disk.remove(root.file("a"))
    sleepMilliseconds(20)
    try root.withFile("a") { _ in }
    let second = try root.disk.status(at: root.file("a"))
    #expect(first.birth == nil || first.birth != second.birth)
  }

  @Test(arguments: kinds)
  func `a folder has its own kind, and a missing file has no status`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    #expect(try root.disk.status(at: root.path).kind == .folder)
    #expect(throws: Errno.noSuchFile) { try root.disk.status(at: root.file("none")) }
    #expect(throws: Errno.noSuchFile) { try root.disk.status(at: "") }
  }

  @Test(arguments: kinds)
  func `truncation cuts a file or extends it with zeros`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("a") { file in
      try root.disk.writeAll(file, [1, 2, 3], at: 0)
      try root.disk.truncate(file, to: 1)
      try root.disk.truncate(file, to: 3)
      #expect(try root.disk.readBytes(file, at: 0, count: 9) == [1, 0, 0])
    }
  }

  // MARK: - Folders and names

  @Test(arguments: kinds)
  func `names in a folder are sorted by their bytes`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    for name in ["b", "a", "é", "Z", ".hidden", "e\u{301}"] { try root.withFile(name) { _ in } }
    let names = try root.disk.contents(of: root.path)
    let expected = [".hidden", "Z", "a", "b", "e\u{301}", "é"]
    #expect(names.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    #expect(throws: Errno.notDirectory) { try root.disk.contents(of: root.file("a")) }
    #expect(throws: Errno.noSuchFile) { try root.disk.contents(of: root.file("none")) }
  }

  @Test(arguments: kinds)
  func `a folder is created once, and removed only if empty`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    let inner = root.file("inner")
    try root.disk.makeFolder(inner)
    #expect(throws: Errno.exists) { try root.disk.makeFolder(inner) }
    try root.withFile("inner/a") { _ in }
    #expect(throws: Errno.notEmpty) { try root.disk.remove(inner) }
    try root.disk.remove(inner + "/a")
    try root.disk.remove(inner)
    #expect(throws: Errno.noSuchFile) { try root.disk.remove(inner) }
  }

  @Test(arguments: kinds)
  func `a rename replaces a file, and an open descriptor keeps the old one`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("old") { try root.disk.writeAll($0, [1], at: 0) }
    try root.withFile("new") { try root.disk.writeAll($0, [2], at: 0) }
    try root.withFile("old", .read) { file in
      try root.disk.rename(root.file("new"), to: root.file("old"))
      #expect(try root.disk.readBytes(file, at: 0, count: 1) == [1])
      #expect(try root.disk.status(of: file) != root.disk.status(at: root.file("old")))
    }
    #expect(try root.disk.contents(ofFile: root.file("old"), maximumBytes: 1) == [2])
    #expect(try root.disk.contents(of: root.path) == ["old"])
  }

  @Test(arguments: kinds)
  func `a removed file exists until its descriptor is closed`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("a") { file in
      try root.disk.remove(root.file("a"))
      try root.disk.writeAll(file, [1, 2], at: 0)
      #expect(try root.disk.readBytes(file, at: 0, count: 9) == [1, 2])
      try #expect(root.disk.status(of: file).size == 2)
    }
    #expect(try root.disk.contents(of: root.path) == [])
  }

  @Test(arguments: kinds)
  func `a closed descriptor is refused`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    let disk = root.disk
    // A number far from those that concurrent tests get.
    let file = FileDescriptor(rawValue: 1_000_000)
    #expect(throws: Errno.badDescriptor) { try disk.readBytes(file, at: 0, count: 1) }
    #expect(throws: Errno.badDescriptor) { try disk.writeAll(file, [1], at: 0) }
    #expect(throws: Errno.badDescriptor) { try disk.sync(file) }
    #expect(throws: Errno.badDescriptor) { try disk.truncate(file, to: 0) }
    #expect(throws: Errno.badDescriptor) { try disk.tryLock(file, exclusive: true) }
    #expect(throws: Errno.badDescriptor) { try disk.unlock(file) }
    #expect(throws: Errno.badDescriptor) { try disk.status(of: file) }
    disk.close(file)
  }

  @Test(arguments: kinds)
  func `a folder opens only for reading, and has no bytes`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    let disk = root.disk
    let file = try disk.open(root.path, .read)
    defer { disk.close(file) }
    #expect(throws: Errno.isDirectory) { try disk.readBytes(file, at: 0, count: 1) }
    #expect(throws: Errno.isDirectory) { try disk.open(root.path, .readWrite) }
    #expect(throws: Errno.isDirectory) { try disk.open(root.path, .create) }
    #expect(throws: Errno.exists) { try disk.open(root.path, .createNew) }
  }

  @Test(arguments: kinds)
  func `a file opened for reading can be locked but not truncated`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    try root.withFile("a") { _ in }
    try root.withFile("a", .read) { file in
      #expect(throws: Errno.invalidArgument) { try root.disk.truncate(file, to: 0) }
      try #expect(root.disk.tryLock(file, exclusive: true))
    }
  }

  @Test(arguments: kinds)
  func `a lock is upgraded or downgraded unless another descriptor holds one`(kind: DiskKind) throws
  {
    let root = try kind.emptyFolder()
    let disk = root.disk
    try root.withFile("a") { first in
      try root.withFile("a") { second in
        try #expect(disk.tryLock(first, exclusive: true))
        try #expect(disk.tryLock(first, exclusive: false))
        try #expect(disk.tryLock(second, exclusive: false))
        try #expect(!disk.tryLock(first, exclusive: true))
        // The failed upgrade released the first descriptor's lock.
        try #expect(disk.tryLock(second, exclusive: true))
      }
    }
  }

  @Test(arguments: kinds)
  func `a rename between files and folders is refused`(kind: DiskKind) throws {
    let root = try kind.emptyFolder()
    let disk = root.disk
    try root.withFile("file") { _ in }
    try disk.makeFolder(root.file("folder"))
    try disk.makeFolder(root.file("full"))
    try root.withFile("full/a") { _ in }
    func rename(_ source: String, _ target: String) throws(Errno) {
      try disk.rename(root.file(source), to: root.file(target))
    }
    #expect(throws: Errno.noSuchFile) { try rename("none", "file") }
    #expect(throws: Errno.noSuchFile) { try rename("file", "none/file") }
    #expect(throws: Errno.notDirectory) { try rename("file", "file/a") }
    #expect(throws: Errno.isDirectory) { try rename("file", "folder") }
    #expect(throws: Errno.notDirectory) { try rename("folder", "file") }
    #expect(throws: Errno.notEmpty) { try rename("folder", "full") }
    #expect(throws: Errno.invalidArgument) { try rename("full", "full/inner") }
    try rename("file", "file")
    try rename("full", "folder")
    #expect(try disk.contents(of: root.path) == ["file", "folder"])
    #expect(try disk.contents(of: root.file("folder")) == ["a"])
  }

  @Test(arguments: kinds)
  func `paths with dots and extra slashes resolve, and paths through files are refused`(
    kind: DiskKind
  ) throws {
    let root = try kind.emptyFolder()
    let disk = root.disk
    try disk.makeFolder(root.file("inner"))
    try root.withFile("a") { try disk.writeAll($0, [1], at: 0) }
    #expect(try disk.status(at: root.file("inner/.././/a")).size == 1)
    #expect(try disk.status(at: root.file("inner/")).kind == .folder)
    #expect(throws: Errno.notDirectory) { try disk.status(at: root.file("a/")) }
    #expect(throws: Errno.notDirectory) { try disk.status(at: root.file("a/b")) }
    #expect(throws: Errno.notDirectory) { try disk.open(root.file("a/b"), .create) }
    #expect(throws: Errno.isDirectory) { try disk.open(root.file("b/"), .create) }
    #expect(throws: Errno.noSuchFile) { try disk.makeFolder(root.file("none/b")) }
    #expect(throws: Errno.exists) { try disk.makeFolder(root.file("a")) }
    #expect(throws: Errno.nameTooLong) {
      try disk.open(root.file(String(repeating: "n", count: 256)), .create)
    }
    try disk.makeFolder(root.file("made/"))
    #expect(try disk.contents(of: root.path) == ["a", "inner", "made"])
  }
}
