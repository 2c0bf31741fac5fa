import EventLog
import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLogImport

/// Rows of JSON that aren't plain objects.
@Suite struct RowFormTests {
  private func days(_ test: TextImport) -> [String: JSONValue] {
    var found: [String: JSONValue] = [:]
    for day in test.phone.store.snapshot.entities("habit").first?.days ?? [] {
      found[day.day.description] = day["progress"]
    }
    return found
  }

  @Test func `documents of Firestore have plain values and their IDs`() async throws {
    let test = try await TextImport(
      #"""
      {"documents":[
        {"name":"projects/p/databases/(default)/documents/habits/h1","fields":{
          "title":{"stringValue":"Run"},"goal":{"integerValue":"5"},
          "done":{"arrayValue":{"values":[{"stringValue":"2026-01-02"}]}},
          "more":{"mapValue":{"fields":{"color":{"stringValue":"red"}}}}}},
        {"name":"projects/p/databases/(default)/documents/habits/h2"}]}
      """#, named: "a.json")
    let report = try await test.run(
      #"""
      {"source":"cloud","tables":[
        {"rows":"documents","form":"firestore","kind":"habit","key":"c-{id}",
         "fields":{"name":{"column":"title","optional":true},
           "goal":{"column":"goal","as":"number","optional":true},
           "color":{"column":"more.color","optional":true}}}]}
      """#)
    #expect(test.phone.store.snapshot.entity(EntityID("habit/c-h1")!)?["goal"] == 5)
    #expect(test.values("habit", "color") == ["red"])
    #expect(report.unknown == [": the column \"done\""].map { test.path + $0 })
  }

  @Test func `a value without a known type is refused`() async throws {
    let map = #"""
      {"source":"cloud","tables":[{"rows":"documents","form":"firestore","kind":"habit",
      "key":"c-{id}","fields":{"name":"title"}}]}
      """#
    let test = try await TextImport(
      #"{"documents":[{"name":"a/b","fields":{"title":"Run"}}]}"#, named: "a.json")
    #expect(await test.refusal(map).contains("a.json: documents[0] is not a document"))
  }

  @Test func `the members of a day dictionary are rows`() async throws {
    let test = try await TextImport(
      #"{"habits":[{"id":7,"name":"Run","days":{"2026-01-01":3,"2026-01-02":1}}]}"#,
      named: "a.json")
    try await test.run(
      #"""
      {"source":"d","tables":[
        {"rows":"habits","kind":"habit","key":"d-{id}","fields":{"name":"name"}},
        {"rows":"habits.days","wide":{"name":"date","value":"count"},"kind":"habit",
         "key":"d-{id}","day":"date","days":{"progress":"count"}}],
       "ignored":"days"}
      """#)
    #expect(days(test) == ["2026-01-01": 3, "2026-01-02": 1])
  }

  @Test func `the items of a list of days are rows`() async throws {
    let test = try await TextImport(
      #"{"habits":[{"id":7,"name":"Run","days":["2026-01-01","2026-01-02"]}]}"#, named: "a.json")
    try await test.run(
      #"""
      {"source":"d","ignored":"days","tables":[
        {"rows":"habits.days","wide":{"name":"date","value":"none"},"kind":"habit",
         "key":"d-{id}","day":"date","days":{"progress":{"value":1}}}]}
      """#)
    #expect(days(test) == ["2026-01-01": 1, "2026-01-02": 1])
  }

  @Test func `columns can be inside of objects, and the others there are reported`() async throws {
    let test = try await TextImport(
      #"[{"id":7,"about":{"name":"Run","look":{"color":"red","icon":"shoe"}}}]"#, named: "a.json")
    let report = try await test.run(
      #"""
      {"source":"n","tables":[{"rows":"","kind":"habit","key":"n-{id}",
       "fields":{"name":"about.name","color":"about.look.color"}}]}
      """#)
    #expect(test.values("habit", "color") == ["red"])
    #expect(report.unknown.count == 1 && report.unknown[0].hasSuffix("\"about.look.icon\""))
  }
}
