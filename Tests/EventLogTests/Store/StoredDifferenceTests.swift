import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// Comparing two journals gives the same result with and without checkpoints.
@Suite struct StoredDifferenceTests {
  /// Two devices with a common past, large enough for a checkpoint, and later concurrent edits.
  ///
  /// The phone has overwritten some fields so often that its state no longer contains their values
  /// at the divergence.
  private func apart() async throws -> (phone: TemporaryStore, tablet: TemporaryStore) {
    let (phone, tablet) = try await Devices.withOats()
    try await phone.sync(with: tablet)
    _ = try await phone.append(
      (0..<3000).map { number in
        number % 10 == 0
          ? .theme(.string("theme \(number)"))
          : EventDraft(
            type: "meal.edited", entity: EntityID("meal/oats"),
            data: ["kcal": .number(JSONNumber(Int64(number)))])
      })
    // The phone doesn't learn that the tablet has received all of it.
    try await phone.sync(with: tablet)
    for number in 0..<40 {
      try await phone.edit(.oats) { $0.kcal = 4000 + number }
      _ = try await phone.append([.theme(.string("of the phone \(number)"))])
    }
    try await tablet.edit(.oats) { $0.kcal = 5000 }
    _ = try await tablet.append([.theme("of the tablet")])
    return (phone, tablet)
  }

  /// The offset at which a comparison starts to read a device's journal, or nil for the first line.
  private func beginning(of device: TemporaryStore) throws -> Int64? {
    let file = try JournalFile.open(device.store.path, .read, fileSystem: SystemFileSystem())
    defer { file.close() }
    return journal(of: device).beginWhole(file)?.endOffset
  }

  private func expectSame(_ one: JournalDifference, _ other: JournalDifference) {
    #expect(one.left == other.left && one.right == other.right)
    #expect(one.leftTimes == other.leftTimes && one.rightTimes == other.rightTimes)
    #expect(one.fields == other.fields)
    #expect(one.conflicts == other.conflicts)
    #expect(one.damage.left?.line == other.damage.left?.line)
    #expect(one.damage.right?.line == other.damage.right?.line)
  }

  private func journal(
    of device: TemporaryStore, _ disk: any FileSystem = SystemFileSystem(),
    usingCheckpoint usesCheckpoint: Bool = true
  ) -> Journal {
    Journal(
      path: device.store.path, catalog: device.catalog, fileSystem: disk,
      usesCheckpoint: usesCheckpoint)
  }

  @Test(arguments: [[true, true], [true, false], [false, true]])
  func `a comparison that uses checkpoints equals one that reads all lines`(reopened: [Bool])
    async throws
  {
    let (phone, tablet) = try await apart()
    for (device, isReopened) in zip([phone, tablet], reopened) where isReopened {
      try await device.reopen()
      try #require(try beginning(of: device) != nil)
    }
    let read = try journal(of: phone, usingCheckpoint: false)
      .difference(from: journal(of: tablet, usingCheckpoint: false))
    #expect(read.conflicts.map(\.field) == ["kcal", "theme"])
    #expect(read.conflicts.map(\.base) == [2999, "theme 2990"])
    #expect(read.fields.count == 2)
    expectSame(try phone.journal.difference(from: tablet.journal), read)
    expectSame(
      try tablet.journal.difference(from: phone.journal),
      try journal(of: tablet, usingCheckpoint: false)
        .difference(from: journal(of: phone, usingCheckpoint: false)))
  }

  @Test func `a comparison reports damage in lines that a checkpoint covers`() async throws {
    let (phone, tablet) = try await apart()
    for device in [phone, tablet] { try await device.reopen() }
    try tablet.damage(lineAt: 500, .changed)
    #expect(try beginning(of: phone) != nil && beginning(of: tablet) == nil)
    let difference = try phone.journal.difference(from: tablet.journal)
    #expect(difference.damage.left == nil && difference.damage.right?.line == 501)
    #expect(difference.left.map(\.count).contains(1))
  }

  @Test func `a base that the state doesn't contain costs one further reading`() async throws {
    let (phone, tablet) = try await apart()
    for device in [phone, tablet] { try await device.reopen() }
    let disk = InstrumentedFileSystem()
    let difference = try journal(of: phone, disk).difference(from: journal(of: tablet, disk))
    #expect(difference.conflicts.map(\.base) == [2999, "theme 2990"])
    let size = try [phone, tablet].reduce(Int64(0)) {
      try $0 + SystemFileSystem().status(at: $1.store.path).size
    }
    // Both journals and their checkpoints, and the receiving journal once more.
    #expect(disk.bytesRead > size * 5 / 4 && disk.bytesRead < size * 7 / 4)
  }
}
