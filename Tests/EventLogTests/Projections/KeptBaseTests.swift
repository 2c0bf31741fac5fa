import EventLogTesting
import Testing

@testable import EventLog

/// What a fold keeps of the bases of its conflicts is what a reading of all lines finds.
@Suite struct KeptBaseTests {
  @Test func `a fold tells no base but the true one, in whatever order`() throws {
    var told = Told()
    for seed in RandomRounds(3000, until: { told.isEverything }) {
      let history = RandomHistory.maybeForked(seed: seed, sizes: 8...60)
      for order in [nil, seed, seed &+ 1] {
        let lines = order.map { history.lines(order: $0) } ?? history.lines
        var reading = HistoryReading()
        reading.read(lines)
        try told.compare(
          reading.pass, JournalRereading(further: lines.flatMap { $0 }), seed)
      }
    }
    #expect(told.isEverything, "\(told)")
  }

  @Test func `it tells the same after it was stored, wherever that was`() throws {
    var told = Told()
    let files = try StoredReading()
    for seed in RandomRounds(1500, until: { told.isEverything }) {
      let history = RandomHistory.maybeForked(seed: seed, sizes: 8...60)
      let lines = history.lines(order: seed)
      var random = SplitMix64(seed: seed)
      let cuts = (0..<3).map { _ in Int.random(in: 1...lines.count, using: &random) }.sorted()
      var place: StoredReading.Place?
      for cut in cuts + [lines.count] {
        try files.put(lines[..<cut])
        let stopped = try files.read(on: place)
        try files.withRereading(of: stopped) { reread in
          try told.compare(stopped.pass, reread, seed)
        }
        if stopped.end.doubtfulTail != nil || stopped.pass.lastGood == nil { continue }
        if !stopped.pass.unfinished.isEmpty || stopped.pass.ledger.users.isAmbiguous { continue }
        place = try files.restored(StoredReading.checkpoint(of: stopped))
      }
    }
    #expect(told.isEverything, "\(told)")
  }

  @Test func `a fold that keeps nothing of them shows the same, and tells no base`() throws {
    var conflictCount = 0
    for seed in RandomRounds(400, until: { conflictCount > 50 }) {
      let lines = RandomHistory.maybeForked(seed: seed, sizes: 8...60).lines(order: seed)
      var (keeping, forgetting) = (HistoryReading(), HistoryReading())
      forgetting.pass.sink.keepsPast = false
      keeping.read(lines)
      forgetting.read(lines)
      // A reading that began anew keeps what its first one did not.
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

  @Test func `what is kept counts for nothing where a cut lacks what its events had seen`() throws {
    // The phone knows of b's write and states nothing of z's, which b's had replaced.
    var devices = ["z", "b", "phone", "left", "right"].map { HandmadeDevice("\($0)-aaaaaaaa") }
    var lines = devices.indices.map { devices[$0].join(user: "ada") + [0x0A] }
    lines.append(devices[0].event(text: "first") + [0x0A])
    lines.append(devices[1].event(text: "second", seeing: [devices[0].tip]) + [0x0A])
    lines.append(devices[2].event(text: "third", seeing: [devices[1].tip]) + [0x0A])
    // Both have seen the first and the third, but not the second: to them the first still stands,
    // beside the third.
    let seen = [devices[0].tip, devices[2].tip]
    lines.append(devices[3].event(text: "left", seeing: seen) + [0x0A])
    lines.append(devices[4].event(text: "right", seeing: seen) + [0x0A])
    var reading = HistoryReading()
    reading.read(lines)
    let (fold, ledger) = (reading.pass.sink, reading.pass.ledger)
    let conflict = try #require(fold.openConflicts(ledger).first)
    let cut = PastCut(of: conflict.candidates, ledger)
    var closed = ClosedCuts()
    let isClosed = closed.contains(cut, ledger)
    #expect(!isClosed && !ledger.areClocksClosed && !ClosedCuts(.max, ledger).areAll)
    let reread = JournalRereading(further: lines.flatMap { $0 })
    var bases = ConflictBases()
    let hasRead = try bases.update(for: [conflict], in: fold, ledger, reread: reread)
    #expect(hasRead)
    let found = try ConflictBases.read([conflict], [cut], in: fold, ledger, reread: reread)
    #expect(bases.values[ConflictBases.Key(conflict)] == found[0])
  }

  @Test func `a write that is found counts for nothing where its clock lacks what was seen`() throws
  {
    var devices = ["old", "newer", "left", "right"].map { HandmadeDevice("\($0)-aaaaaaaa") }
    var lines: [[UInt8]] = []
    func add(_ line: [UInt8]) { lines.append(line + [0x0A]) }
    for index in devices.indices { add(devices[index].join(user: "ada")) }
    // By its clock, it is the latest of all.
    add(devices[0].write("settings.changed", nil, ["text": "old"], at: 1000))
    add(devices[1].event(text: "newer", seeing: [devices[0].tip]))
    // A line of the third that states the first write is missing.
    _ = devices[2].write("settings.changed", nil, ["key": "gone"], seeing: [devices[0].tip])
    add(devices[2].event(text: "last", seeing: [devices[1].tip]))
    let last = devices[2].tip
    // A search does not come to the first writes.
    func write(_ device: Int, seeing seen: [FullEventID] = []) {
      add(devices[device].write("settings.changed", nil, ["key": "many"], seeing: seen))
    }
    for number in 0..<200 { write(number % 2) }
    let seen = [devices[0].tip, devices[1].tip]
    add(devices[2].event(text: "left", seeing: seen))
    add(devices[3].event(text: "right", seeing: seen + [last]))
    for _ in 0..<3000 { write(3) }
    var reading = HistoryReading()
    reading.pass.sink.keepsPast = false
    reading.read(lines)
    let (fold, ledger) = (reading.pass.sink, reading.pass.ledger)
    let open = fold.openConflicts(ledger).filter { $0.field == "text" }
    let conflict = try #require(open.first)
    let cut = PastCut(of: conflict.candidates, ledger)
    let reread = JournalRereading(further: lines.flatMap { $0 })
    var search = NamedBases([conflict], [cut], last: 64, in: fold, ledger)
    #expect(try search.search(reread)[0].count == 1)
    var bases = ConflictBases()
    try bases.update(for: [conflict], in: fold, ledger, reread: reread)
    let found = try ConflictBases.read([conflict], [cut], in: fold, ledger, reread: reread)
    #expect(bases.values[ConflictBases.Key(conflict)] == found[0] && found[0] == "last")
  }

  @Test func `behind a checkpoint, a new conflict needs no line that stands before it`() throws {
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
    let place = try files.restored(StoredReading.checkpoint(of: try files.read()))
    try files.put(history.lines)
    let (fold, ledger) = { ($0.sink, $0.ledger) }(try files.read(on: place).pass)
    let open = fold.openConflicts(ledger, includingDeleted: true)
    var bases = ConflictBases()
    // There is nothing that could be read.
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

/// What was told of bases, and what was not.
private struct Told {
  var counts: [String: Int] = [:]
  var unknownCount = 0
  var namedCount = 0
  var namedAloneCount = 0
  /// Of how many a write was found where none was kept.
  var searchedCount = 0
  /// Of how many journals all clocks hold what they name.
  var closedCount = 0

  /// Compares what the fold tells with what a reading of all lines finds.
  mutating func compare(
    _ pass: JournalPass<Fold>, _ reread: JournalRereading, _ seed: UInt64
  ) throws {
    let (fold, ledger) = (pass.sink, pass.ledger)
    let open = fold.openConflicts(ledger, includingDeleted: true)
    let cuts = open.map { PastCut(of: $0.candidates, ledger) }
    let bases = try ConflictBases.read(open, cuts, in: fold, ledger, reread: reread)
    var closed = ClosedCuts()
    if ledger.areClocksClosed {
      closedCount += 1
      #expect(cuts.allSatisfy { closed.contains($0, ledger) }, "EVENTLOG_SEED=\(seed)")
    }
    for (place, conflict) in open.enumerated() where closed.contains(cuts[place], ledger) {
      let past = CommonPast(candidates: conflict.candidates, ledger: ledger)
      for (branch, state) in ledger.branches.enumerated() {
        let (listed, asked) = (cuts[place].limit(of: Int32(branch)), past.limit(of: Int32(branch)))
        #expect(max(listed, state.first - 1) == max(asked, state.first - 1), "\(seed)")
      }
      try compareNamed(conflict, cuts[place], bases[place], pass, reread, seed)
      guard let base = fold.base(of: conflict, in: cuts[place]) else {
        unknownCount += 1
        continue
      }
      try #require(base == bases[place], "EVENTLOG_SEED=\(seed) \(fold.id(of: conflict))")
      let kind =
        switch conflict.subject {
        case .register: "register"
        case .counter: "counter"
        case .presence: "presence"
        }
      counts[base == nil ? "\(kind), nothing" : kind, default: 0] += 1
    }
  }

  /// Compares what follows from the lines that are read by name.
  private mutating func compareNamed(
    _ conflict: OpenConflict, _ cut: PastCut, _ base: JSONValue?, _ pass: JournalPass<Fold>,
    _ reread: JournalRereading, _ seed: UInt64
  ) throws {
    let (fold, ledger) = (pass.sink, pass.ledger)
    guard let kept = fold.writes(to: conflict, in: cut) else { return }
    var search = NamedBases(
      [conflict], [cut], last: Int64(1 + seed % 5), in: fold, ledger)
    let found = try search.search(reread)
    var closed = ClosedCuts()
    for writes in [kept] + found {
      let writes = writes.filter { closed.contains(PastCut(ledger.entries(of: $0)), ledger) }
      if writes.isEmpty { continue }
      var reader = NamedBases([conflict], [cut], [writes], in: fold, ledger)
      let read = try reader.read(reread)
      let named = try #require(read, "EVENTLOG_SEED=\(seed)")
      try #require(named == [base], "EVENTLOG_SEED=\(seed) \(fold.id(of: conflict))")
    }
    if kept.isEmpty, !found[0].isEmpty { searchedCount += 1 }
    if kept.isEmpty { return }
    namedCount += 1
    if fold.base(of: conflict, in: cut) == nil { namedAloneCount += 1 }
  }

  /// Most are told, of every sort, and some are not.
  var isEverything: Bool {
    let sorts = [
      "register", "register, nothing", "counter", "counter, nothing", "presence, nothing",
    ]
    let told = counts.values.reduce(0, +)
    return sorts.allSatisfy { counts[$0] ?? 0 > 0 }
      && namedCount > namedAloneCount && namedAloneCount > 0 && searchedCount > 0
      && closedCount > 0 && unknownCount > 0 && unknownCount * 4 < told
  }
}
