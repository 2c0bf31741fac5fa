import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Foundation
import Synchronization
import Testing

@testable import EventLogImport

/// Imports of sample files into journals, and of invalid input.
@Suite struct ImportTests {
  static let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("SampleLogs/Imports").path

  private func device(
    _ name: String = "phone", user: String = "ada", seed: UInt64 = 1
  ) async throws -> TemporaryStore {
    try await TemporaryStore(device: name, user: user, catalog: .bundled, seed: seed)
  }

  private func importer(
    _ name: String, _ map: String, source: String? = nil, zone: String? = nil
  ) throws -> Importer {
    Importer(
      path: name.hasPrefix("/") ? name : "\(Self.samples)/\(name)",
      map: try #require(ImportMap.builtIn(map)), source: source,
      zone: zone.flatMap { ImportZone(offset: $0) })
  }

  /// A folder with one file, removed with the last reference to the folder.
  private func file(_ name: String, _ text: String) throws -> (TemporaryFolder, String) {
    let folder = try TemporaryFolder()
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
    return (folder, folder.file(name))
  }

  private func bytes(_ store: TemporaryStore) -> Data? {
    try? Data(contentsOf: URL(fileURLWithPath: store.store.path))
  }

  // MARK: - Imported data

  @Test func `importing a Loop export creates habits and their days`() async throws {
    let phone = try await device()
    let report = try await importer("Loop", "loop").run(into: phone.store)
    let state = phone.store.snapshot
    let habits = state.all(Habit.self)
    #expect(habits.map(\.value.name) == ["Read", "Run", "Wake up early"])
    #expect(habits.map(\.value.archived) == [false, false, true])
    #expect(habits.map(\.value.goal) == [1, 12, 1])
    #expect(habits[1].value.unit == "km" && habits[1].value.schedule == Schedule("1/7"))
    let read = try #require(state.entity(EntityID(kind: "habit", key: "loop-Read")!))
    #expect(read.days.map(\.day.description).first == "2026-01-09")
    #expect(read.days.map { $0["progress"] } == [1, 0, nil, 1])
    #expect(read.days[2]["skipped"] == "Ill")
    #expect(read["description"] == "Novels, not news")
    #expect(read["note.2026-01-09"] == "Finished \"Middlemarch\"")
    let run = try #require(state.entity(EntityID(kind: "habit", key: "loop-Run")!))
    #expect(run.days.map { $0["progress"]?.text } == ["5", "7.5"])
    #expect(report.remarks == [] && report.unknown == [] && report.removableKeys == [])
    #expect(state.conflicts.isEmpty)
  }

  /// The days of the only habit of a Loop export with a numerical habit, as they are shown.
  private func loopDays(goal: String, _ rows: String) async throws -> [String] {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("001 Sleep"), withIntermediateDirectories: true)
    let habits = """
      Position,Name,Type,Question,Description,FrequencyNumerator,FrequencyDenominator,Color,Unit,\
      Target Type,Target Value,Archived?
      001,Sleep,NUMERICAL,,,1,1,#1976D2,h,AT_LEAST,\(goal),false

      """
    try Data(habits.utf8).write(to: URL(fileURLWithPath: folder.file("Habits.csv")))
    try Data("Date,Value,Notes\n\(rows)".utf8).write(
      to: URL(fileURLWithPath: folder.file("001 Sleep/Checkmarks.csv")))
    let phone = try await device()
    let loop = try importer(folder.path, "loop")
    let report = try await loop.run(into: phone.store)
    #expect(report.remarks.isEmpty)
    let repeated = try await loop.run(into: phone.store)
    #expect(repeated.eventCount == 0)
    let json = String(decoding: phone.store.snapshot.json(sections: ["completions"]), as: UTF8.self)
    return json.components(separatedBy: #"{"completed":"#).dropFirst().map { day in
      let progress = day.components(separatedBy: #""progress":"#)[1].prefix { $0 != "}" }
      return "\(progress) \(day.prefix { $0 != "," })"
    }
  }

  @Test func `a fraction of a goal isn't rounded up to it`() async throws {
    let rows = "2026-02-03,7000,\n2026-02-02,6500,\n2026-02-01,6400,\n"
    #expect(try await loopDays(goal: "7.0", rows) == ["6.4 false", "6.5 false", "7 true"])
    #expect(try await loopDays(goal: "6.5", rows) == ["6.4 false", "6.5 true", "7 true"])
  }

  @Test func `a measured zero is imported as a value`() async throws {
    let rows = "2026-02-03,0,\n2026-02-02,2000,\n2026-02-01,0,\n"
    #expect(try await loopDays(goal: "1.0", rows) == ["0 false", "2 true", "0 false"])
    let table = """
      HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText
      Headache,,Health,2026-02-01,0,
      Headache,,Health,2026-02-02,2,

      """
    let (folder, path) = try file("h.csv", table)
    let phone = try await device()
    _ = try await importer(path, "habitbull").run(into: phone.store)
    let habit = phone.store.snapshot.entities("habit")[0]
    #expect(habit.days.map { $0["progress"] } == [0, 2])
    withExtendedLifetime(folder) {}
  }

  @Test func `importing a HabitBull export creates habits and their days`() async throws {
    let phone = try await device()
    let report = try await importer("HabitBull.csv", "habitbull").run(into: phone.store)
    let state = phone.store.snapshot
    #expect(state.all(Habit.self).map(\.value.name) == ["Meditate", "Push-ups"])
    let habit = try #require(state.entity(EntityID(kind: "habit", key: "habitbull-Push-ups")!))
    #expect(habit.days.map { $0["progress"] } == [30, 25])
    #expect(habit["note.2026-01-11"] == "slow, but done" && habit["category"] == "Fitness")
    // Its app's own marks are reported and skipped.
    #expect(report.remarks.count == 1 && report.remarks[0].contains("HabitBull.csv:6"))
  }

  @Test func `conflicting sources are reported as one conflict that names them`() async throws {
    let phone = try await device()
    let report = try await importer("App.plist", "settings", zone: "UTC").run(into: phone.store)
    let conflict = try #require(report.sync.newConflicts.first)
    #expect(report.sync.newConflicts.count == 1 && conflict.id == "profile#birthday")
    #expect(
      conflict.candidates.map { phone.store.snapshot.device($0.event.device)?.name }
        == ["defaults-account", "defaults-device"])
    // The source that the map lists first shows.
    #expect(phone.store.snapshot.singleton("profile").first?.shown == "1990-05-17")
    #expect(phone.store.snapshot.singleton("settings").map(\.name).count == 10)
    #expect(report.removableKeys.count == 12)
    #expect(report.removableKeys.allSatisfy { !$0.contains("ben") && !$0.hasPrefix("Guest") })
    #expect(report.otherUsers.map(\.user) == [nil, "ben"])
    #expect(report.unknown == ["LastTipShown"])
  }

  @Test
  func `a guest's key is imported only for the guest, and a user's only for that user`()
    async throws
  {
    let guest = try await device(user: "guest-0123456789abcdef")
    let report = try await importer("App.plist", "settings", zone: "UTC").run(into: guest.store)
    #expect(report.removableKeys.contains("GuestUserBirthday"))
    #expect(Set(report.otherUsers.map(\.user)) == ["ada", "ben"])
    let text = String(decoding: try #require(bytes(guest)), as: UTF8.self)
    #expect(!text.contains("1985-11-02") && !text.contains("1990-05-17") && !text.contains("@"))
  }

  @Test func `a point in time is imported as a day only in a given time zone`() async throws {
    let phone = try await device()
    let error = await #expect(throws: EventLogError.self) {
      try await importer("App.plist", "settings").run(into: phone.store)
    }
    #expect(error?.message.contains("depends on the zone") == true)
    #expect(bytes(phone) == nil)
    _ = try await importer("App.plist", "settings", zone: "-05:00").run(into: phone.store)
    #expect(phone.store.snapshot.singleton("profile").first?.shown == "1990-05-16")
  }

  // MARK: - Repeated imports and other devices

  @Test(arguments: [("Loop", "loop"), ("HabitBull.csv", "habitbull"), ("App.plist", "settings")])
  func `a repeated import adds nothing, and a dry run writes nothing`(
    _ name: String, _ map: String
  ) async throws {
    let phone = try await device()
    let importer = try importer(name, map, zone: "UTC")
    let plan = try await importer.run(into: phone.store, dryRun: true)
    #expect(bytes(phone) == nil && plan.eventCount > 0)
    let first = try await importer.run(into: phone.store)
    #expect(first.eventCount == plan.eventCount)
    #expect(first.sync.newConflicts.map(\.id) == plan.sync.newConflicts.map(\.id))
    let before = bytes(phone)
    let second = try await importer.run(into: phone.store)
    #expect(second.eventCount == 0 && second.sync.pulled.isEmpty && bytes(phone) == before)
    #expect(second.removableKeys == first.removableKeys)
    let health = try Journal(path: phone.store.path, catalog: .bundled).verify()
    #expect(health.problems.isEmpty && health.notes.isEmpty)
  }

  @Test(arguments: [true, false])
  func `an import reports its progress in events`(isDryRun: Bool) async throws {
    let phone = try await device()
    let steps = Mutex<[SyncProgress]>([])
    let report = try await importer("Loop", "loop").run(into: phone.store, dryRun: isDryRun) {
      step in steps.withLock { $0.append(step) }
    }
    let counts = steps.withLock { $0 }.compactMap { step -> [Int64]? in
      if case .pulled(let count, let total) = step { [count, total] } else { nil }
    }
    let total = Int64(report.eventCount)
    #expect(total > 0 && counts.last == [total, total])
  }

  @Test(arguments: [("Loop", "loop"), ("HabitBull.csv", "habitbull"), ("App.plist", "settings")])
  func `two devices that import the same file agree, without a conflict or a notice`(
    _ name: String, _ map: String
  ) async throws {
    let phone = try await device()
    let tablet = try await device("tablet", seed: 2)
    let importer = try importer(name, map, zone: "UTC")
    let report = try await importer.run(into: phone.store)
    let content = phone.store.snapshot.report.filter { !$0.hasPrefix("conflict") }
    _ = try await importer.run(into: tablet.store)
    let synced = try await phone.sync(with: tablet)
    #expect(synced.forks.isEmpty && !synced.hasDuplicateWriter && synced.notices.isEmpty)
    #expect(phone.store.snapshot.json() == tablet.store.snapshot.json())
    #expect(phone.store.snapshot.report.filter { !$0.hasPrefix("conflict") } == content)
    #expect(phone.store.snapshot.conflicts.count == report.sync.newConflicts.count)
    #expect(phone.store.snapshot.eventCount == 2 * report.eventCount)
    #expect(
      try Journal(path: phone.store.path, catalog: .bundled).verify().notes.isEmpty)
    #expect(try await importer.run(into: phone.store).eventCount == 0)
  }

  private static let table = """
    HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText
    Read,,,2026-01-09,1,
    Read,,,2026-01-10,3,

    """

  @Test func `a later export adds and replaces only changed values`() async throws {
    let phone = try await device()
    let (folder, path) = try file("h.csv", Self.table)
    let importer = try importer(path, "habitbull")
    _ = try await importer.run(into: phone.store)
    let later = Self.table.replacingOccurrences(of: "10,3", with: "10,4") + "Read,,,2026-01-11,1,\n"
    try Data(later.utf8).write(to: URL(fileURLWithPath: path))
    let report = try await importer.run(into: phone.store)
    #expect(report.eventCount == 2 && report.sync.newConflicts.isEmpty)
    let habit = try #require(
      phone.store.snapshot.entity(EntityID(kind: "habit", key: "habitbull-Read")!))
    #expect(habit.days.map { $0["progress"] } == [1, 4, 1])
    // A value that is now zero is a value, and one that is now empty is taken back.
    for (value, shown) in [("0", 0), ("", nil)] as [(String, JSONValue?)] {
      let last = later.replacingOccurrences(of: "10,4", with: "10,\(value)")
      try Data(last.utf8).write(to: URL(fileURLWithPath: path))
      #expect(try await importer.run(into: phone.store).eventCount == 1)
      let day = Day("2026-01-10")!
      let days = phone.store.snapshot.entity(habit.id)?.days
      #expect(days?.first { $0.day == day }?["progress"] == shown)
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `imports of extended exports agree on every device`() async throws {
    let (folder, path) = try file("h.csv", Self.table)
    let phone = try await device()
    _ = try await importer(path, "habitbull").run(into: phone.store)
    try Data((Self.table + "Read,,,2026-01-11,1,\n").utf8).write(to: URL(fileURLWithPath: path))
    let tablet = try await device("tablet", seed: 2)
    _ = try await importer(path, "habitbull").run(into: tablet.store)
    _ = try await importer(path, "habitbull").run(into: phone.store)
    #expect(phone.store.snapshot.report == tablet.store.snapshot.report)
    withExtendedLifetime(folder) {}
  }

  @Test func `an import interrupted after any line is completed to the same state`() async throws {
    let phone = try await device()
    let importer = try importer("Loop", "loop")
    _ = try await importer.run(into: phone.store)
    let whole = try #require(bytes(phone))
    var end = 0
    while let next = whole[end...].firstIndex(of: 0x0A) {
      end = next + 1
      let folder = try TemporaryFolder()
      let path = folder.file("ada.jsonl")
      try whole[..<end].write(to: URL(fileURLWithPath: path))
      let store = try await EventStore.open(path: path, catalog: .bundled)
      _ = try await importer.run(into: store)
      #expect(store.snapshot.report == phone.store.snapshot.report)
      #expect(store.snapshot.eventCount == phone.store.snapshot.eventCount)
    }
  }

  @Test
  func `a conflict between two states of one source is resolved by the next import`() async throws {
    let (folder, path) = try file("h.csv", Self.table)
    let importer = try importer(path, "habitbull")
    let phone = try await device()
    _ = try await importer.run(into: phone.store)
    let later = Self.table.replacingOccurrences(of: "10,3", with: "10,4")
    try Data(later.utf8).write(to: URL(fileURLWithPath: path))
    let tablet = try await device("tablet", seed: 2)
    _ = try await importer.run(into: tablet.store)
    #expect(try await phone.sync(with: tablet).newConflicts.count == 1)
    let report = try await importer.run(into: phone.store)
    #expect(report.eventCount == 1 && phone.store.snapshot.conflicts.isEmpty)
    #expect(try await importer.run(into: phone.store).eventCount == 0)
    withExtendedLifetime(folder) {}
  }

  @Test
  func `a conflict between two states of one source about a value that is gone is resolved, too`()
    async throws
  {
    let (folder, path) = try file("h.csv", Self.table)
    let importer = try importer(path, "habitbull")
    let (phone, tablet) = (try await device(), try await device("tablet", seed: 2))
    _ = try await importer.run(into: phone.store)
    let later = Self.table.replacingOccurrences(of: "10,3,", with: "10,4,a")
    try Data(later.utf8).write(to: URL(fileURLWithPath: path))
    _ = try await importer.run(into: tablet.store)
    #expect(try await phone.sync(with: tablet).newConflicts.count == 1)
    let shown = phone.store.snapshot.report.filter { !$0.hasPrefix("conflict") }
      .map { $0.replacingOccurrences(of: ", contested", with: "") }
    let last = Self.table.replacingOccurrences(of: "Read,,,2026-01-10,3,\n", with: "")
    try Data(last.utf8).write(to: URL(fileURLWithPath: path))
    for device in [phone, tablet] {
      #expect(try await importer.run(into: device.store).eventCount == 1)
      #expect(device.store.snapshot.conflicts.isEmpty)
      #expect(device.store.snapshot.report == shown)
      #expect(try await importer.run(into: device.store).eventCount == 0)
    }
    _ = try await phone.sync(with: tablet)
    #expect(phone.store.snapshot.conflicts.isEmpty && phone.store.snapshot.report == shown)
    withExtendedLifetime(folder) {}
  }

  @Test func `a user's own edit shows over the imported value`() async throws {
    let phone = try await device()
    _ = try await phone.store.append([
      EventDraft(
        at: Timestamp("2002-01-01T00:00:00Z"), type: "profile.updated",
        data: ["birthday": "1980-01-01"])
    ])
    let report = try await importer("App.plist", "settings", zone: "UTC").run(into: phone.store)
    #expect(report.sync.newConflicts.first?.candidates.count == 3)
    #expect(phone.store.snapshot.singleton("profile").first?.shown == "1980-01-01")
    // The conflict is reported once: a repeated import doesn't undo the user's choice.
    let conflict = try #require(report.sync.newConflicts.first)
    try await phone.store.resolve(conflict, taking: conflict.candidates[0].event)
    _ = try await importer("App.plist", "settings", zone: "UTC").run(into: phone.store)
    #expect(phone.store.snapshot.conflicts.isEmpty)
  }

  @Test func `imports under different source names are different devices`() async throws {
    let phone = try await device()
    let (folder, path) = try file("h.csv", Self.table)
    _ = try await importer(path, "habitbull", source: "old-phone").run(into: phone.store)
    let other = Self.table.replacingOccurrences(of: "10,3", with: "10,4")
    try Data(other.utf8).write(to: URL(fileURLWithPath: path))
    let report = try await importer(path, "habitbull", source: "cloud").run(into: phone.store)
    let conflict = try #require(report.sync.newConflicts.first)
    #expect(
      Set(conflict.candidates.map { phone.store.snapshot.device($0.event.device)?.name })
        == ["old-phone", "cloud"])
    #expect(phone.store.snapshot.all(Habit.self).count == 1)
    withExtendedLifetime(folder) {}
  }

  @Test func `two habits with the same name stay separate`() async throws {
    let folder = try TemporaryFolder()
    let top = URL(fileURLWithPath: folder.path)
    for (number, value) in [("001", "YES_MANUAL"), ("002", "NO")] {
      let inside = top.appendingPathComponent("\(number) Read")
      try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
      try Data("Date,Value,Notes\n2026-01-09,\(value),\n".utf8)
        .write(to: inside.appendingPathComponent("Checkmarks.csv"))
    }
    // The columns of exports from 2017.
    try Data(
      """
      Position,Name,Question,Description,NumRepetitions,Interval,Color
      001,Read,,,1,1,#FF8F00
      002,Read,,,2,3,#00897B

      """.utf8
    ).write(to: top.appendingPathComponent("Habits.csv"))
    let phone = try await device()
    _ = try await importer(folder.path, "loop").run(into: phone.store)
    let habits = phone.store.snapshot.entities("habit")
    let days = Dictionary(
      uniqueKeysWithValues: habits.map { ($0["schedule"], $0.days.map { $0["progress"] }) })
    #expect(days == ["1/1": [1], "2/3": [0]])
  }

  @Test func `rows of JSON are imported like tables`() async throws {
    let (folder, path) = try file(
      "a.json",
      #"{"weights":[{"id":7,"kg":61.5,"when":1768000000},{"id":8,"kg":61,"when":1768086400}]}"#)
    let map = try ImportMap(
      parsing: #"""
        {"source": "scale", "tables": [{
          "rows": "weights", "kind": "food", "key": "scale-{id}",
          "fields": {
            "name": {"text": "Weight {id}"},
            "kcal": {"column": "kg", "as": "whole", "round": true}
          },
          "at": {"column": "when", "epoch": "unix"}
        }]}
        """#.utf8)
    let phone = try await device()
    _ = try await Importer(path: path, map: map).run(into: phone.store)
    let foods = phone.store.snapshot.entities("food")
    #expect(foods.map { $0["name"] } == ["Weight 7", "Weight 8"])
    #expect(foods.map { $0["kcal"] } == [62, 61])
    withExtendedLifetime(folder) {}
  }

  @Test func `the later of two rows for one entity counts, even if imported again`() async throws {
    let map = try ImportMap(
      parsing: #"""
        {"source":"w","tables":[{"rows":"drinks","kind":"food","key":"w-{id}",
        "fields":{"name":"title"},"at":{"column":"time","epoch":"unix"}}]}
        """#.utf8)
    for (first, second) in [(2000, 1000), (1000, 2000), (1000, 1000)] {
      let phone = try await device()
      let (folder, path) = try file(
        "drinks.json",
        #"{"drinks":[{"id":7,"title":"Cocoa","time":\#(first)},"#
          + #"{"id":7,"title":"Tea","time":\#(second)}]}"#)
      defer { withExtendedLifetime(folder) {} }
      let report = try await Importer(path: path, map: map).run(into: phone.store)
      #expect(report.remarks.count == 1 && report.remarks[0].contains("the later one counts"))
      let name = phone.store.snapshot.entity(EntityID(kind: "food", key: "w-7")!)?["name"]
      #expect(name == (first > second ? "Cocoa" : "Tea"))
      let repeated = try await Importer(path: path, map: map).run(into: phone.store)
      #expect(repeated.eventCount == 0)
    }
  }

  @Test func `rows of days that contain their habit create it once`() async throws {
    let map = try ImportMap(
      parsing: #"""
        {"source":"w","tables":[{"rows":"days","kind":"habit","key":"w-{id}",
        "fields":{"name":"title"},"day":"day","days":{"progress":"count"},
        "at":{"column":"time","epoch":"unix"}}]}
        """#.utf8)
    let phone = try await device()
    let (folder, path) = try file(
      "days.json",
      #"{"days":[{"id":7,"title":"Run","day":"2026-03-01","count":1,"time":1000},"#
        + #"{"id":7,"title":"Run","day":"2026-03-02","count":2,"time":2000}]}"#)
    defer { withExtendedLifetime(folder) {} }
    _ = try await Importer(path: path, map: map).run(into: phone.store)
    let types = try phone.events().map(\.type)
    #expect(types.count { $0 == "habit.created" } == 1)
    let habit = phone.store.snapshot.entity(EntityID(kind: "habit", key: "w-7")!)
    #expect(habit?["name"] == "Run" && habit?.days.count == 2)
    #expect(try await Importer(path: path, map: map).run(into: phone.store).eventCount == 0)
  }

  @Test func `a set that no event type writes is refused with its row`() async throws {
    let map = try ImportMap(
      parsing: #"""
        {"source":"w","tables":[{"files":["a.csv"],"kind":"habit","key":"{Name}","fields":
        {"name":"Name","tags":{"column":"Tags","as":"members","undeclared":true}}}]}
        """#.utf8)
    let (folder, path) = try file("a.csv", "Name,Tags\nRead,\"a,b\"\n")
    let phone = try await device()
    let error = await #expect(throws: EventLogError.self) {
      try await Importer(path: path, map: map).run(into: phone.store)
    }
    #expect(error?.code == .invalidInput)
    #expect(error?.message.hasPrefix("\(path):2 cannot be imported: habit") == true)
    withExtendedLifetime(folder) {}
  }

  @Test func `members of a set are included and excluded`() async throws {
    let map = try ImportMap(
      parsing: #"{"source":"a","keys":{"A":{"kind":"settings","field":"a","as":"members"}}}"#.utf8)
    let (folder, path) = try file("a.json", #"{"A":["x","y"]}"#)
    let phone = try await device()
    _ = try await Importer(path: path, map: map).run(into: phone.store)
    #expect(phone.store.snapshot.singleton("settings").first?.value == .members(["x", "y"]))
    try Data(#"{"A":["y","z"]}"#.utf8).write(to: URL(fileURLWithPath: path))
    _ = try await Importer(path: path, map: map).run(into: phone.store)
    #expect(phone.store.snapshot.singleton("settings").first?.value == .members(["y", "z"]))
    withExtendedLifetime(folder) {}
  }

  // MARK: - Refused input

  @Test(arguments: [
    ("{\"UserWeekStart\":\"soon\"}", "settings", "\"UserWeekStart\" cannot be imported"),
    ("[1]", "settings", "it is not a dictionary"),
    ("hello", "settings", "neither a property list nor a JSON object"),
    ("{\"a\":", "settings", "cannot be read as JSON"),
    (String(repeating: "[", count: 10_000), "settings", "cannot be read as JSON"),
    ("bplist00", "settings", "it is cut off"),
    ("<plist><dict>", "settings", "it is cut off"),
    ("HabitName,Value\nRead,1\n", "habitbull", "has no column \"HabitDescription\""),
    (
      "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\nRead,,,x,1,\n",
      "habitbull", "must be a valid date, such as 2026-01-31"
    ),
    (
      "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\nRead,\n",
      "habitbull", ":2: the line has 2 columns instead of 6"
    ),
    (
      "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\nRead\n",
      "habitbull", ":2: the line has 1 column instead of 6"
    ),
    ("Position,Name\n", "loop", "The map needs Habits.csv"),
  ])
  func `invalid input is refused, and nothing is written`(
    _ text: String, _ map: String, _ message: String
  ) async throws {
    let (folder, path) = try file("input", text)
    let phone = try await device()
    _ = try await phone.store.append([EventDraft(type: "settings.changed", data: ["a": 1])])
    let before = bytes(phone)
    let error = await #expect(throws: EventLogError.self) {
      try await importer(path, map).run(into: phone.store)
    }
    #expect(error?.code == .invalidInput)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(bytes(phone) == before)
    withExtendedLifetime(folder) {}
  }

  @Test func `a file of 100 MB is refused without being read`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("big.plist")
    #expect(FileManager.default.createFile(atPath: path, contents: Data("<plist>".utf8)))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.truncate(atOffset: 100_000_000)
    try file.close()
    let phone = try await device()
    let error = await #expect(throws: EventLogError.self) {
      try await importer(path, "settings").run(into: phone.store)
    }
    #expect(error?.message.contains("is larger than 64 MiB") == true)
    #expect(bytes(phone) == nil)
  }
}
