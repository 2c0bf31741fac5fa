import EventLogTesting
import Foundation
import Testing

@testable import EventLog

/// Members of a set are text: any other type is refused, and no member is dropped.
@Suite struct MemberTextTests {
  private struct Numbers: Record {
    var numbers: Set<Int> = []
    static let schema = Schema<Numbers>("numbers", [.members("numbers", \.numbers)])
  }

  private struct Maybe: Record {
    var words: Set<Double?> = []
    static let schema = Schema<Maybe>("maybe", [.members("words", \.words)])
  }

  private struct Flagged: Record {
    struct Daily: DailyRecord { var flags: Set<Bool> = [] }
    static let schema = Schema<Flagged>("flagged", [], days: [.members("flags", \.flags)])
  }

  private enum Mood: String, JSONConvertible { case calm, glad }

  /// Encoded as text, or as an object if `text` is nil.
  private struct Odd: JSONConvertible, Hashable {
    var text: String?
    static var valueRule: ValueRule { .any }
    init(_ text: String?) { self.text = text }
    init?(json: JSONValue) {
      guard case .string(let text) = json else { return nil }
      self.text = text
    }
    var json: JSONValue { text.map { .string($0) } ?? .object(JSONObject([])) }
  }

  private struct Texts: Record {
    var words: Set<String> = []
    var moods: Set<Mood> = []
    var ids: Set<UUID> = []
    var links: Set<ID<Texts>> = []
    var days: Set<Day> = []
    var times: Set<Date> = []
    var odd: Set<Odd> = []
    var maybe: Set<String?> = []
    static let schema = Schema<Texts>(
      "texts",
      [
        .members("words", \.words), .members("moods", \.moods), .members("ids", \.ids),
        .members("links", \.links), .members("days", \.days), .members("times", \.times),
        .members("odd", \.odd), .members("maybe", \.maybe),
      ])
  }

  private func refusal(of record: any Record.Type) async -> EventLogError? {
    do throws(EventLogError) {
      _ = try await TemporaryStore(records: record)
      return nil
    } catch { return error }
  }

  @Test func `a store refuses a set whose members are never text`() async throws {
    for (record, type) in [
      (Numbers.self as any Record.Type, "a set of Int"), (Maybe.self, "a set of Optional<Double>"),
      (Flagged.self, "a set of Bool"),
    ] {
      let error = try #require(await refusal(of: record))
      #expect(error.code == .invalidSchema && error.message.contains(type), "\(error)")
      #expect(error.hint == MemberText.hint)
    }
  }

  @Test func `sets of texts, IDs and enums round-trip`() async throws {
    let store = try await TemporaryStore(records: Texts.self)
    let uuid = UUID()
    let id = try await store.create(Texts.self) {
      $0.words = ["a"]
      $0.moods = [.calm, .glad]
      $0.ids = [uuid]
      $0.links = [ID<Texts>("other")!]
      $0.days = [Day("2026-01-28")!]
      $0.times = [Date(timeIntervalSince1970: 1000)]
      $0.odd = [Odd("b")]
    }.id
    let read = try #require(store.snapshot[id])
    #expect(read.words == ["a"] && read.moods == [.calm, .glad] && read.ids == [uuid])
    #expect(read.links.count == 1 && read.days.count == 1 && read.times.count == 1)
    #expect(read.odd == [Odd("b")])
  }

  @Test func `a member that isn't text is refused and nothing is written`() async throws {
    let store = try await TemporaryStore(records: Texts.self)
    let id = try await store.create(Texts.self) { $0.odd = [Odd("b")] }.id
    let count = store.snapshot.eventCount
    let edits: [@Sendable (inout Texts) -> Void] = [
      { $0.odd.insert(Odd(nil)) }, { $0.maybe = ["a", nil] },
      { $0.odd = [Odd(nil)] },
    ]
    for edit in edits {
      let code = await failureCode { () throws(EventLogError) in
        try await store.edit(id) { edit(&$0) }
      }
      #expect(code == .invalidEvent)
    }
    let code = await failureCode { () throws(EventLogError) in
      _ = try await store.create(Texts.self) { $0.odd = [Odd(nil)] }
    }
    #expect(code == .invalidEvent)
    #expect(store.snapshot.eventCount == count)
  }
}
