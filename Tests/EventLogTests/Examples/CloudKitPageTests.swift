import EventLog
import EventLogClouds
import Testing

/// The sample of the page on CloudKit compiles.
@Suite struct CloudKitPageTests {
  /// Represents the app's storage for secrets.
  private struct Vault {
    func webToken() throws(EventLogError) -> String? { nil }
    func keep(_ token: String) throws(EventLogError) {}
  }

  @Test func `CloudKit's storage gets its tokens from the app`() {
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
