import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@testable import EventLogImport

/// Goals, limits and schedules of a Loop export, and of a later one.
@Suite struct LoopGoalTests {
  private let folder: TemporaryFolder
  private static let header =
    "Position,Name,Type,Question,Description,FrequencyNumerator,FrequencyDenominator,Color,Unit,"
    + "Target Type,Target Value,Archived?\n"

  init() throws { folder = try TemporaryFolder() }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
  }

  /// Writes an export with one habit.
  private func export(_ habit: String, _ days: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("001 Wine"), withIntermediateDirectories: true)
    try write("Habits.csv", Self.header + habit + "\n")
    try write("001 Wine/Checkmarks.csv", "Date,Value,Notes\n" + days)
  }

  private func run(into device: TemporaryStore) async throws -> ImportReport {
    let map = try #require(ImportMap.builtIn("loop"))
    return try await Importer(path: folder.path, map: map).run(into: device.store)
  }

  private static let wine = EntityID("habit/loop-Wine")!

  private func completed(_ state: Snapshot) throws -> [String] {
    let json = String(decoding: state.json(sections: ["completions"]), as: UTF8.self)
    return json.components(separatedBy: #"{"completed":true,"date":""#).dropFirst()
      .map { String($0.prefix(10)) }
  }

  @Test func `a target of at most is a limit`() async throws {
    try export(
      "001,Wine,NUMERICAL,,,1,1,#1976D2,glasses,AT_MOST,1.0,false",
      "2026-02-03,3000,\n2026-02-02,1000,\n2026-02-01,0,\n")
    let phone = try await TemporaryStore(catalog: .bundled)
    _ = try await run(into: phone)
    let habit = try #require(phone.snapshot.entity(Self.wine))
    #expect(habit["target"] == "atMost" && habit["goal"] == 1)
    #expect(try completed(phone.snapshot) == ["2026-02-01", "2026-02-02"])
  }

  @Test func `a target of at least is the default, and a habit without a number has none`()
    async throws
  {
    for (habit, value) in [
      ("001,Wine,NUMERICAL,,,1,1,#1976D2,glasses,AT_LEAST,2.0,false", "2000"),
      ("001,Wine,YES_NO,,,1,1,#1976D2,,,,false", "YES_MANUAL"),
    ] {
      try export(habit, "2026-02-02,\(value),\n")
      let phone = try await TemporaryStore(catalog: .bundled)
      #expect(try await run(into: phone).remarks.isEmpty)
      #expect(try #require(phone.snapshot.entity(Self.wine))["target"] == nil)
    }
  }

  @Test func `a changed goal applies after the days that the earlier export had`() async throws {
    try export(
      "001,Wine,NUMERICAL,,,1,1,#1976D2,glasses,AT_LEAST,1.0,false",
      "2026-02-02,1000,\n2026-02-01,1000,\n")
    let phone = try await TemporaryStore(catalog: .bundled)
    _ = try await run(into: phone)
    let tablet = try await TemporaryStore(device: "tablet", catalog: .bundled, seed: 2)
    _ = try await run(into: tablet)
    try export(
      "001,Wine,NUMERICAL,,,3,7,#1976D2,glasses,AT_LEAST,2.0,false",
      "2026-02-03,1000,\n2026-02-02,1000,\n2026-02-01,1000,\n")
    _ = try await run(into: phone)
    tablet.clock.advance(by: .seconds(86_400 * 40))
    _ = try await run(into: tablet)
    #expect(try completed(phone.snapshot) == ["2026-02-01", "2026-02-02"])
    for field in ["goal", "schedule"] {
      let steps = phone.snapshot.timeline(of: field, in: "habit/loop-Wine").steps
      #expect(steps.map(\.from) == [nil, Day("2026-02-03")])
    }
    #expect(phone.snapshot.report == tablet.snapshot.report, "the same on every device")
    #expect(try await run(into: phone).eventCount == 0)
  }
}
