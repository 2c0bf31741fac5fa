import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@testable import EventLogImport

/// The built-in maps, on exports of the shape that the apps write.
@Suite struct BuiltInMapTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("SampleLogs/Imports")

  private func importing(
    _ map: String, _ file: String
  ) async throws -> (phone: TemporaryStore, report: ImportReport) {
    let phone = try await TemporaryStore(user: "ada", catalog: .bundled)
    let importer = Importer(
      path: Self.folder.appendingPathComponent(file).path,
      map: try #require(ImportMap.builtIn(map)), zone: ImportZone(offset: "UTC"))
    let report = try await importer.run(into: phone.store)
    #expect(try await importer.run(into: phone.store).eventCount == 0)
    return (phone, report)
  }

  /// The progress of each day of each habit.
  private func progress(_ phone: TemporaryStore) -> [String: [String: JSONValue]] {
    var found: [String: [String: JSONValue]] = [:]
    for habit in phone.snapshot.entities("habit") {
      for day in habit.days {
        found[habit["name"]?.text ?? "", default: [:]][day.day.description] = day["progress"]
      }
    }
    return found
  }

  @Test func `every built-in map fits the bundled collections`() throws {
    for name in ImportMap.builtInNames {
      try #require(ImportMap.builtIn(name)).check(against: .bundled)
    }
    #expect(ImportMap.builtInNames == ImportMap.builtInNames.sorted())
  }

  @Test func `Daylio's entries become the moods of a day and its texts`() async throws {
    let (phone, report) = try await importing("daylio", "Daylio.csv")
    #expect(progress(phone) == ["\"Mood\"": ["2026-01-09": 4, "2026-01-10": 4]])
    let mood = try #require(phone.snapshot.entities("habit").first)
    #expect(mood["activities.2026-01-10.21:40"] == "reading | friends")
    #expect(mood["mood.2026-01-09.22:15"] == "meh" && mood["mood.2026-01-09.08:00"] == "good")
    #expect(report.remarks.isEmpty && report.unknown.isEmpty)
  }

  @Test func `Strong's sets become the days of an exercise`() async throws {
    let (phone, report) = try await importing("strong", "Strong.csv")
    #expect(
      progress(phone) == [
        "\"Squat (Barbell)\"": ["2026-01-09": 2, "2026-01-11": 1],
        "\"Rowing (Machine)\"": ["2026-01-09": 1],
      ])
    let squat = try #require(
      phone.snapshot.entities("habit").first { $0["name"] == "Squat (Barbell)" })
    #expect(squat["weight.2026-01-09"]?.text == "45" && squat["reps.2026-01-09"]?.text == "14")
    #expect(report.remarks.isEmpty && report.unknown.isEmpty)
  }

  @Test func `Cronometer's servings become food`() async throws {
    let (phone, report) = try await importing("cronometer", "Cronometer.csv")
    let foods = phone.snapshot.entities("food")
    #expect(foods.count == 4 && report.remarks.isEmpty && report.unknown.isEmpty)
    let soup = try #require(foods.first { $0["name"] == "Lentil Soup" })
    #expect(soup["meal"] == "lunch" && soup["day"] == "2026-01-09" && soup["kcal"]?.text == "186")
    #expect(soup["servings"]?.text == "1" && soup["note"] == "1.00 cup")
  }

  @Test func `Habitica's habits and dailies have their histories`() async throws {
    let (phone, report) = try await importing("habitica", "Habitica.json")
    #expect(
      progress(phone) == [
        "\"Drink water\"": ["2026-01-09": 3, "2026-01-10": 1],
        "\"Stretch\"": ["2026-01-09": 1, "2026-01-10": 0],
      ])
    #expect(report.remarks.isEmpty)
  }
}
