import EventLog
import EventLogClouds
import EventLogTesting
import Testing

/// A bucket for which four in ten requests fail.
@Suite(.tags(.faults)) struct BucketChaosTests {
  @Test(arguments: StorageContractTests.chaosSeeds)
  func `syncs lose and duplicate no events if four in ten requests fail`(
    seed: Int
  ) async throws {
    var rounds = try await ChaosRounds(.s3, BucketServer(pageCount: 5), seed: seed)
    try await rounds.run()
  }
}
