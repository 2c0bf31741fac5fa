public import EventLog

/// Devices of one user, which work apart and sync when a test says so.
///
/// ```swift
/// let (phone, tablet) = try await Devices.meet(records: Food.self)
/// let oats = try await phone.create(Food.self) { $0.kcal = 380 }.id
/// try await phone.sync(with: tablet)
/// // Neither of these two knows of the other:
/// try await phone.edit(oats) { $0.kcal = 370 }
/// try await tablet.edit(oats) { $0.kcal = 400 }
/// #expect(try await phone.sync(with: tablet).newConflicts.map(\.field) == ["kcal"])
/// ```
///
/// Each has a journal in a folder of its own, a device ID of its own and a clock. The clocks share
/// one time, so that what a test does later is later, until it sets one of them wrong:
/// `tablet.clock.set(to:)`.
public enum Devices {
  /// Opens the stores of a phone and a tablet of one user, who hold the same: nothing yet.
  ///
  /// - Parameters:
  ///   - user: whose devices they are.
  ///   - records: the collections besides those of `catalog`.
  ///   - clock: gives the time that they share.
  ///   - seed: what their IDs and minted keys follow from.
  ///   - memory: a disk in memory that holds all their journals; nil: the real disk does.
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

  /// Opens the stores of any number of devices of one user.
  ///
  /// - Parameter names: what their device IDs begin with.
  /// - Throws: `invalidSchema`, `inputOutput`.
  public static func meet(
    _ names: [String], user: String = "ada", records: any Record.Type...,
    catalog: SchemaCatalog = SchemaCatalog(), projections: [any Projection.Type] = [],
    clock: AdjustableClock = AdjustableClock(), seed: UInt64 = 1,
    on memory: MemoryFileSystem? = nil
  ) async throws(EventLogError) -> [TemporaryStore] {
    try await open(names, user, try catalog.adding(records), projections, clock, seed, memory)
  }

  /// Lets all devices sync until each holds what any of them held.
  ///
  /// - Throws: as ``TemporaryStore/sync(with:)``.
  public static func syncAll(_ devices: [TemporaryStore]) async throws(EventLogError) {
    guard let first = devices.first else { return }
    for device in devices.dropFirst() { try await first.sync(with: device) }
    // The last one has synced with somebody who held everything.
    for device in devices.dropFirst().dropLast() { try await first.sync(with: device) }
  }

  private static func open(
    _ names: [String], _ user: String, _ catalog: SchemaCatalog,
    _ projections: [any Projection.Type], _ clock: AdjustableClock, _ seed: UInt64,
    _ memory: MemoryFileSystem?
  ) async throws(EventLogError) -> [TemporaryStore] {
    var devices: [TemporaryStore] = []
    for (place, name) in names.enumerated() {
      devices.append(
        try await TemporaryStore(
          device: name, user: user, bytes: nil, catalog: catalog, projections: projections,
          clock: AdjustableClock(sharingTimeOf: clock),
          // Of two devices of one name each has an ID of its own.
          seed: seed &+ UInt64(place), on: memory))
    }
    return devices
  }
}
