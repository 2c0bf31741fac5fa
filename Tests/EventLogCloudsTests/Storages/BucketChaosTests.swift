import EventLog
import EventLogClouds
import EventLogTesting
import Testing

/// A bucket with which four in ten requests fail.
@Suite(.tags(.faults)) struct BucketChaosTests {
  @Test(arguments: StorageContractTests.chaosSeeds)
  func `syncs with four failures in ten requests lose and duplicate no events`(
    seed: Int
  ) async throws {
    var rounds = try await ChaosRounds(.s3, BucketServer(pageCount: 5), seed: seed)
    try await rounds.run()
  }
}
