import EventLogTesting
import Testing

@testable import EventLog

/// The fold compared with the reference, with so many branches that write the same fields that
/// current writes are found by an index instead of a scan.
@Suite(.tags(.random)) struct ManyBranchesTests {
  /// A random history of many copies.
  private struct World {
    var history = History(user: "ada")
    private var copies: [History.Copy] = []
    private var generator: SplitMix64
    private var names = 0
    /// Whether most writes are to one counter.
    private let isCounting: Bool

    init(seed: UInt64) {
      generator = SplitMix64(seed: seed)
      isCounting = seed % 2 == 1
      let first = history.copy("first")
      history.write(
        EventDraft(
          type: "habit.created", entity: EntityID("habit/read"), data: ["name": "Read"]),
        on: first)
      copies = [first]
      // In some worlds most copies are clones, in others most are separate devices.
      let cloneShare = Int.random(in: 5...40, using: &generator)
      let deviceShare = 45 - cloneShare
      for _ in 0..<160 { step(cloneShare, deviceShare) }
    }

    private mutating func step(_ cloneShare: Int, _ deviceShare: Int) {
      // Pick one of the two newest copies, to build a chain of forks, or any copy.
      let near = copies.suffix(Bool.random(using: &generator) ? 2 : copies.count)
      let copy = near.randomElement(using: &generator)!
      let chance = Int.random(in: 0..<100, using: &generator)
      if chance < cloneShare {
        let clone = history.clone(copy)
        copies.append(clone)
        write(on: clone)
      } else if chance < cloneShare + deviceShare {
        names += 1
        let device = history.copy("d\(names)")
        if Bool.random(using: &generator) { history.unite(from: copy, to: device) }
        copies.append(device)
        write(on: device)
      } else if chance < 50 {
        history.unite(from: copies.randomElement(using: &generator)!, to: copy)
      } else {
        write(on: copy)
      }
    }

    private mutating func write(on copy: History.Copy) {
      let number = JSONValue.number(JSONNumber(Int64.random(in: 0..<1000, using: &generator)))
      let habit = EntityID("habit/read")
      let draft =
        switch isCounting && Int.random(in: 0..<10, using: &generator) > 0
          ? [5, 6, 6].randomElement(using: &generator)!
          : Int.random(in: 0..<10, using: &generator)
        {
        case 0...4: EventDraft(type: "settings.changed", data: ["theme": number])
        case 5:
          EventDraft(
            type: "completion.recorded", entity: habit,
            data: ["date": "2026-01-28", "progress": number])
        case 6:
          EventDraft(
            type: "completion.advanced", entity: habit, data: ["date": "2026-01-28", "by": number])
        case 7:
          EventDraft(
            type: "settings.included", data: ["key": "allergens", "members": ["nuts", "milk"]])
        case 8:
          EventDraft(
            type: "settings.excluded", data: ["key": "allergens", "members": ["nuts"]])
        default:
          EventDraft(
            type: Bool.random(using: &generator) ? "habit.deleted" : "habit.edited", entity: habit)
        }
      history.write(draft, on: copy)
    }
  }

  @Test func `the state of a history with many branches equals the reference`() throws {
    let journal = try HistoryJournal()
    var mostCandidates = 0
    for seed in RandomRounds(40, atLeast: 10) {
      let history = World(seed: seed).history
      let snapshot = try journal.snapshot(history)
      mostCandidates = max(
        mostCandidates, snapshot.conflicts.map(\.candidates.count).max() ?? 0)
      let expected = ReferenceState(history).json
      try #require(Self.text(snapshot.json()) == Self.text(expected), "EVENTLOG_SEED=\(seed)")
      let shuffled = try journal.snapshot(history, lines: history.lines(order: seed))
      try #require(shuffled.json() == snapshot.json(), "EVENTLOG_SEED=\(seed)")
    }
    // Otherwise the test wouldn't reach the index.
    #expect(mostCandidates > Registers.Others.unindexedMax + 8)
  }

  private static func text(_ json: [UInt8]) -> String {
    ReferenceValue.plain(String(decoding: json, as: UTF8.self))
  }
}
