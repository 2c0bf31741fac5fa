import EventLog
import EventLogClouds
import EventLogTesting
import Testing

/// A WebDAV server with which four in ten requests fail.
@Suite(.tags(.faults)) struct WebDAVChaosTests {
  @Test(arguments: StorageContractTests.chaosSeeds)
  func `syncs with four failures in ten requests lose and duplicate no events`(
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
