import EventLog
import EventLogClouds
import Testing

/// The snippet of the page on CloudKit compiles.
@Suite struct CloudKitPageTests {
  /// Where an app keeps its secrets.
  private struct Vault {
    func webToken() throws(EventLogError) -> String? { nil }
    func keep(_ token: String) throws(EventLogError) {}
  }

  @Test func `CloudKit's tokens come from the app and go back to it`() {
    let (apiToken, vault) = ("api", Vault())
    // Docs: begin
    let iCloud = CloudKitStorage(
      container: "iCloud.com.example.diary", environment: .production,
      credentials: CloudKitCredentials(
        apiToken: apiToken, load: vault.webToken, store: vault.keep))
    // Docs: end
    #expect(iCloud.address == "cloudkit://iCloud.com.example.diary/production")
  }
}
