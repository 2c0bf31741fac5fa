import EventLog
import EventLogTesting
import Testing

/// The IDs, order and bases of conflicts.
@Suite struct ConflictTests {
  var two = TwoDevices()

  @Test
  mutating func `the ID of a conflict contains the entity, the field, and the date for a day`()
    throws
  {
    for (device, value) in [(two.phone, "x"), (two.tablet, "y")] as [(DeviceID, JSONValue)] {
      two.history.append(device, "profile.updated", ["firstName": value])
      two.history.append(device, "settings.changed", ["a#b": value])
      two.history.append(device, "habit.edited", "habit/read", ["name": value])
      two.history.append(
        device, "completion.skipped", "habit/read", ["date": "2026-01-28", "reason": value])
    }
    let state = try two.project()
    #expect(
      state.conflicts.map(\.id) == [
        "habit/read#name", "habit/read@2026-01-28#skipped", "profile#firstName", "settings#a#b",
      ])
    #expect(
      state.conflicts.map(\.entity) == [
        "habit/read", "habit/read@2026-01-28", "profile", "settings",
      ])
    #expect(state.entities("habit")[0].days[0].contested == ["skipped"])
  }

  @Test mutating func `candidates are sorted by their event IDs as text`() throws {
    for sequence in Int64(2)...10 {
      two.history.append(two.tablet, "profile.updated", ["n": .number(JSONNumber(sequence))])
    }
    two.history.append(two.phone, "profile.updated", ["n": 1])
    let other = two.history.device("phone-2")
    two.history.append(other, "profile.updated", ["n": 0])
    let events = try two.project().conflict("profile#n")?.candidates.map(\.event.description)
    #expect(events == ["phone-2-aaaaaaaa:2", "phone-aaaaaaaa:3", "tablet-aaaaaaaa:10"])
  }

  @Test
  mutating func `the base is the value in a state of everything that all candidates had seen`()
    throws
  {
    let watch = two.history.device("watch")
    two.history.append(two.phone, "profile.updated", ["n": 1])
    two.history.sync(from: two.phone, to: two.tablet)
    // The watch never receives this event.
    two.history.append(two.phone, "profile.updated", ["n": 2])
    two.history.append(two.tablet, "profile.updated", ["n": 3])
    #expect(try two.project().conflict("profile#n")?.base == 1)
    two.history.append(watch, "profile.updated", ["n": 4])
    #expect(try two.project().conflict("profile#n")?.base == nil)
  }

  @Test mutating func `the base excludes the candidates and events that only one writer had seen`()
    throws
  {
    two.history.append(two.phone, "profile.updated", ["n": 1])
    two.meet()
    two.history.append(two.phone, "profile.updated", ["n": 2])
    two.history.append(two.phone, "profile.updated", ["n": 3])
    two.history.append(two.tablet, "profile.updated", ["n": 4])
    let conflict = try two.project().conflict("profile#n")
    #expect(conflict?.values == [3, 4])
    #expect(conflict?.base == 1, "2 was never on the tablet")
  }

  @Test mutating func `a resolved conflict can be undone and become a conflict again`() throws {
    two.history.append(two.phone, "profile.updated", ["n": 1])
    two.history.append(two.tablet, "profile.updated", ["n": 2])
    two.meet()
    two.history.append(two.phone, "profile.updated", ["n": 1])
    #expect(try two.project().conflicts.isEmpty)
    // The tablet continues without having received it.
    two.history.append(two.tablet, "profile.updated", ["n": 2])
    #expect(try two.project().conflict("profile#n")?.values == [1, 2])
    two.meet()
    two.history.append(two.tablet, "profile.updated", ["n": 2])
    #expect(try two.project().conflicts.isEmpty)
    #expect(try two.project().shown("profile", "n") == 2)
  }

  @Test mutating func `the JSON lists the contested fields and their candidates`() throws {
    two.history.append(two.phone, at: .minute(1), "profile.updated", ["n": 1])
    two.history.append(two.tablet, at: .minute(2), "profile.updated", ["n": .spelled("2.0")])
    let snapshot = try two.project()
    let json = snapshot.json(sections: ["profile", "conflicts"])
    let tips = snapshot.frontier.tips
    #expect(tips.map(\.shortID.description) == ["phone-aaaaaaaa:3", "tablet-aaaaaaaa:2"])
    #expect(
      String(decoding: json, as: UTF8.self) == """
        {"conflicts":[{"candidates":[\
        {"at":"2026-01-28T12:01:00.000Z","device":"phone-aaaaaaaa",\
        "event":"phone-aaaaaaaa:3","value":1},\
        {"at":"2026-01-28T12:02:00.000Z","device":"tablet-aaaaaaaa",\
        "event":"tablet-aaaaaaaa:2","value":2.0}],\
        "entity":"profile","field":"n","id":"profile#n","kind":"values",\
        "shown":"tablet-aaaaaaaa:2"}],\
        "contested":{"profile":["n"]},"eventCount":5,\
        "frontier":["\(tips[0])","\(tips[1])"],\
        "profile":{"n":2.0},"user":"ada"}
        """)
  }
}
