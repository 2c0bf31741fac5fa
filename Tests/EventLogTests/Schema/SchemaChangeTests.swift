import EventLog
import EventLogCollections
import EventLogInspection
import Testing

/// Changes of declarations that make two versions of an app misread each other.
@Suite struct SchemaChangeTests {
  private func plant(
    fields: String, days: String = "", further: String = ""
  ) throws -> CollectionSchema {
    let days = days.isEmpty ? "" : ",\"days\":{\(days)}"
    return try CollectionSchema(
      json: JSONValue(parsing: "{\"kind\":\"plant\",\"fields\":{\(fields)}\(days)\(further)}".utf8))
  }

  private func kinds(
    _ released: String, _ current: String, days: (String, String) = ("", "")
  ) throws -> [SchemaChange.Kind] {
    let (old, new) = (
      try plant(fields: released, days: days.0), try plant(fields: current, days: days.1)
    )
    return new.changes(since: old).map(\.kind)
  }

  @Test(arguments: [
    (#""light":"integer 1...5""#, #""light":"quantity""#, SchemaChange.Kind.loosened),
    (#""light":"quantity""#, #""light":"integer 1...5""#, .narrowed),
    (#""light":"integer 1...5""#, #""light":"text""#, .rule),
    (#""light":"list of text""#, #""light":"list of any""#, .loosened),
    (#""light":"text""#, #""name":"text""#, .removedField),
    (#""light":"amount""#, #""light":"counter""#, .meaning),
    (#""light":"text""#, #""light":{"is":"text","dated":true}"#, .meaning),
    (
      #""light":{"is":"text","cases":["sun","shade"]}"#,
      #""light":{"is":"text","cases":["sun"]}"#, .narrowed
    ),
  ])
  func `a changed field is found`(old: String, new: String, kind: SchemaChange.Kind) throws {
    let (old, new) = ("\(old),\"a\":\"text\"", "\(new),\"a\":\"text\"")
    #expect(try kinds(old, new).contains(kind))
    #expect(try kinds(old, old) == [] && kinds(new, new) == [])
  }

  @Test(arguments: [
    (
      #""s":{"is":"members","cases":["b","a"]}"#, #""s":{"is":"members","cases":["a"]}"#,
      [SchemaChange.Kind.narrowed]
    ),
    (
      #""s":{"is":"members","cases":["a"]}"#, #""s":{"is":"members","cases":["a","b"]}"#,
      [.loosened]
    ),
    (#""s":{"is":"text","cases":["a"]}"#, #""s":{"is":"text","cases":["a","b"]}"#, [.loosened]),
    (#""s":"text""#, #""s":{"is":"text","cases":["a"]}"#, [.narrowed]),
    (#""s":"text""#, #""s":"counter""#, [.meaning]),
    (#""s":"counter""#, #""s":"members""#, [.meaning]),
    (#""a":"text","s":"counter""#, #""a":"text""#, [.removedField]),
  ])
  func `a change is found once`(old: String, new: String, kinds: [SchemaChange.Kind]) throws {
    let (released, current) = (try plant(fields: old), try plant(fields: new))
    let changes = current.changes(since: released)
    #expect(changes.map(\.kind) == kinds, "\(changes)")
  }

  @Test(arguments: [
    (#""a":"text","s":"text""#, #""a":"text""#, []),
    (#""a":"text","s":"counter""#, #""a":"text""#, [SchemaChange.Kind.removedField]),
    (#""a":"text""#, #""a":"text","s":"any""#, []),
    (#""a":"text""#, #""a":"text","s":"date""#, [.narrowed]),
    (#""a":"text""#, #""a":"text","s":"counter""#, [.meaning]),
    (#""a":"text""#, #""a":"text","s":{"is":"text","dated":true}"#, [.meaning]),
  ])
  func `a field beside further fields had a meaning before`(
    old: String, new: String, kinds: [SchemaChange.Kind]
  ) throws {
    let further = #","furtherFields":true"#
    let (old, new) = (
      try plant(fields: old, further: further), try plant(fields: new, further: further)
    )
    #expect(new.changes(since: old).map(\.kind) == kinds)
  }

  @Test(arguments: [
    #""assigns":{"light":"shade"}"#, #""members":{"light":"write light","name":"write name?"}"#,
    #""members":{"light":"write name?"}"#, #""does":"deletes""#,
  ])
  func `an event type with other effects is found`(effects: String) throws {
    func schema(_ effects: String) throws -> CollectionSchema {
      try plant(
        fields: #""light":"text","name":"text""#,
        further: ",\"events\":[{\"type\":\"plant.moved\",\(effects)}]")
    }
    let (old, new) = (try schema(#""members":{"light":"write light?"}"#), try schema(effects))
    #expect(new.changes(since: old).map(\.kind) == [.eventType])
    #expect(old.changes(since: new).map(\.kind) == [.eventType])
  }

  @Test func `additions are no change`() throws {
    let released = #""name":"text","light":{"is":"text","cases":["sun"]}"#
    let current =
      #""name":"text","light":{"is":"text","cases":["sun"]},"lux":"number","n":"counter""#
    #expect(try kinds(released, current, days: ("", #""ml":"counter""#)) == [])
  }

  @Test func `a field that moves to days has a second meaning`() throws {
    #expect(
      try kinds(#""a":"text","ml":"number""#, #""a":"text""#, days: ("", #""ml":"number""#))
        == [.meaning])
  }

  @Test func `a removed kind and a new singleton are found`() throws {
    let plant = try plant(fields: #""name":"text""#)
    let single = try CollectionSchema(
      json: JSONValue(parsing: #"{"kind":"plant","singleton":true,"fields":{"name":"text"}}"#.utf8))
    #expect(CollectionSchema.changes(from: [plant], to: []).map(\.kind) == [.kind])
    #expect(single.changes(since: plant).map(\.kind) == [.kind])
    #expect(CollectionSchema.changes(from: [], to: [plant]) == [])
    let other = try CollectionSchema(
      json: JSONValue(parsing: #"{"kind":"tree","fields":{"name":"text"}}"#.utf8))
    #expect(other.changes(since: plant).map(\.kind) == [.kind])
  }

  @Test func `a new event type that writes an old field is found, and a removed one`() throws {
    func schema(_ types: String...) throws -> CollectionSchema {
      let events = types.map { #"{"type":"plant.\#($0)","members":{"light":"write light"}}"# }
      return try plant(
        fields: #""light":"text""#, further: ",\"events\":[\(events.joined(separator: ","))]")
    }
    let (one, two) = (try schema("moved"), try schema("moved", "turned"))
    let added = two.changes(since: one)
    #expect(added.map(\.subject) == ["plant.turned"] && added[0].effect.contains("light"))
    #expect(one.changes(since: two).map(\.kind) == [.eventType])
  }

  @Test func `no collection has changed since itself`() {
    let all = SchemaCatalog.bundled.collections
    #expect(CollectionSchema.changes(from: all, to: all) == [])
  }

  @Test func `every finding has three sentences`() throws {
    let old = try plant(
      fields: #""a":"text","b":"counter","c":"number","d":"quantity""#, days: #""e":"text""#)
    let new = try plant(fields: #""b":"text","c":"quantity","d":"number","e":"text""#)
    let changes = new.changes(since: old)
    #expect(
      Set(changes.map(\.subject)).isSuperset(of: ["plant.a", "plant.b", "plant.c", "plant.d"]))
    for change in changes {
      for sentence in [change.change, change.effect, change.advice] {
        #expect(sentence.hasSuffix("."), "\(change)")
      }
    }
  }
}
