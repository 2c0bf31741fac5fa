import EventLogTesting
import Testing

@testable import EventLog

/// Every way in which three copies of one device ID can write five events, every subset of these
/// events, and every order in which they can arrive.
@Suite(.tags(.random)) struct ExhaustiveHistoryTests {
  /// The predecessor of each event; nil for the first of a history.
  typealias Layout = [Int?]

  /// All layouts with at most three tips: each copy continues from its own last event.
  static let layouts: [Layout] = {
    var layouts: [Layout] = [[nil]]
    for event in 1..<5 {
      layouts = layouts.flatMap { layout in
        (-1..<event).map { layout + [$0 < 0 ? nil : $0] }
      }
    }
    return layouts.filter { Set(0..<5).subtracting($0.compactMap { $0 }).count <= 3 }
  }()

  /// - Parameter meets: whether all copies sync before each event; otherwise they never sync.
  static func history(_ layout: Layout, meets: Bool) -> History {
    var history = History(user: "ada")
    let device = history.device("phone")
    // For each event, a copy whose history ends with it and never continues.
    var copies = [history.clone(history.copy(of: device))]
    for event in 1..<layout.count {
      guard let before = layout[event] else {
        copies.append(history.copy(joiningAs: device))
        continue
      }
      let copy = history.clone(copies[before])
      if meets { for other in copies { history.unite(from: other, to: copy) } }
      history.write(EventDraft(type: "settings.changed", data: ["n": 1]), on: copy)
      copies.append(copy)
    }
    return history
  }

  private static func parts(_ lines: [[UInt8]]) -> [(part: Int, lines: [[UInt8]])] {
    (1..<1 << lines.count).map { part in
      (part, lines.indices.filter { part & 1 << $0 != 0 }.map { lines[$0] })
    }
  }

  @Test func `the number of layouts equals the mathematical count`() {
    // Recursive trees of six nodes by their leaves: the Eulerian numbers 1, 26, 66, 26, 1.
    #expect(Self.layouts.count == 1 + 26 + 66)
    #expect(Set(Self.layouts).count == Self.layouts.count)
  }

  @Test(arguments: [false, true])
  func `the ledger of every subset of every layout equals the reference and the truth`(
    meets: Bool
  ) throws {
    var found = HistoryTruthTests.Coverage()
    for layout in Self.layouts {
      let history = Self.history(layout, meets: meets)
      for (part, lines) in Self.parts(history.lines) {
        let comment: Comment = "\(layout) \(part)"
        let truth = WorldTruth(history, lines.map { ReferenceLine($0)! })
        try HistoryTruthTests.check(truth, comment, &found)
        var reading = LineReading(LedgerSink(), user: "ada")
        reading.read(lines)
        try #require(reading.pass.ledger.difference(from: truth.reading) == nil, comment)
      }
    }
    let expected = ["missing", "misplaced"] + (meets ? ["circle"] : [])
    #expect(expected.filter { !found.seen.contains($0) } == [])
  }

  @Test func `every order of arrival produces the same ledger as the reference`() throws {
    for seed in RandomRounds(12) {
      let layout = Self.layouts[Int(seed % UInt64(Self.layouts.count))]
      let lines = Self.history(layout, meets: seed / 93 % 2 == 0).lines
      let expected = Dictionary(
        uniqueKeysWithValues: Self.parts(lines).map { part, lines in
          (part, ReferenceHistories(lines.map { ReferenceLine($0)! }, user: "ada"))
        })
      func arrive(_ reading: LineReading<LedgerSink>, _ part: Int) throws {
        for next in lines.indices where part & 1 << next == 0 {
          var reading = reading
          reading.read(lines[next])
          let held = part | 1 << next
          try #require(
            reading.pass.ledger.difference(from: expected[held]!) == nil,
            "EVENTLOG_SEED=\(seed) \(layout) \(held)")
          try arrive(reading, held)
        }
      }
      try arrive(LineReading(LedgerSink(), user: "ada"), 0)
    }
  }
}
