import EventLog
import EventLogClouds
import EventLogTesting
import Testing

/// A folder of a WebDAV server of which four requests in ten fail in any way.
@Suite struct WebDAVChaosTests {
  @Test(arguments: StorageContractTests.chaosSeeds)
  func `four failures in ten lose, double and leave nothing`(seed: Int) async throws {
    let server = WebDAVServer()
    var rounds = try await ChaosRounds(.webDAV, server, seed: seed)
    try await rounds.run()
    #expect(server.objects.keys.allSatisfy { !$0.hasSuffix(".tmp") })
  }

  @Test(arguments: StorageContractTests.chaosSeeds)
  func `nothing is lost behind a proxy that changes paths`(seed: Int) async throws {
    let server = WebDAVServer(listedPath: "/inside/ada/")
    var rounds = try await ChaosRounds(.webDAV, server, seed: seed)
    try await rounds.run()
    #expect(server.otherFolder.isEmpty)
  }
}
