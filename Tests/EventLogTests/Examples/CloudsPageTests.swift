import EventLog
import EventLogAccounts
import EventLogClouds
import EventLogRemotes
import EventLogTesting
import Testing

/// The samples of the page on clouds compile.
@Suite struct CloudsPageTests {
  @Test func `cloud storages are created from credentials and used as remotes`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    let store = phone.store
    let (user, keyID, secret, password) = ("ada", "id", "secret", "word")
    @Sendable func idToken(renewed: Bool) async -> String { "token" }
    // Docs: begin
    let bucket = BucketStorage(
      bucket: "diary", prefix: "users/\(user)", region: "eu-central-1",
      credentials: { BucketCredentials(accessKeyID: keyID, secretAccessKey: secret) })
    let firestore = FirestoreStorage(
      project: "diary", user: user, token: { isRejected in await idToken(renewed: isRejected) })
    let folder = try WebDAVStorage(
      url: "https://cloud.example.org/remote.php/dav/files/ada/eventlog",
      credentials: { WebDAVCredentials(user: user, password: password) })
    // Docs: end
    // Compiled but not run: no test connects to another machine.
    func replicated(_ store: EventStore) -> Replicator {
      // Docs: begin
      let replicator = store.replicate(
        with: [ObjectRemote(bucket), ObjectRemote(firestore), ObjectRemote(folder)])
      // Docs: end
      return replicator
    }
    _ = replicated
    // Docs: begin
    let providers = [
      StorageProvider("firestore") { user in
        FirestoreStorage(project: "diary", user: user, token: { await idToken(renewed: $0) })
      }
    ]
    // Docs: end
    #expect(try await providers[0].remote(for: "eve").address == "firestore://diary/eve")
    func signedIn(appFolder: String, webKey: String) async throws -> FirestoreStorage {
      // Docs: begin
      let auth = FirebaseAuth(
        project: "diary", apiKey: webKey,
        credentials: FileCredentialStore(folder: "\(appFolder)/credentials"))
      let user = try await auth.signInAnonymously()
      let firestore = FirestoreStorage(
        project: "diary", user: user.id, token: auth.tokens(of: user.id))
      // Docs: end
      return firestore
    }
    _ = signedIn
    #expect(bucket.address == "s3://diary/users/ada?region=eu-central-1")
    #expect(firestore.address == "firestore://diary/ada")
    #expect(
      folder.address == "davs://cloud.example.org/remote.php/dav/files/ada/eventlog")
    #expect(store.snapshot.eventCount == 0)
  }
}
