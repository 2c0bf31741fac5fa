public import EventLog

/// Functions that create devices of one user for a test.
///
/// ```swift
/// let (phone, tablet) = try await Devices.meet(records: Food.self)
/// let oats = try await phone.create(Food.self) { $0.kcal = 380 }.id
/// try await phone.sync(with: tablet)
/// // These two edits are concurrent:
/// try await phone.edit(oats) { $0.kcal = 370 }
/// try await tablet.edit(oats) { $0.kcal = 400 }
/// #expect(try await phone.sync(with: tablet).newConflicts.map(\.field) == ["kcal"])
/// ```
///
/// Each device has its own journal in its own folder, its own device ID, and its own clock. The
/// clocks share a time, so that later calls have later times. To make a device's clock wrong, use
/// `clock.set(to:)`.
public enum Devices {
  /// Creates a phone and a tablet of one user, without any events.
  ///
  /// - Parameters:
  ///   - user: The user of the devices.
  ///   - records: The record types.
  ///   - catalog: Additional collections.
  ///   - projections: Your app's own projections.
  ///   - clock: The clock whose time the devices share.
  ///   - seed: The seed for device IDs and generated keys.
  ///   - memory: A disk in memory for all journals, or `nil` for the real disk.
  /// - Throws: `invalidSchema`, `inputOutput`.
  public static func meet(
    user: String = "ada", records: any Record.Type..., catalog: SchemaCatalog = SchemaCatalog(),
    projections: [any Projection.Type] = [], clock: AdjustableClock = AdjustableClock(),
    seed: UInt64 = 1, on memory: MemoryFileSystem? = nil
  ) async throws(EventLogError) -> (phone: TemporaryStore, tablet: TemporaryStore) {
    let devices = try await open(
      ["phone", "tablet"], user, try catalog.adding(records), projections, clock, seed, memory)
    return (devices[0], devices[1])
  }

  /// Creates any number of devices of one user, without any events.
  ///
  /// - Parameters:
  ///   - names: The prefixes of the device IDs.
  ///   - user: The user of the devices.
  ///   - records: The record types.
  ///   - catalog: Additional collections.
  ///   - projections: Your app's own projections.
  ///   - clock: The clock whose time the devices share.
  ///   - seed: The seed for device IDs and generated keys.
  ///   - memory: A disk in memory for all journals, or `nil` for the real disk.
  /// - Throws: `invalidSchema`, `inputOutput`.
  public static func meet(
    _ names: [String], user: String = "ada", records: any Record.Type...,
    catalog: SchemaCatalog = SchemaCatalog(), projections: [any Projection.Type] = [],
    clock: AdjustableClock = AdjustableClock(), seed: UInt64 = 1,
    on memory: MemoryFileSystem? = nil
  ) async throws(EventLogError) -> [TemporaryStore] {
    try await open(names, user, try catalog.adding(records), projections, clock, seed, memory)
  }

  /// Syncs devices until each of them has all events.
  ///
  /// - Parameter devices: The devices.
  /// - Throws: The errors of ``TemporaryStore/sync(with:_:)-(TemporaryStore,_)``.
  public static func syncAll(_ devices: [TemporaryStore]) async throws(EventLogError) {
    guard let first = devices.first else { return }
    for device in devices.dropFirst() { try await first.sync(with: device) }
    // The last device already has everything.
    for device in devices.dropFirst().dropLast() { try await first.sync(with: device) }
  }

  private static func open(
    _ names: [String], _ user: String, _ catalog: SchemaCatalog,
    _ projections: [any Projection.Type], _ clock: AdjustableClock, _ seed: UInt64,
    _ memory: MemoryFileSystem?
  ) async throws(EventLogError) -> [TemporaryStore] {
    var devices: [TemporaryStore] = []
    for (index, name) in names.enumerated() {
      devices.append(
        try await TemporaryStore(
          device: name, user: user, bytes: nil, catalog: catalog, projections: projections,
          clock: AdjustableClock(sharingTimeOf: clock),
          // Devices with the same name get different IDs.
          seed: seed &+ UInt64(index), on: memory))
    }
    return devices
  }
}
