import EventLogTesting
import Foundation
import Testing

@testable import EventLog

/// Refusals of an app developer's likely first mistakes: one sentence, and advice for the next
/// step.
@Suite struct AdviceTests {
  private struct Dish: Record {
    var name = "", stars = 1, servings = Counter<Int>()
    var tags: Set<String> = []
    static let schema = Schema<Dish>(
      "dish",
      [
        .register("name", \.name), .register("stars", \.stars, .integer(1...5)),
        .counter("servings", \.servings), .members("tags", \.tags),
      ])
  }

  private struct Gaps: Record {
    var marks: [[Int?]] = []
    static let schema = Schema<Gaps>("gaps", [.register("marks", \.marks)])
  }

  private struct AnyGaps: Record {
    var marks: [Int?] = []
    static let schema = Schema<AnyGaps>("gaps", [.register("marks", coding: \.marks)])
  }

  private struct Unrated: Record {
    var stars = 0
    static let schema = Schema<Unrated>("unrated", [.register("stars", \.stars, .integer(1...5))])
  }

  private struct Planned: Record {
    var due: Date?, weight: Double?
    static let schema = Schema<Planned>(
      "planned", [.register("due", \.due), .register("weight", \.weight)])
  }

  private struct Endless: Record {
    var weight = Double.nan
    static let schema = Schema<Endless>("endless", [.register("weight", \.weight)])
  }

  private struct Twice: Record {
    var name = "", title = ""
    static let schema = Schema<Twice>(
      "twice", [.register("name", \.name), .register("name", \.title)])
  }

  private struct Shouting: Record {
    static let schema = Schema<Shouting>("Dish", [])
  }

  private func open() async throws -> TemporaryStore {
    try await TemporaryStore(records: Dish.self)
  }

  private func error(_ body: () async throws -> Void) async throws -> EventLogError {
    do { try await body() } catch { return try #require(error as? EventLogError) }
    throw Accepted()
  }

  private struct Accepted: Error {}

  // MARK: - Writing

  @Test func `an error about an invalid value contains a valid example`() async throws {
    let store = try await open()
    let error = try await error { try await store.create(Dish.self) { $0.stars = 9 } }
    #expect(error.code == .invalidEvent && error.message.contains("from 1 to 5"))
    #expect(error.hint == "Use a whole number, such as 1.")
  }

  @Test func `every rule accepts its own example`() {
    for rule in ValueRule.samples {
      #expect(rule.accepts(rule.example), "\(rule)")
      #expect(rule.advice.hasSuffix("."))
    }
  }

  @Test func `an error about a missing entity names a similar one that exists`() async throws {
    let store = try await open()
    let near = try await error { try await store.edit(ID<Dish>("nope")!) { $0.stars = 2 } }
    #expect(near.code == .noEntity && near.hint?.contains("Snapshot.all(_:)") == true)
    try await store.create(Dish.self, key: "soup")
    let close = try await error { try await store.edit(ID<Dish>("suop")!) { $0.stars = 2 } }
    #expect(close.hint == "Did you mean dish/soup?")
  }

  @Test func `an error names the method to call instead`() async throws {
    let store = try await open()
    let soup = try await store.create(Dish.self, key: "soup").id
    let shown = store.snapshot
    let edit = "Use edit(_:) to change it, or choose another key."
    #expect(try await error { try await store.create(Dish.self, key: "soup") }.hint == edit)
    #expect(
      try await error {
        try await store.write { batch in _ = try batch.create(Dish.self, key: "soup") }
      }.hint == edit)
    try await store.delete(soup)
    let restore = "restore(_:) restores it with all its data."
    for write in [
      { try await store.edit(soup) { $0.stars = 2 } },
      { try await store.edit(soup, asOf: shown) { $0.stars = 2 } },
      { try await store.set(\.servings, of: soup, to: 3) },
      { try await store.add(1, to: \.servings, of: soup) },
    ] as [() async throws -> AppendReceipt] {
      let error = try await error { _ = try await write() }
      #expect(error.code == .deletedEntity && error.hint == restore)
    }
    #expect(
      try await error { try await store.create(Dish.self, key: "soup") }.hint
        == "It is deleted: restore(_:) restores it.")
    let missing = try await error { try await store.add(1, to: \.servings, of: ID<Dish>("bread")!) }
    #expect(missing.hint?.hasPrefix("Create it first") == true)
    // A caller that appends events gets the event type instead of a method.
    let event = EventDraft(type: "dish.created", entity: soup.entity, data: JSONObject())
    #expect(
      try await error { _ = try await store.append([event]) }.hint
        == "It is deleted: dish.restored restores it.")
  }

  @Test func `an error about an invalid date or number doesn't advise an optional property`()
    async throws
  {
    let store = try await TemporaryStore(records: Planned.self)
    for time in [1e15, -1e15, .nan] {
      let date = try await error {
        try await store.create(Planned.self) { $0.due = Date(timeIntervalSince1970: time) }
      }
      #expect(date.code == .invalidEvent && date.message.contains("years 0000 to 9999"))
      #expect(date.hint == "Use a date in these years.")
    }
    let number = try await error { try await store.create(Planned.self) { $0.weight = .nan } }
    #expect(number.message.contains("NaN") && number.hint == "Use another value.")
  }

  @Test func `an error about an invalid key or user name describes a valid one`() async throws {
    let store = try await open()
    let key = try await error { try await store.create(Dish.self, key: "my dish") }
    #expect(key.message.hasPrefix("\"my dish\" is not a key"))
    #expect(key.hint?.contains("leave the key out") == true)
    let folder = try TemporaryFolder()
    let user = try await error {
      try await EventStore.open(
        path: folder.file("a.jsonl"), options: JournalOptions(user: "a\nb"),
        catalog: store.catalog
      ).create(Dish.self)
    }
    #expect(user.code == .invalidInput && user.hint?.hasSuffix("such as ada.") == true)
  }

  @Test func `an error about a resolved conflict suggests where to look`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Dish.self)
    let soup = try await phone.create(Dish.self, key: "soup").id
    try await tablet.sync(with: phone)
    try await phone.edit(soup) { $0.stars = 2 }
    try await tablet.edit(soup) { $0.stars = 3 }
    try await phone.sync(with: tablet)
    let conflict = try #require(phone.snapshot.conflicts.first)
    try await phone.resolve(conflict, taking: conflict.candidates[0].event)
    let error = try await error {
      try await phone.resolve(conflict, taking: conflict.candidates[0].event)
    }
    #expect(error.code == .noConflict && error.hint?.contains("Snapshot.conflicts") == true)
  }

  // MARK: - Declarations

  @Test func `a record with a default value that can't be written is refused at opening`()
    async throws
  {
    func refusal(_ record: any Record.Type) throws -> EventLogError {
      try #require(
        failure { () throws(EventLogError) in
          _ = try SchemaCatalog().adding([record])
        })
    }
    let list = try refusal(Gaps.self)
    #expect(list.code == .invalidSchema && list.message.contains("takes no null"))
    #expect(list.hint?.contains("coding:") == true)
    for record in [Unrated.self, Endless.self] as [any Record.Type] {
      let value = try refusal(record)
      #expect(value.code == .invalidSchema && value.message.contains("cannot be written"))
      #expect(value.hint?.contains("optional") == true)
    }
    #expect(try refusal(Twice.self).hint?.hasPrefix("Remove one of the two") == true)
    #expect(try refusal(Shouting.self).hint == "Use a kind such as shopping-list.")
    let store = try await TemporaryStore(records: AnyGaps.self)
    let gaps = try await store.create(AnyGaps.self) { $0.marks = [1, nil] }.id
    #expect(store.snapshot[gaps]?.marks == [1, nil])
  }
}
