import EventLogTesting
import Testing

@testable import EventLog

/// What a fold keeps of the bases of its conflicts is what a reading of all lines finds.
@Suite struct KeptBaseTests {
  @Test func `a fold tells no base but the true one, in whatever order`() throws {
    var told = Told()
    for seed in RandomRounds(3000, atLeast: 750) {
      let history = RandomHistory.maybeForked(seed: seed, sizes: 8...60)
      for order in [nil, seed, seed &+ 1] {
        let lines = order.map { history.lines(order: $0) } ?? history.lines
        var reading = HistoryReading()
        reading.read(lines)
        try told.compare(reading.pass, lines, seed)
      }
    }
    try told.expectEverything()
  }

  @Test func `it tells the same after it was stored, wherever that was`() throws {
    var told = Told()
    let files = try StoredReading()
    for seed in RandomRounds(1500, atLeast: 375) {
      let history = RandomHistory.maybeForked(seed: seed, sizes: 8...60)
      let lines = history.lines(order: seed)
      var random = SplitMix64(seed: seed)
      let cuts = (0..<3).map { _ in Int.random(in: 1...lines.count, using: &random) }.sorted()
      var place: StoredReading.Place?
      for cut in cuts + [lines.count] {
        try files.put(lines[..<cut])
        let stopped = try files.read(on: place)
        try told.compare(stopped.pass, Array(lines[..<cut]), seed)
        if stopped.end.doubtfulTail != nil || stopped.pass.lastGood == nil { continue }
        if !stopped.pass.unfinished.isEmpty || stopped.pass.ledger.users.isAmbiguous { continue }
        place = try files.restored(StoredReading.checkpoint(of: stopped))
      }
    }
    try told.expectEverything()
  }
}

/// What was told of bases, and what was not.
private struct Told {
  var counts: [String: Int] = [:]
  var unknownCount = 0

  /// Compares what the fold tells with what a reading of all lines finds.
  mutating func compare(_ pass: JournalPass<Fold>, _ lines: [[UInt8]], _ seed: UInt64) throws {
    let (fold, ledger) = (pass.sink, pass.ledger)
    let open = fold.openConflicts(ledger, includingDeleted: true)
    let cuts = open.map { PastCut(of: $0.candidates, ledger) }
    let bases = try ConflictBases.read(
      open, cuts, in: fold, ledger, reread: JournalRereading(further: lines.flatMap { $0 }))
    var closed = ClosedCuts()
    for (place, conflict) in open.enumerated() {
      guard closed.contains(cuts[place], ledger),
        let base = fold.base(of: conflict, in: cuts[place])
      else {
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

  /// Most are told, of every sort, and some are not.
  func expectEverything() throws {
    let sorts = [
      "register", "register, nothing", "counter", "counter, nothing", "presence, nothing",
    ]
    #expect(sorts.allSatisfy { counts[$0] ?? 0 > 0 }, "\(counts)")
    let told = counts.values.reduce(0, +)
    #expect(unknownCount > 0 && unknownCount * 4 < told, "\(counts), not told: \(unknownCount)")
  }
}
