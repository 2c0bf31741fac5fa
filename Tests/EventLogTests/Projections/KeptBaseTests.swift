import EventLogTesting
import Testing

@testable import EventLog

/// The bases that a fold keeps equal those found by reading all lines.
@Suite(.tags(.random)) struct KeptBaseTests {
  @Test func `a base kept by a fold equals the one found by reading all lines`() throws {
    var summary = BaseSummary()
    for seed in RandomRounds(1200, until: { summary.isEverything }) {
      let history = RandomHistory.maybeForked(seed: seed, sizes: 8...60)
      for order in [nil, seed, seed &+ 1] {
        let lines = order.map { history.lines(order: $0) } ?? history.lines
        var reading = HistoryReading()
        reading.read(lines)
        try summary.compare(
          reading.pass, JournalRereading(further: lines.flatMap { $0 }), seed)
      }
    }
    #expect(summary.isEverything, "\(summary)")
  }

  @Test func `a fold restored from a checkpoint keeps the same bases`() throws {
    var summary = BaseSummary()
    let files = try StoredReading()
    for seed in RandomRounds(720, until: { summary.isEverything }) {
      let history = RandomHistory.maybeForked(seed: seed, sizes: 8...60)
      let lines = history.lines(order: seed)
      var random = SplitMix64(seed: seed)
      let cuts = (0..<3).map { _ in Int.random(in: 1...lines.count, using: &random) }.sorted()
      var latest: StoredReading.Stopped?
      for cut in cuts + [lines.count] {
        try files.put(lines[..<cut])
        let stopped = try files.read(resuming: latest)
        try files.withRereading(of: stopped) { reread in
          try summary.compare(stopped.pass, reread, seed)
        }
        if stopped.end.doubtfulTail != nil || stopped.pass.lastGood == nil { continue }
        if !stopped.pass.unfinished.isEmpty || stopped.pass.ledger.users.isAmbiguous { continue }
        latest = try files.restored(StoredReading.checkpoint(of: stopped))
      }
    }
    #expect(summary.isEverything, "\(summary)")
  }

  @Test func `a fold that keeps no overwritten values shows the same state and no base`() throws {
    var conflictCount = 0
    for seed in RandomRounds(400, until: { conflictCount > 50 }) {
      let lines = RandomHistory.maybeForked(seed: seed, sizes: 8...60).lines(order: seed)
      var (keeping, forgetting) = (HistoryReading(), HistoryReading())
      forgetting.pass.sink.keepsPast = false
      keeping.read(lines)
      forgetting.read(lines)
      // A pass that restarted keeps values that its first reading didn't.
      if forgetting.pass.restartCount > 0 { continue }
      let ledger = forgetting.pass.ledger
      let open = forgetting.pass.sink.openConflicts(ledger, includingDeleted: true)
      let others = keeping.pass.sink.openConflicts(keeping.pass.ledger, includingDeleted: true)
      #expect(open.map(ConflictBases.Key.init) == others.map(ConflictBases.Key.init))
      func state(_ reading: HistoryReading) -> [UInt8] {
        Snapshot(
          fold: reading.pass.sink, ledger: reading.pass.ledger, damage: [], bases: ConflictBases()
        ).json()
      }
      #expect(state(forgetting) == state(keeping), "seed \(seed)")
      for conflict in open {
        let cut = PastCut(of: conflict.candidates, ledger)
        if cut.limits.isEmpty { continue }
        #expect(forgetting.pass.sink.base(of: conflict, in: cut) == nil)
        conflictCount += 1
      }
    }
    #expect(conflictCount > 50)
  }

  @Test func `kept values aren't used for a cut that isn't causally closed`() throws {
    // The phone's event lists b's write as seen, but not z's write, which b's write replaced.
    var devices = ["z", "b", "phone", "left", "right"].map { HandmadeDevice("\($0)-aaaaaaaa") }
    var lines = devices.indices.map { devices[$0].join(user: "ada") + [0x0A] }
    lines.append(devices[0].event(text: "first") + [0x0A])
    lines.append(devices[1].event(text: "second", seeing: [devices[0].tip]) + [0x0A])
    lines.append(devices[2].event(text: "third", seeing: [devices[1].tip]) + [0x0A])
    // Both have seen the first and the third event, but not the second. In their cut, the first is
    // therefore still current, next to the third.
    let seen = [devices[0].tip, devices[2].tip]
    lines.append(devices[3].event(text: "left", seeing: seen) + [0x0A])
    lines.append(devices[4].event(text: "right", seeing: seen) + [0x0A])
    var reading = HistoryReading()
    reading.read(lines)
    let (fold, ledger) = (reading.pass.sink, reading.pass.ledger)
    let conflict = try #require(fold.openConflicts(ledger).first)
    let cut = PastCut(of: conflict.candidates, ledger)
    #expect(fold.base(of: conflict, in: cut) != nil && !cut.isClosed(ledger))
    let reread = JournalRereading(further: lines.flatMap { $0 })
    var bases = ConflictBases()
    let hasRead = try bases.update(for: [conflict], in: fold, ledger, reread: reread)
    #expect(hasRead)
    let found = try ConflictBases.read([conflict], [cut], in: fold, ledger, reread: reread)
    #expect(bases.values[ConflictBases.Key(conflict)] == found[0])
  }

  @Test func `a cut counts as closed only if the check ends within its budget`() throws {
    let history = RandomHistory(seed: 1, devices: 3...3, sizes: 40...40).history
    var reading = HistoryReading()
    reading.read(history.lines)
    let ledger = reading.pass.ledger
    let tips = ledger.tips.map { Dot(branch: $0.branch, sequence: $0.sequence, at: 0) }
    let cut = PastCut(of: [try #require(tips.max { $0.sequence < $1.sequence })], ledger)
    var remaining = Int.max
    #expect(cut.isClosed(ledger, &remaining))
    let count = Int.max - remaining
    try #require(count > 1)
    for budget in [0, 1, count - 1] {
      remaining = budget
      #expect(!cut.isClosed(ledger, &remaining) && remaining < 0)
    }
    remaining = count
    #expect(cut.isClosed(ledger, &remaining) && remaining == 0)
  }

  @Test func `a conflict after a checkpoint needs no line before it`() throws {
    var history = History(user: "ada")
    let (phone, tablet) = (history.device("phone"), history.device("tablet"))
    history.append(phone, "habit.created", "habit/a", ["name": "base", "goal": 1])
    history.append(phone, "completion.recorded", "habit/a", ["date": "2026-01-28", "progress": 2])
    history.append(phone, "completion.advanced", "habit/a", ["date": "2026-01-28", "by": 3])
    history.syncAll()
    history.append(tablet, "settings.changed", ["theme": "dark"])
    history.syncAll()
    func edit(_ device: DeviceID, _ text: String) {
      for step in 1...6 {
        history.append(device, "habit.edited", "habit/a", ["name": .string("\(text) \(step)")])
        let progress = JSONValue.number(JSONNumber(Int64(step * text.count)))
        history.append(
          device, "completion.recorded", "habit/a", ["date": "2026-01-28", "progress": progress])
      }
    }
    edit(phone, "phone")
    history.append(phone, "habit.deleted", "habit/a", [:])
    let count = history.lines.count
    edit(tablet, "tablet")
    let files = try StoredReading()
    try files.put(history.lines[..<count])
    let restored = try files.restored(StoredReading.checkpoint(of: try files.read()))
    try files.put(history.lines)
    let (fold, ledger) = { ($0.sink, $0.ledger) }(try files.read(resuming: restored).pass)
    let open = fold.openConflicts(ledger, includingDeleted: true)
    var bases = ConflictBases()
    // An empty rereading: no line can be read.
    let hasRead = try bases.update(for: open, in: fold, ledger, reread: JournalRereading())
    #expect(!hasRead)
    let found = open.map { [fold.id(of: $0), bases.values[ConflictBases.Key($0)]??.text] }
    #expect(
      Set(found) == [
        ["habit/a#name", #""base""#], ["habit/a@2026-01-28#progress", "5"],
        ["habit/a#presence", nil],
      ])
  }
}

/// The bases that folds returned, and the number of unknown ones.
private struct BaseSummary {
  var counts: [String: Int] = [:]
  var unknownCount = 0

  /// Compares the bases known to a fold with those found by reading all lines.
  mutating func compare(
    _ pass: JournalPass<Fold>, _ reread: JournalRereading, _ seed: UInt64
  ) throws {
    let (fold, ledger) = (pass.sink, pass.ledger)
    let open = fold.openConflicts(ledger, includingDeleted: true)
    let cuts = open.map { PastCut(of: $0.candidates, ledger) }
    let bases = try ConflictBases.read(open, cuts, in: fold, ledger, reread: reread)
    for (index, conflict) in open.enumerated() where cuts[index].isClosed(ledger) {
      guard let base = fold.base(of: conflict, in: cuts[index]) else {
        unknownCount += 1
        continue
      }
      try #require(base == bases[index], "EVENTLOG_SEED=\(seed) \(fold.id(of: conflict))")
      let kind =
        switch conflict.subject {
        case .register: "register"
        case .counter: "counter"
        case .presence: "presence"
        }
      counts[base == nil ? "\(kind), nothing" : kind, default: 0] += 1
    }
  }

  /// Whether most bases were known, for each mechanism, and some unknown.
  var isEverything: Bool {
    let sorts = [
      "register", "register, nothing", "counter", "counter, nothing", "presence, nothing",
    ]
    let knownCount = counts.values.reduce(0, +)
    return sorts.allSatisfy { counts[$0] ?? 0 > 0 } && unknownCount > 0
      && unknownCount * 4 < knownCount
  }
}

extension PastCut {
  fileprivate func isClosed(_ ledger: Ledger) -> Bool {
    var comparisonsLeft = Int.max
    return isClosed(ledger, &comparisonsLeft)
  }
}
