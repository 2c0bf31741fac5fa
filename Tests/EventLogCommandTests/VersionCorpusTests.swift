import EventLog
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

/// A recorded journal of each version of an app, read by every version, at the terminal and by the
/// app.
@Suite struct VersionCorpusTests {
  private enum V1 {
    enum Size: String, JSONConvertible, CaseIterable {
      case small = "S"
      case large = "L"
    }
    struct Plant: Record {
      var name = ""
      var light: Int?
      var size: Size?
      struct Daily: DailyRecord { var ml = Counter<Int>() }
      static let schema = Schema<Plant>(
        "plant",
        [
          .register("name", \.name), .register("light", \.light, .integer(1...5)),
          .register("size", \.size),
        ], days: [.counter("ml", \.ml)])
    }
  }

  private enum Pot: String, JSONConvertible, CaseIterable { case small, large }

  private enum V2 {
    struct Plant: Record {
      var name = ""
      var lux: Double?
      var pot: Pot?
      struct Daily: DailyRecord { var ml = Counter<Int>() }
      static let schema = Schema<Plant>(
        "plant",
        [
          .register("name", \.name),
          .register("lux", \.lux, .quantity)
            .superseding("light", .times(500), writing: .times(1, over: 500)),
          .register("pot", \.pot).superseding("size", .map(["S": "small", "L": "large"])),
        ], days: [.counter("ml", \.ml)])
    }
  }

  private enum V3 {
    struct Plant: Record {
      var genus = ""
      var species: String?
      var kilolux: Double?
      var pot: Pot?
      struct Daily: DailyRecord { var ml = Counter<Int>() }
      static let schema = Schema<Plant>(
        "plant",
        [
          .register("genus", \.genus).superseding("name", .split(at: " ", .first)),
          .register("species", \.species).superseding("name", .split(at: " ", .rest)),
          .register("klx", \.kilolux)
            .superseding("lux", .times(1, over: 1000), writing: .times(1000))
            .superseding("light", .times(500), writing: .times(1, over: 500)),
          .register("pot", \.pot).superseding("size", .map(["S": "small", "L": "large"])),
        ], days: [.counter("ml", \.ml)])
    }
  }

  private static let versions: [any Record.Type] = [
    V1.Plant.self, V2.Plant.self, V3.Plant.self,
  ]
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Versions")

  private func path(_ name: String) -> String {
    Self.folder.appendingPathComponent(name).path
  }

  @Test(arguments: 1...3)
  func `a schema file of each version declares what its record does`(version: Int) throws {
    let file = try Data(contentsOf: URL(fileURLWithPath: path("plants-\(version).schema.json")))
    let declared = try CollectionSchema.collections(parsing: file)
    let catalog = try SchemaCatalog().adding([Self.versions[version - 1]])
    #expect(declared == catalog.collections.filter { $0.kind == "plant" })
    for earlier in Self.versions.prefix(version) {
      let old = try SchemaCatalog().adding([earlier]).collections
      #expect(CollectionSchema.changes(from: old, to: declared).allSatisfy { $0.kind != .meaning })
    }
  }

  @Test(arguments: 1...3, 1...3)
  func `every version shows a recorded journal as before, at the terminal and in the app`(
    journal: Int, version: Int
  ) throws {
    let workplace = try Workplace()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path("plants-\(journal).jsonl")))
    let name = "plants-\(journal).as-\(version).json"
    let expected = try Data(contentsOf: URL(fileURLWithPath: path(name)))
    try workplace.write("a.jsonl", String(decoding: bytes, as: UTF8.self))
    let run = try workplace.eventlog([
      "project", "a.jsonl", "--json", "--schema", path("plants-\(version).schema.json"), "plants",
      "conflicts",
    ])
    #expect(run.text == String(decoding: expected, as: UTF8.self))
    let recorded = try RecordedJournal(
      text: String(decoding: bytes, as: UTF8.self), records: Self.versions[version - 1])
    let shown = recorded.snapshot.json(sections: ["plants", "conflicts"])
    #expect(String(decoding: shown, as: UTF8.self) + "\n" == run.text)
  }
}
