import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// A key with inclusions and exclusions is a set: adding wins over a removal that did not know of
/// it.
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

  @Test mutating func `what is included is in, until an exclusion has seen it`() throws {
    include(two.phone, ["nuts", "milk"])
    #expect(try members == ["milk", "nuts"])
    two.meet()
    exclude(two.tablet, ["nuts"])
    #expect(try members == ["milk"])
    include(two.phone, ["nuts"])
    #expect(try members == ["milk", "nuts"])
  }

  @Test mutating func `adding wins over a removal that did not know of it`() throws {
    include(two.phone, ["nuts"])
    two.meet()
    exclude(two.tablet, ["nuts"])
    include(two.phone, ["nuts"])
    #expect(try members == ["nuts"])
    #expect(try two.project().conflicts.isEmpty)
  }

  @Test mutating func `an exclusion takes out only the inclusions that it had seen`() throws {
    include(two.phone, ["nuts"])
    include(two.tablet, ["nuts"])
    exclude(two.phone, ["nuts"])
    #expect(try members == ["nuts"], "the tablet's inclusion was not seen")
    two.meet()
    exclude(two.phone, ["nuts"])
    #expect(try members == [])
  }

  @Test mutating func `an exclusion of what was never in makes the key a set, an empty one`() throws
  {
    exclude(two.phone, ["nuts"])
    #expect(try members == [])
  }

  @Test mutating func `members are sorted by their bytes, and look-alikes are two`() throws {
    include(two.phone, ["é", "z", "e\u{301}", "Z", "", "z"])
    #expect(try members == ["", "Z", "e\u{301}", "z", "é"])
  }

  @Test mutating func `a register write under a set's key is not shown and makes no conflict`()
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

  @Test mutating func `verify notes a register write under a set's key`() throws {
    include(two.tablet, ["nuts"])
    two.meet()
    let write = two.history.append(two.phone, "settings.changed", ["allergens": "few"])
    let notes = try HistoryJournal().verify(two.history).notes
    #expect(notes.map(\.code) == [.note(.setKey)])
    #expect(notes.map(\.sequence) == [write.sequence])
  }

  @Test mutating func `verify notes what was written before the key became a set, too`() throws {
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
  mutating func `members are an array of texts, or nothing happens`(members: String) throws {
    include(two.phone, .spelled(members))
    #expect(try self.members == nil)
    #expect(try HistoryJournal().verify(two.history).notes.map(\.code) == [.note(.brokenRule)])
  }
}
