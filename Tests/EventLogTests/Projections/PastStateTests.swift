import EventLogTesting
import Testing

@testable import EventLog

/// What an earlier state tells of a base is what a reading would have found.
@Suite struct PastStateTests {
  @Test func `it tells no base but the true one`() throws {
    var told = 0
    var toldByPart = 0
    var asked = 0
    func isEverything() -> Bool { toldByPart > 0 && told > toldByPart && told < asked }
    for seed in RandomRounds(1500, until: isEverything) {
      let lines = RandomHistory.maybeForked(seed: seed, sizes: 8...40).lines(order: seed)
      var random = SplitMix64(seed: seed)
      var count = Int.random(in: 0...lines.count, using: &random)
      var reading = HistoryReading()
      reading.read(lines[..<count])
      // A beginning is never read in the middle of a batch.
      while !reading.pass.unfinished.isEmpty, count < lines.count {
        reading.read(lines[count])
        count += 1
      }
      let early = reading.pass
      reading.read(lines[count...])
      let (fold, ledger) = (reading.pass.sink, reading.pass.ledger)
      let open = fold.openConflicts(ledger, includingDeleted: true)
      let cuts = open.map { PastCut(of: $0.candidates, ledger) }
      let bases = try ConflictBases.read(
        open, cuts, in: fold, ledger, reread: JournalRereading(further: lines.flatMap { $0 }))
      var past = PastState(fold: early.sink, ledger: early.ledger)
      for (place, conflict) in open.enumerated() {
        let cut = cuts[place]
        asked += 1
        guard let base = past.base(of: conflict, cut: cut, ledger) else { continue }
        told += 1
        let isPart = early.ledger.branches.enumerated().contains { branch, state in
          cut.limits[Int32(branch)] ?? 0 < state.last
        }
        if isPart { toldByPart += 1 }
        try #require(base == bases[place], "EVENTLOG_SEED=\(seed)")
      }
    }
    #expect(isEverything(), "\(toldByPart) of \(told) of \(asked)")
  }

  @Test func `what stands behind it completes the bases whose beginnings it tells`() throws {
    var completed: [Conflict.Kind: Int] = [:]
    func isEverything() -> Bool { completed[.values] != nil && completed[.presence] != nil }
    for seed in RandomRounds(1500, until: isEverything) {
      let lines = RandomHistory.maybeForked(seed: seed, sizes: 8...40).lines(order: seed)
      var random = SplitMix64(seed: seed)
      var count = Int.random(in: 0...lines.count, using: &random)
      var reading = HistoryReading()
      reading.read(lines[..<count])
      // A beginning is never read in the middle of a batch.
      while !reading.pass.unfinished.isEmpty, count < lines.count {
        reading.read(lines[count])
        count += 1
      }
      let early = reading.pass
      reading.read(lines[count...])
      let (fold, ledger) = (reading.pass.sink, reading.pass.ledger)
      var past = PastState(fold: early.sink, ledger: early.ledger, endOffset: early.endOffset)
      for conflict in fold.openConflicts(ledger, includingDeleted: true) {
        let cut = PastCut(of: conflict.candidates, ledger)
        guard past.tellsBeginning(of: conflict, cut: cut, ledger) else { continue }
        let bases = try ConflictBases.read(
          [conflict], [cut], in: fold, ledger, past: past,
          reread: JournalRereading(further: lines[count...].flatMap { $0 }))
        let whole = try ConflictBases.read(
          [conflict], [cut], in: fold, ledger,
          reread: JournalRereading(further: lines.flatMap { $0 }))
        try #require(bases == whole, "EVENTLOG_SEED=\(seed)")
        if past.base(of: conflict, cut: cut, ledger) == nil, count > 0 {
          completed[conflict.kind, default: 0] += 1
        }
      }
    }
    #expect(isEverything(), "\(completed)")
  }

  @Test func `it keeps silent where a cut lacks what its events had seen`() throws {
    // The phone knows of b's write and states nothing of z's, which b's had replaced.
    var devices = ["z", "b", "phone", "left", "right"].map { HandmadeDevice("\($0)-aaaaaaaa") }
    var reading = HistoryReading()
    for index in devices.indices { reading.read(devices[index].join(user: "ada") + [0x0A]) }
    reading.read(devices[0].event(text: "first") + [0x0A])
    reading.read(devices[1].event(text: "second", seeing: [devices[0].tip]) + [0x0A])
    reading.read(devices[2].event(text: "third", seeing: [devices[1].tip]) + [0x0A])
    var past = PastState(fold: reading.pass.sink, ledger: reading.pass.ledger)
    // Both have seen the first and the third, but not the second: to them the first still stands.
    let seen = [devices[0].tip, devices[2].tip]
    reading.read(devices[3].event(text: "left", seeing: seen) + [0x0A])
    reading.read(devices[4].event(text: "right", seeing: seen) + [0x0A])
    #expect(reading.pass.report.problems == [])
    let (fold, ledger) = (reading.pass.sink, reading.pass.ledger)
    let conflict = try #require(fold.openConflicts(ledger).first)
    let cut = PastCut(of: conflict.candidates, ledger)
    #expect(past.base(of: conflict, cut: cut, ledger) == nil)
  }
}

extension OpenConflict {
  fileprivate var kind: Conflict.Kind {
    if case .presence = subject { .presence } else { .values }
  }
}
