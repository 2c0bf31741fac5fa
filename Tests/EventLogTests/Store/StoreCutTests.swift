import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Synchronization
import Testing

/// Past states of an open store, and appends as of them.
@Suite struct StoreCutTests {
  private let box: Sandbox

  init() throws { box = try Sandbox() }

  private static func name(_ name: JSONValue, at time: String) -> EventDraft {
    var draft = EventDraft.of("profile.updated", nil, ["firstName": name])
    draft.at = Timestamp(time)
    return draft
  }

  @Test func `an open store can show a past state`() async throws {
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

  @Test func `an append as of a cut can't overwrite events outside the cut`() async throws {
    let store = box.store()
    _ = try await store.append([Self.name("Ada", at: "2026-01-01T08:00:00Z")])
    // A clock that is ahead: the cut excludes this event, but contains the device's next event.
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

  /// Appends one batch with the times of its source: two days in January, then one in March.
  private func importing(into store: EventStore) async throws -> [EventID] {
    let days = ["2026-01-05", "2026-01-20", "2026-03-01"]
    let receipt = try await store.append(
      zip(days, ["Ada", "Augusta", "Grace"]).map { day, name in
        Self.name(.string(name), at: "\(day)T08:00:00Z")
      })
    return receipt.appended.map(\.id)
  }

  @Test func `a cut by time excludes the later events of an import`() async throws {
    let store = box.store()
    let ids = try await importing(into: store)
    let cut = Cut(time: try #require(Timestamp("2026-01-31T00:00:00Z")))
    let seen = try await store.snapshot(at: cut)
    #expect(seen.singleton("profile").first?.shown == "Augusta")
    #expect(seen.frontier.tips.map(\.shortID) == [ids[1]])
    #expect(seen.eventCount == 2)
  }

  @Test func `a cut by event or device contains the whole batch up to its time`() async throws {
    let store = box.store()
    let ids = try await importing(into: store)
    var cut = Cut(event: ids[0])
    #expect(try await store.snapshot(at: cut).singleton("profile").first?.shown == "Grace")
    cut.time = Timestamp("2026-01-31T00:00:00Z")
    #expect(try await store.snapshot(at: cut).singleton("profile").first?.shown == "Augusta")
    cut.event = nil
    cut.device = ids[0].device
    #expect(try await store.snapshot(at: cut).singleton("profile").first?.shown == "Augusta")
  }

  @Test func `events of one batch that have no times of their own share one time`() async throws {
    let moments = Mutex<Int64>(1_767_225_600_000)
    var options = box.options()
    options.clock = WallClock {
      moments.withLock { moment in
        moment += 1
        return moment
      }
    }
    let store = EventStore.unread(path: box.path, options: options, catalog: .standard)
    for _ in 0..<2 {
      let names = ["Ada", "Augusta", "Grace"].map {
        EventDraft.of("profile.updated", nil, ["firstName": .string($0)])
      }
      _ = try await store.append(names)
    }
    var times: [String] = []
    _ = try Journal(store).replay { event, _ in
      times.append(event.at?.description ?? "")
      return true
    }
    #expect(times.count == 7)
    #expect(Set(times[1...3]).count == 1 && Set(times[4...6]).count == 1)
    #expect(Set(times).count == 3)
  }
}
