import EventLog
import Testing

@Suite struct SuggestionTests {
  @Test func `a typing mistake gets a suggestion`() {
    #expect(
      Suggestion.nearest(to: "habit.creatd", among: ["habit.created", "habit.edited"])
        == "habit.created")
    #expect(Suggestion.nearest(to: "xyz", among: ["habit.created"]) == nil)
  }

  @Test func `case matters only if nothing else differs`() {
    #expect(Suggestion.nearest(to: "READ", among: ["bread", "run", "Read"]) == "Read")
    #expect(Suggestion.nearest(to: "Reed", among: ["read"]) == "read")
    #expect(Suggestion.nearest(to: "read", among: ["READ", "Read"]) == "Read")
  }

  @Test func `a candidate that begins with the text wins over an equally near one`() {
    #expect(Suggestion.nearest(to: "dat", among: ["at", "data"]) == "data")
  }
}
