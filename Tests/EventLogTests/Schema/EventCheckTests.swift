import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// Appends and the fold must accept the same events, by the reference's rules.
///
/// Otherwise, a device would write events that no device applies.
@Suite(.tags(.random)) struct EventCheckTests {
  @Test func `an append accepts exactly the events that follow the rules`() async throws {
    let folder = try TemporaryFolder()
    let all: Set<EventLogError.Code?> = [
      nil, .reservedType, .unknownType, .invalidEvent, .noEntity, .entityExists, .deletedEntity,
    ]
    var codes: Set<EventLogError.Code?> = []
    for seed in RandomRounds(200, until: { codes == all }) {
      let path = folder.file("\(seed).jsonl")
      let store = try await EventStore.open(
        path: path,
        options: JournalOptions(
          clock: .fixed(0), random: .seeded(seed), deviceName: "phone", user: "ada"),
        catalog: .withFood)
      // In some histories no event is accepted; the journal must exist anyway.
      _ = try await store.append([EventDraft(type: "profile.updated")])
      var expectation = AppendExpectation()
      var refused = RefusedEvents()
      let random = RandomHistory(seed: seed, devices: 2...2, sizes: 60...60)
      let lines = random.history.entries.map(\.event)
      let reference = Reference(ReferenceHistories(lines, user: "ada")) { $0.ruledEffects }
      try #require(reference.events.count == lines.count)
      for event in reference.events where event.version == 1 {
        let draft = EventDraft(
          at: event.at, type: event.type, entity: event.line.entity, data: event.line.data)
        let expected = expectation.take(event)
        let comment: Comment = "EVENTLOG_SEED=\(seed): event \(event.id)"
        let error = await Self.refusal(of: draft, by: store)
        try #require(error?.code == expected, comment)
        codes.insert(error?.code)
        if error != nil { refused.add(draft, event) }
      }
      // A register that was set to null may later have become a set.
      let notes = try Journal(path: path, catalog: .withFood).verify().notes
        .filter { $0.code != .note(.setKey) }
      try #require(notes.isEmpty, "EVENTLOG_SEED=\(seed): what was accepted is applied")
      try refused.check(seed)
    }
    #expect(codes == all, "every answer was among them")
  }

  @Test(arguments: [
    ("habit.edited", "goal", "-1"), ("habit.edited", "schedule", #""7/3""#),
    ("habit.edited", "archived", "true"), ("habit.archived", "name", #""x""#),
    ("completion.recorded", "progress", "1.0000000"), ("completion.advanced", "by", "null"),
    ("completion.skipped", "date", #""2026-02-30""#), ("food.edited", "eaten", "3"),
    ("food.edited", "further", "3"),
  ])
  func `a refusal reports the field and never its value`(
    type: String, field: String, value: String
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try await EventStore.open(
      path: folder.file("ada.jsonl"), options: JournalOptions(user: "ada"), catalog: .withFood)
    let entity = EntityID(type.hasPrefix("food") ? "food/a" : "habit/a")!
    _ = try await store.append([EventDraft(type: "\(entity.kind).created", entity: entity)])
    var data: [JSONObject.Member] = [.init(name: field, value: .spelled(value))]
    if type.hasPrefix("completion"), field != "date" {
      data.append(.init(name: "date", value: "2026-01-28"))
    }
    if type == "completion.skipped" { data.append(.init(name: "reason", value: "ill")) }
    let draft = EventDraft(type: type, entity: entity, data: JSONObject(data))
    let error = try #require(await Self.refusal(of: draft, by: store))
    #expect(error.code == .invalidEvent)
    #expect(error.message.contains("\"\(field)\""))
    #expect(error.message.hasSuffix("Nothing was written."))
  }
}

extension EventCheckTests {
  /// The store's refusal of an event, or nil if it was appended.
  private static func refusal(
    of draft: EventDraft, by store: EventStore
  ) async -> EventLogError? {
    do throws(EventLogError) {
      _ = try await store.append([draft])
      return nil
    } catch {
      return error
    }
  }
}

/// The expected answers to appended events, one after the other.
private struct AppendExpectation {
  private var existing: Set<String> = []
  private var deleted: Set<String> = []
  private var sets: Set<String> = []
  private var values: [String: JSONValue] = [:]

  /// Returns the code of the refusal; nil if the event is accepted, and then it counts.
  mutating func take(_ event: ReferenceEvent) -> EventLogError.Code? {
    if event.type == "device.joined" { return .reservedType }
    if !event.isKnown { return .unknownType }
    guard let effects = event.effects, event.hasOnlyItsMembers, !event.isPartlyUnreadable else {
      return .invalidEvent
    }
    if let entity = event.entity {
      let verb = event.type.split(separator: ".")[1]
      if verb == "created" {
        if existing.contains(entity) { return .entityExists }
      } else if !existing.contains(entity) {
        return .noEntity
      } else if verb != "restored", deleted.contains(entity) {
        return .deletedEntity
      }
      existing.insert(entity)
      if verb == "deleted" { deleted.insert(entity) }
      if verb == "restored" { deleted.remove(entity) }
      return nil
    }
    return takeSettings(effects)
  }

  /// An append must not turn a value of the settings into a set, or a set into a value.
  private mutating func takeSettings(_ effects: [ReferenceEffect]) -> EventLogError.Code? {
    for effect in effects {
      if case .register("settings", let key, _, _, _) = effect, sets.contains(key) {
        return .invalidEvent
      }
      if case .set(_, let key) = effect, !sets.contains(key), values[key, default: .null] != .null {
        return .invalidEvent
      }
    }
    for effect in effects {
      if case .register("settings", let key, let value, _, _) = effect { values[key] = value }
      if case .set(_, let key) = effect { sets.insert(key) }
    }
    return nil
  }
}

extension ReferenceEvent {
  /// Whether `data` contains only members that the type declares.
  fileprivate var hasOnlyItsMembers: Bool {
    let own: Set<String>
    switch type {
    case "profile.updated", "settings.changed": return true
    case "habit.created", "habit.edited":
      return data.allSatisfy { name, value in
        effects?.contains {
          switch $0 {
          case .register(_, name, _, _, _): true
          // A day belongs to a goal or to another field that applies from a day on.
          case .entry: type == "habit.edited" && name == "from"
          default: false
          }
        } ?? false
      }
    case "food.created", "food.edited": own = ["name", "kcal"]
    case "food.counted": own = ["to"]
    case "food.advanced": own = ["by"]
    case "completion.recorded": own = ["date", "progress"]
    case "completion.advanced": own = ["date", "by"]
    case "completion.skipped": own = ["date", "reason"]
    case "meal.created", "meal.edited": own = ["name", "kcal", "servings"]
    case "meal.recorded": own = ["date", "mood", "ml"]
    case "meal.advanced": own = ["date", "servings", "ml"]
    case "meal.included", "meal.excluded": own = ["date", "key", "members"]
    case "diet.changed": own = ["plan", "cheats"]
    case "diet.advanced": own = ["cheats"]
    case "settings.included", "settings.excluded", "food.included", "food.excluded",
      "diet.included", "diet.excluded":
      own = ["key", "members"]
    default: own = []
    }
    return own.isSuperset(of: data.keys)
  }
}

/// Refused events, written to a journal by a writer that skips the checks.
private struct RefusedEvents {
  private var history = History(user: "ada")
  private let device: DeviceID
  /// The sequences of events that break a rule in any state.
  private var broken: [Int64] = []
  /// The sequences of valid events with a value that breaks the rule of its field.
  private var unreadable: [Int64] = []

  init() { device = history.device("phone") }

  mutating func add(_ draft: EventDraft, _ event: ReferenceEvent) {
    if draft.type == "device.joined" { return }
    let id = history.append(device, draft)
    if event.breaksRule { broken.append(id.sequence) }
    if event.isPartlyUnreadable { unreadable.append(id.sequence) }
  }

  /// Checks that exactly those events are reported, and none refused only for the state.
  func check(_ seed: UInt64) throws {
    let notes = try HistoryJournal().verify(history).notes
    for (note, expected) in [
      (JournalProblem.Note.brokenRule, broken), (.unreadableValue, unreadable),
    ] {
      let reported = notes.filter { $0.code == .note(note) }.map(\.sequence)
      try #require(reported == expected, "EVENTLOG_SEED=\(seed): \(note)")
    }
  }
}
