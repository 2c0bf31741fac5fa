package import EventLog

/// Copies that randomly write, sync, are cloned and rolled back, lose lines and crash.
package struct HistoryWorld: Sendable {
  /// The steps other than writing and syncing, each in percent of all steps.
  package struct Habits: Sendable {
    package var clones = 6
    package var restorations = 4
    package var losses = 8
    package var crashes = 2
    package var tornBatches = 2
    package var batches = 6
    package var guests = 4
    /// The largest number of imports.
    package var imports = 2

    package init() {}

    /// Only writing and syncing.
    package static let sound = {
      var habits = Habits()
      (habits.clones, habits.restorations, habits.losses, habits.crashes) = (0, 0, 0, 0)
      (habits.tornBatches, habits.batches, habits.guests) = (0, 0, 0)
      return habits
    }()

    /// Device IDs are copied, and no copy loses lines.
    package static let copied = {
      var habits = sound
      (habits.clones, habits.restorations, habits.batches, habits.guests) = (8, 6, 6, 4)
      return habits
    }()

    /// Lines are lost, and no device ID is copied.
    package static let damaged = {
      var habits = Habits()
      (habits.clones, habits.restorations) = (0, 0)
      return habits
    }()
  }

  package private(set) var history: History
  /// The copies that write. If there is a guest, its copy follows those of the user.
  package private(set) var copies: [History.Copy] = []
  /// Whether any copy has lost a line.
  package private(set) var hasLosses = false
  private var backups: [History.Copy] = []
  private var generator: SplitMix64
  private let habits: Habits
  private var drafts: any HistoryDrafts
  private var renewalCount = 0

  /// Performs random steps.
  ///
  /// - Parameter drafts: The source of events, or nil for random settings.
  package init(
    seed: UInt64, _ habits: Habits = Habits(), user: String = "ada",
    steps: ClosedRange<Int> = 15...44,
    drafts: (any HistoryDrafts)? = nil
  ) {
    history = History(user: user)
    generator = SplitMix64(seed: seed)
    self.habits = habits
    self.drafts = drafts ?? RandomSettings(seed: ~seed)
    for name in ["a", "b", "c"] { copies.append(history.copy(name)) }
    if habits.guests > 0, Bool.random(using: &generator) {
      copies.append(history.copy("g", user: "guest"))
    }
    for _ in 0..<habits.imports where Bool.random(using: &generator) {
      let place = ["", "guest"].randomElement(using: &generator)!
      let source = ImportSource(name: "loop", place: place)
      copies.append(history.copy("s\(copies.count)", source: source))
    }
    for _ in 0..<Int.random(in: steps, using: &generator) { step() }
  }

  /// The events that any copy still holds, and that all copies hold after more syncs.
  package var entries: [History.Entry] {
    var seen: Set<FullEventID> = []
    let held = copies.flatMap { history.entries(of: $0) }.filter { seen.insert($0.fullID).inserted }
    return held.sorted { history.index(of: $0.fullID)! < history.index(of: $1.fullID)! }
  }

  // MARK: - Steps

  private mutating func step() {
    let copy = copies.randomElement(using: &generator)!
    var chance = Int.random(in: 0..<100, using: &generator)
    func isDue(_ percent: Int) -> Bool {
      chance -= percent
      return chance < 0
    }
    if isDue(habits.clones) {
      if copies.count < 6 { copies.append(history.clone(copy)) }
    } else if isDue(habits.restorations) {
      restore(copy)
    } else if isDue(habits.losses) {
      lose(on: copy)
    } else if isDue(habits.crashes) {
      hasLosses = true
      history.renew(copy, as: freshName(), losingLast: true)
    } else if isDue(habits.tornBatches) {
      history.write(drafts.next(), on: copy, more: true)
      history.renew(copy, as: freshName())
    } else if isDue(habits.batches) {
      let count = Int.random(in: 2...3, using: &generator)
      history.write(batch: (0..<count).map { _ in drafts.next() }, on: copy)
    } else if isDue(habits.guests) {
      if history.user(of: copy) == history.user { history.adopt("guest", on: copy) }
    } else if chance % 3 > 0 {
      history.write(drafts.next(), on: copy)
    } else {
      exchange(copy)
    }
  }

  private mutating func exchange(_ copy: History.Copy) {
    let other = copies.randomElement(using: &generator)!
    history.unite(from: other, to: copy)
    if Bool.random(using: &generator) { history.unite(from: copy, to: other) }
  }

  /// Restores a backup of a copy, or makes one if there is none.
  private mutating func restore(_ copy: History.Copy) {
    let own = backups.filter { history.device(of: $0) == history.device(of: copy) }
    if let backup = own.randomElement(using: &generator) {
      history.restore(copy, from: backup)
    } else {
      backups.append(history.clone(copy))
    }
  }

  private mutating func lose(on copy: History.Copy) {
    let last = history.lastEvent(of: copy)
    let held = history.entries(of: copy).map(\.fullID).filter { $0 != last }
    guard held.count > 2, let lost = held.randomElement(using: &generator) else { return }
    hasLosses = true
    history.lose(lost, on: copy)
  }

  private mutating func freshName() -> String {
    renewalCount += 1
    return "n\(renewalCount)"
  }
}

/// A source of events.
package protocol HistoryDrafts: Sendable {
  /// Returns the next event, or one without a type to write a line of a later version.
  mutating func next() -> EventDraft
}

/// Events that change one of three settings.
private struct RandomSettings: HistoryDrafts {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func next() -> EventDraft {
    let name = ["k", "l", "m"].randomElement(using: &generator)!
    let value = JSONNumber(Int64.random(in: 0...3, using: &generator))
    return EventDraft(
      type: "settings.changed", data: JSONObject([.init(name: name, value: .number(value))]))
  }
}
