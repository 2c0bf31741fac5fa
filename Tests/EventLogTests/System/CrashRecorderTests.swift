import EventLog
import EventLogTesting
import Testing

@Suite struct CrashRecorderTests {
  let faults = InstrumentedFileSystem()
  let disk: CrashRecorder
  let folder: TemporaryFolder

  init() throws {
    disk = CrashRecorder(faults)
    folder = try TemporaryFolder()
  }

  private func bytes(_ value: UInt8, _ count: Int) -> [UInt8] {
    Array(repeating: value, count: count)
  }

  private func contents(_ name: String = "a", limit: Int = 1000) -> [[UInt8]] {
    disk.possibleContents(of: folder.file(name), limit: limit, seed: 1)
  }

  /// Opens a file whose content `old` is already durable.
  private func open(holding old: [UInt8]) throws -> FileDescriptor {
    try SystemFileSystem().replaceFile(at: folder.file("a"), with: old)
    return try disk.open(folder.file("a"), .readWrite)
  }

  // MARK: - Contents

  @Test func `synced bytes survive every crash`() throws {
    let file = try open(holding: [])
    defer { disk.close(file) }
    try disk.writeAll(file, bytes(1, 9000), at: 0)
    #expect(contents().count > 1)
    try disk.sync(file)
    #expect(contents() == [bytes(1, 9000)])
  }

  @Test func `an unsynced overwrite within one sector is present or absent`() throws {
    let file = try open(holding: bytes(1, 100))
    defer { disk.close(file) }
    try disk.writeAll(file, bytes(2, 50), at: 10)
    let new = bytes(1, 10) + bytes(2, 50) + bytes(1, 40)
    #expect(contents() == [bytes(1, 100), new])
  }

  @Test func `growth without its bytes shows zeros`() throws {
    let file = try open(holding: [1])
    defer { disk.close(file) }
    try disk.writeAll(file, [2, 3], at: 1)
    #expect(Set(contents()) == [[1], [1, 2, 3], [1, 0, 0]])
  }

  @Test func `two unsynced writes of 5 KB leave every subset of their pages`() throws {
    let file = try open(holding: bytes(9, 10240))
    defer { disk.close(file) }
    try disk.writeAll(file, bytes(1, 5120), at: 0)
    try disk.writeAll(file, bytes(2, 5120), at: 5120)
    let all = contents(limit: 16)
    #expect(all.count == 16)
    #expect(all[0] == bytes(9, 10240))
    #expect(all[1] == bytes(1, 5120) + bytes(2, 5120))
    for subset in 0..<16 {
      func part(_ bit: Int, _ value: UInt8, _ count: Int) -> [UInt8] {
        bytes(subset >> bit & 1 == 1 ? value : 9, count)
      }
      // The second write starts in the first one's second page, at a sector boundary.
      let expected = part(0, 1, 4096) + part(1, 1, 1024) + part(2, 2, 3072) + part(3, 2, 2048)
      #expect(all.contains(expected))
    }
  }

  @Test func `two unsynced appends of 5 KB leave every size that ends a page or a write`() throws {
    let file = try open(holding: [])
    defer { disk.close(file) }
    try disk.writeAll(file, bytes(1, 5120), at: 0)
    try disk.writeAll(file, bytes(2, 5120), at: 5120)
    let all = contents(limit: 100)
    #expect(Set(all.map(\.count)) == [0, 4096, 5120, 8192, 10240])
    #expect(all[0] == [])
    #expect(all[1] == bytes(1, 5120) + bytes(2, 5120))
    #expect(all.contains(bytes(0, 4096) + bytes(1, 1024) + bytes(0, 3072)))
    #expect(Set(all).count == all.count)
  }

  @Test func `a page is torn only at sector boundaries`() throws {
    let file = try open(holding: bytes(9, 4096))
    defer { disk.close(file) }
    try disk.writeAll(file, bytes(1, 4096), at: 0)
    let all = contents(limit: 100)
    #expect(all.count > 20)
    for image in all {
      for sector in 0..<8 {
        #expect(Set(image[sector * 512..<(sector + 1) * 512]).count == 1)
      }
    }
  }

  @Test func `a sector never contains a later write without an earlier one`() throws {
    let file = try open(holding: bytes(9, 100))
    defer { disk.close(file) }
    try disk.writeAll(file, [1], at: 0)
    try disk.writeAll(file, [2], at: 50)
    for image in contents() where image[50] == 2 { #expect(image[0] == 1) }
    #expect(contents().count == 3)
  }

  @Test func `an unsynced truncation is present or absent, and drops the bytes that it cut`() throws
  {
    let file = try open(holding: [1, 2, 3])
    defer { disk.close(file) }
    try disk.truncate(file, to: 1)
    #expect(Set(contents()) == [[1, 2, 3], [1]])
    try disk.truncate(file, to: 2)
    #expect(Set(contents()) == [[1, 2, 3], [1], [1, 0]])
    try disk.sync(file)
    #expect(contents() == [[1, 0]])
  }

  @Test func `a sync after a failed sync doesn't make earlier writes durable`() throws {
    let file = try open(holding: bytes(9, 10))
    defer { disk.close(file) }
    try disk.writeAll(file, bytes(1, 10), at: 0)
    faults.failNext(.sync, with: .inputOutput)
    #expect(throws: Errno.inputOutput) { try disk.sync(file) }
    try disk.sync(file)
    #expect(contents() == [bytes(9, 10), bytes(1, 10)])
    try disk.writeAll(file, bytes(1, 10), at: 0)
    try disk.sync(file)
    #expect(contents() == [bytes(1, 10)])
  }

  @Test func `a later write is durable even if an earlier one is in doubt`() throws {
    let file = try open(holding: bytes(9, 8192))
    defer { disk.close(file) }
    try disk.writeAll(file, bytes(1, 10), at: 0)
    faults.failNext(.sync, with: .inputOutput)
    #expect(throws: Errno.inputOutput) { try disk.sync(file) }
    try disk.writeAll(file, bytes(2, 10), at: 4096)
    try disk.sync(file)
    #expect(contents().count == 2)
    #expect(contents().allSatisfy { $0[4096] == 2 })
  }

  @Test func `a sample of contents is limited in size and determined by its seed`() throws {
    let file = try open(holding: [])
    defer { disk.close(file) }
    for index in 0..<50 {
      try disk.writeAll(file, bytes(UInt8(index + 1), 3000), at: Int64(index) * 3000)
    }
    let path = folder.file("a")
    let first = disk.possibleContents(of: path, limit: 40, seed: 7)
    #expect(first.count == 40)
    #expect(first[0] == [])
    #expect(first[1].count == 150_000)
    #expect(disk.possibleContents(of: path, limit: 40, seed: 7) == first)
    #expect(disk.possibleContents(of: path, limit: 40, seed: 8) != first)
    #expect(disk.possibleContents(of: path, limit: 1, seed: 7) == [[]])
    #expect(disk.possibleContents(of: path, limit: 0, seed: 7) == [])
  }

  @Test func `a short write is recorded as far as it went, and a failed one isn't`() throws {
    let file = try open(holding: [])
    defer { disk.close(file) }
    faults.shortWrites(of: 2)
    faults.failNext(.write, after: 1, with: .noSpace)
    #expect(throws: Errno.noSpace) { try disk.writeAll(file, [1, 2, 3, 4], at: 0) }
    #expect(Set(contents()) == [[], [1, 2], [0, 0]])
  }

  @Test func `two descriptors of one file share its writes`() throws {
    let first = try open(holding: [1])
    let second = try disk.open(folder.file("./a"), .readWrite)
    try disk.writeAll(first, [2], at: 0)
    disk.close(first)
    #expect(contents().count == 2)
    try disk.sync(second)
    disk.close(second)
    #expect(contents() == [[2]])
  }

  // MARK: - Names

  @Test func `a new file may be missing until its folder is synced`() throws {
    let file = try disk.open(folder.file("a"), .create)
    defer { disk.close(file) }
    try disk.sync(file)
    #expect(disk.mayBeMissing(folder.file("a")))
    try disk.syncFolder(folder.path + "/")
    #expect(!disk.mayBeMissing(folder.file("a")))
    #expect(disk.mayBeMissing(folder.file("none")))
    #expect(contents("none") == [])
  }

  @Test func `a replaced file is wholly the old or the new one`() throws {
    disk.close(try open(holding: bytes(1, 5000)))
    faults.failNext(.syncFolder, with: .inputOutput)
    #expect(throws: Errno.inputOutput) {
      try disk.replaceFile(at: folder.file("a"), with: bytes(2, 5000))
    }
    #expect(contents() == [bytes(1, 5000), bytes(2, 5000)])
    #expect(!disk.mayBeMissing(folder.file("a")))
    try disk.replaceFile(at: folder.file("a"), with: bytes(3, 5000))
    #expect(contents() == [bytes(3, 5000)])
  }

  @Test func `a rename before the sync may leave a file of zeros`() throws {
    disk.close(try open(holding: bytes(1, 10)))
    let file = try disk.open(folder.file("b"), .createNew)
    try disk.writeAll(file, bytes(2, 10), at: 0)
    disk.close(file)
    try disk.rename(folder.file("b"), to: folder.file("a"))
    try disk.syncFolder(folder.path)
    #expect(Set(contents()) == [[], bytes(0, 10), bytes(2, 10)])
    #expect(contents("b") == [])
  }

  @Test func `a removed file may reappear until its folder is synced`() throws {
    disk.close(try open(holding: [1]))
    try disk.remove(folder.file("a"))
    #expect(contents() == [[1]])
    #expect(disk.mayBeMissing(folder.file("a")))
    try disk.syncFolder(folder.path)
    #expect(contents() == [])
  }

  @Test func `a new file that reuses an inode starts empty`() throws {
    for round in 1...20 {
      let file = try disk.open(folder.file("a"), .create)
      #expect(try disk.readBytes(file, at: 0, count: 10) == [])
      try disk.writeAll(file, bytes(UInt8(round), 10), at: 0)
      try disk.sync(file)
      disk.close(file)
      try disk.syncFolder(folder.path)
      #expect(contents() == [bytes(UInt8(round), 10)])
      try disk.remove(folder.file("a"))
      try disk.syncFolder(folder.path)
    }
  }
}
