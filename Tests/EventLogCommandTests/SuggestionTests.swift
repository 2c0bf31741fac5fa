import EventLog
import Testing

@Suite struct SuggestionTests {
  @Test func `a typing mistake is recognised`() {
    #expect(
      Suggestion.nearest(to: "habit.creatd", among: ["habit.created", "habit.edited"])
        == "habit.created")
    #expect(Suggestion.nearest(to: "xyz", among: ["habit.created"]) == nil)
  }

  @Test func `case is no mistake, unless it is the only one`() {
    #expect(Suggestion.nearest(to: "READ", among: ["bread", "run", "Read"]) == "Read")
    #expect(Suggestion.nearest(to: "Reed", among: ["read"]) == "read")
    #expect(Suggestion.nearest(to: "read", among: ["READ", "Read"]) == "Read")
  }

  @Test func `of two as near, the one counts that goes on`() {
    #expect(Suggestion.nearest(to: "dat", among: ["at", "data"]) == "data")
  }
}
