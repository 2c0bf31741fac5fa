import EventLog
import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLogImport

/// Two spellings of the same characters.
@Suite struct NormalizationTests {
  private static let composed = "Caf\u{E9}"
  private static let decomposed = "Cafe\u{301}"

  private static func map(_ name: String) -> String {
    #"""
    {"source":"a","tables":[{"files":"a.csv","kind":"habit","key":"a-{\#(name)}",
    "fields":{"name":"\#(name)","unit":{"column":"u","values":{"\#(decomposed)":"x"},
    "as":"text"}}}]}
    """#
  }

  @Test func `texts are composed when they are written`() async throws {
    #expect(Self.decomposed.composed.utf8.elementsEqual(Self.composed.utf8))
    #expect("A\u{30A}\u{323}".composed.unicodeScalars.map(\.value) == [0x1EA0, 0x30A])
    for (heading, name) in [
      (Self.composed, Self.decomposed), (Self.decomposed, Self.composed),
    ] {
      let test = try await TextImport("\(heading),u\n\(name),\(Self.composed)\n")
      try await test.run(Self.map(Self.composed))
      let names = test.values("habit", "name")
      #expect(names.count == 1 && names[0]?.text.utf8.count == Self.composed.utf8.count + 2)
      #expect(test.values("habit", "unit") == ["x"])
    }
  }

  @Test func `two spellings of a name are one habit`() async throws {
    let test = try await TextImport("n,u\n\(Self.composed),1\n\(Self.decomposed),1\n")
    try await test.run(Self.map("n"))
    #expect(test.values("habit", "name").count == 1)
  }

  @Test func `a name is found in any spelling`() async throws {
    let phone = try await TemporaryStore(user: "ada", catalog: .bundled)
    try await phone.store.create(Habit.self, key: "c") { $0.name = Self.decomposed }
    let found = phone.store.snapshot.fold.entities(
      meantBy: Self.composed, kind: "habit", includingDeleted: false)
    #expect(found.map(\.key) == ["c"])
  }
}
