import EventLog
import Testing

@Suite struct SuggestionTests {
  @Test func `a typing mistake is recognised`() {
    #expect(
      Suggestion.nearest(to: "habit.creatd", among: ["habit.created", "habit.edited"])
        == "habit.created")
    #expect(Suggestion.nearest(to: "xyz", among: ["habit.created"]) == nil)
  }
}
