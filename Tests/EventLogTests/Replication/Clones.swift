import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// A phone on an in-memory disk that has synced with a tablet, and checks for its copies.
struct Clones {
  let phone: TemporaryStore
  let tablet: TemporaryStore
  /// The phone's first ID.
  let id: DeviceID

  init() async throws {
    (phone, tablet) = try await Devices.meet(records: Meal.self, on: MemoryFileSystem())
    _ = try await phone.create(Meal.self, key: "oats") { $0.kcal = 370 }
    try await phone.sync(with: tablet)
    id = phone.deviceID!
  }

  /// Appends an event and checks the device ID that it gets.
  ///
  /// - Returns: The notices of the append.
  @discardableResult
  func write(
    _ device: TemporaryStore, isFresh: Bool, asBefore: Bool = false,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    let before = device.deviceID
    let kcal = (device.snapshot[.oats]?.kcal ?? 0) + 1 + device.name.utf8.count
    let receipt = try await device.edit(.oats) { $0.kcal = kcal }
    let used = try #require(receipt.appended.first).id.device
    #expect((used != id) == isFresh, sourceLocation: location)
    if asBefore { #expect(used == before, sourceLocation: location) }
    #expect(device.deviceID == used, sourceLocation: location)
    return receipt.notices
  }

  /// Expects that each event ID has the same line in all journals, and that each journal is sound.
  func expectUniqueEventIDs(
    _ others: TemporaryStore..., at location: SourceLocation = #_sourceLocation
  ) async throws {
    var lines: [EventID: [UInt8]] = [:]
    for device in [phone, tablet] + others {
      _ = try device.journal.replay { event, line in
        if let known = lines[event.id] {
          #expect(known == line, "\(event.id)", sourceLocation: location)
        }
        lines[event.id] = line
        return true
      }
      // A fresh device names the events lost by a rollback until a sync returns them.
      #expect(
        try device.journal.verify().problems.allSatisfy { $0.code == .gap },
        sourceLocation: location)
    }
  }
}
