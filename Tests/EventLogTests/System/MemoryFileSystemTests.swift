import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogSystem

/// Properties of the in-memory disk beyond the common contract.
@Suite struct MemoryFileSystemTests {
  private let disk = MemoryFileSystem(machineIdentity: "one", clock: .fixed(1_000))

  private func write(_ bytes: [UInt8], to path: String) throws {
    let file = try disk.open(path, .create)
    defer { disk.close(file) }
    try disk.writeAll(file, bytes, at: 0)
  }

  @Test func `file timestamps differ even if the clock is stopped`() throws {
    try write([1], to: "a")
    let first = try disk.status(at: "a")
    try write([2], to: "a")
    try write([2], to: "b")
    let (second, other) = (try disk.status(at: "a"), try disk.status(at: "b"))
    #expect(first.birth == second.birth && first.modified < second.modified)
    #expect(second.modified < other.modified && second.birth != other.birth)
    #expect(first.modified / 1_000_000 == 1_000)
  }

  @Test func `inodes and descriptors are never reused`() throws {
    let first = try disk.open("a", .createNew)
    let inode = try disk.status(of: first).inode
    disk.close(first)
    try disk.remove("a")
    let second = try disk.open("a", .createNew)
    #expect(second != first)
    #expect(try disk.status(of: second).inode != inode)
    #expect(throws: Errno.badDescriptor) { try disk.sync(first) }
  }

  @Test func `a file of absurd size is refused before memory is exhausted`() throws {
    let file = try disk.open("a", .create)
    #expect(throws: Errno.fileTooLarge) { try disk.writeAll(file, [1], at: 1 << 40) }
    #expect(throws: Errno.fileTooLarge) { try disk.truncate(file, to: .max) }
    #expect(throws: Errno.fileTooLarge) { try disk.writeAll(file, [1], at: .max) }
    #expect(try disk.status(of: file).size == 0)
  }

  @Test func `a copy of a disk has the same files and changes independently`() throws {
    try disk.makeFolder("/folder")
    try write([1, 2], to: "/folder/a")
    let nameless = try disk.open("/b", .create)
    try disk.remove("/b")
    let copy = disk.copy(machineIdentity: "two")
    #expect(copy.machineIdentity() == "two" && disk.machineIdentity() == "one")
    #expect(try copy.status(at: "/folder/a") == disk.status(at: "/folder/a"))
    #expect(throws: Errno.badDescriptor) { try copy.status(of: nameless) }
    try write([3], to: "/folder/a")
    #expect(try copy.contents(ofFile: "/folder/a", maximumBytes: 9) == [1, 2])
    #expect(try disk.contents(ofFile: "/folder/a", maximumBytes: 9) == [3, 2])
    try copy.remove("/folder/a")
    #expect(try disk.contents(of: "/folder") == ["a"])
  }

  @Test func `a copied disk on another machine gets another device ID`()
    async throws
  {
    let phone = try await TemporaryStore(records: Meal.self, on: disk)
    let first = try await phone.create(Meal.self) { $0.kcal = 1 }
    let copy = disk.copy(machineIdentity: nil)
    let options = JournalOptions.repeatable(
      seed: 2, fileSystem: InstrumentedFileSystem(copy, machineIdentity: "other"))
    let clone = try await EventStore.open(
      path: phone.path, options: options, catalog: phone.catalog)
    let second = try await clone.create(Meal.self) { $0.kcal = 2 }
    #expect(first.receipt.appended[0].id.device != second.receipt.appended[0].id.device)
    try await clone.close()
  }

  @Test func `devices share a disk in memory and leave no files`() async throws {
    do {
      let (phone, tablet) = try await Devices.meet(records: Meal.self, on: disk)
      _ = try await phone.create(Meal.self, key: "oats") { $0.kcal = 370 }
      try await phone.sync(with: tablet)
      #expect(tablet.snapshot[.oats]?.kcal == 370)
      #expect(try disk.contents(of: "/") == ["eventlog-1", "eventlog-2"])
      #expect(try tablet.journal.verify().problems.isEmpty)
      try await phone.reopen()
      #expect(phone.snapshot.json() == tablet.snapshot.json())
      try await phone.close()
      try await tablet.close()
    }
    #expect(try disk.contents(of: "/") == [])
  }
}
