import EventLog
import EventLogTesting
import Testing

/// Looking back through a store, and writing as of what was seen there.
@Suite struct StoreCutTests {
  private let box: Sandbox

  init() throws { box = try Sandbox() }

  private static func name(_ name: JSONValue, at time: String) -> EventDraft {
    var draft = EventDraft.of("profile.updated", nil, ["firstName": name])
    draft.at = Timestamp(time)
    return draft
  }

  @Test func `a store looks back while it goes on writing`() async throws {
    let store = box.store()
    let first = try await store.append([Self.name("Ada", at: "2026-01-01T08:00:00Z")])
    _ = try await store.append([Self.name("Augusta", at: "2026-01-02T08:00:00Z")])
    let then = try await store.snapshot(at: Cut(event: first.appended[0].id))
    #expect(then.singleton("profile").first?.shown == "Ada")
    #expect(then.eventCount == 2)
    #expect(then.frontier.tips.map(\.shortID) == [first.appended[0].id])
    let desk = try #require(DeviceID("desk-aaaaaaaa"))
    let code = await failureCode { () async throws(EventLogError) in
      _ = try await store.snapshot(at: Cut(device: desk))
    }
    #expect(code == .noDevice)
    #expect(store.snapshot.eventCount == 3)
  }

  @Test func `whoever looked at a cut has not seen what it left out`() async throws {
    let store = box.store()
    _ = try await store.append([Self.name("Ada", at: "2026-01-01T08:00:00Z")])
    // A clock that is ahead: the cut leaves this one out and takes the next one of the device.
    _ = try await store.append([Self.name("Augusta", at: "2036-01-01T08:00:00Z")])
    var theme = EventDraft.theme("dark")
    theme.at = Timestamp("2026-01-02T08:00:00Z")
    let last = try await store.append([theme]).appended[0].id
    // The journal's device.joined has the time of this run.
    let cut = Cut(time: try #require(Timestamp("2035-01-01T00:00:00Z")))
    let seen = try await store.snapshot(at: cut)
    #expect(seen.singleton("profile").first?.shown == "Ada")
    #expect(seen.frontier.tips.map(\.shortID) == [last])
    let code = await failureCode { () async throws(EventLogError) in
      _ = try await store.append([Self.name("Grace", at: "2026-01-03T08:00:00Z")], asOf: seen)
    }
    #expect(code == .changedMeanwhile)
    _ = try await store.append(
      [Self.name("Grace", at: "2026-01-03T08:00:00Z")], asOf: store.snapshot)
  }
}
