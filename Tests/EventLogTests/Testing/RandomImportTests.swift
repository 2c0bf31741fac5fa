import EventLog
import EventLogAccounts
import EventLogCollections
import EventLogImport
import EventLogTesting
import EventLogUndo
import Foundation
import Testing

/// Random exports of one source, imported and undone on two devices that people use, too, and by
/// guests whom the devices adopt.
///
/// At the end, the last values of the source show, unless a person has written others.
@Suite struct RandomImportTests {
  @Test func `the last values of the source show, unless a person has written others`()
    async throws
  {
    // In the first two, an undo had written again what a person had written. A quarter of the
    // others runs in the gate.
    for seed in [7_576_123_710_059_062_887, 7_576_123_710_059_062_969] + Array(RandomRounds(1200)) {
      var round = try await ImportRound(seed: seed)
      for _ in 0..<12 { try await round.step() }
      try await round.finish()
      #expect(round.complaints.isEmpty, "EVENTLOG_SEED=\(seed): \(round.trace)")
    }
  }
}

/// One source, two devices, and the fields that people have written.
private struct ImportRound {
  /// A habit of the source. Its ID is in the question, by which the test recognizes it.
  struct Thing {
    var id: Int
    var name: String
    var schedule: String
    var color: String
    var days: [Int: Int]
  }

  private(set) var complaints: [String] = []
  private(set) var trace: [String] = []
  private var random: SplitMix64
  private let devices: [TemporaryStore]
  private let map: ImportMap
  private var things: [Thing] = []
  private var lastID = 0
  /// The fields of entities that people have written, as `<entity>#<field>`, and `<entity>` for all
  /// of a deleted one.
  private var edited: Set<String> = []
  private var guestCount = 0
  /// Whether any export had several things of one name. Then devices sync before an import: what a
  /// device hasn't seen, it can't match.
  private var hadTwins = false

  init(seed: UInt64) async throws {
    random = SplitMix64(seed: seed)
    devices = [
      try await TemporaryStore(device: "phone", user: "ada", catalog: .bundled, seed: 1),
      try await TemporaryStore(device: "tablet", user: "ada", catalog: .bundled, seed: 2),
    ]
    map = try #require(ImportMap.builtIn("loop"))
    add()
    add()
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  // MARK: - Steps

  mutating func step() async throws {
    switch number(0...10) {
    case 0: add()
    case 1, 2: change()
    case 3: things.shuffle(using: &random)
    case 4: if things.count > 1 { things.remove(at: number(0...things.count - 1)) }
    case 5, 6:
      if hasTwins || number(0...1) == 0 { try await sync() }
      try await run(on: devices[number(0...1)])
    case 7:
      // Both import the same export before they sync.
      try await sync()
      for device in devices { try await run(on: device) }
    case 8: try await edit(on: devices[number(0...1)])
    case 9: try await undo(on: devices[number(0...1)])
    default: try await adopt(into: devices[number(0...1)])
    }
  }

  private var hasTwins: Bool { hadTwins || Set(things.map(\.name)).count < things.count }

  private mutating func add() {
    lastID += 1
    // Each habit has traits of its own, so that twins can be told apart.
    things.append(
      Thing(
        id: lastID, name: ["Gym", "Run", "Read"][number(0...2)], schedule: "1,\(lastID + 1)",
        color: "#\(lastID)", days: [lastID: number(1...9), lastID + 20: number(1...9)]))
    trace.append("add \(things[things.count - 1].name) \(lastID)")
  }

  private mutating func change() {
    let index = number(0...things.count - 1)
    switch number(0...4) {
    case 0: things[index].color += "a"
    case 1:
      things[index].name = ["Gym", "Run", "Read", "Swim"][number(0...3)]
      trace.append("rename \(things[index].id) to \(things[index].name)")
    case 2: things[index].days[number(40...60)] = number(1...9)
    case 3: things[index].days[things[index].id + 20] = number(1...9)
    default: things[index].days[things[index].id + 20] = nil
    }
  }

  private mutating func edit(on device: TemporaryStore) async throws {
    let habits = device.store.snapshot.entities("habit")
    guard !habits.isEmpty else { return }
    let habit = ID<Habit>(habits[number(0...habits.count - 1)].id.key)!
    switch number(0...4) {
    case 0:
      try await device.store.delete(habit)
      edited.insert("\(habit.entity)")
    case 1:
      let day = Self.day(number(1...30))
      try await device.store.set(\.progress, of: habit, on: day, to: 5)
      edited.insert("\(habit.entity)#\(day)")
    default:
      try await device.store.edit(habit) { $0.color = "mine" }
      edited.insert("\(habit.entity)#color")
    }
    trace.append("edit \(habit.entity)")
  }

  private mutating func undo(on device: TemporaryStore) async throws {
    guard device.store.snapshot.eventCount > 0 else { return }
    do { try await device.store.undoImport(of: "loop") } catch {
      // Nothing may have been imported yet.
      guard error.code == .invalidInput else { throw error }
    }
    trace.append("undo")
  }

  /// Imports as a guest, who may also edit, and adopts the guest.
  private mutating func adopt(into device: TemporaryStore) async throws {
    if hasTwins { return }
    guestCount += 1
    let guest = try await TemporaryStore(
      device: "guest", user: "guest-\(guestCount)", catalog: .bundled,
      seed: UInt64(10 + guestCount))
    trace.append("guest")
    try await run(on: guest)
    if number(0...2) == 0 { try await edit(on: guest) }
    try await guest.store.close()
    try await device.store.adopt(JournalRemote(path: guest.path))
    trace.append("adopt")
  }

  private func sync() async throws { _ = try await devices[0].sync(with: devices[1]) }

  private static func day(_ number: Int) -> Day { Day("2026-01-01")!.advanced(by: number) }

  // MARK: - Exports

  @discardableResult
  private mutating func run(on device: TemporaryStore) async throws -> ImportReport {
    hadTwins = hasTwins
    let folder = try TemporaryFolder()
    var rows =
      "Position,Name,Type,Question,Description,FrequencyNumerator,FrequencyDenominator,Color,Unit,"
      + "Target Type,Target Value,Archived?\n"
    for (index, thing) in things.enumerated() {
      let number = String(1000 + index).dropFirst()
      rows +=
        "\(number),\(thing.name),NUMERICAL,#\(thing.id),,\(thing.schedule),\(thing.color),"
        + ",,,false\n"
      let inside = folder.file("\(number) \(thing.name)")
      try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: true)
      let days = thing.days.sorted { $0.key < $1.key }
        .map { "\(Self.day($0.key)),\($0.value * 1000),\n" }.joined()
      try Data("Date,Value,Notes\n\(days)".utf8)
        .write(to: URL(fileURLWithPath: inside + "/Checkmarks.csv"))
    }
    try Data(rows.utf8).write(to: URL(fileURLWithPath: folder.file("Habits.csv")))
    let report = try await Importer(path: folder.path, map: map).run(into: device.store)
    let repeated = try await Importer(path: folder.path, map: map).run(into: device.store)
    if repeated.eventCount > 0 { complaints.append("a repeated import added events") }
    trace.append("import \(things.map { "\($0.name)\($0.id)" })")
    withExtendedLifetime(folder) {}
    return report
  }

  // MARK: - The end

  mutating func finish() async throws {
    try await sync()
    let report = try await run(on: devices[0])
    try await sync()
    if try await run(on: devices[1]).eventCount > 0 {
      // The second device states the values under the same device, so nothing is new.
      complaints.append("the import on the other device added events")
    }
    try await sync()
    let left = report.remarks.compactMap { remark in
      Int(remark.dropFirst("Habits.csv:".count).prefix { $0.isNumber }).map { $0 - 2 }
    }
    for device in devices {
      let state = device.store.snapshot
      for (index, thing) in things.enumerated() where !left.contains(index) {
        check(thing, in: state)
      }
      let sources = Set(state.devices.filter { $0.name == "loop" }.map(\.id))
      for conflict in state.conflicts
      where conflict.candidates.allSatisfy({ sources.contains($0.event.device) }) {
        complaints.append("the source is in conflict with itself: \(conflict.id)")
      }
    }
  }

  private mutating func check(_ thing: Thing, in state: Snapshot) {
    let all = state.entities("habit", includingDeleted: true)
      .filter { $0["question"] == .string("#\(thing.id)") && $0["name"] == .string(thing.name) }
    let visible = all.filter { !$0.isDeleted }
    guard visible.count == 1 else {
      if visible.isEmpty, all.contains(where: { edited.contains("\($0.id)") }) { return }
      return complaints.append("\(thing.name) \(thing.id) is there \(visible.count) times")
    }
    let habit = visible[0]
    if edited.contains("\(habit.id)") { return }
    let schedule = thing.schedule.replacingOccurrences(of: ",", with: "/")
    if habit["schedule"] != .string(schedule) { complaints.append("\(thing.id): schedule") }
    if habit["color"] != .string(thing.color), !edited.contains("\(habit.id)#color") {
      complaints.append("\(thing.id): color \(habit["color"]?.text ?? "none")")
    }
    for (number, count) in thing.days {
      let day = Self.day(number)
      let shown = habit.days.first { $0.day == day }?["progress"]
      if shown?.text != "\(count)", !edited.contains("\(habit.id)#\(day)") {
        complaints.append("\(thing.id): \(day) is \(shown?.text ?? "none") and not \(count)")
      }
    }
  }
}
