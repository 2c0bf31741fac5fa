import EventLog
import EventLogCollections
import Testing

@testable import EventLogImport

@Suite struct ImportMapTests {
  private func refusal(of text: String) -> EventLogError? {
    do throws(EventLogError) {
      try ImportMap(parsing: text.utf8).check(against: .bundled)
      return nil
    } catch { return error }
  }

  @Test(arguments: ImportMap.builtInNames)
  func `a built-in map writes only declared fields`(_ name: String) throws {
    let map = try #require(ImportMap.builtIn(name))
    try map.check(against: .bundled)
    #expect(try ImportMap(parsing: map.text.utf8).source == map.source)
    #expect(map.text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test(
    arguments: [
      ("{key}_{user}_{email}", "B_ada_a_b", ["key": "B", "user": "ada", "email": "a_b"]),
      ("{key}_{user}_{email}", "B_ada", nil),
      ("{key}_{user}", "_B_ada", ["key": "_B", "user": "ada"]),
      ("x{a}", "x", nil), ("x{a}", "xy", ["a": "y"]), ("{a}x", "1x2x", ["a": "1x2"]),
      ("{a}x{b}x", "1x2x3x", ["a": "1", "b": "2x3"]), ("{a}x", "x", nil), ("{a}xx", "1x", nil),
      ("{a}-{a}", "1-2", ["a": "1"]), ("{a}{b}", "é12", ["a": "é", "b": "12"]),
      ("{a}{b}", "1", nil), ("one", "one", [:]), ("one", "ones", nil), ("", "", [:]),
    ] as [(String, String, [String: String]?)])
  func `a pattern splits a name into its parts`(
    _ pattern: String, _ text: String, _ parts: [String: String]?
  )
    throws
  {
    #expect(try #require(NamePattern(pattern)).match(text) == parts)
  }

  @Test func `a placeholder doesn't match excluded characters`() throws {
    let pattern = try #require(NamePattern("{a} {b}/{c}.csv"))
    #expect(pattern.match("1 2/3.csv", without: "/") == ["a": "1", "b": "2", "c": "3"])
    #expect(pattern.match("1 2/3/4.csv", without: "/") == nil)
  }

  /// Each part could end at every underscore, so backtracking would never finish.
  @Test func `a long name is matched in one pass`() throws {
    let pattern = try #require(NamePattern("{a}_{b}_{c}_{d}_{e}_{f}!"))
    let text = String(repeating: "_", count: 100_000)
    #expect(pattern.match(text) == nil)
    #expect(pattern.match(text + "!")?["a"] == "_")
  }

  @Test func `an unknown name of a built-in map returns none`() {
    #expect(ImportMap.builtIn("looop") == nil)
  }

  @Test(arguments: [
    ("{\n\"source\": \"a\",\n}", "(line 3, column 1)", nil as String?),
    ("[]", "The map is not an object", nil),
    (#"{"source":"a"}"#, "either \"keys\" or \"tables\"", nil),
    (#"{"source":"a","keys":{},"tables":[]}"#, "either \"keys\" or \"tables\"", nil),
    (#"{"keys":{}}"#, "is missing \"source\"", nil),
    (#"{"source":"a b","keys":{}}"#, "for \"source\"", nil),
    (#"{"source":"a","kees":{}}"#, "unknown member \"kees\"", "Did you mean \"keys\"?"),
    (
      #"{"source":"a","keys":{"B":{"kind":"profil","field":"birthday"}}}"#,
      "keys.B writes to an unknown collection, \"profil\"", "Did you mean \"profile\"?"
    ),
    (
      #"{"source":"a","keys":{"B":{"kind":"profile","field":"birthdy"}}}"#,
      "keys.B writes to an unknown field of profile, \"birthdy\"", "Did you mean \"birthday\"?"
    ),
    (
      #"{"source":"a","keys":{"B":{"kind":"settings","field":"x","as":"falg"}}}"#,
      "unknown \"as\", \"falg\"", "Did you mean \"flag\"?"
    ),
    (
      #"{"source":"a","keys":{"B":{"kind":"settings","field":"b","round":true}}}"#,
      "which needs \"as\": \"whole\"", nil
    ),
    (#"{"source":"a","keys":{"B":{"kind":"settings"}}}"#, "\"kind\" and \"field\"", nil),
    (
      #"{"source":"a","keys":{"B":{"kind":"habit","field":"name"}}}"#, "has many entities",
      "Keys can write to singletons: use \"tables\" for entities."
    ),
    (
      #"{"source":"a","tables":[{"files":"x","kind":"habit","fields":{"name":"N"}}]}"#,
      "tables[0] is missing \"key\"", nil
    ),
    (
      #"{"source":"a","tables":[{"files":"x","kind":"habit","key":"{N}","#
        + #""fields":{"nmae":"N"}}]}"#,
      "tables[0].fields.nmae writes to an unknown field", "Did you mean \"name\"?"
    ),
    (
      #"{"source":"a","tables":[{"files":"x","kind":"habit","key":"{N}","day":"D","#
        + #""days":{"progres":"V"}}]}"#,
      "tables[0].days.progres writes to an unknown field of habit's days",
      "Did you mean \"progress\"?"
    ),
    (
      #"{"source":"a","tables":[{"files":"x","kind":"food","key":"{N}","day":"D","#
        + #""days":{"progress":"V"}}]}"#,
      "\"food\" has none", nil
    ),
    (
      #"{"source":"a","tables":[{"files":"x","kind":"habit","key":"{N","fields":{"name":"N"}}]}"#,
      "a brace without its other half", nil
    ),
    (
      #"{"source":"a","tables":[{"files":"x","kind":"habit","key":"{N}","#
        + #""day":{"column":"D","forms":"YYY-M-D"},"days":{"progress":"V"}}]}"#,
      "is no form of a date or time", nil
    ),
  ])
  func `an invalid map is refused with the location and a suggestion`(
    _ text: String, _ message: String, _ hint: String?
  ) throws {
    let error = try #require(refusal(of: text))
    #expect(error.code == .invalidInput)
    #expect(error.message.contains(message), "\(error.message)")
    #expect(error.message.hasSuffix("Nothing was written."))
    if let hint { #expect(error.hint == hint) }
  }

  @Test func `a pattern splits a name, and fills in known parts`() throws {
    let pattern = try #require(NamePattern("{key}_{user}_{email}"))
    #expect(
      pattern.match("Birthday_u1_a@b.c") == ["key": "Birthday", "user": "u1", "email": "a@b.c"])
    #expect(pattern.match("Birthday_u1") == nil && pattern.match("_u1_x") == nil)
    let ours = pattern.filling(["key": "Birthday", "user": "u_1"])
    #expect(ours.match("Birthday_u_1_a@b.c") == ["email": "a@b.c"])
    #expect(NamePattern("{a}{") == nil && NamePattern("}") == nil && NamePattern("{}") == nil)
  }

  @Test(arguments: [
    ("NS*", "NSWindow", true), ("NS*", "NS", true), ("NS*", "xNS", false), ("a", "a", true),
    ("a", "ab", false), ("*/Scores.csv", "1/Scores.csv", true), ("a*b*c", "aXbYc", true),
    ("a*b*c", "ac", false), ("*", "", true), ("ab*ba", "aba", false),
  ])
  func `a star in a pattern matches any text`(_ pattern: String, _ text: String, _ matches: Bool) {
    #expect(Wildcard(pattern).matches(text) == matches)
  }

  @Test func `different names have different keys, and every source and user has a device`() {
    #expect(MintedKey.part("Read") == "Read")
    #expect(MintedKey.part("Wake up early").hasPrefix("Wake-up-early~"))
    let names = ["a b", "a-b", "a  b", "a/b", "é", "e\u{301}", "", " ", "~", "a~b", "日本"]
    #expect(Set(names.map(MintedKey.part)).count == names.count)
    for name in names + [String(repeating: "x", count: 500)] {
      #expect(EntityID(kind: "habit", key: "loop-" + MintedKey.part(name)) != nil)
    }
    #expect(
      MintedKey.device(of: "loop", place: "", for: "ada")
        != MintedKey.device(of: "loop", place: "", for: "ben"))
    #expect(
      MintedKey.device(of: "app", place: "x", for: "ada")
        != MintedKey.device(of: "app-x", place: "", for: "ada"))
    // Don't change this format: a repeated import must find its device.
    let device = MintedKey.device(of: " Ada\u{2019}s app", place: "", for: "ada")
    #expect(device.text.hasPrefix("-Ada---s-app-"))
  }
}
