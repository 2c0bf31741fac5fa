import EventLog
import EventLogTesting
import Testing

@Suite struct RecordScenarioTests {
  private struct Lamp: Record {
    var lux: Double?
    static let schema = Schema<Lamp>(
      "lamp", [.register("lux", \.lux, .quantity).superseding("light", .times(500))])
  }

  private struct Choices: Record {
    var theme = "light"
    static let schema = Schema<Choices>(singleton: "choices", [.register("theme", \.theme)])
  }

  @Test func `an edit after given events shows its record and its events`() async throws {
    let soup = RecordScenario(Meal.self, given: ["meal.created": ["kcal": 370]])
    let outcome = try await soup.when { $0.kcal = 371 }
    #expect(outcome.events == [.init("meal.edited", ["kcal": 371])])
    #expect(outcome.record.kcal == 371)
    #expect(try await soup.when { _ in }.events == [])
  }

  @Test func `given events may be those of an older version`() async throws {
    let old = RecordScenario(Lamp.self, given: ["lamp.created": ["light": 3]])
    #expect(try await old.when().record.lux == 1500)
    let outcome = try await old.when { $0.lux = 1600 }
    #expect(outcome.events == [.init("lamp.edited", ["lux": 1600])])
    let broken = RecordScenario(Lamp.self, given: ["lamp.created": ["lux": "bright"]])
    #expect(try await broken.when().unreadable == ["lux"])
    await #expect(throws: EventLogError.self) { try await broken.when { $0.lux = 1 } }
  }

  @Test func `a singleton needs no events before`() async throws {
    let outcome = try await RecordScenario(Choices.self).when { $0.theme = "dark" }
    #expect(outcome.record.theme == "dark")
    #expect(outcome.events == [.init("choices.changed", ["theme": "dark"])])
    await #expect(throws: EventLogError.self) { try await RecordScenario(Lamp.self).when() }
  }
}
