import EventLog
import EventLogRemotes
import EventLogTesting
import Testing

@testable import EventLogClouds

/// Two devices that share a zone.
@Suite struct CloudKitSyncTests {
  private struct Meal: Record {
    var name = ""

    static let schema = Schema<Meal>("meal", [.register("name", \.name)])
  }

  private func expectEqual(
    _ phoneStorage: CloudKitStorage, _ tabletStorage: CloudKitStorage
  ) async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    let tablet = try await TemporaryStore(device: "tablet", records: Meal.self, seed: 2)
    let (one, other) = (ObjectRemote(phoneStorage), ObjectRemote(tabletStorage))
    for number in 0..<6 {
      try await phone.create(Meal.self) { $0.name = "phone \(number)" }
      try await tablet.create(Meal.self) { $0.name = "tablet \(number)" }
      _ = try await phone.sync(with: one)
      _ = try await tablet.sync(with: other)
    }
    _ = try await phone.sync(with: one)
    for device in [phone, tablet] { #expect(device.snapshot.all(Meal.self).count == 12) }
    #expect(phone.snapshot.eventCount == tablet.snapshot.eventCount)
  }

  @Test func `two devices with one zone converge over CloudKit Web Services`() async throws {
    let server = CloudKitServer(pageCount: 4)
    try await expectEqual(CloudKitDevice(server).storage, CloudKitDevice(server).storage)
  }

  @Test func `two devices with one zone converge over an app's own calls`() async throws {
    let zone = InMemoryCloudKit()
    try await expectEqual(
      CloudKitStorage(zone, address: "cloudkit://a/b"),
      CloudKitStorage(zone, address: "cloudkit://a/b"))
    #expect(!zone.names.isEmpty)
  }

  @Test func `a sync without new events sends one request`() async throws {
    let server = CloudKitServer()
    let device = CloudKitDevice(server)
    let phone = try await TemporaryStore(records: Meal.self)
    try await phone.create(Meal.self) { $0.name = "Soup" }
    for _ in 0..<3 { _ = try await phone.sync(with: ObjectRemote(device.storage)) }
    let before = server.paths.count
    _ = try await phone.sync(with: ObjectRemote(device.storage))
    #expect(server.paths[before...] == ["changes/zone"])
  }
}
