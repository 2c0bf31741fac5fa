import EventLogTesting
import Testing

@testable import EventLog

/// The bases of conflicts are kept with the state: none costs a second reading of the journal.
@Suite struct StoredConflictTests {
  private let sandbox: Sandbox
  private var history = History(user: "ada")
  private let phone: DeviceID
  private let tablet: DeviceID

  init() throws {
    sandbox = try Sandbox()
    phone = history.device("phone")
    tablet = history.device("tablet")
    for index in 0..<600 {
      history.append(phone, "settings.changed", ["theme": .string("colour \(index)"), "a": 1])
    }
    history.syncAll()
  }

  private mutating func disagree(_ field: String) throws {
    history.append(phone, "settings.changed", .init(dictionaryLiteral: (field, "one")))
    history.append(tablet, "settings.changed", .init(dictionaryLiteral: (field, "two")))
    try history.write(to: sandbox.path)
  }

  /// Opens and closes a store; what it shows, and whether it read the whole journal.
  private func open() async throws -> (conflicts: [Conflict], readsAll: Bool) {
    sandbox.disk.resetCounts()
    let store = sandbox.store()
    try await store.refresh()
    let bytes = sandbox.disk.bytesRead
    try await store.close()
    return (store.snapshot.conflicts, bytes >= Int64(try sandbox.bytes().count))
  }

  @Test mutating func `a base is read once, and then known`() async throws {
    try disagree("theme")
    #expect(try await open().readsAll)
    var again = try await open()
    #expect(!again.readsAll)
    #expect(again.conflicts.map(\.base) == ["colour 599"])

    // The base of one that begins behind the checkpoint follows from what that keeps.
    try disagree("a")
    again = try await open()
    #expect(!again.readsAll)
    #expect(again.conflicts.map(\.id) == ["settings#a", "settings#theme"])
    #expect(again.conflicts.map(\.base) == [1, "colour 599"])
    #expect(try sandbox.state().conflicts == again.conflicts)
  }

  @Test mutating func `bases of another journal at the same path are forgotten`() async throws {
    try disagree("theme")
    let store = sandbox.store()
    try await store.refresh()
    #expect(store.snapshot.conflicts.map(\.base) == ["colour 599"])
    // The same events in the same places, but what showed before is another.
    var other = History(user: "ada")
    _ = (other.device("phone"), other.device("tablet"))
    for _ in 0..<600 { other.append(phone, "settings.changed", ["theme": "plain", "a": 1]) }
    other.syncAll()
    other.append(phone, "settings.changed", ["theme": "one"])
    other.append(tablet, "settings.changed", ["theme": "two"])
    try other.write(to: sandbox.folder.file("other.jsonl"))
    try sandbox.put(try sandbox.bytes("other.jsonl"))
    try await store.refresh()
    #expect(store.snapshot.conflicts.map(\.base) == ["plain"])
  }
}
