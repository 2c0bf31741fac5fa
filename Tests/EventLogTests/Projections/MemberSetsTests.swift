import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// A key with inclusions and exclusions is a set: an inclusion wins over an exclusion that hadn't
/// seen it.
@Suite struct MemberSetsTests {
  var two = TwoDevices()

  private mutating func include(_ device: DeviceID, _ members: JSONValue) {
    two.history.append(device, "settings.included", ["key": "allergens", "members": members])
  }

  private mutating func exclude(_ device: DeviceID, _ members: JSONValue) {
    two.history.append(device, "settings.excluded", ["key": "allergens", "members": members])
  }

  private var members: JSONValue? {
    get throws { try two.project().shown("settings", "allergens") }
  }

  @Test mutating func `an included member is in the set until an exclusion has seen it`() throws {
    include(two.phone, ["nuts", "milk"])
    #expect(try members == ["milk", "nuts"])
    two.meet()
    exclude(two.tablet, ["nuts"])
    #expect(try members == ["milk"])
    include(two.phone, ["nuts"])
    #expect(try members == ["milk", "nuts"])
  }

  @Test mutating func `an inclusion wins over a concurrent exclusion`() throws {
    include(two.phone, ["nuts"])
    two.meet()
    exclude(two.tablet, ["nuts"])
    include(two.phone, ["nuts"])
    #expect(try members == ["nuts"])
    #expect(try two.project().conflicts.isEmpty)
  }

  @Test mutating func `an exclusion removes only the inclusions that it had seen`() throws {
    include(two.phone, ["nuts"])
    include(two.tablet, ["nuts"])
    exclude(two.phone, ["nuts"])
    #expect(try members == ["nuts"], "the tablet's inclusion was not seen")
    two.meet()
    exclude(two.phone, ["nuts"])
    #expect(try members == [])
  }

  @Test mutating func `excluding a member that was never included makes the key an empty set`()
    throws
  {
    exclude(two.phone, ["nuts"])
    #expect(try members == [])
  }

  @Test mutating func `members are sorted and distinguished by their bytes`() throws {
    include(two.phone, ["é", "z", "e\u{301}", "Z", "", "z"])
    #expect(try members == ["", "Z", "e\u{301}", "z", "é"])
  }

  @Test mutating func `a register write to a set's key isn't shown and causes no conflict`()
    throws
  {
    two.history.append(two.phone, "settings.changed", ["allergens": "none"])
    two.history.append(two.tablet, "settings.changed", ["allergens": "some"])
    #expect(try two.project().conflict("settings#allergens") != nil)
    include(two.tablet, ["nuts"])
    two.history.append(two.phone, "settings.changed", ["allergens": "few"])
    let state = try two.project()
    #expect(state.shown("settings", "allergens") == ["nuts"])
    #expect(state.conflicts.isEmpty)
    #expect(state.singleton("settings").count == 1)
  }

  @Test mutating func `verify notes a register write to a set's key`() throws {
    include(two.tablet, ["nuts"])
    two.meet()
    let write = two.history.append(two.phone, "settings.changed", ["allergens": "few"])
    let notes = try HistoryJournal().verify(two.history).notes
    #expect(notes.map(\.code) == [.note(.setKey)])
    #expect(notes.map(\.sequence) == [write.sequence])
  }

  @Test mutating func `verify notes even a register write that preceded the set`() throws {
    let first = two.history.append(two.phone, "settings.changed", ["allergens": "few"])
    two.history.append(two.phone, "settings.changed", ["theme": "dark"])
    let unknown = two.history.append(two.phone, "weather.noted", ["sky": "blue"])
    include(two.phone, ["nuts"])
    let second = two.history.append(two.phone, "settings.changed", ["allergens": "many"])
    let report = try HistoryJournal().verify(two.history)
    #expect(report.notes.map(\.sequence) == [first, unknown, second].map(\.sequence))
    #expect(report.noteCounts == [.setKey: 2, .unknownType: 1])
  }

  @Test(arguments: [#"["nuts",1]"#, #""nuts""#, "null", #"{"nuts":true}"#])
  mutating func `members that aren't strings are left out and noted`(members: String) throws {
    include(two.phone, .spelled(members))
    #expect(try self.members == (members.hasPrefix("[") ? ["nuts"] : []))
    #expect(
      try HistoryJournal().verify(two.history).notes.map(\.code) == [.note(.unreadableValue)])
  }
}
