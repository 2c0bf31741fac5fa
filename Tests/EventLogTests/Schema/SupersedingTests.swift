import EventLogInspection
import EventLogTesting
import EventLogUndo
import Foundation
import Testing

@testable import EventLog

/// A field that supersedes another one, on devices with several versions of an app.
@Suite struct SupersedingTests {
  private enum V1 {
    struct Plant: Record {
      var light: Int?
      var name = ""
      var size = ""
      struct Daily: DailyRecord { var light: Int? }
      static let schema = Schema<Plant>(
        "plant",
        [
          .register("light", \.light, .integer(0...5)), .register("name", \.name),
          .register("size", \.size),
        ], days: [.register("dayLight", \.light)])
    }
  }

  private enum V2 {
    struct Plant: Record {
      var lux: Double?
      var first = ""
      var rest: String?
      var pot = ""
      struct Daily: DailyRecord { var lux: Double? }
      static let schema = Schema<Plant>(
        "plant",
        [
          .register("lux", \.lux, .quantity).superseding("light", .times(500)),
          .register("first", \.first).superseding("name", .split(at: " ", .first)),
          .register("rest", \.rest).superseding("name", .split(at: " ", .rest)),
          .register("pot", \.pot).superseding("size", .map(["S": "small", "L": "large"])),
        ], days: [.register("dayLux", \.lux, .quantity).superseding("dayLight", .times(500))])
    }
  }

  /// Version 2 of an app that also writes the earlier names.
  private enum Both {
    struct Plant: Record {
      var lux: Double?
      struct Daily: DailyRecord { var lux: Double? }
      static let schema = Schema<Plant>(
        "plant",
        [
          .register("lux", \.lux, .quantity)
            .superseding("light", .times(500), writing: .times(1, over: 500))
        ],
        days: [
          .register("dayLux", \.lux, .quantity)
            .superseding("dayLight", .times(500), writing: .times(1, over: 500))
        ])
    }
  }

  private enum V3 {
    struct Plant: Record {
      var kilolux: Double?
      static let schema = Schema<Plant>(
        "plant",
        [
          .register("klx", \.kilolux, .number).superseding("lux", .times(1, over: 1000))
            .superseding("light", .times(500))
        ])
    }
  }

  private let folder: TemporaryFolder
  private let fern1 = ID<V1.Plant>("fern")!
  private let fern2 = ID<V2.Plant>("fern")!
  private let fernB = ID<Both.Plant>("fern")!
  private let fern3 = ID<V3.Plant>("fern")!

  init() throws { folder = try TemporaryFolder() }

  private func open(_ device: String, _ type: any Record.Type) async throws -> EventStore {
    let url = URL(fileURLWithPath: folder.file("\(device).jsonl"))
    return try await EventStore.open(url, user: "ada", device: device, records: type)
  }

  private func meet(_ stores: EventStore...) async throws {
    for _ in 0..<2 {
      for one in stores {
        for other in stores where one !== other {
          try await one.sync(with: JournalRemote(path: other.path))
        }
      }
    }
    for store in stores { try await store.refresh() }
  }

  private func candidates(_ store: EventStore) -> [String] {
    store.snapshot.conflicts.flatMap { conflict in
      conflict.candidates.map { "\(conflict.field) \($0.value.text)" }
    }.sorted()
  }

  @Test func `earlier names are read and replaced by a newer version`() async throws {
    let phone = try await open("phone", V1.Plant.self)
    try await phone.create(V1.Plant.self, key: "fern") {
      $0.light = 3
      $0.name = "Boston fern"
      $0.size = "L"
    }
    let tablet = try await open("tablet", V2.Plant.self)
    try await meet(phone, tablet)
    let shown = try #require(tablet.snapshot[fern2])
    #expect(shown.lux == 1500 && shown.first == "Boston" && shown.rest == "fern")
    #expect(shown.pot == "large")
    try await tablet.edit(fern2) { $0.lux = 1600 }
    try await meet(phone, tablet)
    #expect(tablet.snapshot[fern2]?.lux == 1600 && tablet.snapshot.conflicts.isEmpty)
    #expect(phone.snapshot[fern1]?.light == 3, "It can't show the new name.")
  }

  @Test func `a write that couldn't show a later name doesn't replace it`() async throws {
    let phone = try await open("phone", V1.Plant.self)
    try await phone.create(V1.Plant.self, key: "fern") { $0.light = 3 }
    let tablet = try await open("tablet", V2.Plant.self)
    try await meet(phone, tablet)
    try await tablet.edit(fern2) { $0.lux = 1600 }
    try await meet(phone, tablet)
    try await phone.edit(fern1) { $0.light = 4 }
    try await meet(phone, tablet)
    #expect(candidates(tablet) == ["lux 1600", "lux 2000"])
    let history = try Journal(path: tablet.path, catalog: tablet.catalog)
      .why("plant/fern", "lux").history
    #expect(history.writes.map(\.replaced.count) == [0, 1, 0], "1600 has replaced the first one.")
    let conflict = try #require(tablet.snapshot.conflicts.first)
    let wanted = try #require(conflict.candidates.first { $0.value == 2000 })
    _ = try await tablet.resolve(conflict, taking: wanted.event)
    try await meet(phone, tablet)
    #expect(candidates(tablet) == [] && tablet.snapshot[fern2]?.lux == 2000)
    #expect(phone.snapshot[fern1]?.light == 4)
    try await phone.edit(fern1) { $0.light = 5 }
    try await meet(phone, tablet)
    #expect(candidates(tablet) == ["lux 2000", "lux 2500"])
  }

  @Test func `a version that writes both names replaces and is replaced`() async throws {
    let phone = try await open("phone", V1.Plant.self)
    try await phone.create(V1.Plant.self, key: "fern") { $0.light = 3 }
    let tablet = try await open("tablet", Both.Plant.self)
    try await meet(phone, tablet)
    try await tablet.edit(fernB) { $0.lux = 2000 }
    try await meet(phone, tablet)
    #expect(phone.snapshot[fern1]?.light == 4)
    try await phone.edit(fern1) { $0.light = 5 }
    try await meet(phone, tablet)
    #expect(tablet.snapshot[fernB]?.lux == 2500 && candidates(tablet) == [])
    let day = Day("2026-01-28")!
    try await tablet.edit(fernB, on: day) { $0.lux = 500 }
    try await meet(phone, tablet)
    #expect(phone.snapshot[fern1, day].light == 1)
    // The old version can't show it, so its next edit is refused.
    try await tablet.edit(fernB) { $0.lux = 1234 }
    try await meet(phone, tablet)
    #expect(phone.snapshot.stored(fern1)?.unreadable == ["light"])
  }

  @Test func `equal values after a conversion are no conflict`() async throws {
    let phone = try await open("phone", V1.Plant.self)
    try await phone.create(V1.Plant.self, key: "fern") { $0.light = 3 }
    let tablet = try await open("tablet", V2.Plant.self)
    try await meet(phone, tablet)
    try await tablet.edit(fern2) { $0.lux = 2000 }
    try await phone.edit(fern1) { $0.light = 4 }
    try await meet(phone, tablet)
    #expect(candidates(tablet) == [] && tablet.snapshot[fern2]?.lux == 2000)
  }

  @Test func `a value that doesn't convert can't be replaced unseen`() async throws {
    let phone = try await open("phone", V1.Plant.self)
    try await phone.create(V1.Plant.self, key: "fern") { $0.size = "XL" }
    let tablet = try await open("tablet", V2.Plant.self)
    try await meet(phone, tablet)
    #expect(tablet.snapshot.stored(fern2)?.unreadable == ["pot"])
    let error = await thrown { () throws(EventLogError) in
      _ = try await tablet.edit(fern2) { $0.pot = "small" }
    }
    #expect(error?.unseen.map { $0.value?.text } == [#"{"size":"XL"}"#])
    try await tablet.edit(fern2, over: error?.unseen ?? []) { $0.pot = "small" }
    #expect(tablet.snapshot[fern2]?.pot == "small")
  }

  @Test func `three names are one field`() async throws {
    let phone = try await open("phone", V1.Plant.self)
    try await phone.create(V1.Plant.self, key: "fern") { $0.light = 3 }
    let tablet = try await open("tablet", V2.Plant.self)
    try await meet(phone, tablet)
    let watch = try await open("watch", V3.Plant.self)
    try await meet(phone, tablet, watch)
    #expect(watch.snapshot[fern3]?.kilolux == 1.5)
    try await tablet.edit(fern2) { $0.lux = 1600 }
    try await meet(phone, tablet, watch)
    #expect(watch.snapshot[fern3]?.kilolux == 1.6)
    try await watch.edit(fern3) { $0.kilolux = 2 }
    try await meet(phone, tablet, watch)
    try await tablet.edit(fern2) { $0.lux = 1700 }
    try await phone.edit(fern1) { $0.light = 5 }
    try await meet(phone, tablet, watch)
    #expect(candidates(watch) == ["klx 1.7", "klx 2", "klx 2.5"])
    #expect(candidates(tablet) == ["lux 1700", "lux 2500"])
    #expect(phone.snapshot[fern1]?.light == 5 && candidates(phone) == [])
  }

  @Test func `an undo shows the converted value again`() async throws {
    let phone = try await open("phone", V1.Plant.self)
    try await phone.create(V1.Plant.self, key: "fern") { $0.light = 3 }
    let tablet = try await open("tablet", V2.Plant.self)
    try await meet(phone, tablet)
    let receipt = try await tablet.edit(fern2) { $0.lux = 1600 }
    _ = try await tablet.undo(receipt)
    #expect(tablet.snapshot[fern2]?.lux == 1500)
    let lines = try Data(contentsOf: URL(fileURLWithPath: tablet.path)).split(separator: 0x0A)
    let last = String(decoding: try #require(lines.last), as: UTF8.self)
    #expect(last.contains(#""lux":1500"#) && !last.contains("light"))
  }

  @Test func `a checkpoint keeps which names a write had`() async throws {
    let phone = try await open("phone", V1.Plant.self)
    try await phone.create(V1.Plant.self, key: "fern") { $0.light = 3 }
    let tablet = try await open("tablet", V2.Plant.self)
    try await meet(phone, tablet)
    try await tablet.edit(fern2) { $0.lux = 1600 }
    try await meet(phone, tablet)
    try await phone.edit(fern1) { $0.light = 4 }
    try await meet(phone, tablet)
    let lines = try Data(contentsOf: URL(fileURLWithPath: tablet.path)).split(separator: 0x0A)
      .map { Array($0) + [0x0A] }
    let reading = try StoredReading(tablet.catalog)
    for count in 1...lines.count {
      try reading.put(lines.prefix(count))
      let stopped = try reading.read()
      let restored = try reading.restored(StoredReading.checkpoint(of: stopped))
      #expect(StoredReading.bytes(restored) == StoredReading.bytes(stopped))
      try reading.put(lines)
      let resumed = try reading.read(resuming: restored)
      #expect(StoredReading.snapshot(resumed).json() == tablet.snapshot.json(), "\(count)")
    }
  }

  // MARK: - Event types

  /// A catalog whose event types have explicit members.
  private static func catalog(
    _ events: String, dated: Bool = false, further: String = ""
  ) throws -> SchemaCatalog {
    let lux =
      #"{"is":"number","dated":\#(dated),"supersedes":[{"field":"light","by":{"times":2},"#
      + #""writing":{"times":1,"over":2}}]}"#
    return try SchemaCatalog([
      CollectionSchema(
        json: JSONValue(
          parsing: #"""
            {"kind":"plant","fields":{"lux":\#(lux),"note":"any"},\#(further)"events":[
            {"type":"plant.created","does":"begins"},\#(events)]}
            """#.utf8))
    ])
  }

  /// The values of the fields of plant/fern after events with the given data.
  private func shown(
    _ catalog: SchemaCatalog, _ type: String, _ data: [JSONObject]
  ) throws -> Snapshot {
    var history = History(user: "ada")
    let phone = history.device("phone")
    history.append(phone, "plant.created", "plant/fern")
    for data in data {
      history.append(phone, EventDraft(type: type, entity: EntityID("plant/fern"), data: data))
    }
    let journal = try HistoryJournal(catalog)
    let report = try journal.verify(history)
    #expect(report.notes.isEmpty && report.problems.isEmpty, "\(report.notes)")
    return try journal.snapshot(history)
  }

  private func lux(_ snapshot: Snapshot) throws -> JSONValue? {
    snapshot.shown("lux", row: try #require(snapshot.row(at: "plant/fern")))
  }

  @Test func `a required member is there under an earlier name, too`() throws {
    let catalog = try Self.catalog(#"{"type":"plant.measured","members":{"lux":"write lux"}}"#)
    #expect(try lux(shown(catalog, "plant.measured", [["light": 3]])) == 6)
    #expect(try lux(shown(catalog, "plant.measured", [["light": 3, "lux": 7]])) == 7)
  }

  @Test func `a member of another name writes an earlier name`() throws {
    let catalog = try Self.catalog(
      #"""
      {"type":"plant.lit","members":{"a":"write lux","b":"write light?","light":"write note?"}}
      """#)
    #expect(try lux(shown(catalog, "plant.lit", [["a": 3]])) == 3)
    let events = try catalog.events(
      for: [.write(field: "lux", 8)], kind: "plant", entity: EntityID("plant/fern"))
    #expect(events.map(\.data) == [["a": 8, "b": 4]], "The member \"light\" is a note.")
  }

  @Test func `a dated value of an earlier name applies from its day`() throws {
    let catalog = try Self.catalog(
      #"{"type":"plant.lit","members":{"light":"write light"}}"#, dated: true)
    let snapshot = try shown(
      catalog, "plant.lit", [["light": 1], ["light": 2, "from": "2026-02-01"]])
    #expect(
      snapshot.timeline(of: "lux", in: "plant/fern").steps.map(\.value) == [2, 4])
  }

  @Test func `a written earlier name needn't lead back to the same value`() async throws {
    struct Timer: Record {
      var seconds = 0
      static let schema = Schema<Timer>(
        "timer",
        [
          .register("seconds", \.seconds, .integer(0...100_000))
            .superseding("minutes", .times(60), writing: .times(1, over: 60))
        ])
    }
    let store = try await TemporaryStore(records: Timer.self)
    let tea = try await store.create(Timer.self) { $0.seconds = 7 }.id
    #expect(store.snapshot[tea]?.seconds == 7)
    #expect(try store.journal.verify().notes.isEmpty)
  }

  @Test func `many live values of several names are the same in every order`() throws {
    var history = History(user: "ada")
    let phone = history.device("phone")
    history.append(phone, "plant.created", "plant/fern")
    let others = (0..<36).map { history.device("d\($0)") }
    for (index, other) in others.enumerated() {
      history.sync(from: phone, to: other)
      history.append(
        other, "plant.edited", "plant/fern", ["lux": .number(JSONNumber(Int64(index)))])
    }
    for other in others.prefix(34) { history.sync(from: other, to: phone) }
    history.append(phone, "plant.edited", "plant/fern", ["light": 1])
    history.append(phone, "plant.edited", "plant/fern", ["light": 2, "lux": 1000])
    let catalog = try SchemaCatalog().adding([V2.Plant.self])
    let states = Set(
      (0..<6 as Range<UInt64>).map { seed in
        var reading = HistoryReading(catalog)
        reading.read(history.lines(order: seed))
        return reading.snapshot.conflicts.flatMap(\.candidates).map(\.value.text).sorted()
      })
    #expect(states == [["1000", "34", "35"]])
  }

  // MARK: - Declarations

  @Test(arguments: [
    ("3", 500, 1, "1500"), ("0.1", 3, 1, "0.3"), ("1", 1, 3, "0.33333333333333333"),
    ("2", 1, 3, "0.66666666666666667"), ("-7", 1, 2, "-3.5"), ("7", -1, 2, "-3.5"),
    ("0", 500, 1, "0"), ("1e3", 2, 1, "2000"), ("1.50", 2, 1, "3"),
    ("999999999999999999", 1, 1, nil),
    ("7", 1, 60, "0.11666666666666667"), ("12345678901234567", 10, 1, "123456789012345670"),
    ("1e400", 1, 1, nil),
    ("1e-30", 1, 1, "1e-30"), ("1", Int.max, 1, "9223372036854775800"),
  ])
  func `a number is multiplied exactly`(
    number: String, factor: Int, divisor: Int, result: String?
  ) throws {
    let value = try JSONValue(parsing: number.utf8)
    #expect(ValueConversion.times(factor, over: divisor).apply(value)?.text == result)
  }

  @Test func `texts are mapped and divided`() {
    let map = ValueConversion.map(["a": "b"])
    #expect(map.apply("a") == "b" && map.apply("b") == nil && map.apply(.null) == .null)
    #expect(
      map.apply(.array(["a", "a"])) == .array(["b", "b"]) && map.apply(.array(["c"])) == nil)
    let parts = [ValueConversion.split(at: ", ", .first), .split(at: ", ", .rest)]
    #expect(parts.map { $0.apply("a, b, c") } == ["a", "b, c"])
    #expect(parts.map { $0.apply("a") } == ["a", .null] && parts[0].apply(1) == nil)
    #expect(ValueConversion.split(at: "\n", .rest).apply("a\r\nb") == "b")
    #expect(ValueConversion.map(["K": "k"]).apply("\u{212A}") == nil, "The Kelvin sign isn't a K.")
  }

  @Test func `a schema file has the same declaration`() throws {
    for collection in [
      V2.Plant.schema.collection, Both.Plant.schema.collection, V3.Plant.schema.collection,
    ] {
      #expect(try CollectionSchema(json: collection.json) == collection)
    }
  }

  @Test(arguments: [
    (#""a":{"is":"counter","supersedes":["b"]}"#, "not a register"),
    (#""b":"text","a":{"is":"text","supersedes":["b"]}"#, "another meaning"),
    (#""a":{"is":"text","supersedes":["b","b"]}"#, "another meaning"),
    (#""a":{"is":"text","supersedes":["b c"]}"#, "cannot be the name"),
    (#""a":{"is":"number","supersedes":[{"field":"b","by":{"times":0}}]}"#, "by 0"),
    (#""a":{"is":"text","supersedes":[{"field":"b","by":{"map":{}}}]}"#, "empty conversion"),
    (#""a":{"is":"any","supersedes":[{"field":"b","by":{"times":2}}]}"#, "any value"),
    (#""a":{"is":"text","supersedes":["b",{"field":"c","writing":{}}]}"#, "doesn't write"),
    (
      #""a":{"is":"text","supersedes":[{"field":"b","by":{"split":" ","part":"rest"},"#
        + #""writing":{}}]}"#,
      "only in part"
    ),
  ])
  func `a declaration that can't be applied is refused`(fields: String, reason: String) throws {
    let collection = try CollectionSchema(
      json: JSONValue(parsing: "{\"kind\":\"plant\",\"fields\":{\(fields)}}".utf8))
    let error = #expect(throws: EventLogError.self) { _ = try SchemaCatalog([collection]) }
    #expect(error?.code == .invalidSchema && error?.message.contains(reason) == true, "\(error!)")
  }

  @Test(arguments: [
    #"{"times":2,"map":{"a":"b"}}"#, #"{"split":" ","part":"rest","over":2}"#, #"{"over":2}"#,
    #"{"split":" "}"#, #"{"times":0.5}"#, #"{"map":{"a":1}}"#, #"{"by":1}"#,
  ])
  func `a conversion that can't be read is refused`(conversion: String) throws {
    let field = #""a":{"is":"text","supersedes":[{"field":"b","by":\#(conversion)}]}"#
    #expect(throws: EventLogError.self) {
      try CollectionSchema(
        json: JSONValue(parsing: "{\"kind\":\"plant\",\"fields\":{\(field)}}".utf8))
    }
  }

  @Test func `a superseding field is no change, and one that is gone is`() throws {
    let (one, two, three) = (
      V1.Plant.schema.collection, V2.Plant.schema.collection, V3.Plant.schema.collection
    )
    #expect(two.changes(since: one) == [])
    #expect(
      Set(three.changes(since: two).map(\.subject)).isSuperset(of: ["plant.first", "plant.pot"]))
    #expect(
      !three.changes(since: two).contains { ["plant.light", "plant.lux"].contains($0.subject) })
    #expect(one.changes(since: two).contains { $0.subject == "plant.lux" })
    var other = FieldSchema("lux", .register(.quantity))
    other.supersedes = [SupersededField("light", .times(100))]
    let changed = CollectionSchema(kind: "plant", fields: [other])
    #expect(
      changed.changes(since: two).contains { $0.subject == "plant.light" && $0.kind == .meaning })
  }
}
