import EventLog
import EventLogClouds
import EventLogTesting
import Testing

/// A WebDAV server for which four in ten requests fail.
@Suite(.tags(.faults)) struct WebDAVChaosTests {
  @Test(arguments: StorageContractTests.chaosSeeds)
  func `syncs lose and duplicate no events if four in ten requests fail`(
    seed: Int
  ) async throws {
    let server = WebDAVServer()
    var rounds = try await ChaosRounds(.webDAV, server, seed: seed)
    try await rounds.run()
    #expect(server.objects.keys.allSatisfy { !$0.hasSuffix(".tmp") })
  }

  @Test(arguments: StorageContractTests.chaosSeeds)
  func `syncs through a proxy that rewrites paths lose no events`(seed: Int) async throws {
    let server = WebDAVServer(listedPath: "/inside/ada/")
    var rounds = try await ChaosRounds(.webDAV, server, seed: seed)
    try await rounds.run()
    #expect(server.otherFolder.isEmpty)
  }
}
