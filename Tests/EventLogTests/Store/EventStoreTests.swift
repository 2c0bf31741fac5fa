import EventLog
import EventLogInspection
import EventLogTesting
import Synchronization
import Testing

@Suite struct EventStoreTests {
  let box: Sandbox

  init() throws { box = try Sandbox() }

  // MARK: - Concurrent appends

  @Test func `6400 concurrent durable appends are durable when they return`() async throws {
    let recorder = CrashRecorder(box.disk)
    let store = box.store(on: recorder)
    let first = try await store.append([.begin])
    let device = first.appended[0].id.device
    box.disk.resetCounts()
    let path = box.path
    let ids = try await withThrowingTaskGroup(of: [EventID].self) { group in
      for task in 0..<64 {
        group.addTask {
          var ids: [EventID] = []
          for index in 0..<100 {
            let receipt = try await store.append([.advance])
            ids += receipt.appended.map(\.id)
            guard (task + index) % 64 == 0 else { continue }
            // Even the worst possible state after a power loss contains the event. Other tasks may
            // have appended many more before this one continues.
            let durable = recorder.possibleContents(of: path, limit: 1, seed: 0)[0]
            let begin = "{\"id\":\"\(receipt.appended[0].id)\""
            #expect(Array(durable).containsBytes(of: begin))
          }
          return ids
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(ids.count == 6400)
    #expect(Set(ids) == Set((3...6402).map { EventID(device: device, sequence: $0) }))
    let report = try box.journal().verify()
    #expect(report.problems.isEmpty)
    #expect(report.eventCount == 6402)
    let day = try #require(try box.state().entities("habit")[0].days.first)
    #expect(day.fields.contains { $0.value == .count(JSONNumber(6400)) })
  }

  @Test func `an append and its record are durable when it returns`() async throws {
    let recorder = CrashRecorder(box.disk)
    let store = box.store(on: recorder)
    for count in [1, 2, 40] {
      let drafts = (0..<count).map {
        EventDraft.of(
          "settings.changed", nil, ["note\($0)": .string(String(repeating: "x", count: 300))])
      }
      _ = try await store.append(drafts)
      #expect(recorder.possibleContents(of: box.path, limit: 9, seed: 1) == [try box.bytes()])
      #expect(!recorder.mayBeMissing(box.path))
      #expect(!recorder.mayBeMissing(box.recordPath))
    }
  }

  @Test func `every concurrent request gets its own result`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    let codes = await withTaskGroup(of: (Int, EventLogError.Code?).self) { group in
      for index in 0..<30 {
        group.addTask {
          let draft: EventDraft = index % 3 == 0 ? .of("habit.archived", "habit/none") : .advance
          return (
            index,
            await failureCode { () throws(EventLogError) in
              _ = try await store.append([draft])
            }
          )
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for index in 0..<30 { #expect(codes[index] == (index % 3 == 0 ? .noEntity : nil)) }
    #expect(try box.journal().verify().eventCount == 2 + 20)
  }

  // MARK: - Batches

  @Test func `a batch with one refused event is refused as a whole`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    let before = try box.bytes()
    let batches: [[EventDraft]] = [
      [.advance, .theme("dark"), .of("habit.edited", "habit/none", ["name": "x"])],
      [.of("habit.edited", "habit/none", ["name": "x"]), .advance],
      [.of("habit.created", "habit/run", ["name": "Run"]), .begin],
      [.of("habit.deleted", "habit/read"), .advance],
      [.advance, .of("note.added")],
      [.theme("dark"), .of("device.joined", nil, ["user": "ben", "name": "x"])],
      [.theme(.string(String(repeating: "x", count: 1 << 20)))],
    ]
    let codes: [EventLogError.Code] = [
      .noEntity, .noEntity, .entityExists, .deletedEntity, .unknownType, .reservedType,
      .eventTooLarge,
    ]
    for (batch, code) in zip(batches, codes) {
      #expect(
        await failureCode { () throws(EventLogError) in
          _ = try await store.append(batch)
        } == code)
      #expect(try box.bytes() == before)
    }
    // A refused batch leaves no state in the store.
    _ = try await store.append([.of("habit.created", "habit/run", ["name": "Run"]), .advance])
    #expect(try box.events().map(\.sequence) == [1, 2, 3, 4])
    #expect(try box.state().entities("habit").count == 2)
  }

  @Test func `later events of a batch are checked after the earlier ones`() async throws {
    let receipt = try await box.store().append([
      .begin, .advance, .of("habit.deleted", "habit/read"), .of("habit.restored", "habit/read"),
      .of("completion.recorded", "habit/read", ["date": "2026-01-28", "progress": 3]),
    ])
    #expect(receipt.appended.map(\.id.sequence) == [2, 3, 4, 5, 6])
    #expect(try box.journal().verify().notes.isEmpty)
  }

  @Test(arguments: [true, false])
  func `a refused append creates no file`(isNew: Bool) async throws {
    if !isNew { try box.put([]) }
    let store = box.store()
    #expect(
      await failureCode { () throws(EventLogError) in
        _ = try await store.append([.advance])
      } == .noEntity)
    #expect(box.exists("ada.jsonl") == !isNew)
    #expect(!box.exists("ada.eventlog"))
    _ = try await store.append([.begin])
    #expect(try box.events().count == 2)
  }

  @Test func `data nested too deeply is refused and leaves no damage`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    let before = try box.bytes()
    var deep = JSONValue.array([])
    for _ in 0..<70 { deep = .array([deep]) }
    #expect(
      await failureCode { () throws(EventLogError) in
        _ = try await store.append([.theme(deep)])
      } == .invalidEvent)
    #expect(try box.bytes() == before)
    _ = try await store.append([.theme("dark")])
    #expect(try box.journal().verify().problems.isEmpty)
  }

  // MARK: - References

  @Test func `an event whose ref the journal already contains is skipped and counted`() async throws
  {
    let store = box.store()
    let first = try await store.append([
      .theme("dark", ref: "a"), .theme("light", ref: "a"), .theme("blue", ref: "\u{e9}\""),
    ])
    #expect(first.appended.count == 2)
    #expect(first.skippedCount == 1)
    let before = try box.bytes()
    for store in [store, box.store()] {
      let second = try await store.append([
        .theme("red", ref: "\u{e9}\""), .theme("light", ref: "a"),
        // A known ref is skipped before any other check.
        .of("no.such", "habit/none", ref: "a"),
      ])
      #expect(second.appended.isEmpty)
      #expect(second.skippedCount == 3)
      #expect(try box.bytes() == before)
    }
    // Refs are compared by bytes, unlike Swift strings.
    let other = try await store.append([.theme("red", ref: "e\u{301}\"")])
    #expect(other.skippedCount == 0)
  }

  @Test func `a refused batch doesn't use up its refs`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    #expect(
      await failureCode { () throws(EventLogError) in
        _ = try await store.append([.theme("dark", ref: "a"), .of("habit.archived", "habit/none")])
      } == .noEntity)
    #expect(try await store.append([.theme("dark", ref: "a")]).appended.count == 1)
    for ref in ["", String(repeating: "x", count: 129)] {
      #expect(
        await failureCode { () throws(EventLogError) in
          _ = try await store.append([.theme("dark", ref: ref)])
        } == .invalidEvent)
    }
  }

  // MARK: - Users

  @Test func `a store of another user can't append to the journal`() async throws {
    #expect(
      await failureCode { () throws(EventLogError) in
        _ = try await box.store(user: nil).append([.begin])
      } == .noJournal)
    _ = try await box.store(user: "ada").append([.begin])
    let before = try box.bytes()
    #expect(
      await failureCode { () throws(EventLogError) in
        _ = try await box.store(user: "ben").append([.advance])
      } == .otherUser)
    #expect(try box.bytes() == before)
    _ = try await box.store(user: nil).append([.advance])
    #expect(try box.state().user == "ada")
  }

  @Test func `an append to an empty file is refused without a user`() async throws {
    try box.put([])
    #expect(
      await failureCode { () throws(EventLogError) in
        _ = try await box.store(user: nil).append([.begin])
      } == .userNeeded)
    #expect(try box.bytes().isEmpty)
  }

  @Test(arguments: ["", "a\nb", "\u{0}", "\u{85}", String(repeating: "é", count: 65)])
  func `an append under an invalid user name is refused`(user: String) async throws {
    #expect(
      await failureCode { () throws(EventLogError) in
        _ = try await box.store(user: user).append([.begin])
      } == .invalidInput)
    #expect(!box.exists("ada.jsonl"))
  }

  @Test(arguments: ["", "b b\n", String(repeating: "é", count: 65)])
  func `opening under an invalid user name is refused for a new journal only`(
    user: String
  ) async throws {
    func open() async throws(EventLogError) -> EventStore {
      try await EventStore.open(path: box.path, options: box.options(user: user))
    }
    #expect(await failureCode { () throws(EventLogError) in _ = try await open() } == .invalidInput)
    #expect(!box.exists("ada.jsonl"))
    // With its first line damaged, the journal no longer names its user.
    _ = try await box.store().append([.begin])
    let lines = Sandbox.lines(try box.bytes())
    try box.put([UInt8](repeating: 0x78, count: lines[0].count - 1) + [0x0A] + lines[1])
    let store = try await open()
    #expect(store.snapshot.eventCount == 1)
    #expect(
      await failureCode { () throws(EventLogError) in
        _ = try await store.append([.theme("dark")])
      } == .invalidInput)
  }

  @Test func `opening a new journal without a user explains how to pass one`() async throws {
    let error = await thrown { () throws(EventLogError) in
      _ = try await EventStore.open(path: box.path, options: box.options(user: nil))
    }
    #expect(error?.code == .noJournal && error?.cause == .noSuchFile)
    #expect(error?.location.file == box.path)
    #expect(error?.hint?.contains("JournalOptions(user: \"ada\")") == true)
  }

  @Test(arguments: ["../x", "é\"\\", String(repeating: "é", count: 64)])
  func `an unusual but valid user name never becomes part of a path`(user: String) async throws {
    _ = try await box.store(user: user).append([.begin])
    #expect(try box.state().user == user)
    #expect(try SystemFileSystem().contents(of: box.folder.path) == ["ada.eventlog", "ada.jsonl"])
  }

  // MARK: - Failures

  @Test func `every append that waited for a failed sync throws`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    box.disk.failNext(.sync, with: .inputOutput, times: .max)
    let failed = await withTaskGroup(of: EventLogError.Code?.self) { group in
      for _ in 0..<20 {
        group.addTask {
          await failureCode { () throws(EventLogError) in
            _ = try await store.append([.advance])
          }
        }
      }
      return await group.reduce(into: 0) { $0 += $1 == .syncFailed ? 1 : 0 }
    }
    #expect(failed == 20)
  }

  // MARK: - Damage

  @Test func `an append to a damaged journal keeps the device ID if its last event is sound`()
    async throws
  {
    let store = box.store()
    _ = try await store.append([.begin])
    for _ in 0..<4 { _ = try await store.append([.advance]) }
    let tablet = Sandbox.lines(of: "tablet-bbbbbbbb", count: 3)
    var lines = Sandbox.lines(try box.bytes())
    let device = try box.events()[0].device
    // Event 4 of the device's 6 is damaged. All others count.
    lines[3] = Sandbox.broken(lines[3])
    try box.put(Array((lines + tablet).joined()))
    let damaged = try box.bytes()
    for sequence in [7, 8] as [Int64] {
      let receipt = try await box.store().append([.advance])
      #expect(receipt.appended.map(\.id) == [EventID(device: device, sequence: sequence)])
      #expect(receipt.notices.isEmpty)
    }
    let events = Sandbox.lines(try box.bytes()).suffix(2)
      .map { String(decoding: $0, as: UTF8.self) }
    let chain = String(decoding: tablet[2].dropLast(3).suffix(8), as: UTF8.self)
    #expect(events[0].contains(#""seen":["tablet-bbbbbbbb:3~\#(chain)"]"#))
    #expect(!events[1].contains("seen"))
    #expect(try box.bytes().starts(with: damaged))
    let snapshot = try box.state()
    #expect(
      snapshot.frontier.tips.map(\.shortID.description) == ["\(device):8", "tablet-bbbbbbbb:3"])
    #expect(snapshot.damage.map(\.line) == [4, 5])
    #expect(snapshot.eventCount == 10)
    // All advances count except the missing one.
    let day = try #require(snapshot.entities("habit")[0].days.first)
    #expect(day["progress"] == 5)
    #expect(try box.journal().verify().problems.map(\.line) == [4, 5])
  }

  @Test func `an append after a damaged LF starts a new line`() async throws {
    let store = box.store()
    _ = try await store.append([.begin])
    _ = try await store.append([.advance])
    var bytes = try box.bytes()
    bytes[bytes.count - 1] ^= 0x08
    try box.put(bytes)
    let receipt = try await store.append([.advance])
    #expect(try box.events().last == receipt.appended[0].id)
    #expect(receipt.notices.contains { $0.contains("were moved to") })
    #expect(try box.state().json() == store.snapshot.json())
    // The same if an invalid line precedes it.
    let further = Array("no line".utf8) + [0x0A]
    try box.put(try box.bytes() + further)
    try await store.refresh()
    bytes = try box.bytes()
    bytes[bytes.count - 1] ^= 0x08
    try box.put(bytes)
    let later = try await store.append([.advance])
    #expect(try box.events().last == later.appended[0].id)
    #expect(try box.state().json() == store.snapshot.json())
  }

  @Test func `a refresh shows an event that was damaged and has returned`() async throws {
    let first = box.store()
    _ = try await first.append([.begin])
    for _ in 0..<4 { _ = try await first.append([.advance]) }
    try await first.close()
    var lines = Sandbox.lines(try box.bytes())
    let lost = lines[3]
    lines[3] = Sandbox.broken(lost)
    try box.put(Array(lines.joined()))
    let store = box.store()
    try await store.refresh()
    #expect(store.snapshot.entities("habit")[0].days.first?["progress"] == 3)
    #expect(store.snapshot.damage.count == 2)
    try box.put(Array(lines.joined()) + lost)
    try await store.refresh()
    #expect(store.snapshot.entities("habit")[0].days.first?["progress"] == 4)
    #expect(store.snapshot.damage.isEmpty)
    _ = try await store.append([.advance])
    #expect(store.snapshot.entities("habit")[0].days.first?["progress"] == 5)
    #expect(try box.journal().snapshot().snapshot.json() == store.snapshot.json())
  }

  @Test func `notices report a quarantined tail and a copied journal`() async throws {
    let store = box.store()
    #expect(try await store.append([.begin]).notices.isEmpty)
    #expect(try await store.append([.advance]).notices.isEmpty)
    try box.put(try box.bytes() + Array("{\"id\":".utf8))
    let notices = try await store.append([.advance]).notices
    #expect(notices.count == 2)
    #expect(notices[0].contains("6 bytes"))
    #expect(notices[0].contains("quarantine"))
    try box.copy("ada.jsonl", to: "copy.jsonl")
    try box.rename("copy.jsonl", to: "ada.jsonl")
    #expect(try await box.store().append([.advance]).notices.count == 1)
  }
}
