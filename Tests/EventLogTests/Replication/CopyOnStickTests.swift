import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// A copy of a journal on a stick, without its own checkpoint.
///
/// It begins with the lines that the journal's checkpoint covers.
@Suite struct CopyOnStickTests {
  private let phone: TemporaryStore
  private let folder: TemporaryFolder
  private var stick: JournalRemote { JournalRemote(path: folder.file("stick.jsonl")) }
  private let disk = SystemFileSystem()

  init() async throws {
    folder = try TemporaryFolder()
    phone = try await Devices.meet(["phone"], records: Meal.self, catalog: .standard)[0]
    try await fill(1_000)
    try await phone.sync(with: stick)
    // Reopening writes a checkpoint.
    try await phone.reopen()
  }

  private func fill(_ count: Int) async throws {
    _ = try await phone.append(
      (0..<count).map { .theme(.string("one of many colors, number \($0)")) })
  }

  private var isCovered: Bool {
    get throws {
      let file = try JournalFile.open(stick.path, .read, fileSystem: disk)
      defer { file.close() }
      let side = SideFolder(beside: phone.store.path, fileSystem: disk)
      return CheckpointReading(ofBytesIn: file, side) != nil
    }
  }

  private func change(_ body: (inout [UInt8]) throws -> Void) throws {
    var bytes = try disk.contents(ofFile: stick.path, maximumBytes: 1 << 30)
    try body(&bytes)
    let file = try disk.open(stick.path, .readWrite)
    defer { disk.close(file) }
    try disk.writeAll(file, bytes, at: 0)
  }

  @Test func `a sync continues after the lines of the checkpoint`() async throws {
    #expect(try isCovered)
    try await fill(10)
    #expect(try await phone.sync(with: stick).pushedCount == 10)
    let second = try await phone.sync(with: stick)
    #expect(second.pushed.isEmpty && second.pulled.isEmpty && second.refused.isEmpty)
    #expect(try isCovered)
  }

  @Test func `a checkpoint covers another file with the same bytes, but not one with fewer`()
    async throws
  {
    var bytes = try disk.contents(ofFile: stick.path, maximumBytes: 1 << 30)
    try disk.replaceFile(at: stick.path, with: bytes)
    #expect(try isCovered)
    #expect(try await phone.sync(with: stick).pushed.isEmpty)
    bytes.removeLast(bytes.count / 2)
    try disk.replaceFile(at: stick.path, with: bytes)
    #expect(try !isCovered)
    #expect(try await phone.sync(with: stick).pushedCount > 400)
  }

  @Test func `a sync finds and repairs damage on the stick`() async throws {
    try change { bytes in
      let middle = try #require(bytes[(bytes.count / 2)...].firstIndex(of: UInt8(ascii: "y")))
      bytes[middle] = UInt8(ascii: "z")
    }
    #expect(try !isCovered)
    #expect(try await phone.sync(with: stick).pushedCount == 1)
  }

  @Test func `a sync reports damage on a stick until the loss is accepted there`() async throws {
    try change { bytes in
      let end = try #require(bytes[(bytes.count / 2)...].firstIndex(of: UInt8(ascii: "\n")))
      bytes.insert(contentsOf: Array("nothing that is known\n".utf8), at: end + 1)
    }
    for _ in 0..<2 { #expect(try await phone.sync(with: stick).notices.count == 1) }
    _ = try await Journal(path: stick.path).acceptLoss()
    #expect(try await phone.sync(with: stick).notices.isEmpty)
  }
}
