import EventLog
import EventLogTesting
import EventLogUndo
import Foundation
import Testing

/// The samples of the page on conflicts compile and behave as described.
@Suite struct ConflictsPageTests {
  private static let soup = ID<Meal>("soup")!

  /// A phone and a tablet that changed the same fields while offline, and then synced.
  private static func contested() async throws -> (phone: TemporaryStore, tablet: TemporaryStore) {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "soup") { $0.kcal = 70 }
    try await phone.sync(with: tablet)
    try await phone.edit(soup) { $0.kcal = 80 }
    try await tablet.edit(soup) { $0.kcal = 90 }
    try await phone.sync(with: tablet)
    return (phone, tablet)
  }

  @Test func `a conflict is resolved by the chosen candidate`() async throws {
    let (phone, tablet) = try await Self.contested()
    let store = phone.store
    func ask(_ field: String, _ choices: [String]) async -> Int? {
      choices.firstIndex(of: "80")
    }
    // Docs: begin
    for conflict in store.snapshot.conflicts {
      let choices = conflict.candidates.map(\.value.description)
      guard let chosen = await ask(conflict.field, choices) else { continue }
      try await store.resolve(conflict, taking: conflict.candidates[chosen].event)
    }
    // Docs: end
    #expect(store.snapshot.conflicts.isEmpty && store.snapshot[Self.soup]?.kcal == 80)
    try await tablet.sync(with: phone)
    #expect(tablet.snapshot.conflicts.isEmpty && tablet.snapshot[Self.soup]?.kcal == 80)
  }

  @Test func `concurrent edits conflict only if their registers differ`() async throws {
    let (phone, tablet) = try await Self.contested()
    let soup = Self.soup
    try await phone.edit(soup) { $0.servings += 1 }
    try await tablet.edit(soup) { $0.servings += 1 }
    try await phone.edit(soup) { $0.name = "Leek soup" }
    try await tablet.edit(soup) { $0.name = "Leek soup" }
    try await phone.include("warm", in: \.tags, of: soup)
    try await phone.sync(with: tablet)
    try await phone.exclude("warm", from: \.tags, of: soup)
    try await tablet.include("warm", in: \.tags, of: soup)
    try await phone.sync(with: tablet)
    #expect(phone.snapshot.conflicts.map(\.id) == ["meal/soup#kcal"])
    #expect(phone.snapshot[soup]?.servings.value == 2 && phone.snapshot[soup]?.tags == ["warm"])

    // A total was set, concurrently with an increment.
    try await phone.set(\.servings, of: soup, to: 5)
    try await tablet.edit(soup) { $0.servings += 2 }
    try await phone.sync(with: tablet)
    #expect(phone.snapshot[soup]?.servings.value == 7 && phone.snapshot.conflicts.count == 1)
    try await phone.set(\.servings, of: soup, to: 5)
    try await tablet.set(\.servings, of: soup, to: 6)
    _ = try await phone.create(Meal.self, key: "stew") { $0.kcal = 1 }
    _ = try await tablet.create(Meal.self, key: "stew") { $0.kcal = 2 }
    try await phone.sync(with: tablet)
    #expect(
      phone.snapshot.conflicts.map(\.id)
        == ["meal/soup#kcal", "meal/soup#servings", "meal/stew#kcal"])
    #expect(phone.snapshot.all(Meal.self).count == 2)

    try await phone.delete(soup)
    try await tablet.delete(soup)
    try await phone.sync(with: tablet)
    #expect(phone.snapshot.conflicts.map(\.id) == ["meal/stew#kcal"])
  }

  @Test
  func `an edit to another value resolves a conflict, and one to the shown value doesn't`()
    async throws
  {
    let (phone, _) = try await Self.contested()
    let shown = try #require(phone.snapshot[Self.soup])
    #expect(shown.kcal == 90)
    let same = try await phone.edit(Self.soup) { $0.kcal = 90 }
    #expect(same.appended.isEmpty && phone.snapshot.conflicts.count == 1)
    try await phone.edit(Self.soup) { $0.kcal = 85 }
    #expect(phone.snapshot.conflicts.isEmpty)
  }

  @Test func `conflicts are listed for the store, an entity and a field`() async throws {
    let (phone, tablet) = try await Self.contested()
    let (store, soup) = (phone.store, Self.soup)
    try await phone.edit(soup, on: .today) { $0.mood = "full" }
    try await tablet.edit(soup, on: .today) { $0.mood = "hungry" }
    try await phone.sync(with: tablet)
    // Docs: begin
    let state = store.snapshot
    let all = state.conflicts
    let ofSoup = state.conflicts(of: soup)  // also those of its days
    let isContested = state.stored(soup)?.isContested(\.kcal) ?? false
    let contestedMeals = state.all(Meal.self) { !$0.contested.isEmpty }
    // Docs: end
    #expect(all.count == 2 && ofSoup == all && isContested)
    #expect(contestedMeals.map(\.id) == [soup])
    let day = Day.today
    #expect(all.map(\.id) == ["meal/soup#kcal", "meal/soup@\(day)#mood"])
    #expect(all.map(\.day) == [nil, day] && all.map { $0.id(of: Meal.self) } == [soup, soup])
    #expect(all[0].base == 70 && all[1].base == nil)
    #expect(all[0].shown == all[0].candidates.first { $0.value == 90 }?.event)
    #expect(
      all[1].candidates.compactMap { all[1].value(of: \.mood, in: Meal.self, for: $0) }.count == 2)
    #expect(state.days(of: soup).map(\.contested) == [["mood"]])
  }

  @Test func `candidates are described by value and device`() async throws {
    let (phone, tablet) = try await Self.contested()
    // Docs: begin
    func text(of candidate: Conflict.Candidate, in conflict: Conflict) -> String {
      if conflict.kind == .presence {
        return candidate.isDeletion ? "Delete the meal" : "Keep the meal"
      }
      if let kcal = conflict.value(of: \Meal.kcal, for: candidate) { return "\(kcal) kcal" }
      if let name = conflict.value(of: \Meal.name, for: candidate) { return name }
      return candidate.value.description
    }

    func writer(of candidate: Conflict.Candidate, in state: Snapshot) -> String {
      guard let device = state.device(candidate.event.device) else { return "another device" }
      return device.isOwn ? "this device" : device.name
    }
    // Docs: end
    func lines(_ device: TemporaryStore) -> [String] {
      device.snapshot.conflicts.flatMap { conflict in
        conflict.candidates.map {
          "\(text(of: $0, in: conflict)), \(writer(of: $0, in: device.snapshot))"
        }
      }
    }
    #expect(lines(phone) == ["80 kcal, this device", "90 kcal, tablet"])
    #expect(lines(tablet) == ["80 kcal, phone", "90 kcal, this device"])

    try await phone.delete(Self.soup)
    try await tablet.edit(Self.soup) { $0.kcal = 100 }
    try await phone.sync(with: tablet)
    #expect(phone.snapshot.stored(Self.soup)?.isPresenceContested == true)
    #expect(lines(phone) == ["Delete the meal, this device", "Keep the meal, tablet"])

    // A value that reads like a deletion isn't one.
    let (one, two) = try await Self.contested()
    try await one.edit(Self.soup) { ($0.kcal, $0.name) = (0, "deleted") }
    try await two.edit(Self.soup) { ($0.kcal, $0.name) = (0, "Soup") }
    try await one.sync(with: two)
    #expect(lines(one) == ["deleted, this device", "Soup, tablet"])
    #expect(one.snapshot.conflicts.allSatisfy { $0.candidates.allSatisfy { !$0.isDeletion } })
  }

  @Test
  func `a conflict is resolved by a candidate or another value, unless it changed`() async throws {
    let (phone, tablet) = try await Self.contested()
    let store = phone.store
    let conflict = try #require(store.snapshot.conflicts.first)
    let chosen = try #require(conflict.candidates.first { $0.value == 80 })
    var wasShownAgain = false
    func showAgain(_ conflicts: [Conflict]) { wasShownAgain = true }
    func resolve() async throws {
      // Docs: begin
      do {
        try await store.resolve(conflict, taking: chosen.event)
      } catch {
        switch error.code {
        case .noConflict: break  // resolved already
        case .changedMeanwhile: showAgain(store.snapshot.conflicts)  // a candidate has arrived
        default: throw error
        }
      }
      // Docs: end
    }
    let desk = try await TemporaryStore(device: "desk", records: Meal.self)
    try await desk.sync(with: tablet, .pull)
    // The tablet has seen both values, so its edit resolves the conflict.
    try await tablet.edit(Self.soup) { $0.kcal = 100 }
    try await tablet.sync(with: phone)
    try await resolve()
    #expect(store.snapshot.conflicts.isEmpty && !wasShownAgain)
    // A concurrent edit reopens the conflict, with values that the user wasn't shown.
    try await desk.edit(Self.soup) { $0.kcal = 110 }
    try await phone.sync(with: desk)
    try await resolve()
    let shown = try #require(store.snapshot.conflicts.first)
    #expect(wasShownAgain && shown.candidates.map(\.value) == [110, 100])

    let (kcal, another) = (85, shown)
    // Docs: begin
    try await store.resolve(another, with: kcal.json)
    // Docs: end
    #expect(store.snapshot[Self.soup]?.kcal == 85 && store.snapshot.conflicts.isEmpty)
  }

  @Test func `different resolutions on two devices cause a new conflict`() async throws {
    let (phone, tablet) = try await Self.contested()
    func resolve(on device: TemporaryStore, by value: JSONValue) async throws {
      for conflict in device.snapshot.conflicts { try await device.resolve(conflict, with: value) }
    }
    try await resolve(on: phone, by: 80)
    try await resolve(on: tablet, by: 90)
    #expect(phone.snapshot.conflicts.isEmpty && tablet.snapshot.conflicts.isEmpty)
    let report = try await phone.sync(with: tablet)
    #expect(report.newConflicts.map { $0.candidates.map(\.value) } == [[80, 90]])
    try await resolve(on: phone, by: 85)
    try await resolve(on: tablet, by: 85)
    try await phone.sync(with: tablet)
    #expect(phone.snapshot.conflicts.isEmpty && tablet.snapshot[Self.soup]?.kcal == 85)
  }

  @Test func `undoing a resolution restores the shown value`() async throws {
    let (phone, _) = try await Self.contested()
    let store = phone.store
    let conflict = try #require(store.snapshot.conflicts.first)
    let chosen = try #require(conflict.candidates.first { $0.value == 80 })
    // Docs: begin
    let receipt = try await store.resolve(conflict, taking: chosen.event)
    let undone = try await store.undo(receipt)
    // Docs: end
    #expect(undone.left.isEmpty)
    #expect(store.snapshot[Self.soup]?.kcal == 90 && store.snapshot.conflicts.isEmpty)
  }

  @Test func `a form doesn't overwrite a value that arrived after it opened`() async throws {
    let (phone, tablet) = try await Self.contested()
    let (store, soup) = (phone.store, Self.soup)
    try await phone.edit(soup) { $0.kcal = 85 }
    try await phone.sync(with: tablet)
    func fillIn(_ meal: Meal?) async throws -> Int {
      try await tablet.edit(soup) { $0.kcal = 100 }
      try await phone.sync(with: tablet)
      return 95
    }
    var shownAgain: [String] = []
    func show(_ text: String) { shownAgain.append(text) }
    // Docs: begin
    let shown = store.snapshot
    let kcal = try await fillIn(shown[soup])  // a sync may bring another value meanwhile
    do {
      try await store.edit(soup, asOf: shown) { $0.kcal = kcal }
    } catch {
      guard error.code == .changedMeanwhile else { throw error }
      for write in error.unseen {
        show("\(write.field) is \(write.value?.description ?? "empty") now")
      }
    }
    // Docs: end
    #expect(shownAgain == ["kcal is 100 now"] && store.snapshot[soup]?.kcal == 100)
    try await store.edit(soup, asOf: shown) { $0.name = "Soup" }
    await #expect(throws: EventLogError.self) { try await store.delete(soup, asOf: shown) }
  }
}

#if canImport(Observation)
  /// The screen of the page, on the main actor like a view.
  @MainActor @Suite struct ConflictsPageScreenTests {
    // Docs: begin
    @MainActor final class ConflictScreen {
      private let meals: LiveQuery<Meal>

      init(_ store: EventStore) { meals = LiveQuery(store, Meal.self) }

      var conflicts: [Conflict] {
        meals.snapshot.conflicts.filter { $0.id(of: Meal.self) != nil }
      }
    }
    // Docs: end

    @Test func `a screen shows the conflicts of a live query`() async throws {
      let (phone, tablet) = try await Devices.meet(records: Meal.self)
      let soup = try await phone.create(Meal.self) { $0.kcal = 70 }.id
      try await phone.sync(with: tablet)
      let screen = ConflictScreen(phone.store)
      #expect(screen.conflicts.isEmpty)
      try await phone.edit(soup, on: .today) { $0.mood = "full" }
      try await tablet.edit(soup, on: .today) { $0.mood = "hungry" }
      try await phone.sync(with: tablet)
      while screen.conflicts.isEmpty { await Task.yield() }
      /// Requires rows like SwiftUI's `List`.
      func ids<Rows: RandomAccessCollection>(_ rows: Rows) -> [String]
      where Rows.Element: Identifiable, Rows.Element.ID == String {
        rows.map(\.id)
      }
      #expect(ids(screen.conflicts).map { $0.hasPrefix("\(soup)@") } == [true])
      let conflict = screen.conflicts[0]
      try await phone.resolve(conflict, taking: conflict.candidates[0].event)
      while !screen.conflicts.isEmpty { await Task.yield() }
    }
  }
#endif
