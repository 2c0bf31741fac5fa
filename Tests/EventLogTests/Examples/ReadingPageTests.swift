import EventLog
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

#if canImport(SwiftUI)
  import SwiftUI
#endif

/// The samples of the page on reading compile and behave as described.
@Suite struct ReadingPageTests {
  /// The record of the page on modeling.
  struct Plant: Record {
    var name = ""
    var light: Int?
    var repotted: Day?
    var cuttings = Counter<Int>()
    var pests: Set<String> = []

    struct Daily: DailyRecord {
      var ml = Counter<Int>()
      var mood: String?
    }

    static let schema = Schema<Plant>(
      "plant",
      [
        .register("name", \.name), .register("light", \.light, .integer(1...5)),
        .register("repotted", \.repotted), .counter("cuttings", \.cuttings),
        .members("pests", \.pests),
      ],
      days: [.counter("ml", \.ml), .register("mood", \.mood)])
  }

  struct Household: Record {
    var language: String?
    static let schema = Schema<Household>(
      singleton: "household", [.register("language", \.language)])
  }

  /// A store with two plants: one with pests, and one that was repotted and has days.
  private static func plants() async throws -> (device: TemporaryStore, fern: ID<Plant>) {
    let device = try await TemporaryStore(records: Plant.self, Household.self)
    try await device.create(Plant.self, key: "ivy") {
      $0.name = "Ivy"
      $0.pests = ["lice"]
    }
    let fern = try await device.create(Plant.self, key: "fern") {
      $0.name = "Fern"
      $0.repotted = Day("2026-01-28")
    }.id
    for (daysAgo, ml) in [(0, 250), (2, 100), (40, 500)] {
      try await device.edit(fern, on: Day.today.advanced(by: -daysAgo)) { $0.ml += ml }
    }
    return (device, fern)
  }

  @Test func `a snapshot shows the records, days and singletons of one moment`() async throws {
    let (device, fern) = try await Self.plants()
    let store = device.store
    // Docs: begin
    let state = store.snapshot
    let plants = state.all(Plant.self)  // every plant that is not deleted
    let name = state[fern]?.name  // nil if there is no such plant
    let water = state[fern, .today].ml.value  // a field of today
    let language = state[Household.self].language  // a singleton
    // Docs: end
    #expect(plants.map(\.name) == ["Fern", "Ivy"] && name == "Fern" && water == 250)
    #expect(language == nil)
    try await store.edit(fern) { $0.name = "Tall fern" }
    #expect(state[fern]?.name == "Fern" && store.snapshot[fern]?.name == "Tall fern")
  }

  @Test func `records are found, sorted and counted`() async throws {
    let (device, fern) = try await Self.plants()
    let state = device.snapshot
    // Docs: begin
    let byName = state.all(Plant.self, orderedBy: \.name)
    let dark = state.all(
      Plant.self, where: { ($0.light ?? 3) < 4 }, orderedBy: \.repotted, descending: true)
    let infested = state.count(Plant.self) { !$0.pests.isEmpty }
    let ivy = state.first(Plant.self) { $0.name == "Ivy" }
    // Docs: end
    #expect(byName.map(\.name) == ["Fern", "Ivy"] && dark.map(\.id.key) == ["fern", "ivy"])
    #expect(infested == 1 && ivy?.pests == ["lice"])

    // Docs: begin
    let today = Day.today
    let week = state.days(of: fern, in: today.advanced(by: -6)...today)
    let total = week.reduce(0) { $0 + ($1.ml.value ?? 0) }
    let lastWatered = state.days(of: fern).last { $0.ml.value ?? 0 > 0 }?.day
    // Docs: end
    #expect(total == 350 && lastWatered == today && week.count == 2)
  }

  @Test func `rows have the IDs and contested fields of their records`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Plant.self)
    let fern = try await phone.create(Plant.self, key: "fern") { $0.name = "Fern" }.id
    try await phone.sync(with: tablet)
    try await phone.edit(fern) { $0.light = 2 }
    try await tablet.edit(fern) { $0.light = 3 }
    try await phone.sync(with: tablet)
    let state = phone.snapshot
    var shown: [String] = []
    func show(_ line: String) { shown.append(line) }
    // Docs: begin
    for plant in state.all(Plant.self) {
      let light = plant.light.map(String.init) ?? "unknown"
      let mark = plant.isContested(\.light) ? " (contested)" : ""
      show("\(plant.id.key): \(plant.name), light \(light)\(mark)")
    }
    // Docs: end
    #expect(shown == ["fern: Fern, light 3 (contested)"])
  }

  // MARK: - Observing changes

  @Test func `changes of a kind keep an index up to date`() async throws {
    let (device, fern) = try await Self.plants()
    let store = device.store
    var index: [ID<Plant>: String] = [:]
    var count = 0
    // Docs: begin
    for await changes in store.changes(of: Plant.self) {
      for id in changes.inserted + changes.changed { index[id] = changes.snapshot[id]?.name }
      for id in changes.removed { index[id] = nil }
      // Docs: end
      count += 1
      if count == 1 {
        #expect(index == [fern: "Fern", ID("ivy")!: "Ivy"])
        try await store.delete(fern)
      } else {
        break
      }
    }
    #expect(index == [ID("ivy")!: "Ivy"])
  }

  #if canImport(SwiftUI)
    // Docs: begin
    struct PlantList: View {
      let plants: LiveQuery<Plant>

      var body: some View {
        List(plants.rows) { plant in
          Label(plant.name, systemImage: plant.contested.isEmpty ? "leaf" : "questionmark.circle")
        }
      }
    }
  // Docs: end
  #endif

  #if canImport(Observation)
    @MainActor @Test
    func `a live query shows rows, and a form is saved against its snapshot`() async throws {
      let (device, fern) = try await Self.plants()
      let store = device.store
      // Docs: begin
      let plants = LiveQuery(store, Plant.self, where: { $0.light != 5 }, orderedBy: \.name)
      // Docs: end
      #expect(plants.rows.map(\.name) == ["Fern", "Ivy"])

      func fillIn(_ light: Int?) async throws -> Int? {
        try await store.edit(fern) { $0.light = 2 }
        return 4
      }
      var said: [String] = []
      func show(_ text: String) { said.append(text) }
      // Docs: begin
      let shown = plants.snapshot  // the state that the form shows
      let light = try await fillIn(shown[fern]?.light)  // meanwhile, a sync may change it
      do {
        try await store.edit(fern, asOf: shown) { $0.light = light }
      } catch {
        guard error.code == .changedMeanwhile else { throw error }
        for write in error.unseen {
          show("\(write.field) is now \(write.value?.description ?? "empty")")
        }
      }
      // Docs: end
      #expect(said == ["light is now 2"] && store.snapshot[fern]?.light == 2)
      // Other fields, increments, members and equal values don't prevent saving.
      try await store.edit(fern) {
        $0.cuttings += 1
        $0.pests.insert("lice")
      }
      try await store.edit(fern, asOf: shown) {
        $0.name = "Tall fern"
        $0.light = 2
        $0.cuttings += 1
        $0.pests.insert("mites")
      }
      let plant = try #require(store.snapshot[fern])
      #expect(plant.cuttings.value == 2 && plant.pests == ["lice", "mites"])

      let error = await thrown { () throws(EventLogError) in
        try await store.edit(fern, asOf: shown) { $0.light = light }
      }
      let unseen = try #require(error?.unseen)
      // Docs: begin
      try await store.edit(fern, asOf: shown, over: unseen) { $0.light = light }
      // Docs: end
      #expect(store.snapshot[fern]?.light == 4)
    }
  #endif

  // MARK: - Past states

  @Test func `a snapshot at a cut shows the past`() async throws {
    let (device, fern) = try await Self.plants()
    let store = device.store
    let event = try await store.edit(fern) { $0.light = 2 }.appended[0].id
    try await store.delete(fern)
    let me = event.device
    // Docs: begin
    let newYear = Timestamp("2026-01-01T00:00:00+01:00")!
    let then = try await store.snapshot(at: Cut(time: newYear))  // by the clocks of the devices
    let after = try await store.snapshot(at: Cut(event: event))  // the event and all it had seen
    let before = try await store.snapshot(at: Cut(before: event))  // all that the event had seen
    let known = try await store.snapshot(at: Cut(device: me))  // what a device knew
    // Docs: end
    #expect(then.all(Plant.self).isEmpty)
    #expect(after[fern]?.light == 2 && before[fern] != nil && before[fern]?.light == nil)
    #expect(known[fern] == nil && known.eventCount == store.snapshot.eventCount)
    // A deleted entity can still be read by its ID.
    #expect(store.snapshot.isHidden(fern.entity))
    #expect(store.snapshot.entity(fern.entity)?["name"] == "Fern")
    let all = store.snapshot.entities("plant", includingDeleted: true)
    #expect(all.filter(\.isDeleted).map(\.id) == [fern.entity] && all.count == 2)
  }

  @Test func `the origin and the writes of a field are listed`() async throws {
    let (device, fern) = try await Self.plants()
    let store = device.store
    try await store.edit(fern) { $0.light = 2 }
    try await store.edit(fern) { $0.light = 3 }
    var lines: [String] = []
    func show(_ line: String) { lines.append(line) }
    // Docs: begin
    let state = store.snapshot
    if let origin = state.origin(of: \Plant.light, in: fern) {
      let name = state.device(origin.event.device)?.name ?? "unknown"
      show("event \(origin.event) by \(name)")
    }
    // Docs: end
    #expect(try lines == ["event \(#require(store.snapshot.deviceID)):9 by phone"])
    lines = []

    // Docs: begin
    for write in try await store.why("plant/fern", "light").history.writes {
      show("\(write.type) \(write.value) \(write.state.rawValue)")
    }
    // Docs: end
    #expect(lines == ["plant.edited 2 replaced", "plant.edited 3 shown"])

    // Docs: begin
    let journal = Journal(path: store.path, catalog: store.snapshot.catalog)
    var counts: [String: Int] = [:]
    let result = try journal.replay { event, line in
      counts[event.type, default: 0] += 1
      return true  // false ends the replay
    }
    // Docs: end
    #expect(result.damageCount == 0)
    #expect(
      counts == [
        "device.joined": 1, "plant.created": 2, "plant.included": 1, "plant.advanced": 3,
        "plant.edited": 2,
      ])
  }

  // MARK: - Projections

  // Docs: begin
  struct WaterPerYear: Projection {
    static let name = "water-per-year"
    static let version = 1
    var ml: [Int: Int] = [:]

    mutating func apply(_ event: Event) {
      guard event.type == "plant.advanced", let day = event.data["date"].flatMap(Day.init(json:)),
        let amount = event.data["ml"].flatMap(Int.init(json:))
      else { return }
      ml[day.year, default: 0] += amount
    }
  }
  // Docs: end

  @Test func `an app's projection is part of the snapshot`() async throws {
    let folder = try TemporaryFolder()
    let url = URL(fileURLWithPath: folder.file("ada.jsonl"))
    // Docs: begin
    let store = try await EventStore.open(
      url, user: "ada", records: Plant.self, projections: [WaterPerYear.self])
    let perYear = store.snapshot[WaterPerYear.self]?.ml ?? [:]
    // Docs: end
    #expect(perYear.isEmpty)
    let fern = try await store.create(Plant.self) { $0.name = "Fern" }.id
    try await store.edit(fern, on: Day("2026-01-28")!) { $0.ml += 250 }
    let last = try await store.edit(fern, on: Day("2026-02-03")!) { $0.ml += 100 }
    #expect(store.snapshot[WaterPerYear.self]?.ml == [2026: 350])
    // A snapshot at a cut contains only records.
    let then = try await store.snapshot(at: Cut(event: last.appended[0].id))
    #expect(then[WaterPerYear.self] == nil)
    try await store.close()
  }
}
