import EventLog
import EventLogClouds
import EventLogTesting
import Testing

/// A bucket of which four requests in ten fail in any way.
@Suite struct BucketChaosTests {
  @Test(arguments: StorageContractTests.chaosSeeds)
  func `four failures in ten lose, double and leave nothing`(seed: Int) async throws {
    var rounds = try await ChaosRounds(.s3, BucketServer(pageCount: 5), seed: seed)
    try await rounds.run()
  }
}
