import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

/// An inconsistent declaration is refused with its reason, and never traps.
@Suite struct SchemaCheckTests {
  /// The message and hint of a schema file's refusal, or nil if it is accepted.
  static func refusal(_ json: String) -> String? {
    do throws(EventLogError) {
      _ = try SchemaCatalog.standard.adding(CollectionSchema.collections(parsing: json.utf8))
      return nil
    } catch {
      #expect(error.code == .invalidSchema)
      return [error.message, error.hint].compactMap { $0 }.joined(separator: " ")
    }
  }

  private static func one(_ members: String) -> String { #"{"collections":[{\#(members)}]}"# }

  struct Case: CustomTestStringConvertible {
    let members: String
    let reason: String
    var testDescription: String { reason }

    init(_ members: String, _ reason: String) {
      self.members = members
      self.reason = reason
    }
  }

  static let refused = [
    Case(#""kind":"Food""#, "its kind must be 1 to 64 characters of a-z 0-9 -"),
    Case(#""kind":"""#, "its kind must be 1 to 64 characters of a-z 0-9 -"),
    Case(#""kind":"device""#, #"the kind "device" is reserved for the store"#),
    Case(#""kind":"user""#, #"the kind "user" is reserved for the store"#),
    Case(#""kind":"habit""#, #"the kind "habit" is declared twice"#),
    Case(#""kind":"habits""#, "its kind is the name of a section of habit"),
    Case(
      #""kind":"food","section":"a b""#,
      "its section must be 1 to 64 characters of A-Z a-z 0-9 . _ -"
    ),
    Case(#""kind":"food","section":"conflicts""#, #"the section "conflicts" is reserved"#),
    Case(#""kind":"food","section":"user""#, #"the section "user" is reserved"#),
    Case(#""kind":"food","section":"habits""#, #"the section "habits" belongs to habit"#),
    Case(
      #""kind":"food","section":"habit""#, #"the section "habit" is the name of another kind"#),
    Case(
      #""kind":"food","fields":{"é":"text"}"#,
      #"a field's name must be 1 to 64 characters of A-Z a-z 0-9 . _ -, but "é" is not"#),
    Case(
      #""kind":"food","fields":{"n":"text"},"days":{"n":"text"}"#,
      #"the field "n" is declared for the entity and for its days"#),
    Case(
      #""kind":"food","fields":{"n":{"is":"counter","dated":true}}"#,
      #"the field "n" is dated, but is not a register of the entity"#),
    Case(
      #""kind":"food","fields":{"a":"text"},"days":{"n":{"is":"text","dated":true}}"#,
      #"the field "n" is dated, but is not a register of the entity"#),
    Case(
      #""kind":"food","fields":{"n":{"is":"text","dated":true},"from":"date"}"#,
      #""from" is a reserved name and cannot be a field"#),
    Case(
      #""kind":"food","singleton":true,"fields":{"n":{"is":"text","dated":true},"from":"date"}"#,
      #""from" is a reserved name and cannot be a field"#),
    Case(
      #""kind":"food","fields":{"n":{"is":"text","dated":true}},"events":["#
        + #"{"type":"food.made","does":"begins"},"#
        + #"{"type":"food.set","members":{"to":"write n","from":"day?"}}]"#,
      #"has a member "from", which is the day of its dated fields"#),
    Case(
      #""kind":"food","fields":{"presence":"text"}"#,
      #""presence" is a reserved name and cannot be a field"#),
    Case(
      #""kind":"food","fields":{"contested":"text"},"presentation":{"flat":true}"#,
      #""contested" is a reserved name and cannot be a field"#),
    Case(
      #""kind":"food","fields":{"days":"text"},"days":{"n":"text"},"presentation":{"flat":true}"#,
      #""days" is a reserved name and cannot be a field"#),
    Case(#""kind":"food","singleton":true,"days":{"n":"text"}"#, "a singleton has no days"),
    Case(
      #""kind":"food","days":{"date":"text"}"#,
      #"its type "food.recorded" declares the member "date" twice"#),
    Case(
      #""kind":"\#(String(repeating: "a", count: 60))""#,
      "must be <kind>.<verb>, 3 to 64 characters of a-z 0-9 . _ -"),
    Case(#""kind":"food","events":[]"#, "none of its types creates an entity"),
  ]

  @Test(arguments: refused) func `an inconsistent declaration is refused`(test: Case) throws {
    let sentence = try #require(Self.refusal(Self.one(test.members)))
    #expect(sentence.hasPrefix("The collection \""))
    #expect(sentence.contains(test.reason), "\(sentence)")
  }

  /// The event type `food.x` of a collection with fields of every mechanism.
  private static func event(_ members: String) -> String {
    one(
      #""kind":"food","fields":{"name":"text","eaten":"counter","tags":"members"},"#
        + #""days":{"mood":"text","ml":"counter"},"events":["#
        + #"{"type":"food.created","does":"begins"},{\#(members)}]"#)
  }

  private static let thirtyThree = (1...33).map { #""m\#($0)":"write name""# }
    .joined(separator: ",")

  static let refusedEvents = [
    Case(#""type":"food""#, "must be <kind>.<verb>, 3 to 64 characters of a-z 0-9 . _ -"),
    Case(#""type":"device.x""#, "is reserved for the store"),
    Case(#""type":"food.created""#, #"its type "food.created" is declared twice"#),
    Case(#""type":"habit.edited""#, #"its type "habit.edited" is declared twice, first by habit"#),
    Case(
      #""type":"food.x","members":{"a":"write nme"}"#,
      #"changes the field "nme", which is not declared"#),
    Case(
      #""type":"food.x","members":{"a":"write eaten"}"#, #"writes "eaten", which is not a register"#
    ),
    Case(#""type":"food.x","members":{"a":"set name"}"#, #"counts "name", which is not a counter"#),
    Case(
      #""type":"food.x","members":{"a":"advance tags"}"#,
      #"counts "tags", which is not a counter"#),
    Case(
      #""type":"food.x","members":{"a":"write mood"}"#,
      #"changes the field "mood" of a day, but has no day"#),
    Case(
      #""type":"food.x","members":{"d":"day","a":"write name"}"#,
      #"is about a day, but changes the field "name" of the entity"#),
    Case(#""type":"food.x","members":{"d":"day","e":"day"}"#, "has two members for the day"),
    Case(
      #""type":"food.x","writesFields":true,"members":{"d":"day"}"#,
      "is about a day, so it cannot write fields of the entity"),
    Case(
      #""type":"food.x","members":{"k":"key"}"#,
      "must have one key for its set, and either include or exclude members"),
    Case(
      #""type":"food.x","members":{"m":"include"}"#,
      "must have one key for its set, and either include or exclude members"),
    Case(
      #""type":"food.x","members":{"k":"key","m":"include","n":"exclude"}"#,
      "must have one key for its set, and either include or exclude members"),
    Case(
      #""type":"food.x","members":{"k":"key?","m":"include"}"#,
      "must require the key and the members of its set"),
    Case(
      #""type":"food.x","members":{"a":"set servings?","b":"advance servings?"}"#,
      #"has two members that change the field "servings""#),
    Case(
      #""type":"food.x","writesFields":true,"members":{"a":"write name"}"#,
      #"writes the fields by their names, and has a member with another name that writes "name""#),
    Case(
      #""type":"food.x","needsChange":true"#,
      "requires a change, but has no member that makes one"),
    Case(#""type":"food.x","members":{"a b":"key"}"#, "has a member whose name is not 1 to 64"),
    Case(
      #""type":"food.x","assigns":{"name":5}"#,
      #"assigns "name", but that is not a register, does not take this value,"#),
    Case(
      #""type":"food.x","members":{"a":"write name?"},"assigns":{"name":"x"}"#,
      #"assigns "name", and has a member that writes it, too"#),
    Case(
      #""type":"food.x","writesFields":true,"assigns":{"name":"x"}"#,
      #"assigns "name", and writes the fields by their names, too"#),
    Case(
      #""type":"food.x","members":{\#(thirtyThree)}"#,
      "requires more than 32 members"),
  ]

  @Test(arguments: refusedEvents)
  func `an inconsistent event type is refused`(test: Case) throws {
    let sentence = try #require(Self.refusal(Self.event(test.members)))
    #expect(sentence.contains(test.reason), "\(sentence)")
  }

  @Test func `a declaration that is too large is refused`() throws {
    let fields = (0...256).map { #""f\#($0)":"text""# }.joined(separator: ",")
    let wide = try #require(Self.refusal(Self.one(#""kind":"food","fields":{\#(fields)}"#)))
    #expect(wide.contains("it has more than 256 fields, types, or members of one type"))
    let many = (0..<20_000).map { #"{"kind":"k\#($0)","fields":{"f\#($0)":"text"}}"# }
    let all = try #require(
      Self.refusal(#"{"collections":[\#(many.joined(separator: ","))]}"#))
    #expect(all.contains("together with the others, it has too many types and fields"))
  }

  @Test func `a singleton with a lifecycle is refused`() throws {
    let sentence = try #require(
      Self.refusal(
        Self.one(#""kind":"a","singleton":true,"events":[{"type":"a.x","does":"begins"}]"#)))
    #expect(sentence.contains("cannot create, delete or restore a singleton"))
  }

  static let refusedPresentations = [
    Case(#""defaults":{"nme":1}"#, #"has a default for "nme""#),
    Case(#""defaults":{"name":1}"#, #"has a default for "name""#),
    Case(
      #""days":{"section":"s","entity":"e","progress":"x","goal":"name","schedule":"name"}"#,
      #"compares "x", which is not a counter of a day"#),
    Case(
      #""days":{"section":"s","entity":"e","progress":"ml","goal":"x","schedule":"name"}"#,
      #"uses "x", which is not a register of the entity"#),
    Case(
      #""days":{"section":"s","entity":"e","progress":"ml","goal":"name","schedule":"name","#
        + #""skipped":"x"}"#,
      #"uses "x", which is not a register of a day"#),
    Case(
      #""days":{"section":"s","entity":"date","progress":"ml","goal":"name","schedule":"name"}"#,
      #"has two things named "date" in a day"#),
    Case(
      #""days":{"section":"foods","entity":"e","progress":"ml","goal":"name","schedule":"name"}"#,
      #"the section "foods" is declared twice"#),
  ]

  @Test(arguments: refusedPresentations)
  func `an inconsistent presentation is refused`(test: Case) throws {
    let sentence = try #require(
      Self.refusal(
        Self.one(
          #""kind":"food","fields":{"name":"text"},"days":{"ml":"counter"},"#
            + #""presentation":{\#(test.members)}"#)))
    #expect(sentence.contains(test.reason), "\(sentence)")
  }

  @Test func `an event that lacks any one of 32 required members is ignored`() async throws {
    let members = (1...32).map { MemberSchema("m\($0)", .write(field: "f\($0)")) }
    let catalog = try SchemaCatalog.standard.adding([
      CollectionSchema(
        kind: "wide", fields: (1...32).map { FieldSchema("f\($0)", .register(.any)) },
        events: [EventSchema("wide.created", members, lifecycle: .begins, summary: "")])
    ])
    var history = History(user: "ada")
    let phone = history.device("phone")
    let all = members.map { JSONObject.Member(name: $0.name, value: 1) }
    for missing in 0..<32 {
      var data = all
      data.remove(at: missing)
      history.append(
        phone,
        EventDraft(type: "wide.created", entity: EntityID("wide/a\(missing)"), data: .init(data)))
    }
    history.append(
      phone, EventDraft(type: "wide.created", entity: EntityID("wide/b"), data: .init(all)))
    #expect(try project(history, catalog).entities("wide").map(\.id.key) == ["b"])
  }

  @Test func `the built-in declarations are consistent`() throws {
    for catalog in [SchemaCatalog.standard, .bundled] {
      let rechecked = try SchemaCatalog(catalog.collections)
      #expect(rechecked.typeNames == catalog.typeNames)
    }
  }

  @Test
  func `an equal collection is ignored, and a different one refused unless replaced`() throws {
    #expect(
      try SchemaCatalog.standard.adding([.habits]).collections == SchemaCatalog.standard.collections
    )
    let other = CollectionSchema(kind: "food", fields: [FieldSchema("x", .counter)])
    #expect(throws: EventLogError.self) { try SchemaCatalog.bundled.adding([other]) }
    let replaced = try SchemaCatalog.bundled.adding([other], replacing: ["food"])
    #expect(replaced.collection(kind: "food") == other)
    #expect(replaced.collections.count == SchemaCatalog.bundled.collections.count)
  }
}
