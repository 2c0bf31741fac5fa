import EventLog
import EventLogClouds
import EventLogRemotes
import EventLogTesting
import Testing

/// The sample of the page on documents compiles.
@Suite struct DocumentsPageTests {
  @Test func `a store is published as documents by a layout`() async throws {
    @Sendable func token(isRejected: Bool) async -> String { "token" }
    let user = "ada"
    let firestore = FirestoreStorage(project: "diary", user: user, token: token)
    // Compiled but not run: no test connects to another machine.
    func published(_ store: EventStore) async throws {
      // Docs: begin
      let layout = try DocumentLayout(
        name: "seeds", rules: [.init(path: "users/{user}/habits/{id}", section: "habits")])
      let publisher = Publisher(
        layout, to: FirestoreDocumentStore(project: "diary", user: user, token: token))
      try await publisher.publish(store, syncingWith: ObjectRemote(firestore))
      // Docs: end
    }
    _ = published
    #expect(firestore.address == "firestore://diary/ada")
  }
}
