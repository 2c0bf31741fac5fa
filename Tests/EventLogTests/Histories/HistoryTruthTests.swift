import EventLog
import EventLogTesting
import Testing

/// The reference's reading of lines, compared with the events that their writers really held.
@Suite(.tags(.random)) struct HistoryTruthTests {
  @Test func `if no line is lost, each event has seen exactly the events its writer held`()
    throws
  {
    var forkCount = 0
    for seed in RandomRounds(300) {
      let habits = seed % 2 == 0 ? HistoryWorld.Habits.sound : .copied
      let world = HistoryWorld(seed: seed, habits)
      try #require(!world.hasLosses)
      let lines = world.history.entries.map(\.event)
      let truth = WorldTruth(world.history, lines)
      try #require(truth.reading.missing.isEmpty, "EVENTLOG_SEED=\(seed)")
      for event in truth.shown.numbers {
        try #require(
          truth.clock(of: event) == truth.entries[event].truth.intersection(truth.shown),
          "EVENTLOG_SEED=\(seed) \(truth.entries[event].fullID)")
      }
      if truth.entries.contains(where: { truth.isForked($0.id.device) }) { forkCount += 1 }
    }
    #expect(forkCount > Rounds.of(40))
  }

  @Test
  func `a clock exceeds its writer's events only by ancestors, and lacks only lost ones`() throws {
    var found = Coverage()
    for seed in RandomRounds(500, atLeast: 125) {
      var habits = seed % 3 == 0 ? HistoryWorld.Habits.damaged : .init()
      habits.guests = seed % 2 == 0 ? 4 : 0
      let world = HistoryWorld(seed: seed, habits)
      var generator = SplitMix64(seed: seed)
      // Some lines of the final journals, or all.
      var lines = world.entries.map(\.event).shuffled(using: &generator)
      if seed % 4 != 0 {
        lines.removeLast(Int.random(in: 0...min(6, lines.count), using: &generator))
      }
      let truth = WorldTruth(world.history, lines)
      try Self.check(truth, "EVENTLOG_SEED=\(seed)", &found)
    }
    #expect(found.names.subtracting(found.seen).sorted() == [], "no world of this run held these")
  }

  /// The cases that the worlds of a run must include, so that the test covers them.
  struct Coverage {
    let names: Set = [
      "missing", "nothing missing", "more than held", "less than held", "misplaced", "unfinished",
    ]
    var seen: Set<String> = []
  }

  static func check(
    _ truth: WorldTruth, _ comment: Comment, _ found: inout Coverage
  ) throws {
    let misplaced = truth.misplaced
    // The position of a missing event can be presumed wrongly only for a copied device ID.
    for event in misplaced { try #require(truth.isForked(event.device), comment) }
    let all = NumberSet(truth.entries.indices)
    for event in truth.shown.numbers {
      let held = truth.entries[event].truth.intersection(truth.shown)
      let clock = truth.clock(of: event)
      // Exactly the events that the held lines of its own history list as seen.
      let stated = truth.stated(by: event, among: truth.shown).intersection(truth.shown)
      if misplaced.isEmpty {
        try #require(clock == stated, "\(comment) \(truth.entries[event].fullID)")
      }
      // If the writer held an event that the clock lacks, a lost line had listed it.
      let lacking = held.subtracting(stated)
      let lost = truth.stated(by: event, among: all)
      if !lacking.isSubset(of: lost) {
        try #require(truth.wasMisled(event), "\(comment) \(truth.entries[event].fullID)")
      }
      if !lacking.isEmpty { found.seen.insert("less than held") }
      if !clock.isSubset(of: held) { found.seen.insert("more than held") }
    }
    found.seen.insert(truth.reading.missing.isEmpty ? "nothing missing" : "missing")
    if !misplaced.isEmpty { found.seen.insert("misplaced") }
    if !truth.reading.waiting.isEmpty { found.seen.insert("unfinished") }
    let isCircular = truth.reading.order.contains {
      truth.reading.entries[$0].count < truth.reading.lines[$0]!.seen.count
    }
    if isCircular { found.seen.insert("circle") }
  }

  @Test func `the order and repetition of lines make no difference`() throws {
    for seed in RandomRounds(150) {
      let world = HistoryWorld(seed: seed)
      var generator = SplitMix64(seed: seed)
      var lines = world.entries.map(\.event)
      lines.removeLast(min(lines.count, Int(seed % 3)))
      let one = ReferenceHistories(lines, user: "ada")
      lines += lines.shuffled(using: &generator).prefix(5)
      let other = ReferenceHistories(lines.shuffled(using: &generator), user: "ada")
      try #require(one.ids == other.ids, "EVENTLOG_SEED=\(seed)")
      try #require(one.parents == other.parents, "EVENTLOG_SEED=\(seed)")
      try #require(one.entries == other.entries, "EVENTLOG_SEED=\(seed)")
      try #require(one.shown == other.shown, "EVENTLOG_SEED=\(seed)")
      try #require(one.tips == other.tips, "EVENTLOG_SEED=\(seed)")
    }
  }
}
