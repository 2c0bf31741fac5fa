import EventLog
import EventLogCollections
import EventLogTesting
import EventLogUndo
import Foundation
import Testing

@testable import EventLogImport

/// Undos of imports, and the imports after them.
@Suite struct ImportUndoTests {
  private static let map = #"""
    {"source":"app","tables":[{"files":"a.csv","kind":"habit","key":"a-{n}",
    "fields":{"name":"n","color":{"column":"c"}},
    "day":"d","days":{"progress":"p"}}]}
    """#

  private let run = ID<Habit>("a-Run")!

  @discardableResult
  private func importing(
    _ rows: String, of source: String? = nil, dates: DateOrder? = nil,
    into phone: TemporaryStore
  ) async throws -> ImportReport {
    let importer = Importer(
      contents: ("n,c,d,p\n" + rows).utf8, named: "a.csv",
      map: try ImportMap(parsing: Self.map.utf8), source: source, dates: dates)
    let report = try await importer.run(into: phone.store)
    let repeated = try await importer.run(into: phone.store)
    #expect(repeated.eventCount == 0)
    return report
  }

  private func device(_ name: String = "phone", seed: UInt64 = 1) async throws -> TemporaryStore {
    try await TemporaryStore(device: name, user: "ada", catalog: .bundled, seed: seed)
  }

  /// The days that have a value.
  private func days(_ phone: TemporaryStore) -> [String: JSONValue] {
    let habit = phone.store.snapshot.entities("habit").first { $0.id == run.entity }
    var found: [String: JSONValue] = [:]
    for day in habit?.days ?? [] { found[day.day.description] = day["progress"] }
    return found
  }

  @Test func `after an undo, an import with another order of dates shows only its own days`()
    async throws
  {
    let phone = try await device()
    try await importing("Run,,5/11/2026,1\nRun,,6/11/2026,1\n", dates: .monthFirst, into: phone)
    #expect(days(phone) == ["2026-05-11": 1, "2026-06-11": 1])
    let plan = try await phone.store.dryRunUndoOfImport(of: "app")
    #expect(plan.changes.map(\.field) == ["presence"] && plan.receipt == nil)
    let report = try await phone.store.undoImport(of: "app")
    #expect(report.changes == plan.changes && phone.store.snapshot.entities("habit").isEmpty)
    let later = try await importing(
      "Run,,5/11/2026,1\nRun,,6/11/2026,1\n", dates: .dayFirst, into: phone)
    #expect(days(phone) == ["2026-11-05": 1, "2026-11-06": 1])
    #expect(later.deleted.isEmpty && phone.store.snapshot.conflicts.isEmpty)
    #expect(phone.store.snapshot[run]?.name == "Run")
  }

  @Test func `equal values return after an undo`() async throws {
    let phone = try await device()
    try await importing("Run,red,2026-01-01,2\n", into: phone)
    for _ in 0..<2 {
      try await phone.store.undoImport(of: "app")
      #expect(phone.store.snapshot.entities("habit").isEmpty)
      try await importing("Run,red,2026-01-01,2\n", into: phone)
      #expect(days(phone) == ["2026-01-01": 2])
      #expect(phone.store.snapshot.entity(run.entity)?["color"] == "red")
      #expect(phone.store.snapshot.conflicts.isEmpty)
    }
  }

  @Test func `a second undo changes nothing`() async throws {
    let phone = try await device()
    try await importing("Run,red,2026-01-01,2\n", into: phone)
    try await phone.store.undoImport(of: "app")
    let again = try await phone.store.undoImport(of: "app")
    #expect(again.changes.isEmpty && again.wasHidden && again.receipt?.appended.isEmpty == true)
  }

  @Test func `a habit that a person has worked on stays, without what was imported`()
    async throws
  {
    let phone = try await device()
    try await importing("Run,red,2026-01-01,2\nRun,red,2026-01-02,1\n", into: phone)
    try await phone.store.edit(run) { $0.name = "Jog" }
    try await phone.store.edit(run, on: Day("2026-01-01")!) { $0.progress += 3 }
    let report = try await phone.store.undoImport(of: "app")
    #expect(report.kept == [run.entity])
    #expect(days(phone) == ["2026-01-01": 3])
    let habit = try #require(phone.store.snapshot.entity(run.entity))
    #expect(habit["name"] == "Jog" && (habit["color"] ?? .null) == .null)
    let again = try await phone.store.undoImport(of: "app")
    #expect(again.changes.isEmpty && again.wasHidden)
    // The next import states everything again, beside what the person said.
    try await importing("Run,red,2026-01-01,2\nRun,red,2026-01-03,1\n", into: phone)
    #expect(days(phone) == ["2026-01-01": 5, "2026-01-03": 1])
    #expect(phone.store.snapshot.entity(run.entity)?["name"] == "Jog")
    #expect(phone.store.snapshot.entity(run.entity)?["color"] == "red")
    #expect(phone.store.snapshot.conflicts.isEmpty)
  }

  /// Two devices, of which one has undone an import while the other imported again.
  private func undoBesideImport() async throws -> (phone: TemporaryStore, tablet: TemporaryStore) {
    let (phone, tablet) = (try await device(), try await device("tablet", seed: 2))
    try await importing("Run,red,2026-01-01,2\n", into: phone)
    try await phone.store.edit(run) { $0.name = "Jog" }
    _ = try await phone.sync(with: tablet)
    try await phone.store.undoImport(of: "app")
    try await importing("Run,blue,2026-01-01,4\n", into: tablet)
    _ = try await phone.sync(with: tablet)
    return (phone, tablet)
  }

  @Test func `an import beside an undo that another device made shows its values`()
    async throws
  {
    let (phone, tablet) = try await undoBesideImport()
    try await importing("Run,blue,2026-01-01,4\n", into: tablet)
    _ = try await phone.sync(with: tablet)
    for device in [phone, tablet] {
      #expect(days(device) == ["2026-01-01": 4] && device.store.snapshot.conflicts.isEmpty)
      #expect(device.store.snapshot.entity(run.entity)?["color"] == "blue")
      #expect(device.store.snapshot.entity(run.entity)?["name"] == "Jog")
    }
  }

  @Test func `an undo beside an import leaves no conflict about values that are gone later`()
    async throws
  {
    let (phone, tablet) = try await undoBesideImport()
    try await importing("Run,blue,2026-01-02,1\n", into: tablet)
    _ = try await phone.sync(with: tablet)
    for device in [phone, tablet] {
      #expect(days(device) == ["2026-01-01": 4, "2026-01-02": 1])
      #expect(device.store.snapshot.conflicts.isEmpty)
    }
  }

  @Test func `an undo beside an import leaves no conflict about a singleton that is gone later`()
    async throws
  {
    let map = try ImportMap(
      parsing: #"""
        {"source":"app","keys":{"B":{"kind":"profile","field":"birthday"},
        "T":{"kind":"settings","field":"theme"}}}
        """#.utf8)
    func importing(_ text: String, into device: TemporaryStore) async throws {
      let importer = Importer(contents: text.utf8, named: "a.json", map: map)
      _ = try await importer.run(into: device.store)
      #expect(try await importer.run(into: device.store).eventCount == 0)
    }
    let (phone, tablet) = (try await device(), try await device("tablet", seed: 2))
    try await importing(#"{"B":"1990-01-01","T":"dark"}"#, into: phone)
    _ = try await phone.sync(with: tablet)
    try await phone.store.undoImport(of: "app")
    try await importing(#"{"B":"1991-02-03","T":"dark"}"#, into: tablet)
    _ = try await phone.sync(with: tablet)
    #expect(phone.store.snapshot.conflicts.map(\.field) == ["birthday"])
    try await importing(#"{"T":"dark"}"#, into: tablet)
    _ = try await phone.sync(with: tablet)
    for device in [phone, tablet] {
      #expect(device.store.snapshot.conflicts.isEmpty)
      #expect(device.store.snapshot.singleton("profile").first?.shown == "1991-02-03")
    }
  }

  @Test func `a value that another copy has stated shows instead of an undone one`() async throws {
    let (phone, tablet) = (try await device(), try await device("tablet", seed: 2))
    for device in [phone, tablet] { try await importing("Run,red,2026-01-01,2\n", into: device) }
    try await importing("Run,blue,2026-01-01,2\n", into: phone)
    try await phone.store.undoImport(of: "app")
    _ = try await phone.sync(with: tablet)
    try await importing("Run,red,2026-01-01,2\n", into: phone)
    _ = try await phone.sync(with: tablet)
    for device in [phone, tablet] {
      #expect(device.store.snapshot.conflicts.isEmpty)
      #expect(device.store.snapshot.entity(run.entity)?["color"] == "red")
    }
  }

  @Test func `values that an import wrote beside a person's are taken back, and return`()
    async throws
  {
    let phone = try await device()
    let first = Day("2026-01-01")!
    try await phone.store.create(Habit.self, key: "a-Run") { $0.name = "Jog" }
    try await phone.store.edit(run, on: first) { $0.progress += 4 }
    try await phone.store.set(\.progress, of: run, on: Day("2026-01-03")!, to: 7)
    try await importing(
      "Run,red,2026-01-01,5\nRun,red,2026-01-02,1\nRun,red,2026-01-03,6\n", into: phone)
    let before = phone.store.snapshot.conflicts.count
    #expect(before == 3)
    let plan = try await phone.store.dryRunUndoOfImport(of: "app")
    let report = try await phone.store.undoImport(of: "app")
    #expect(report.changes == plan.changes)
    #expect(
      report.changes.map { "\($0.place)#\($0.field)" } == [
        "habit/a-Run#color", "habit/a-Run@2026-01-02#progress",
      ])
    #expect(days(phone) == ["2026-01-01": 4, "2026-01-03": 7])
    #expect(phone.store.snapshot.conflicts.isEmpty)
    #expect(phone.store.snapshot.entity(run.entity)?["name"] == "Jog")
    // Edits of people aren't replaced, and the rest returns.
    let again = try await importing(
      "Run,red,2026-01-01,5\nRun,red,2026-01-02,1\nRun,red,2026-01-03,6\n", into: phone)
    #expect(phone.store.snapshot.entity(run.entity)?["name"] == "Jog")
    #expect(phone.store.snapshot.entity(run.entity)?["color"] == "red")
    #expect(days(phone)["2026-01-02"] == 1 && days(phone)["2026-01-03"] == 7)
    #expect(again.remarks.contains { $0.contains("\"Jog\"") && $0.contains("\"Run\"") })
  }

  @Test func `a habit that a person deleted is not restored after an undo`() async throws {
    let phone = try await device()
    try await importing("Run,red,2026-01-01,2\nSwim,blue,2026-01-01,2\n", into: phone)
    try await phone.store.delete(run)
    try await phone.store.undoImport(of: "app")
    let report = try await importing(
      "Run,red,2026-01-01,2\nSwim,blue,2026-01-01,2\n", into: phone)
    #expect(phone.store.snapshot.entities("habit").map(\.id.key) == ["a-Swim"])
    #expect(report.deleted.map(\.id) == [run.entity])
  }

  // MARK: - Several sources

  @Test(arguments: [["app", "other"], ["other", "app"]])
  func `an import after undos of two sources shows its values, and only these`(
    _ undone: [String]
  ) async throws {
    let phone = try await device()
    try await importing("Run,,2026-01-01,2\n", into: phone)
    try await importing(
      "Run,blue,2026-01-01,2\nRun,blue,2026-01-05,3\n", of: "other", into: phone)
    for source in undone { try await phone.store.undoImport(of: source) }
    #expect(phone.store.snapshot.entities("habit").isEmpty)
    for _ in 0..<2 {
      let report = try await importing("Run,,2026-01-01,2\n", into: phone)
      #expect(report.deleted.isEmpty)
      #expect(days(phone) == ["2026-01-01": 2] && phone.store.snapshot[run]?.name == "Run")
      #expect((phone.store.snapshot.entity(run.entity)?["color"] ?? .null) == .null)
      #expect(phone.store.snapshot.conflicts.isEmpty)
    }
    // The other source can be imported again, too.
    try await importing("Run,blue,2026-01-05,3\n", of: "other", into: phone)
    #expect(days(phone) == ["2026-01-01": 2, "2026-01-05": 3])
    #expect(phone.store.snapshot.entity(run.entity)?["color"] == "blue")
    #expect(phone.store.snapshot.conflicts.isEmpty)
  }

  @Test func `undos of two sources on two devices don't hide a later import`() async throws {
    let (phone, tablet) = (try await device(), try await device("tablet", seed: 2))
    try await importing("Run,red,2026-01-01,2\n", into: phone)
    try await importing("Run,red,2026-01-01,2\n", of: "other", into: phone)
    _ = try await phone.sync(with: tablet)
    try await phone.store.undoImport(of: "app")
    try await phone.store.undoImport(of: "other")
    try await tablet.store.undoImport(of: "other")
    try await tablet.store.undoImport(of: "app")
    _ = try await phone.sync(with: tablet)
    for source in ["other", "app"] {
      try await importing("Run,red,2026-01-01,2\n", of: source, into: tablet)
      _ = try await phone.sync(with: tablet)
      for device in [phone, tablet] {
        #expect(days(device) == ["2026-01-01": 2])
        #expect(device.store.snapshot.conflicts.isEmpty)
      }
    }
  }

  @Test func `a first import shows an entity that the undo of another source has deleted`()
    async throws
  {
    let phone = try await device()
    try await phone.store.create(Habit.self, key: "a-Swim") { $0.name = "Bathe" }
    try await importing("Run,red,2026-01-01,2\n", of: "other", into: phone)
    try await phone.store.undoImport(of: "other")
    let rows = "Run,,2026-01-02,1\nSwim,blue,2026-01-02,1\n"
    #expect(try await importing(rows, into: phone).deleted.isEmpty)
    #expect(days(phone) == ["2026-01-02": 1])
    #expect((phone.store.snapshot.entity(run.entity)?["color"] ?? .null) == .null)
    // The restoration has seen this edit, which must not be replaced.
    #expect(phone.store.snapshot[ID<Habit>("a-Swim")!]?.name == "Bathe")
    try await importing("Run,,2026-01-02,1\nSwim,green,2026-01-02,1\n", into: phone)
    #expect(phone.store.snapshot[ID<Habit>("a-Swim")!]?.name == "Bathe")
    try await phone.store.undoImport(of: "app")
    #expect(phone.store.snapshot.entities("habit").map(\.id.key) == ["a-Swim"])
  }

  @Test func `an undo reaches another device, which can import again`() async throws {
    let (phone, tablet) = (try await device(), try await device("tablet", seed: 2))
    try await importing("Run,red,2026-01-01,2\n", into: phone)
    _ = try await phone.sync(with: tablet)
    try await phone.store.undoImport(of: "app")
    _ = try await phone.sync(with: tablet)
    #expect(tablet.store.snapshot.entities("habit").isEmpty)
    try await importing("Run,red,2026-01-02,2\n", into: tablet)
    try await importing("Run,red,2026-01-02,2\n", into: phone)
    _ = try await phone.sync(with: tablet)
    for device in [phone, tablet] {
      #expect(days(device) == ["2026-01-02": 2] && device.store.snapshot.conflicts.isEmpty)
    }
  }

  @Test func `undoing the undo shows the import again`() async throws {
    let phone = try await device()
    try await importing("Run,red,2026-01-01,2\n", into: phone)
    let report = try await phone.store.undoImport(of: "app")
    try await phone.store.undo(try #require(report.receipt))
    #expect(days(phone) == ["2026-01-01": 2])
    #expect(try await importing("Run,red,2026-01-01,2\n", into: phone).eventCount == 0)
  }

  @Test func `an unknown source is refused with the known ones`() async throws {
    let phone = try await device()
    try await importing("Run,red,2026-01-01,2\n", into: phone)
    let error = await #expect(throws: EventLogError.self) {
      try await phone.store.undoImport(of: "apq")
    }
    #expect(error?.code == .invalidInput && error?.hint == "Use the name of a source: app.")
  }
}
