import EventLog
import EventLogErasure
import EventLogInspection
import EventLogTesting
import Testing

/// Erases the past of counters, sets, and fields that a type requires.
@Suite struct FieldErasureTests {
  private struct Reading: Record {
    var title = ""
    var shelf: String?
    var pages = Counter<Int>()
    var tags: Set<String> = []
    var holder: String?
    var goal: Int?
    var owned: Bool?

    static let schema = Schema<Reading>(
      "reading",
      [
        .register("title", \.title), .register("shelf", \.shelf), .counter("pages", \.pages),
        .members("tags", \.tags), .register("holder", \.holder),
        .register("goal", \.goal, isDated: true), .register("owned", \.owned),
      ],
      events: [
        EventSchema(
          "reading.begun",
          [
            MemberSchema("title", .write(field: "title")),
            MemberSchema("shelf", .write(field: "shelf"), isRequired: false),
          ], lifecycle: .begins, summary: "Begins."),
        EventSchema(
          "reading.bought", [MemberSchema("title", .write(field: "title"))],
          assigns: [.init("owned", true)], summary: "Is bought."),
        EventSchema(
          "reading.planned",
          [
            MemberSchema("title", .write(field: "title")),
            MemberSchema("goal", .write(field: "goal")),
          ], summary: "Is planned."),
        EventSchema(
          "reading.lent", [MemberSchema("shelf", .write(field: "holder"))], summary: "Is lent."),
        EventSchema("reading.edited", writesFields: true, summary: "Writes fields."),
        EventSchema(
          "reading.read", [MemberSchema("by", .advance(field: "pages"))], summary: "Adds pages."),
        EventSchema(
          "reading.counted",
          [
            MemberSchema("pages", .set(field: "pages")),
            MemberSchema("shelf", .write(field: "shelf"), isRequired: false),
          ], summary: "States the pages."),
        EventSchema(
          "reading.tagged", [MemberSchema("key", .key), MemberSchema("members", .include)],
          summary: "Adds tags."),
        EventSchema(
          "reading.untagged", [MemberSchema("key", .key), MemberSchema("members", .exclude)],
          summary: "Removes tags."),
      ])
  }

  private let phone: TemporaryStore
  private let book = EntityID("reading/emma")!

  init() async throws { phone = try await TemporaryStore(records: Reading.self) }

  private func append(_ type: String, _ data: JSONObject) async throws {
    _ = try await phone.append([EventDraft(type: "reading.\(type)", entity: book, data: data)])
  }

  /// The state without what counts events.
  private func shown() throws -> JSONObject? {
    guard case .object(var state) = try JSONValue(parsing: phone.snapshot.json()) else {
      return nil
    }
    for name in ["eventCount", "frontier"] { state[name] = nil }
    return state
  }

  /// Erases a field, and returns what the journal contains afterward.
  private func erase(_ field: String) async throws -> (report: ErasureReport, text: String) {
    let before = try shown()
    let plan = try await phone.store.erase(.field(field, of: "reading/emma"), dryRun: true)
    let report = try await phone.store.erase(.field(field, of: "reading/emma"))
    #expect(plan.restated == report.restated && plan.eventCount == report.eventCount)
    #expect(try shown() == before)
    #expect(try phone.journal.snapshot().snapshot.json() == phone.snapshot.json())
    #expect(try ErasureProof(phone.journal).remainders == [])
    #expect(try await phone.verify().problems.isEmpty)
    return (report, try phone.lines().joined(separator: "\n"))
  }

  @Test func `the past of a counter goes after its total was stated`() async throws {
    try await append("begun", ["title": "Emma"])
    for count: JSONValue in [111, 222, 333] { try await append("read", ["by": count]) }
    let (report, text) = try await erase("pages")
    #expect(report.restated == ["pages"] && report.eventCount == 3)
    #expect(text.contains("\"pages\":666"))
    #expect(!["111", "222", "333"].contains { text.contains("\"by\":\($0)") })
    #expect(try await phone.store.erase(.field("pages", of: "reading/emma")).eventCount == 0)
    try await append("read", ["by": 4])
    #expect(String(decoding: phone.snapshot.json(), as: UTF8.self).contains("670"))
  }

  @Test func `the other fields of a counter's events stay`() async throws {
    try await append("begun", ["title": "Emma"])
    try await append("counted", ["pages": 111, "shelf": "kitchen"])
    try await append("read", ["by": 222])
    let (report, text) = try await erase("pages")
    #expect(report.restated.sorted() == ["pages", "shelf"] && report.eventCount == 2)
    #expect(!text.contains("111") && !text.contains("222") && text.contains("kitchen"))
  }

  @Test func `the past of a set goes with all that removed something from it`() async throws {
    try await append("begun", ["title": "Emma"])
    try await append("tagged", ["key": "tags", "members": ["old", "secret"]])
    try await append("untagged", ["key": "tags", "members": ["secret"]])
    let (report, text) = try await erase("tags")
    #expect(report.restated == ["tags"] && report.eventCount == 2)
    #expect(text.contains("\"members\":[\"old\"]") && !text.contains("secret"))
    #expect(try await phone.store.erase(.field("tags", of: "reading/emma")).eventCount == 0)
    try await append("untagged", ["key": "tags", "members": ["old"]])
    #expect(try await erase("tags").report.eventCount == 2)
  }

  @Test func `an event that needs the field goes as a whole, and its other values are kept`()
    async throws
  {
    try await append("begun", ["title": "secret", "shelf": "kitchen"])
    try await append("edited", ["title": "Emma"])
    let (report, text) = try await erase("title")
    #expect(report.restated == ["shelf"] && report.eventCount == 1 && report.parts.isEmpty)
    #expect(!text.contains("secret") && text.contains("kitchen") && text.contains("Emma"))
  }

  @Test func `a later event of a device that was away counts on top of the stated total`()
    async throws
  {
    try await append("begun", ["title": "Emma"])
    try await append("read", ["by": 100])
    let tablet = try await TemporaryStore(device: "tablet", records: Reading.self)
    try await tablet.sync(with: phone.remote)
    try await append("read", ["by": 200])
    _ = try await tablet.append([
      EventDraft(type: "reading.read", entity: book, data: ["by": 7])
    ])
    _ = try await erase("pages")
    try await tablet.sync(with: phone.remote)
    try await phone.refresh()
    #expect(phone.snapshot.json() == tablet.snapshot.json())
    #expect(phone.snapshot.conflicts.isEmpty)
    #expect(try ErasureProof(tablet.journal).remainders == [])
  }

  @Test func `a member that writes another field under this field's name stays`() async throws {
    try await append("begun", ["title": "Emma", "shelf": "kitchen"])
    try await append("lent", ["shelf": "Jane"])
    try await append("lent", ["shelf": "Anne"])
    try await append("edited", ["shelf": "hall"])
    let (report, text) = try await erase("shelf")
    #expect(report.restated.isEmpty && report.eventCount == 1)
    #expect(text.contains("Jane") && text.contains("Anne") && !text.contains("kitchen"))
  }

  @Test func `a field that a type assigns is kept`() async throws {
    try await append("begun", ["title": "secret"])
    try await append("bought", ["title": "hidden"])
    try await append("edited", ["title": "Emma"])
    let (report, text) = try await erase("title")
    #expect(report.restated == ["owned"] && report.eventCount == 2)
    #expect(!text.contains("secret") && !text.contains("hidden"))
  }

  @Test func `an erasure that would take the values of earlier days is refused`() async throws {
    try await append("begun", ["title": "Emma"])
    try await append("planned", ["title": "secret", "goal": 20])
    try await append("edited", ["title": "Emma", "from": "2026-02-01", "goal": 30])
    let before = try phone.lines()
    for field in ["title", "goal"] {
      let error = await #expect(throws: EventLogError.self) {
        try await phone.store.erase(.field(field, of: "reading/emma"))
      }
      #expect(error?.code == .invalidInput)
    }
    #expect(try phone.lines() == before)
  }

  @Test func `an emptied set is erased once`() async throws {
    try await append("begun", ["title": "Emma"])
    try await append("tagged", ["key": "tags", "members": ["secret"]])
    try await append("untagged", ["key": "tags", "members": ["secret"]])
    #expect(try await erase("tags").report.eventCount == 2)
    #expect(try await phone.store.erase(.field("tags", of: "reading/emma")).eventCount == 0)
  }

  @Test func `inclusions of members that are all still there are not past`() async throws {
    try await append("begun", ["title": "Emma"])
    try await append("tagged", ["key": "tags", "members": ["old", "dear"]])
    try await append("tagged", ["key": "tags", "members": ["new"]])
    #expect(try await erase("tags").report.eventCount == 0)
    // Included twice, it is from the later event only.
    try await append("tagged", ["key": "tags", "members": ["dear", "late"]])
    #expect(try await erase("tags").report.eventCount == 3)
  }

  @Test func `a set that is written again in several events is erased once`() async throws {
    try await append("begun", ["title": "Emma"])
    let tags = (0..<5).map { String(repeating: "tag\($0)", count: 25_000) }
    for tag in tags + ["secret"] {
      try await append("tagged", ["key": "tags", "members": [.string(tag)]])
    }
    try await append("untagged", ["key": "tags", "members": ["secret"]])
    let (report, text) = try await erase("tags")
    #expect(report.restated == ["tags"] && report.eventCount == 7 && !text.contains("secret"))
    #expect(phone.snapshot.eventCount > 8 + 3)
    #expect(try await erase("tags").report.eventCount == 0)
  }

  @Test func `the erasure of a field reads the journal once to plan, and once to check`()
    async throws
  {
    try await append("begun", ["title": "Emma"])
    for _ in 0..<400 { try await append("read", ["by": 1]) }
    try await append("edited", ["title": "Persuasion"])
    try await phone.close()
    let size = try Double(phone.lines().reduce(0) { $0 + $1.utf8.count + 1 })
    let count = WorkCount()
    let store = try await EventStore.open(
      path: phone.path,
      options: JournalOptions(fileSystem: CountingFileSystem(SystemFileSystem(), count)),
      catalog: phone.catalog)
    func readings(of field: String, dryRun: Bool) async throws -> Double {
      let before = count.byteCount
      try await store.erase(.field(field, of: "reading/emma"), dryRun: dryRun)
      return Double(count.byteCount - before) / size
    }
    #expect(try await readings(of: "pages", dryRun: true) < 1.5)
    #expect(try await readings(of: "title", dryRun: true) < 2.5)
    // The lines are also read once more, written to the record, and in place.
    #expect(try await readings(of: "pages", dryRun: false) < 6.5)
    try await store.close()
  }

  @Test func `no increment that is written meanwhile is lost`() async throws {
    try await append("begun", ["title": "Emma"])
    for _ in 0..<5 { try await append("read", ["by": 1]) }
    let other = try await phone.openAgain()
    let draft = EventDraft(type: "reading.read", entity: book, data: ["by": 1])
    let writing = Task {
      for _ in 0..<40 { _ = try await other.append([draft]) }
    }
    for _ in 0..<5 {
      do throws(EventLogError) {
        try await phone.store.erase(.field("pages", of: "reading/emma"))
      } catch {
        #expect(error.code == .changedMeanwhile)
      }
    }
    try await writing.value
    try await phone.refresh()
    #expect(String(decoding: phone.snapshot.json(), as: UTF8.self).contains("\"pages\":45"))
    try await other.close()
  }
}
