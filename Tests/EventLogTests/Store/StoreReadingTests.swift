import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// Reports that an open store makes from its journal, on a separate thread.
@Suite struct StoreReadingTests {
  private let box: Sandbox

  init() throws { box = try Sandbox() }

  @Test func `an open store lists the writes of a field, at present or at a cut`() async throws {
    let store = box.store()
    let first = try await store.append([.theme("dark")]).appended[0].id
    _ = try await store.append([.theme("light")], durability: .buffered)
    let all = try await store.why("settings", "theme")
    #expect(all.history.writes.map(\.value) == ["dark", "light"])
    #expect(all.history == (try box.journal().why("settings", "theme").history))
    let then = try await store.why("settings", "theme", at: Cut(event: first))
    #expect(then.history.writes.map(\.event) == [first])
    let code = await failureCode { () async throws(EventLogError) in
      _ = try await store.why("settings", "colour")
    }
    #expect(code == .noField)
  }

  @Test func `verify finds damage in lines that the store has already read`() async throws {
    let store = box.store()
    for theme: JSONValue in ["dark", "light", "dark"] {
      _ = try await store.append([.theme(theme)])
    }
    #expect(try await store.verify().problemCount == 0)
    var bytes = try box.bytes()
    bytes[bytes.count / 2] ^= 1
    try box.put(bytes)
    try await store.refresh()
    #expect(store.snapshot.damage.isEmpty)
    let report = try await store.verify()
    #expect(report.problemCount > 0 && report.eventCount == 3)
  }

  @Test func `an open store reports on the journal of the user it was opened for`() async throws {
    var (ada, ben) = (HandmadeDevice("ada"), HandmadeDevice("ben"))
    let lines = [
      ben.join(user: "ben"), ben.write("settings.changed", nil, ["theme": "ben"]),
      ada.join(user: "ada"), ada.write("settings.changed", nil, ["theme": "ada"]),
    ]
    try box.put(lines.flatMap { $0 + [0x0A] })
    for user in ["ada", "ben"] {
      let store = box.store(user: user)
      try await store.refresh()
      let writes = try await store.why("settings", "theme").history.writes
      #expect(writes.map(\.value) == [.string(user)])
      let past = try await store.snapshot(at: Cut(event: writes[0].event))
      #expect(past.singleton("settings").map(\.shown) == [.string(user)])
      #expect(try await store.verify().problems.map(\.code) == [.otherUser])
    }
  }
}
