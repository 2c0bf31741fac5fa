import EventLog
import EventLogTesting
import Foundation
import Testing

/// Foundation types, and an app's own `Codable` types, as registers.
@Suite struct FoundationValuesTests {
  private struct Address: Codable, Equatable, Sendable {
    var street = ""
    var since: Date?
    var factor = 1.0
  }

  private enum Mood: String, JSONConvertible { case good, bad }

  private struct Note: Record {
    var at: Date?
    var token: UUID?
    var link: URL?
    var price = Decimal(0)
    var thumbnail = Data()
    var mood = Mood.good
    var counts: [String: Int] = [:]
    var links: [URL] = []
    var address = Address()
    static let schema = Schema<Note>(
      "note",
      [
        .register("at", \.at), .register("token", \.token), .register("link", \.link),
        .register("price", \.price), .register("thumbnail", \.thumbnail),
        .register("mood", \.mood), .register("counts", \.counts), .register("links", \.links),
        .register("address", coding: \.address),
      ])
  }

  private static let time = Date(Timestamp("2026-01-28T09:12:33.123Z")!)

  @Test func `values of Foundation types round-trip through a sync`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Note.self)
    let token = UUID()
    let id = try await phone.create(Note.self) {
      $0.at = Self.time
      $0.token = token
      $0.link = URL(string: "https://example.org/a?b=c")
      $0.price = Decimal(string: "12345678901234567890.10")!
      $0.thumbnail = Data([0, 255, 1])
      $0.mood = .bad
      $0.counts = ["b": 2, "a": 1]
      $0.links = [URL(string: "https://example.org")!]
      $0.address = Address(street: "Main St", since: Self.time, factor: 0.1)
    }.id
    try await phone.sync(with: tablet)
    let note = try #require(tablet.snapshot[id])
    #expect(note.at == Self.time && note.token == token)
    #expect(note.link?.absoluteString == "https://example.org/a?b=c")
    #expect(note.price == Decimal(string: "12345678901234567890.1"))
    #expect(note.thumbnail == Data([0, 255, 1]) && note.mood == .bad)
    #expect(note.counts == ["a": 1, "b": 2])
    #expect(note.links.map(\.absoluteString) == ["https://example.org"])
    #expect(note.address == Address(street: "Main St", since: Self.time, factor: 0.1))
    let line = try #require(try phone.lines().last)
    for part in [
      #""at":"2026-01-28T09:12:33.123Z""#, #""price":12345678901234567890.1"#,
      #""thumbnail":"AP8B""#, #""counts":{"a":1,"b":2}"#,
      #""address":{"factor":0.1,"since":"2026-01-28T09:12:33.123Z","street":"Main St"}"#,
    ] { #expect(line.contains(part), "\(part)") }
  }

  @Test func `assigning the shown values again writes nothing`() async throws {
    let store = try await TemporaryStore(records: Note.self)
    let id = try await store.create(Note.self) {
      $0.at = Date(timeIntervalSince1970: 1_769_591_553.1234567)
      $0.address.street = "Main St"
    }.id
    let shown = try #require(store.snapshot[id])
    let receipt = try await store.edit(id) {
      $0.at = shown.at
      $0.address = shown.address
    }
    #expect(receipt.appended.isEmpty)
    try await store.edit(id) { $0.address.factor = 2 }
    #expect(store.snapshot[id]?.address == Address(street: "Main St", since: nil, factor: 2))
  }

  @Test func `a value without a JSON form is refused`() async throws {
    let store = try await TemporaryStore(records: Note.self)
    let id = try await store.create(Note.self).id
    let count = store.snapshot.eventCount
    do {
      try await store.edit(id) { $0.address.factor = .infinity }
      Issue.record("it was taken")
    } catch {
      #expect(error.code == .invalidEvent && error.message.contains("\"address\""))
    }
    await #expect(throws: EventLogError.self) {
      try await store.edit(id) { $0.address.since = Date(timeIntervalSince1970: 1e300) }
    }
    #expect(store.snapshot.eventCount == count)
  }

  @Test func `a number that isn't finite is refused and changes no field`() async throws {
    struct Sample: Record {
      var price = 1.5
      var rating: Double? = 4
      var note: String?
      static let schema = Schema<Sample>(
        "sample",
        [.register("price", \.price), .register("rating", \.rating), .register("note", \.note)])
    }
    let store = try await TemporaryStore(records: Sample.self)
    let id = try await store.create(Sample.self) { $0.price = 2 }.id
    for value in [Double.nan, .infinity] {
      let error = await #expect(throws: EventLogError.self) {
        try await store.edit(id) { $0.price = value }
      }
      #expect(error?.code == .invalidEvent && error?.message.contains("\"price\"") == true)
      await #expect(throws: EventLogError.self) { try await store.edit(id) { $0.rating = value } }
    }
    // Nil is a valid value.
    try await store.edit(id) { $0.rating = nil }
    #expect(store.snapshot[id]?.price == 2 && store.snapshot[id]?.note == nil)
  }

  @Test func `an undecodable value reads as the record's default`() async throws {
    let store = try await TemporaryStore(records: Note.self)
    let id = try await store.create(Note.self).id
    try await store.append([
      EventDraft(
        type: "note.edited", entity: id.entity,
        data: [
          "token": "no token", "link": "", "thumbnail": "?", "counts": ["a": "b"],
          "address": ["street": 1], "mood": "none",
          "price": try JSONValue(parsing: "0.\(String(repeating: "1", count: 60))".utf8),
        ])
    ])
    let note = try #require(store.snapshot[id])
    #expect(note.token == nil && note.link == nil && note.thumbnail.isEmpty)
    #expect(note.counts.isEmpty && note.address == Address() && note.mood == .good)
    #expect(note.price == 0)
    // The stored value stays, and an edit of another field doesn't change it.
    try await store.edit(id) { $0.at = Self.time }
    #expect(store.snapshot.entities("note").first?["token"] == "no token")
  }
}
