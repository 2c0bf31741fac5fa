import EventLog
import EventLogCollections
import EventLogTesting
import EventLogUndo
import Foundation
import Testing

@testable import EventLogImport

/// Habits of one name in exports of Loop.
@Suite struct TwinTests {
  /// A habit of an export.
  private struct Twin {
    var name = "Gym"
    var schedule: String
    var color: String
    var days: [String]
  }

  private let old = Twin(schedule: "1,1", color: "#111111", days: ["2024-01-01"])
  private let new = Twin(schedule: "3,7", color: "#222222", days: ["2026-01-02"])

  private func export(_ twins: [Twin]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    var rows =
      "Position,Name,Type,Question,Description,FrequencyNumerator,FrequencyDenominator,Color,Unit,"
      + "Target Type,Target Value,Archived?\n"
    for (index, twin) in twins.enumerated() {
      rows += "00\(index + 1),\(twin.name),YES_NO,,,\(twin.schedule),\(twin.color),,,,false\n"
      let inside = folder.file("00\(index + 1) \(twin.name)")
      try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: true)
      let days = twin.days.map { "\($0),YES_MANUAL,\n" }.joined()
      try Data("Date,Value,Notes\n\(days)".utf8)
        .write(to: URL(fileURLWithPath: inside + "/Checkmarks.csv"))
    }
    try Data(rows.utf8).write(to: URL(fileURLWithPath: folder.file("Habits.csv")))
    return folder
  }

  @discardableResult
  private func run(_ twins: [Twin], into phone: TemporaryStore) async throws -> ImportReport {
    let folder = try export(twins)
    let map = try #require(ImportMap.builtIn("loop"))
    let report = try await Importer(path: folder.path, map: map).run(into: phone.store)
    let repeated = try await Importer(path: folder.path, map: map).run(into: phone.store)
    #expect(repeated.eventCount == 0)
    withExtendedLifetime(folder) {}
    return report
  }

  private func device(_ name: String = "phone", seed: UInt64 = 1) async throws -> TemporaryStore {
    try await TemporaryStore(device: name, user: "ada", catalog: .bundled, seed: seed)
  }

  /// The days of each habit by its color.
  private func days(_ phone: TemporaryStore) -> [String: [String]] {
    var found: [String: [String]] = [:]
    for habit in phone.store.snapshot.entities("habit") {
      let color = habit["color"].map(\.text) ?? ""
      found[color, default: []] += habit.days.map(\.day.description)
    }
    return found
  }

  /// The fields of habits that two imports in different orders may change: only their positions.
  private func changes(_ report: ImportReport, on phone: TemporaryStore) throws -> Set<String> {
    let added = Set(report.sync.pulled.flatMap { range in (range.first...range.last) })
    let lines = try phone.events().filter {
      $0.id.device.text.hasPrefix("loop-") && added.contains($0.id.sequence)
    }
    return Set(lines.flatMap { $0.data.members.map(\.name) }).subtracting(["from"])
  }

  @Test func `twins are recognized by what was said before an undo, beside a changed part`()
    async throws
  {
    let (phone, tablet) = (try await device(), try await device("tablet", seed: 2))
    let swim = Twin(name: "Swim", schedule: "1,1", color: "#333333", days: [])
    try await run([swim, old], into: phone)
    _ = try await phone.sync(with: tablet)
    try await phone.store.undoImport(of: "loop")
    // Only the position has changed.
    try await run([old], into: tablet)
    _ = try await phone.sync(with: tablet)
    #expect(try await run([new, old], into: phone).remarks.isEmpty)
    #expect(days(phone) == separate)
  }

  private let separate = ["\"#111111\"": ["2024-01-01"], "\"#222222\"": ["2026-01-02"]]

  @Test func `twins keep their days if a later export has another order`() async throws {
    let phone = try await device()
    try await run([new, old], into: phone)
    #expect(days(phone) == separate)
    let report = try await run([old, new], into: phone)
    #expect(try changes(report, on: phone) == ["position"] && days(phone) == separate)
    #expect(phone.store.snapshot.entities("habit").count == 2)
  }

  @Test func `twins are the same on two devices that import exports in different orders`()
    async throws
  {
    let (phone, tablet) = (try await device(), try await device("tablet", seed: 2))
    try await run([new, old], into: phone)
    try await run([old, new], into: tablet)
    _ = try await phone.sync(with: tablet)
    #expect(days(phone) == separate)
    #expect(phone.store.snapshot.conflicts.allSatisfy { $0.field == "position" })
  }

  @Test(arguments: ["schedule", "color", "first day"])
  func `a twin is recognized if one of its traits changes`(_ trait: String) async throws {
    let phone = try await device()
    try await run([new, old], into: phone)
    let keys = phone.store.snapshot.entities("habit").map(\.id.key)
    var changed = old
    switch trait {
    case "schedule": changed.schedule = "5,7"
    case "color": changed.color = "#333333"
    default: changed.days.append("2023-12-31")
    }
    let report = try await run([new, changed], into: phone)
    #expect(report.remarks.isEmpty && report.eventCount == 1)
    #expect(phone.store.snapshot.entities("habit").map(\.id.key) == keys)
  }

  @Test func `if a name becomes two, the habit that matches keeps its key`() async throws {
    for twins in [[new, old], [old, new]] {
      let phone = try await device()
      try await run([old], into: phone)
      #expect(phone.store.snapshot.entities("habit").map(\.id.key) == ["loop-Gym"])
      try await run(twins, into: phone)
      #expect(days(phone) == separate)
      let kept = phone.store.snapshot.entity(EntityID("habit/loop-Gym")!)
      #expect(kept?["color"] == "#111111")
      // The one that is left alone is still recognized.
      try await run([new], into: phone)
      #expect(days(phone) == separate)
    }
  }

  @Test func `twins that agree in all traits are left and named`() async throws {
    let phone = try await device()
    let report = try await run(
      [old, old, Twin(name: "Run", schedule: "1,1", color: "", days: [])],
      into: phone)
    #expect(phone.store.snapshot.entities("habit").map(\.id.key) == ["loop-Run"])
    #expect(report.remarks.map { $0.prefix(15) } == ["Habits.csv:2 an", "Habits.csv:3 an"])
  }

  @Test func `a twin that matches none or several of those imported before is left and named`()
    async throws
  {
    let phone = try await device()
    try await run([new, old], into: phone)
    let other = Twin(schedule: "1,2", color: "#444444", days: ["2026-05-01"])
    let none = try await run([other, old], into: phone)
    #expect(none.eventCount == 0 && none.remarks.count == 1)
    #expect(none.remarks[0].hasPrefix("Habits.csv:2 and its days were left: by schedule, color"))
    // Both of them agree with it in two traits.
    let between = Twin(schedule: "1,1", color: "#222222", days: ["2024-01-01", "2026-01-02"])
    let first = Twin(schedule: "1,1", color: "#222222", days: ["2026-01-02"])
    #expect(try await run([first], into: phone).remarks.isEmpty)
    let several = try await run([between], into: phone)
    #expect(several.remarks.count == 1)
    // A third one is new once both others are there.
    let third = try await run([old, first, other], into: phone)
    #expect(third.remarks.isEmpty && phone.store.snapshot.entities("habit").count == 3)
  }

  @Test func `twins keep their keys after an undo`() async throws {
    let phone = try await device()
    try await run([old], into: phone)
    try await run([old, new], into: phone)
    let keys = phone.store.snapshot.entities("habit").map(\.id.key)
    try await phone.store.undoImport(of: "loop")
    try await run([new, old], into: phone)
    #expect(phone.store.snapshot.entities("habit").map(\.id.key) == keys)
    #expect(days(phone) == separate)
  }

  @Test func `twins that an earlier version numbered keep their keys`() async throws {
    let phone = try await device()
    let numbered = try #require(ImportMap.builtIn("loop")).text
      .replacingOccurrences(
        of: #""twins": ["schedule", "color", "{day}"]"#, with: #""several": "each""#)
    let folder = try export([new, old])
    _ = try await Importer(path: folder.path, map: ImportMap(parsing: numbered.utf8))
      .run(into: phone.store)
    #expect(
      phone.store.snapshot.entities("habit").map(\.id.key) == ["loop-Gym", "loop-Gym~2"])
    let report = try await run([old, new], into: phone)
    #expect(try changes(report, on: phone) == ["position"] && days(phone) == separate)
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [
    (#""twins": ["color"], "day": "d", "days": {"progress": "p"}"#, "neither \"day\" nor"),
    (#""twins": ["colour"]"#, "which is none of its fields"),
  ])
  func `a map with twins is checked`(_ members: String, _ reason: String) async throws {
    let map = #"""
      {"source":"a","tables":[{"files":"a.csv","kind":"habit","key":"a-{n}",
      "fields":{"name":"n","color":"c"},\#(members)}]}
      """#
    #expect(try await TextImport("n,c\nA,1\n").refusal(map).contains(reason))
  }
}
