import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

/// Declarations as JSON.
@Suite struct SchemaFileTests {
  @Test func `the built-in declarations round-trip`() throws {
    let collections = SchemaCatalog.bundled.collections
    let text = CollectionSchema.file(collections).text
    #expect(try CollectionSchema.collections(parsing: text.utf8) == collections)
    for collection in collections {
      #expect(try CollectionSchema(json: collection.json) == collection)
    }
  }

  @Test func `random declarations round-trip`() throws {
    for seed in RandomRounds(500) {
      var random = RandomSchema(seed: seed)
      let collection = random.collection()
      let catalog = try SchemaCatalog([collection])
      #expect(catalog.collections == [collection])
      let text = collection.json.text
      let reread = try CollectionSchema(json: JSONValue(parsing: text.utf8))
      try #require(reread == collection, "EVENTLOG_SEED=\(seed) \(text)")
    }
  }

  @Test func `declarations derived from kind and fields aren't written`() throws {
    let food = CollectionSchema(
      kind: "food",
      fields: [
        FieldSchema("name", .register(.text)), FieldSchema("servings", .counter),
        FieldSchema("kcal", .register(.quantity), note: "per serving"),
        FieldSchema("limit", .register(.quantity), isDated: true),
      ])
    #expect(
      food.json.text
        == #"{"kind":"food","fields":{"name":"text","servings":"counter","#
        + #""kcal":{"is":"quantity","note":"per serving"},"#
        + #""limit":{"is":"quantity","dated":true}}}"#)
  }

  static let unreadable: [(String, String)] = [
    ("", "A schema is one JSON object; this"),
    ("[]", "The schema is not an object."),
    ("{}", #"The schema is missing "collections"."#),
    (
      #"{"collection":[]}"#,
      #"has an unknown member "collection". Did you mean "collections"?"#
    ),
    (#"{"collections":{}}"#, #"The schema needs an array for "collections"."#),
    (#"{"collections":[5]}"#, "collections[0] is not an object."),
    (#"{"collections":[{}]}"#, #"collections[0] is missing "kind"."#),
    (#"{"collections":[{"kind":5}]}"#, #"collections[0] needs text for "kind"."#),
    (
      #"{"collections":[{"kind":"a"},{"kind":"b","feilds":{}}]}"#,
      #"collections[1] "b" has an unknown member "feilds". Did you mean "fields"?"#
    ),
    (
      #"{"collections":[{"kind":"a","x":1}]}"#,
      "Known members are kind, section, singleton, fields, furtherFields, days, events,"
        + " presentation."
    ),
    (
      #"{"collections":[{"kind":"a","fields":{"n":"txt"}}]}"#,
      #"collections[0] "a": fields.n is "txt", which is not a type of field. Did you mean "text"?"#
    ),
    (
      #"{"collections":[{"kind":"a","fields":{"n":"integer 5...1"}}]}"#,
      "A field can be counter, members, members of entity KIND, any, text, number,"
    ),
    (#"{"collections":[{"kind":"a","fields":{"n":5}}]}"#, "fields.n is not an object."),
    (
      #"{"collections":[{"kind":"a","fields":{"n":{"is":"text","not":""}}}]}"#,
      #"Did you mean "note"?"#
    ),
    (
      #"{"collections":[{"kind":"a","fields":{"n":{"is":"text","cases":["a",1]}}}]}"#,
      "fields.n has a case that is not text."
    ),
    (
      #"{"collections":[{"kind":"a","fields":{"n":"members of enity a"}}]}"#,
      #"fields.n is "members of enity a", which is not a type of field."#
    ),
    (#"{"collections":[{"kind":"a","singleton":1}]}"#, #"needs true or false for "singleton"."#),
    (#"{"collections":[{"kind":"a","fields":[]}]}"#, #"needs an object for "fields"."#),
    (
      #"{"collections":[{"kind":"a","events":[{"type":"a.b","does":"begin"}]}]}"#,
      #"events[0] does "begin", which is unknown. Did you mean "begins"?"#
    ),
    (
      #"{"collections":[{"kind":"a","events":[{"type":"a.b","members":{"m":"wirte n"}}]}]}"#,
      #"members.m is "wirte n", which is unknown."#
    ),
    (#"{"collections":[{"kind":"a","kind":"b"}]}"#, "A schema is one JSON object; this"),
    (#"{"collections":[{"kind":"a","presentation":{"flta":true}}]}"#, #"Did you mean "flat"?"#),
  ]

  @Test(arguments: unreadable)
  func `an unreadable declaration is refused with its location`(json: String, sentence: String)
    throws
  {
    let refusal = try #require(SchemaCheckTests.refusal(json))
    #expect(refusal.contains(sentence), "\(refusal)")
  }

  @Test func `a damaged schema file is refused or round-trips`() throws {
    let text = Array(CollectionSchema.file([.habits, .food, .meal]).text.utf8)
    var acceptedCount = 0
    for seed in RandomRounds(2000) {
      var generator = SplitMix64(seed: seed)
      var bytes = text
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
          UInt8.random(in: 0...255, using: &generator)
      }
      // An accepted file must be read back as it is written.
      guard let read = try? CollectionSchema.collections(parsing: bytes) else { continue }
      if let catalog = try? SchemaCatalog(read) {
        let rewritten = CollectionSchema.file(catalog.collections).text
        let reread = try CollectionSchema.collections(parsing: rewritten.utf8)
        try #require(reread == read, "EVENTLOG_SEED=\(seed)")
        acceptedCount += 1
      }
    }
    #expect(acceptedCount > 0)
  }

  @Test func `enum fields and link sets are declared with their allowed values`() throws {
    let json = Parcel.schema.collection.json.text
    #expect(
      json == #"{"kind":"parcel","fields":{"state":{"is":"text","cases":["open","shipped"]},"#
        + #""past":{"is":"list of text","cases":["open","shipped"]},"level":"integer","#
        + #""free":"any","inside":"members of entity parcel","words":"members","#
        + #""states":{"is":"members","cases":["open","shipped"]}}}"#)
    #expect(try CollectionSchema(json: JSONValue(parsing: json.utf8)) == Parcel.schema.collection)
  }

  @Test func `cases of a register that isn't text, and members that aren't text, are refused`() {
    for (field, sentence) in [
      (#"{"is":"integer","cases":["a"]}"#, #"the field "n" has cases, but is not text"#),
      (#""members of integer""#, #"the field "n" has a rule that cannot be declared"#),
    ] {
      let refusal = SchemaCheckTests.refusal(
        #"{"collections":[{"kind":"a","fields":{"n":\#(field)}}]}"#)
      #expect(refusal?.contains(sentence) == true, "\(refusal ?? "")")
    }
  }

  @Test func `a rule's spelling round-trips, and an invalid one is refused`() {
    for rule in ValueRule.samples {
      #expect(ValueRule(spelling: rule.spelling) == rule, "\(rule.spelling)")
    }
    let deep = (0..<100_000).map { _ in "list of" }.joined(separator: " ") + " text"
    for text in [
      "", "Text", "text ", "integer ", "integer 1", "integer 1..2", "integer 01...2",
      "integer -9223372036854775808...0", "integer 1...9007199254740992", "entity", "entity A",
      "list", "list text", "list of", "list of members", "counter", deep,
    ] {
      #expect(ValueRule(spelling: text) == nil, "\(text.prefix(40))")
    }
  }
}

/// A record of enums and links.
private struct Parcel: Record {
  enum State: String, JSONConvertible, CaseIterable { case open, shipped }
  enum Level: Int, JSONConvertible, CaseIterable { case low, high }

  var state: State?
  var past: [State] = []
  var level: Level?
  var free = State.open
  var inside: Set<ID<Parcel>> = []
  var words: Set<String> = []
  var states: Set<State> = []

  static let schema = Schema<Parcel>(
    "parcel",
    [
      .register("state", \.state), .register("past", \.past), .register("level", \.level),
      .register("free", \.free, .any), .members("inside", \.inside), .members("words", \.words),
      .members("states", \.states),
    ])
}

/// Random consistent declarations.
private struct RandomSchema {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements.randomElement(using: &generator)!
  }

  private mutating func happens() -> Bool { Bool.random(using: &generator) }

  private mutating func rule(_ depth: Int = 0) -> ValueRule {
    let lower = Int64.random(in: -9...9, using: &generator)
    let bounded: [ValueRule] = [.wholeNumber(from: lower), .integer(lower...lower + 3)]
    return depth < 3 && happens()
      ? .list(of: rule(depth + 1)) : pick(ValueRule.samples + bounded)
  }

  private mutating func fields(_ prefix: String) -> [FieldSchema] {
    (0..<Int.random(in: 0...5, using: &generator)).map { index in
      let mechanisms: [FieldSchema.Mechanism] = [
        .counter, .members, .register(rule()), .register(rule()),
      ]
      let mechanism = pick(mechanisms)
      var field = FieldSchema(
        "\(prefix)\(index)", mechanism, note: pick(["", "", "a \"note\" é\n"]))
      if mechanism == .members { field.memberRule = pick([.text, .date, .entity(kind: "a")]) }
      if mechanism.isRegister, prefix == "f" { field.isDated = happens() }
      if [.members, .register(.text)].contains(mechanism) { field.cases = pick([[], ["a", ""]]) }
      return field
    }
  }

  mutating func collection() -> CollectionSchema {
    let isSingleton = pick([true, false, false])
    let kind = pick(["a", "thing", "use-by", "y"])
    let fields = fields("f")
    let days = isSingleton || happens() ? [] : self.fields("d")
    let derived = CollectionSchema(
      kind: kind, section: pick([nil, "list.of_things"]), isSingleton: isSingleton, fields: fields,
      takesFurtherFields: happens(), dayFields: days)
    guard happens() else { return derived }
    var events = derived.events.shuffled(using: &generator)
    for index in events.indices { events[index].summary = pick(["", "Does \"it\"."]) }
    let register = fields.first { $0.mechanism.isRegister }
    if let register {
      events.append(
        EventSchema("\(kind).emptied", assigns: [.init(register.name, .null)], summary: "x"))
    }
    var presentation = Presentation()
    if !isSingleton {
      presentation.isFlat = happens()
      if let register, happens() { presentation.defaults = [.init(register.name, .null)] }
    }
    return CollectionSchema(
      kind: kind, section: derived.section, isSingleton: isSingleton, fields: fields,
      takesFurtherFields: derived.takesFurtherFields, dayFields: days, events: events,
      presentation: presentation)
  }
}
