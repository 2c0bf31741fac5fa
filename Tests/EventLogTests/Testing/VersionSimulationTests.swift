import EventLog
import EventLogTesting
import Testing

/// Simulations of devices with two or three versions of an app, whose declarations change at
/// random.
@Suite(.tags(.random)) struct VersionSimulationTests {
  @Test func `devices with several versions of an app converge`() async throws {
    for seed in RandomRounds(40) {
      var versions = RandomVersions(seed: seed)
      let catalogs = try versions.make()
      do {
        let report = try await Simulation(seed: seed, versions: catalogs, actionCount: 60).check()
        #expect(report.failures == [])
      } catch {
        let files = catalogs.map { CollectionSchema.file($0.collections.suffix(2)).text }
        Issue.record("EVENTLOG_SEED=\(seed)\n\(error)\n\(files.joined(separator: "\n"))")
      }
    }
  }

  /// Records of two versions, for the function that apps use.
  private enum V1 {
    struct Plant: Record {
      var light: Int?
      var name = ""
      static let schema = Schema<Plant>(
        "plant", [.register("light", \.light, .integer(0...5)), .register("name", \.name)])
    }
  }

  private enum V2 {
    struct Plant: Record {
      var lux: Double?
      var title = ""
      static let schema = Schema<Plant>(
        "plant",
        [
          .register("lux", \.lux, .quantity).superseding("light", .times(500)),
          .register("title", \.title).superseding("name", writing: .same),
        ])
    }
  }

  @Test func `an app's two versions converge`() async throws {
    try await expectConvergence(
      records: V1.Plant.self, alongside: V2.Plant.self, seeds: 0..<UInt64(Rounds.of(8)))
  }
}
