import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// Conflicts that are resolved on one device or on several.
@Suite struct ConflictResolutionTests {
  /// A phone and a tablet that disagree about kcal, 371 or 372, and a desk that holds both values.
  private func disagreeing() async throws -> [TemporaryStore] {
    let devices = try await Devices.meet(["phone", "tablet", "desk"], records: Meal.self)
    _ = try await devices[0].create(Meal.self, key: "oats") { $0.kcal = 370 }
    try await Devices.syncAll(devices)
    try await devices[0].edit(.oats) { $0.kcal = 371 }
    try await devices[1].edit(.oats) { $0.kcal = 372 }
    try await Devices.syncAll(devices)
    for device in devices { #expect(device.snapshot.conflicts.map(\.id) == ["meal/oats#kcal"]) }
    return devices
  }

  private func resolve(_ device: TemporaryStore, _ value: Int) async throws {
    let conflict = try #require(device.snapshot.conflicts.first)
    let candidate = try #require(
      conflict.candidates.first { $0.value == .number(JSONNumber(Int64(value))) })
    try await device.resolve(conflict, taking: candidate.event)
  }

  @Test func `a conflict resolved on one device is resolved on all`() async throws {
    let devices = try await disagreeing()
    try await resolve(devices[2], 371)
    for device in devices.dropLast() {
      let report = try await device.sync(with: devices[2])
      #expect(report.newConflicts.isEmpty)
      #expect(device.snapshot.conflicts.isEmpty && device.snapshot[.oats]?.kcal == 371)
    }
  }

  @Test func `the same choice on two devices isn't a conflict`() async throws {
    let devices = try await disagreeing()
    try await resolve(devices[0], 371)
    try await resolve(devices[1], 371)
    for device in devices.dropFirst() {
      let report = try await devices[0].sync(with: device)
      #expect(report.newConflicts.isEmpty)
    }
    try await Devices.syncAll(devices)
    for device in devices {
      #expect(device.snapshot.conflicts.isEmpty && device.snapshot[.oats]?.kcal == 371)
    }
  }

  @Test func `different choices on two devices conflict with each other`() async throws {
    let devices = try await disagreeing()
    try await resolve(devices[0], 371)
    try await resolve(devices[1], 372)
    let conflicts = try await devices[0].sync(with: devices[1]).newConflicts
    let conflict = try #require(conflicts.first)
    #expect(conflicts.count == 1 && conflict.candidates.count == 2)
    #expect(
      Set(conflict.candidates.map(\.event.device))
        == [try #require(devices[0].deviceID), try #require(devices[1].deviceID)])
    // The second resolution is final, and the first choices remain readable.
    try await resolve(devices[0], 372)
    try await Devices.syncAll(devices)
    for device in devices { #expect(device.snapshot.conflicts.isEmpty) }
    let history = try devices[2].journal.why("meal/oats", "kcal").history
    #expect(history.writes.count == 6)
  }

  @Test
  func `a resolution fails if a candidate arrived after the conflict was shown`() async throws {
    let devices = try await Devices.meet(["phone", "tablet", "desk"], records: Meal.self)
    let (phone, tablet, desk) = (devices[0], devices[1], devices[2])
    _ = try await phone.create(Meal.self, key: "oats") { $0.kcal = 370 }
    try await Devices.syncAll(devices)
    for (number, device) in devices.enumerated() {
      try await device.edit(.oats) { $0.kcal = 371 + number }
    }
    try await phone.sync(with: tablet)
    let shown = try #require(phone.snapshot.conflicts.first)
    #expect(shown.candidates.count == 2)
    try await phone.sync(with: desk)
    let lines = try phone.lines()
    let error = try #require(
      await thrownError { () async throws(EventLogError) in
        try await phone.resolve(shown, taking: shown.candidates[0].event)
      })
    #expect(error.code == .changedMeanwhile)
    #expect(error.unseen.map(\.value) == [373])
    #expect(try phone.lines() == lines)
    // With all three candidates shown, it can be resolved.
    let updated = try #require(phone.snapshot.conflicts.first)
    #expect(updated.candidates.count == 3)
    try await phone.resolve(updated, taking: updated.candidates[0].event)
    #expect(phone.snapshot.conflicts.isEmpty)
  }

  @Test func `a resolution conflicts with an edit if neither has seen the other`() async throws {
    let devices = try await disagreeing()
    // The phone resolves the conflict. The tablet edits without having seen the resolution.
    try await resolve(devices[0], 371)
    try await devices[1].edit(.oats) { $0.kcal = 400 }
    let report = try await devices[0].sync(with: devices[1])
    // Both have seen the old candidates, but not each other.
    let conflict = try #require(report.newConflicts.first)
    #expect(Set(conflict.candidates.map(\.value)) == [371, 400])
  }

  private func thrownError(
    _ body: () async throws(EventLogError) -> Void
  ) async -> EventLogError? {
    do throws(EventLogError) {
      try await body()
      return nil
    } catch {
      return error
    }
  }
}
