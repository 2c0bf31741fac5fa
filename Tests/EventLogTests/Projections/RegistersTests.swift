import EventLog
import EventLogTesting
import Testing

/// Most fields are registers: a write replaces the values that its writer had seen.
@Suite struct RegistersTests {
  var two = TwoDevices()

  @Test mutating func `a write replaces the values that its device had seen`() throws {
    two.history.append(two.phone, "habit.edited", "habit/read", ["name": "Read a book"])
    two.meet()
    two.history.append(two.tablet, "habit.edited", "habit/read", ["name": "Read 20 pages"])
    let state = try two.project()
    #expect(state.shown("habit/read", "name") == "Read 20 pages")
    #expect(state.conflicts.isEmpty)
  }

  @Test mutating func `concurrent edits of one field conflict`() throws {
    let book = two.history.append(
      two.phone, at: .minute(2), "habit.edited", "habit/read", ["name": "Read a book"])
    let pages = two.history.append(
      two.tablet, at: .minute(1), "habit.edited", "habit/read", ["name": "Read 20 pages"])
    let state = try two.project()
    let conflict = try #require(state.conflict("habit/read#name"))
    #expect(conflict.candidates.map(\.event) == [book, pages])
    #expect(conflict.values == ["Read a book", "Read 20 pages"])
    #expect(conflict.base == "Read")
    // The later value shows until the conflict is resolved.
    #expect(conflict.shown == book)
    #expect(state.shown("habit/read", "name") == "Read a book")
    #expect(state.entities("habit")[0].contested == ["name"])
  }

  @Test mutating func `concurrent edits of different fields don't conflict`() throws {
    two.history.append(two.phone, "habit.edited", "habit/read", ["color": "red"])
    two.history.append(two.tablet, "habit.edited", "habit/read", ["goal": 2])
    let state = try two.project()
    #expect(state.conflicts.isEmpty)
    #expect(state.shown("habit/read", "color") == "red")
    #expect(state.shown("habit/read", "goal") == 2)
  }

  @Test mutating func `the greater device's value is shown if two values have the same time`()
    throws
  {
    two.history.append(two.tablet, at: .minute(1), "profile.updated", ["firstName": "Ada"])
    two.history.append(two.phone, at: .minute(1), "profile.updated", ["firstName": "Ada L."])
    #expect(try two.project().shown("profile", "firstName") == "Ada")
  }

  @Test mutating func `a wrong clock doesn't affect which events are concurrent`() throws {
    let future = Timestamp("9999-12-31T23:59:59Z")
    two.history.append(two.phone, at: future, "profile.updated", ["firstName": "Ada"])
    two.meet()
    // The tablet has seen the phone's event, even though its clock is slow.
    two.history.append(two.tablet, at: .minute(0), "profile.updated", ["firstName": "Ada L."])
    let state = try two.project()
    #expect(state.shown("profile", "firstName") == "Ada L.")
    #expect(state.conflicts.isEmpty)
  }

  @Test(arguments: [
    ("70", "70.0"), ("70", "7e1"), ("0", "-0.00"), (#"{"a":1,"b":[2]}"#, #"{"b":[2.0],"a":1}"#),
  ])
  mutating func `equal values in different spellings don't conflict`(left: String, right: String)
    throws
  {
    two.history.append(two.phone, "profile.updated", ["note": .spelled(left)])
    two.history.append(two.tablet, "profile.updated", ["note": .spelled(right)])
    let state = try two.project()
    #expect(state.conflicts.isEmpty)
    #expect(state.shown("profile", "note")?.text == right, "the latest spelling shows")
  }

  @Test(arguments: [
    ("\"é\"", "\"e\u{301}\""), ("1", "\"1\""), ("[1,2]", "[2,1]"), ("0", "false"), ("{}", "[]"),
    ("9007199254740993", "9007199254740992"),
  ])
  mutating func `different values that look alike conflict`(left: String, right: String)
    throws
  {
    two.history.append(two.phone, "profile.updated", ["note": .spelled(left)])
    two.history.append(two.tablet, "profile.updated", ["note": .spelled(right)])
    let values = try two.project().conflict("profile#note")?.values
    #expect(values == [.spelled(left), .spelled(right)])
  }

  @Test mutating func `a null shows as absent and is a candidate`() throws {
    two.history.append(two.phone, at: .minute(1), "habit.edited", "habit/read", ["goal": 3])
    two.history.append(two.tablet, at: .minute(2), "habit.edited", "habit/read", ["goal": .null])
    let state = try two.project()
    #expect(state.conflict("habit/read#goal")?.values == [3, .null])
    #expect(state.conflict("habit/read#goal")?.base == nil, "no goal was written before")
    #expect(state.shown("habit/read", "goal") == nil)
    #expect(!String(decoding: state.json(sections: ["habits"]), as: UTF8.self).contains("null"))
  }

  @Test mutating func `a base of null is different from no base`() throws {
    two.history.append(two.phone, "profile.updated", ["note": .null])
    two.meet()
    two.history.append(two.phone, "profile.updated", ["note": 1])
    two.history.append(two.tablet, "profile.updated", ["note": 2])
    #expect(try two.project().conflict("profile#note")?.base == .null)
  }

  // MARK: - Resolution

  @Test mutating func `a write that has seen all candidates resolves the conflict`() throws {
    two.history.append(two.phone, "profile.updated", ["firstName": "Ada"])
    two.history.append(two.tablet, "profile.updated", ["firstName": "Ada L."])
    two.meet()
    two.history.append(two.phone, "profile.updated", ["firstName": "Ada"])
    let state = try two.project()
    #expect(state.conflicts.isEmpty)
    #expect(state.shown("profile", "firstName") == "Ada")
  }

  @Test mutating func `two devices that resolve a conflict alike cause no new conflict`() throws {
    two.history.append(two.phone, "profile.updated", ["height": 170])
    two.history.append(two.tablet, "profile.updated", ["height": 171])
    two.meet()
    two.history.append(two.phone, "profile.updated", ["height": 171])
    two.history.append(two.tablet, "profile.updated", ["height": .spelled("171.0")])
    #expect(try two.project().conflicts.isEmpty)
  }

  @Test mutating func `two devices that resolve a conflict differently cause a new conflict`()
    throws
  {
    two.history.append(two.phone, "profile.updated", ["height": 170])
    two.history.append(two.tablet, "profile.updated", ["height": 171])
    two.meet()
    two.history.append(two.phone, "profile.updated", ["height": 170])
    two.history.append(two.tablet, "profile.updated", ["height": 171])
    let conflict = try two.project().conflict("profile#height")
    #expect(conflict?.values == [170, 171])
    // The state that both had seen was contested as well, and showed the later value.
    #expect(conflict?.base == 171)
  }

  @Test mutating func `a write that has seen one of two candidates replaces only that one`() throws
  {
    let watch = two.history.device("watch")
    two.history.append(two.phone, "profile.updated", ["firstName": "A"])
    two.history.append(two.tablet, "profile.updated", ["firstName": "B"])
    two.history.sync(from: two.phone, to: watch)
    two.history.append(watch, "profile.updated", ["firstName": "C"])
    #expect(try two.project().conflict("profile#firstName")?.values == ["B", "C"])
  }

  @Test mutating func `a later write of a device replaces its earlier one`() throws {
    two.history.append(two.tablet, "profile.updated", ["firstName": "A"])
    two.history.append(two.phone, "profile.updated", ["firstName": "B"])
    two.history.append(two.phone, "profile.updated", ["firstName": "C"])
    #expect(try two.project().conflict("profile#firstName")?.values == ["C", "A"])
  }

  // MARK: - Events without effects

  @Test mutating func `an event with a broken structure changes no field`() throws {
    two.history.append(
      two.phone, "completion.skipped", "habit/read", ["date": "2026-02-30", "reason": "ill"])
    #expect(try two.project().entities("habit")[0].days.isEmpty)
  }

  @Test mutating func `an unreadable value isn't shown, and the other fields apply`() throws {
    two.history.append(
      two.phone, "habit.edited", "habit/read", ["name": "Read a book", "goal": -1])
    let habit = try two.project().entities("habit")[0]
    #expect(habit["name"] == "Read a book" && habit["goal"] == nil && habit.unreadable == ["goal"])
    two.meet()
    two.history.append(two.tablet, "habit.edited", "habit/read", ["goal": 2])
    #expect(try two.project().entities("habit")[0].unreadable.isEmpty)
  }

  @Test mutating func `an unreadable value conflicts with a concurrent one, unless it is equal`()
    throws
  {
    two.history.append(two.phone, "habit.edited", "habit/read", ["goal": -1])
    two.history.append(two.tablet, "habit.edited", "habit/read", ["goal": .spelled("-1.0")])
    #expect(try two.project().conflicts.isEmpty)
    two.history.append(two.tablet, "habit.edited", "habit/read", ["goal": 3])
    #expect(try two.project().conflict("habit/read#goal")?.values == [-1, 3])
  }

  @Test mutating func `members that a type doesn't declare are ignored`() throws {
    two.history.append(
      two.phone, "habit.edited", "habit/read",
      ["id": 7, "archived": true, "progress": 9, "date": "2026-01-28", "name": "Read a book"])
    two.history.append(two.phone, "habit.unarchived", "habit/read", ["name": "Unread"])
    let state = try two.project()
    #expect(state.entities("habit")[0].fields.map(\.name) == ["archived", "name"])
    #expect(state.shown("habit/read", "name") == "Read a book")
    #expect(state.shown("habit/read", "archived") == false)
  }

  @Test mutating func `archiving writes a separate register`() throws {
    two.history.append(two.phone, "habit.archived", "habit/read")
    two.history.append(two.tablet, "habit.unarchived", "habit/read")
    let conflict = try two.project().conflict("habit/read#archived")
    #expect(conflict?.values == [true, false])
    #expect(conflict?.base == nil, "nothing was written before; the default is not a value")
  }
}
