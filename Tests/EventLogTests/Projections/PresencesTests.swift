import EventLog
import EventLogTesting
import Testing

/// A deletion hides its entity, unless a concurrent event keeps it visible as a conflict.
@Suite struct PresencesTests {
  var two = TwoDevices()

  @discardableResult
  private mutating func delete(_ device: DeviceID) -> EventID {
    two.history.append(device, "habit.deleted", "habit/read")
  }

  @discardableResult
  private mutating func edit(_ device: DeviceID, _ name: String) -> EventID {
    two.history.append(device, "habit.edited", "habit/read", ["name": .string(name)])
  }

  private mutating func restore(_ device: DeviceID) {
    two.history.append(device, "habit.restored", "habit/read")
  }

  private static let conflict = "habit/read#presence"

  @Test func `an entity exists once a valid event of a known type refers to it`() throws {
    var history = History(user: "ada")
    let phone = history.device("phone")
    history.append(phone, "habit.praised", "habit/a")
    history.append(phone, "completion.recorded", "habit/b", ["date": "2026-01-28"])
    history.append(phone, "food.edited", "habit/c", ["kcal": 1])
    #expect(try project(history).entities("habit").isEmpty)
    history.append(phone, "completion.advanced", "habit/d", ["date": "2026-01-28", "by": 1])
    #expect(try project(history).entities("habit").map(\.id.key) == ["d"])
  }

  @Test mutating func `a deletion hides an entity whose events it had seen`() throws {
    edit(two.tablet, "Read a book")
    two.meet()
    delete(two.phone)
    let state = try two.project()
    #expect(!state.isVisible("habit/read"))
    #expect(state.conflicts.isEmpty)
    #expect(state.entities("habit", includingDeleted: true).map(\.isDeleted) == [true])
  }

  @Test mutating func `an edit concurrent with a deletion contests it`() throws {
    let deletion = delete(two.phone)
    let edit = edit(two.tablet, "Read a book")
    let state = try two.project()
    #expect(state.isVisible("habit/read"))
    let conflict = try #require(state.conflict(Self.conflict))
    #expect(conflict.kind == .presence)
    #expect(conflict.candidates.map(\.event) == [deletion, edit])
    #expect(conflict.values == ["deleted", "habit.edited"])
    #expect(conflict.base == nil)
    #expect(conflict.shown == nil)
    #expect(state.entities("habit")[0].contested == ["presence"])
  }

  @Test
  mutating func `a device contests with its latest event, and all deletions are candidates`()
    throws
  {
    let watch = two.history.device("watch")
    two.history.sync(from: two.phone, to: watch)
    let deletions = [delete(two.phone), delete(watch)]
    edit(two.tablet, "Read a book")
    let latest = edit(two.tablet, "Read 20 pages")
    let conflict = try #require(try two.project().conflict(Self.conflict))
    #expect(conflict.candidates.map(\.event) == [deletions[0], latest, deletions[1]])
  }

  @Test mutating func `concurrent deletions don't conflict`() throws {
    delete(two.phone)
    delete(two.tablet)
    let state = try two.project()
    #expect(!state.isVisible("habit/read"))
    #expect(state.conflicts.isEmpty)
  }

  @Test mutating func `an event seen by one deletion doesn't contest another`()
    throws
  {
    let watch = two.history.device("watch")
    two.history.sync(from: two.phone, to: watch)
    delete(two.phone)
    edit(two.tablet, "Read a book")
    two.history.sync(from: two.tablet, to: watch)
    // The watch saw the edit before it deleted, so no unseen work is hidden.
    delete(watch)
    let state = try two.project()
    #expect(!state.isVisible("habit/read"))
    #expect(state.conflicts.isEmpty)
  }

  // MARK: - Contesting events

  @Test(
    arguments: [
      ("habit.praised", [:]), ("habit.edited", ["goal": 0]), ("habit.edited", [:]),
      ("food.edited", ["kcal": 1]), ("profile.updated", ["firstName": "Ada"]),
      ("completion.advanced", ["date": "2026-02-30", "by": 1]), ("food.deleted", [:]),
    ] as [(String, [String: JSONValue])])
  mutating func `any event about the entity contests a deletion, even if invalid or unknown`(
    type: String, data: [String: JSONValue]
  ) throws {
    delete(two.phone)
    let members = data.map { JSONObject.Member(name: $0.key, value: $0.value) }
    let entity = EntityID("habit/read")
    two.history.append(
      two.tablet, EventDraft(type: type, entity: entity, data: JSONObject(members)))
    #expect(try two.project().conflict(Self.conflict)?.values == ["deleted", .string(type)])
  }

  @Test mutating func `a line of a later version doesn't contest a deletion`() throws {
    delete(two.phone)
    two.history.appendLaterVersion(two.tablet, EntityID("habit/read")!)
    #expect(try !two.project().isVisible("habit/read"))
  }

  // MARK: - Restoration

  @Test mutating func `a restoration brings back a hidden entity with everything recorded`()
    throws
  {
    two.history.append(
      two.phone, "completion.recorded", "habit/read", ["date": "2026-01-28", "progress": 3])
    delete(two.phone)
    edit(two.phone, "Read a book")
    #expect(try !two.project().isVisible("habit/read"), "the edit had seen the deletion")
    restore(two.phone)
    let state = try two.project()
    #expect(state.isVisible("habit/read"))
    #expect(state.conflicts.isEmpty)
    #expect(state.shown("habit/read", "name") == "Read a book")
    #expect(state.shown("habit/read@2026-01-28", "progress") == 3)
  }

  @Test mutating func `a restoration undoes the deletions that it had seen and contests others`()
    throws
  {
    delete(two.phone)
    two.meet()
    restore(two.tablet)
    let second = delete(two.phone)
    let conflict = try two.project().conflict(Self.conflict)
    #expect(conflict?.values == ["deleted", "habit.restored"])
    #expect(conflict?.candidates.first?.event == second)
    // At the last common state, the habit was deleted.
    #expect(conflict?.base == "deleted")
  }

  @Test mutating func `a contested deletion is resolved by another deletion or a restoration`()
    throws
  {
    delete(two.phone)
    edit(two.tablet, "Read a book")
    two.meet()
    var deleted = self
    deleted.delete(two.tablet)
    #expect(try !deleted.two.project().isVisible("habit/read"))
    #expect(try deleted.two.project().conflicts.isEmpty)
    restore(two.tablet)
    #expect(try two.project().isVisible("habit/read"))
    #expect(try two.project().conflicts.isEmpty)
  }

  @Test mutating func `an edit that has seen the deletion doesn't resolve it`() throws {
    delete(two.phone)
    edit(two.tablet, "Read a book")
    two.meet()
    edit(two.tablet, "Read 20 pages")
    let conflict = try #require(try two.project().conflict(Self.conflict))
    // The later edit had seen the deletion, so the earlier one contests it.
    #expect(conflict.candidates.map(\.event.sequence) == [3, 2])
  }

  @Test mutating func `the fields of a deleted entity aren't in conflict`() throws {
    edit(two.phone, "A")
    edit(two.tablet, "B")
    #expect(try two.project().conflicts.map(\.field) == ["name"])
    two.meet()
    delete(two.phone)
    #expect(try two.project().conflicts.isEmpty)
    restore(two.phone)
    #expect(try two.project().conflicts.map(\.field) == ["name"])
  }
}
