import EventLogTesting
import Foundation
import Testing

@testable import EventLog

/// Edits by a version of an app that can't read what another version wrote.
@Suite struct UnreadableEditTests {
  private enum V1 {
    struct Item: Codable, Equatable { var name = "" }
    struct Plant: Record {
      var name = ""
      var light: Int?
      var shopping: [Item] = []
      var colors: Set<String> = []
      var cuttings = Counter<Int>()
      var water: Int?
      var shade = Shade.half
      struct Daily: DailyRecord { var ml: Int? }
      static let schema = Schema<Plant>(
        "plant",
        [
          .register("name", \.name), .register("light", \.light, .integer(1...5)),
          .register("shopping", coding: \.shopping), .register("colors", coding: \.colors),
          .counter("cuttings", \.cuttings),
          .register("water", \.water, .integer(0...9), isDated: true),
          .register("shade", \.shade, .text),
        ], days: [.register("ml", \.ml)])
    }
  }

  /// A type that shows unknown texts as a default.
  private enum Shade: String, JSONConvertible, Sendable {
    case half, full
    static var valueRule: ValueRule { .text }
    init?(json: JSONValue) {
      guard case .string(let text) = json else { return nil }
      self = Shade(rawValue: text) ?? .half
    }
    var json: JSONValue { .string(rawValue) }
  }

  private enum V2 {
    struct Item: Codable, Equatable {
      var name = ""
      var grams: Int?
    }
    struct Plant: Record {
      var name = ""
      var light: Double?
      var shopping: [Item] = []
      var colors: Set<String> = []
      var cuttings = Counter<Decimal>()
      var water: Double?
      var shade = ""
      struct Daily: DailyRecord { var ml: Double? }
      static let schema = Schema<Plant>(
        "plant",
        [
          .register("name", \.name), .register("light", \.light, .quantity),
          .register("shopping", coding: \.shopping), .register("colors", coding: \.colors),
          .counter("cuttings", \.cuttings),
          .register("water", \.water, .quantity, isDated: true), .register("shade", \.shade),
        ], days: [.register("ml", \.ml)])
    }
  }

  private let folder: TemporaryFolder
  private let old: EventStore
  private let new: EventStore
  private let fern = ID<V1.Plant>("fern")!
  private let newFern = ID<V2.Plant>("fern")!

  init() async throws {
    folder = try TemporaryFolder()
    let url = URL(fileURLWithPath: folder.file("ada.jsonl"))
    new = try await EventStore.open(url, user: "ada", records: V2.Plant.self)
    try await new.create(V2.Plant.self, key: "fern") { $0.name = "Fern" }
    old = try await EventStore.open(url, user: "ada", records: V1.Plant.self)
  }

  private func stored() async throws -> Stored<V1.Plant> {
    try await old.refresh()
    return try #require(old.snapshot.stored(fern))
  }

  private func texts(_ writes: [UnseenWrite]) -> [String?] { writes.map { $0.value?.text } }

  /// The writes that an edit by the old version would replace unseen.
  private func refused(
    over: [UnseenWrite] = [], _ body: @escaping @Sendable (inout V1.Plant) -> Void
  ) async throws -> [UnseenWrite] {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("ada.jsonl")))
    let error = await thrown { () throws(EventLogError) in
      try await old.edit(fern, over: over, body)
    }
    guard let error else { return [] }
    #expect(error.code == .changedMeanwhile && error.message.hasSuffix("Nothing was written."))
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("ada.jsonl"))) == bytes)
    return error.unseen
  }

  @Test func `an edit doesn't replace a number that the old rule forbids`() async throws {
    try await new.edit(newFern) { $0.light = 7.5 }
    let shown = try await stored()
    #expect(shown.light == nil && shown.unreadable == ["light"])
    let unseen = try await refused { $0.light = 3 }
    #expect(texts(unseen) == ["7.5"] && unseen.map(\.field) == ["light"])
    #expect(try await refused { $0.name = "Boston fern" } == [])
    #expect(try await refused(over: unseen) { $0.light = 3 } == [])
    try await new.refresh()
    #expect(new.snapshot[newFern]?.light == 3 && new.snapshot[newFern]?.name == "Boston fern")
  }

  @Test func `an edit doesn't drop a member that the old element doesn't declare`() async throws {
    try await new.edit(newFern) { $0.shopping = [V2.Item(name: "carrot", grams: 500)] }
    let shown = try await stored()
    #expect(shown.shopping == [V1.Item(name: "carrot")] && shown.unreadable == ["shopping"])
    let unseen = try await refused { $0.shopping.append(V1.Item(name: "salt")) }
    #expect(texts(unseen) == [#"[{"grams":500,"name":"carrot"}]"#])
    // The new version replaces what it can read.
    try await new.edit(newFern) { $0.shopping[0].grams = nil }
    #expect(try await stored().unreadable == [])
    #expect(try await refused { $0.shopping.append(V1.Item(name: "salt")) } == [])
    try await new.refresh()
    #expect(new.snapshot[newFern]?.shopping.map(\.name) == ["carrot", "salt"])
  }

  @Test func `an edit doesn't replace a list that the old version can't decode`() async throws {
    let list: JSONValue = try JSONValue(parsing: #"[{"title":"leek"},{"name":"carrot"}]"#.utf8)
    _ = try await new.append([
      EventDraft(
        type: "plant.edited", entity: fern.entity,
        data: JSONObject([.init(name: "shopping", value: list)]))
    ])
    #expect(try await stored().shopping == [])
    #expect(texts(try await refused { $0.shopping.append(V1.Item(name: "salt")) }) == [list.text])
  }

  @Test func `sets, added members and other spellings are readable`() async throws {
    for text in [#"["red","green","blue"]"#, #"["blue","red","green"]"#] {
      _ = try await new.append([
        EventDraft(
          type: "plant.edited", entity: fern.entity,
          data: JSONObject([.init(name: "colors", value: try JSONValue(parsing: text.utf8))]))
      ])
      #expect(try await stored().unreadable == [])
      #expect(try await refused { $0.colors.insert("white") } == [])
    }
  }

  @Test(arguments: [
    (#"{"a":1,"b":null}"#, #"{"a":1.0,"c":2}"#, true), (#"{"a":1}"#, #"{"b":1}"#, false),
    (#"[{"n":"x"},{"n":"y"}]"#, #"[{"n":"y","m":1},{"n":"x","m":2}]"#, true),
    (#"[1,1,2]"#, #"[1,2,2]"#, false), (#"[1,2]"#, #"[1,2,3]"#, false),
    (#""2026-01-28T09:00:00Z""#, #""2026-01-28T10:00:00.000+01:00""#, true),
    (#""e621e1f8-c36c-495a-93fc-0c247a3e6e5f""#, #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#, true),
    (#""later""#, #""other""#, false), ("true", "1", false), (#"{"a":null}"#, #"{"a":0}"#, true),
    (#""https://x.org/ü""#, #""https://x.org/%C3%BC""#, true),
    (#"[{},{"a":1}]"#, #"[{"a":1,"b":2},{"c":3}]"#, true),
    (#"[{"a":1},{"b":1}]"#, #"[{"b":1,"a":1},{"a":1,"c":1}]"#, true),
    (#"{"deep":[{"x":[1,{"y":2}]}]}"#, #"{"deep":[{"x":[{"y":2},1]}]}"#, true),
  ])
  func `a value is kept if nothing of it is lost`(
    stored: String, encoded: String, isKept: Bool
  ) throws {
    let (stored, encoded) = (
      try JSONValue(parsing: stored.utf8), try JSONValue(parsing: encoded.utf8)
    )
    #expect(stored.isKept(in: encoded) == isKept)
    #expect(stored.isKept(in: stored) && encoded.isKept(in: encoded))
  }

  @Test func `long arrays in another order are compared in little time`() {
    let values = (0..<50_000).map { JSONValue.number(JSONNumber(Int64($0))) }
    #expect(JSONValue.array(values).isKept(in: .array(values.reversed())))
    let others = values.map { _ in JSONValue.string("x") }
    #expect(!JSONValue.array(values).isKept(in: .array(others)))
  }

  @Test func `nested arrays and long objects are compared in little time`() {
    var nested: JSONValue = 1
    var reversed: JSONValue = 2
    for _ in 0..<12 {
      (nested, reversed) = ([nested, reversed, 3, 4], [4, 3, reversed, nested])
    }
    #expect(!nested.isKept(in: [reversed, reversed, reversed, reversed]))
    let members = (0..<20_000).map { JSONObject.Member(name: "n\($0)", value: .string("x")) }
    func object(_ members: [JSONObject.Member]) -> JSONValue {
      .object(JSONObject(distinct: members))
    }
    #expect(object(members).isKept(in: object(members.reversed())))
    #expect(!object(members).isKept(in: object(members.dropLast())))
    let objects = members.map { object([$0]) }
    #expect(JSONValue.array(objects).isKept(in: .array(objects.reversed())))
  }

  /// A type that shows any number as one of two levels.
  private enum Level: Int, JSONConvertible, Sendable {
    case low = 1
    case high = 2
    static var valueRule: ValueRule { .number }
    init?(json: JSONValue) {
      guard case .number(let number) = json else { return nil }
      self = number.integer.flatMap { Level(rawValue: Int($0)) } ?? .low
    }
    var json: JSONValue { .number(JSONNumber(Int64(rawValue))) }
  }

  private struct Cell<Value: JSONConvertible>: Sendable { var value: Value }

  @Test func `a number that is shown as another one can't be read in full`() {
    func isRead<Value: JSONConvertible>(_ type: Value.Type, _ text: String) -> Bool? {
      guard let json = try? JSONValue(parsing: text.utf8), let value = type.init(json: json) else {
        return nil
      }
      let field = RecordField<Cell<Value>>.register("value", \.value)
      var row = Cell(value: value)
      return field.readFully(json, &row)
    }
    #expect(isRead(Level.self, "7") == false && isRead(Level.self, "2") == true)
    #expect(isRead(Double.self, "0.1234567890123456789") == false)
    #expect(isRead(Double.self, "0.1") == true && isRead(Double.self, "1e2") == true)
    #expect(isRead(Decimal.self, "0.1234567890123456789") == true)
    #expect(isRead(Int.self, "3") == true && isRead(Int?.self, "null") == true)
  }

  @Test func `a day's value and a counter's total are protected, too`() async throws {
    let day = Day("2026-01-28")!
    try await new.edit(newFern, on: day) { $0.ml = 0.5 }
    try await new.set(\.cuttings, of: newFern, to: 1.5)
    #expect(try await stored().unreadable == ["cuttings"])
    #expect(try await refused { $0.cuttings += 1 } == [], "An increment replaces nothing.")
    let codes = [
      await failureCode { () throws(EventLogError) in
        _ = try await old.edit(fern, on: day) { $0.ml = 1 }
      },
      await failureCode { () throws(EventLogError) in
        _ = try await old.set(\.cuttings, of: fern, to: 4)
      },
    ]
    #expect(codes == [.changedMeanwhile, .changedMeanwhile])
  }

  @Test func `an unreadable value can be replaced by the one that is shown for it`() async throws {
    try await new.edit(newFern) {
      $0.light = 7.5
      $0.shopping = [V2.Item(name: "carrot", grams: 500)]
    }
    let day = Day("2026-01-28")!
    try await new.edit(newFern, on: day) { $0.ml = 0.5 }
    #expect(try await stored().unreadable == ["light", "shopping"])
    #expect(try await refused { $0.light = nil } == [], "Nothing changes, so nothing is written.")
    let unseen = try await refused {
      $0.light = 1
      $0.shopping = []
    }
    #expect(unseen.count == 2)
    try await old.edit(fern, over: unseen) { $0.light = nil }
    #expect(try await stored().unreadable == [])
    try await new.refresh()
    #expect(new.snapshot[newFern]?.light == nil)
    #expect(new.snapshot[newFern]?.shopping == [V2.Item(name: "carrot")])
    let error = await thrown { () throws(EventLogError) in
      try await old.edit(fern, on: day) { $0.ml = 1 }
    }
    try await old.write(over: error?.unseen ?? []) { [fern] in try $0.edit(fern, on: day) { _ in } }
    try await new.refresh()
    #expect(new.snapshot[newFern, day].ml == nil)
  }

  @Test func `a listed write that no longer holds a field makes no edit write it`() async throws {
    try await new.edit(newFern) { $0.light = 7.5 }
    let unseen = try await refused { $0.light = 3 }
    for light in [2, 8.5] {
      try await new.edit(newFern) { $0.light = light }
      #expect(try await refused(over: unseen) { $0.name = "Fern of \(light)" } == [])
      try await new.refresh()
      #expect(new.snapshot[newFern]?.light == light)
      #expect(new.snapshot[newFern]?.name == "Fern of \(light)")
    }
    #expect(texts(try await refused(over: unseen) { $0.light = 3 }) == ["8.5"])
  }

  @Test func `a listed write of earlier days makes no edit of later days write it`() async throws {
    let (january, february) = (Day("2026-01-01")!, Day("2026-02-01")!)
    try await new.edit(newFern, from: january) { $0.water = 7.5 }
    try await new.edit(newFern, from: february) { $0.water = 3 }
    let error = await thrown { () throws(EventLogError) in
      try await old.edit(fern, from: january) { $0.water = 4 }
    }
    let unseen = try #require(error?.unseen)
    try await old.edit(fern, from: february, over: unseen) { $0.name = "Boston fern" }
    try await new.refresh()
    #expect(new.snapshot.version(of: newFern, on: january)?.water == 7.5)
    #expect(new.snapshot.version(of: newFern, on: february)?.water == 3)
    try await old.edit(fern, from: january, over: unseen) { $0.water = 4 }
    try await new.refresh()
    #expect(new.snapshot.version(of: newFern, on: january)?.water == 4)
  }

  @Test func `a dated value that is shown only on earlier days is protected, too`() async throws {
    let (january, february) = (Day("2026-01-01")!, Day("2026-02-01")!)
    try await new.edit(newFern, from: january) { $0.water = 7.5 }
    try await new.edit(newFern, from: february) { $0.water = 3 }
    #expect(try await stored().unreadable == [])
    for from in [Day("2025-12-31")!, january, Day("2026-01-15")!] {
      let error = await thrown { () throws(EventLogError) in
        try await old.edit(fern, from: from) { $0.water = 4 }
      }
      #expect(texts(error?.unseen ?? []) == ["7.5"], "\(from)")
    }
    try await old.edit(fern, from: february) { $0.water = 4 }
  }

  @Test func `a text that is shown as another one isn't replaced`() async throws {
    try await new.edit(newFern) { $0.shade = "deep" }
    #expect(try await stored().unreadable == ["shade"])
    #expect(texts(try await refused { $0.shade = .full }) == [#""deep""#])
    try await new.edit(newFern) { $0.shade = "full" }
    #expect(try await stored().unreadable == [])
    #expect(try await refused { $0.shade = .half } == [])
  }

  @Test func `notices count the values of entities that are shown`() async throws {
    try await new.edit(newFern) { $0.light = 7.5 }
    _ = try await stored()
    #expect(old.snapshot.notices.count == 1)
    try await new.delete(newFern)
    try await old.refresh()
    #expect(old.snapshot.notices == [])
  }

  @Test func `a batch that would replace an unreadable value writes nothing`() async throws {
    try await new.edit(newFern) { $0.light = 7.5 }
    _ = try await stored()
    let error = await #expect(throws: EventLogError.self) {
      try await old.write { [fern] batch in
        try batch.edit(fern) { $0.name = "Boston fern" }
        try batch.edit(fern) { $0.light = 3 }
      }
    }
    #expect(try await stored().name == "Fern")
    try await old.write(over: error?.unseen ?? []) { [fern] batch in
      try batch.edit(fern) { $0.light = 3 }
    }
    #expect(try await stored().light == 3)
  }

  @Test func `an unreadable candidate isn't replaced by an edit of the shown one`() async throws {
    let tablet = folder.file("tablet.jsonl")
    let other = EventStore.unread(
      path: tablet, options: JournalOptions(deviceName: "tablet"), catalog: new.catalog)
    try await other.sync(with: JournalRemote(path: folder.file("ada.jsonl")))
    _ = try await other.append([
      EventDraft(
        type: "plant.edited", entity: fern.entity,
        data: ["light": .number(JSONNumber(trusted: "7.5"))])
    ])
    _ = try await stored()
    try await old.edit(fern) { $0.light = 2 }
    try await other.sync(with: JournalRemote(path: folder.file("ada.jsonl")))
    #expect(try await stored().contested == ["light"])
    #expect(texts(try await refused { $0.light = 4 }) == ["7.5"])
  }

  @Test func `a draft replaces exactly the values that its person was told of`() async throws {
    try await old.edit(fern) { $0.light = 1 }
    let shown = old.snapshot
    var draft = try #require(shown[fern])
    draft.light = 3
    try await new.refresh()
    try await new.edit(newFern) { $0.light = 2 }
    try await new.edit(newFern) { $0.name = "Boston fern" }
    try await old.refresh()
    let form = draft
    let error = await thrown { () throws(EventLogError) in
      try await old.edit(fern, asOf: shown) { $0 = form }
    }
    let unseen = try #require(error?.unseen)
    #expect(texts(unseen) == ["2"])
    // Another value that the person wasn't told of.
    try await new.edit(newFern) { $0.light = 5 }
    try await old.refresh()
    let again = await thrown { () throws(EventLogError) in
      try await old.edit(fern, asOf: shown, over: unseen) { $0 = form }
    }
    #expect(texts(again?.unseen ?? []) == ["5"])
    try await old.edit(fern, asOf: shown, over: again?.unseen ?? []) { $0 = form }
    let result = try await stored()
    #expect(result.light == 3 && result.name == "Boston fern", "Only the difference is written.")
  }
}
