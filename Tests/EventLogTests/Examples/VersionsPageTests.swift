import EventLog
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

/// The samples of the page on versions compile and behave as described.
@Suite struct VersionsPageTests {
  private enum V1 {
    struct Item: Codable, Equatable { var name = "" }
    struct Plant: Record {
      var name = ""
      var light: Int?
      var shopping: [Item] = []
      static let schema = Schema<Plant>(
        "plant",
        [
          .register("name", \.name), .register("light", \.light, .integer(1...5)),
          .register("shopping", coding: \.shopping),
        ])
    }
    struct Lamp: Record {
      var light: Int?
      static let schema = Schema<Lamp>("lamp", [.register("light", \.light, .integer(1...5))])
    }
  }

  // Docs: begin
  struct Plant: Record {
    var title = ""  // was name
    var lux: Double?  // was light, from 1 to 5

    static let schema = Schema<Plant>(
      "plant",
      [
        .register("name", \.title),
        .register("lux", \.lux, .quantity).superseding("light", .times(500)),
      ])
  }
  // Docs: end

  /// Version 2 of an app whose element has one more member.
  private enum Longer {
    struct Item: Codable, Equatable {
      var name = ""
      var grams: Int?
    }
    struct Plant: Record {
      var shopping: [Item] = []
      static let schema = Schema<Plant>("plant", [.register("shopping", coding: \.shopping)])
    }
  }

  /// Version 2 of an app with a looser rule under the same name.
  private struct Looser: Record {
    var light: Double?
    static let schema = Schema<Looser>("plant", [.register("light", \.light, .quantity)])
  }

  private let oldFern = ID<V1.Plant>("fern")!
  private let fern = ID<Plant>("fern")!

  private func meet(
    _ later: any Record.Type
  ) async throws -> (phone: TemporaryStore, tablet: TemporaryStore) {
    let clock = AdjustableClock()
    let phone = try await TemporaryStore(records: V1.Plant.self, V1.Lamp.self, clock: clock)
    try await phone.create(V1.Plant.self, key: "fern") {
      $0.name = "Fern"
      $0.light = 3
    }
    try await phone.create(V1.Lamp.self, key: "desk") { $0.light = 3 }
    let tablet = try await TemporaryStore(device: "tablet", records: later, clock: clock, seed: 2)
    try await tablet.sync(with: phone)
    return (phone, tablet)
  }

  @Test func `an edit by an older device isn't hidden by a later name`() async throws {
    let (phone, tablet) = try await meet(Plant.self)
    #expect(tablet.snapshot[fern]?.title == "Fern" && tablet.snapshot[fern]?.lux == 1500)
    // Docs: begin
    try await tablet.edit(fern) { $0.lux = 1600 }
    try await phone.sync(with: tablet)
    try await phone.edit(oldFern) { $0.light = 4 }
    try await tablet.sync(with: phone)
    let values = tablet.snapshot.conflicts[0].candidates.map(\.value)  // 1600 and 2000
    // Docs: end
    #expect(Set(values) == [1600, 2000])
    #expect(phone.snapshot[oldFern]?.light == 4)
  }

  struct Lamp: Record {
    var lux: Double?
    // Docs: begin
    static let schema = Schema<Lamp>(
      "lamp",
      [
        .register("lux", \.lux, .quantity)
          .superseding("light", .times(500), writing: .times(1, over: 500))
      ])
    // Docs: end
  }

  @Test func `older devices show what the way back writes`() async throws {
    let (phone, tablet) = try await meet(Lamp.self)
    let (desk, oldDesk) = (ID<Lamp>("desk")!, ID<V1.Lamp>("desk")!)
    try await tablet.edit(desk) { $0.lux = 2000 }
    try await phone.sync(with: tablet)
    #expect(phone.snapshot[oldDesk]?.light == 4)
    try await phone.edit(oldDesk) { $0.light = 5 }
    try await tablet.sync(with: phone)
    #expect(tablet.snapshot[desk]?.lux == 2500 && tablet.snapshot.conflicts.isEmpty)
    try await tablet.edit(desk) { $0.lux = 1600 }
    try await phone.sync(with: tablet)
    await #expect(throws: EventLogError.self) { try await phone.edit(oldDesk) { $0.light = 1 } }
  }

  @Test func `the store saves the declarations under their revision`() async throws {
    let folder = try TemporaryFolder()
    let url = URL(fileURLWithPath: folder.file("ada.jsonl"))
    // Docs: begin
    let store = try await EventStore.open(url, user: "ada", records: Plant.self, revision: 2)
    // Docs: end
    try await store.create(Plant.self) { $0.title = "Fern" }
    try await store.refresh()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("ada.eventlog"))
    #expect(names.contains { $0.hasPrefix("schema-2-") && $0.hasSuffix(".json") })
    await #expect(throws: EventLogError.self) {
      _ = try await EventStore.open(url, records: Plant.self, revision: 0)
    }
  }

  @Test func `an older device doesn't drop a member of an element`() async throws {
    let (phone, tablet) = try await meet(Longer.Plant.self)
    let same = ID<Longer.Plant>("fern")!
    try await tablet.edit(same) { $0.shopping = [Longer.Item(name: "carrot", grams: 500)] }
    try await phone.sync(with: tablet)
    let error = await #expect(throws: EventLogError.self) {
      try await phone.edit(oldFern) { $0.shopping.append(V1.Item(name: "salt")) }
    }
    #expect(error?.code == .changedMeanwhile && error?.unseen.count == 1)
    #expect(phone.snapshot[oldFern]?.shopping == [V1.Item(name: "carrot")])
  }

  @Test func `an older device doesn't replace a value that its rule forbids`() async throws {
    let (phone, tablet) = try await meet(Looser.self)
    try await tablet.edit(ID<Looser>("fern")!) { $0.light = 7.5 }
    try await phone.sync(with: tablet)
    #expect(phone.snapshot[oldFern]?.light == nil)
    let error = await #expect(throws: EventLogError.self) {
      try await phone.edit(oldFern) { $0.light = 4 }
    }
    #expect(error?.unseen.map { $0.value?.text } == ["7.5"])
  }

  @Test func `the schema file on the page is that of the record`() throws {
    let page = try String(
      contentsOf: SourceTree.top.appendingPathComponent("Docs/Guides/Versions.md"), encoding: .utf8)
    let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("\"lux\"") })
    let collection = try CollectionSchema(
      json: JSONValue(parsing: #"{"kind":"plant","fields":{"name":"text",\#(line)}}"#.utf8))
    #expect(collection == Plant.schema.collection)
  }
}
