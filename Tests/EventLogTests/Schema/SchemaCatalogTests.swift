import EventLog
import EventLogCollections
import Testing

@Suite struct SchemaCatalogTests {
  @Test func `the standard catalog has exactly the event types of version 1`() {
    #expect(
      Set(SchemaCatalog.standard.typeNames) == [
        "profile.updated", "settings.changed", "settings.included", "settings.excluded",
        "habit.created", "habit.edited", "habit.archived", "habit.unarchived", "habit.deleted",
        "habit.restored", "completion.recorded", "completion.advanced", "completion.skipped",
      ])
    #expect(
      SchemaCatalog.standard.collection(kind: "habit")?.reservedNames == [
        "id", "archived", "contested", "deleted", "presence", "progress", "completed", "skipped",
        "habit", "date", "unreadable", "from",
      ])
  }

  @Test func `the sections of a state end with the conflicts`() {
    #expect(
      SchemaCatalog.standard.sections == [
        "profile", "settings", "habits", "completions", "conflicts",
      ])
  }

  @Test func `a type is found with the collection that declares it`() throws {
    let found = try #require(SchemaCatalog.standard.type("completion.skipped"))
    #expect(found.collection == .habits)
    #expect(found.event.members.map(\.name) == ["date", "reason"])
    #expect(SchemaCatalog.standard.type("habit.praised") == nil)
    #expect(SchemaCatalog.standard.type("device.joined") == nil)
    #expect(SchemaCatalog.standard.collection(kind: "habit") == .habits)
    #expect(SchemaCatalog.standard.collection(kind: "food") == nil)
  }

  @Test func `types reserved for the store are recognized by their kind`() {
    #expect(SchemaCatalog.isReserved(type: "device.joined"))
    #expect(SchemaCatalog.isReserved(type: "user.adopted"))
    #expect(SchemaCatalog.isReserved(type: "user.invented"))
    #expect(!SchemaCatalog.isReserved(type: "users.invented"))
  }
}
