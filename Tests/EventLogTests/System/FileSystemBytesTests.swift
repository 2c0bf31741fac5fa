import EventLogTesting
import Foundation
import Testing

@testable import EventLog
@testable import EventLogSystem

@Suite struct FileSystemBytesTests {
  let disk = InstrumentedFileSystem()
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func text(_ name: String) throws -> String {
    let bytes = try disk.contents(ofFile: folder.file(name), maximumBytes: 1 << 20)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a short write is continued`() throws {
    let file = try disk.open(folder.file("a"), .create)
    defer { disk.close(file) }
    let bytes = (0..<100).map { UInt8($0) }
    disk.shortWrites(of: 7)
    try disk.writeAll(file, bytes, at: 3)
    #expect(disk.count(of: .write) == 15)
    #expect(try disk.readBytes(file, at: 0, count: 200) == [0, 0, 0] + bytes)
  }

  @Test func `a slice is written without the bytes around it`() throws {
    let file = try disk.open(folder.file("a"), .create)
    defer { disk.close(file) }
    try disk.writeAll(file, [1, 2, 3, 4][1..<3], at: 0)
    try disk.writeAll(file, [][...], at: 9)
    #expect(try disk.readBytes(file, at: 0, count: 9) == [2, 3])
  }

  @Test func `a write of zero bytes is reported as a full disk`() throws {
    let file = try disk.open(folder.file("a"), .create)
    defer { disk.close(file) }
    disk.shortWrites(of: 0)
    #expect(throws: Errno.noSpace) { try disk.writeAll(file, [1], at: 0) }
  }

  @Test func `a short read is continued`() throws {
    try disk.replaceFile(at: folder.file("a"), with: [1, 2, 3, 4, 5])
    let dribbling = OneByteReads(base: SystemFileSystem())
    let bytes = try dribbling.contents(ofFile: folder.file("a"), maximumBytes: 5)
    #expect(bytes == [1, 2, 3, 4, 5])
  }

  @Test func `a pipe or device is refused without being read or waited for`() throws {
    try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
    for path in [folder.file("pipe"), "/dev/zero"] {
      disk.resetCounts()
      #expect(throws: Errno.invalidArgument) {
        try disk.contents(ofFile: path, maximumBytes: 1 << 20)
      }
      #expect(disk.count(of: .read) == 0 && disk.count(of: .close) == 1)
    }
  }

  @Test func `a file over the limit is refused without being read`() throws {
    try disk.replaceFile(at: folder.file("a"), with: [1, 2, 3])
    disk.resetCounts()
    #expect(throws: Errno.fileTooLarge) {
      try disk.contents(ofFile: folder.file("a"), maximumBytes: 2)
    }
    #expect(disk.count(of: .read) == 0)
    #expect(disk.count(of: .close) == 1)
    #expect(throws: Errno.isDirectory) {
      try disk.contents(ofFile: folder.path, maximumBytes: 1 << 20)
    }
  }

  @Test(arguments: [Errno.fileTooLarge, .invalidArgument])
  func `a failed open isn't reported as a property of the file`(error: Errno) throws {
    try disk.replaceFile(at: folder.file("a"), with: [1, 2, 3])
    disk.failNext(.open, with: error)
    #expect(throws: Errno.notSupported) {
      try disk.contents(ofFile: folder.file("a"), maximumBytes: 3)
    }
  }

  @Test func `replacing a file syncs it and its folder once`() throws {
    try disk.replaceFile(at: folder.file("a"), with: Array("old".utf8))
    disk.resetCounts()
    try disk.replaceFile(at: folder.file("a"), with: Array("newer".utf8))
    #expect(try text("a") == "newer")
    #expect(try disk.contents(of: folder.path) == ["a"])
    #expect(disk.count(of: .sync) == 1)
    #expect(disk.count(of: .syncFolder) == 1)
  }

  @Test func `a failed replacement leaves a whole file and no temporary file`() throws {
    let path = folder.file("a")
    try disk.replaceFile(at: path, with: Array("old".utf8))
    disk.resetCounts()
    try disk.replaceFile(at: path, with: Array("old".utf8))
    let steps: [FileOperation] = [.open, .write, .sync, .rename, .syncFolder]
    #expect(disk.failableCount == steps.count)
    for (index, step) in steps.enumerated() {
      disk.failNextCall(after: index, with: .inputOutput)
      disk.resetCounts()
      #expect(throws: Errno.inputOutput) {
        try disk.replaceFile(at: path, with: Array("new".utf8))
      }
      #expect(disk.count(of: step) == 1)
      #expect(disk.count(of: .close) == (step == .open ? 0 : 1))
      #expect(try text("a") == (step == .syncFolder ? "new" : "old"))
      #expect(try disk.contents(of: folder.path) == ["a"])
    }
  }

  @Test func `an existing file with the temporary name is left alone`() throws {
    disk.failNext(.open, with: .exists)
    #expect(throws: Errno.exists) { try disk.replaceFile(at: folder.file("a"), with: [1]) }
    #expect(disk.count(of: .remove) == 0)
  }
}

/// Reads at most one byte at a time, which a file system may do.
private struct OneByteReads: PassingFileSystem {
  let base: SystemFileSystem

  func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try base.read(file, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<1]), at: offset)
  }
}
