import EventLogTesting
import Testing

@testable import EventLog

/// Erased events in random histories, compared with the reference.
@Suite(.tags(.random)) struct ErasureHistoryTests {
  /// The lines of a world with some erasures, whose lines are erased in part of the places.
  private static func lines(_ seed: UInt64) -> [[UInt8]] {
    var generator = SplitMix64(seed: seed)
    let world = HistoryWorld(
      seed: seed, seed % 3 == 0 ? .damaged : .init(), drafts: RandomDrafts(seed: seed))
    var lines = world.entries.map { Array($0.line.dropLast()) }
    let readable = lines.compactMap { ReferenceLine($0) }
    var device = HandmadeDevice("zz-eraserrr")
    lines.append(device.join(user: "ada"))
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      guard let last = readable.randomElement(using: &generator) else { break }
      let statement: Erasures.Statement
      if let name = last.data.members.randomElement(using: &generator)?.name,
        Bool.random(using: &generator)
      {
        statement = .init(
          EventRange(from: last.id.sequence, to: last.id),
          .members([Erasures.Statement.spelled(name)]))
      } else {
        let count = Int64.random(in: 0...3, using: &generator)
        statement = .init(EventRange(from: max(1, last.id.sequence - count), to: last.id))
      }
      lines.append(
        device.write(
          "event.erased", nil, Erasures.Statement.data(of: [statement], reason: "person"),
          at: Timestamp(milliseconds: 1_800_000_000_000)!))
    }
    return lines.map { $0 + [0x0A] }
  }

  private static func text(_ json: [UInt8]) -> String {
    ReferenceValue.plain(String(decoding: json, as: UTF8.self))
  }

  @Test func `erased events count for nothing, whether or not their lines are erased`() throws {
    var erasedCount = 0
    for seed in RandomRounds(100) {
      let lines = Self.lines(seed)
      var generator = SplitMix64(seed: seed)
      let reference = Reference(lines: lines, user: "ada")
      if reference.histories.users.isOthers { continue }
      let json = Self.text(ReferenceState(reference).json)
      func check(_ lines: [[UInt8]], _ order: String) throws {
        let comment: Comment = "EVENTLOG_SEED=\(seed) \(order)"
        let journal = try GrowingJournal.reading(lines, user: "ada")
        try #require(journal.pass.ledger.difference(from: reference.histories) == nil, comment)
        try #require(Self.text(try journal.snapshot().json()) == json, comment)
      }
      try check(lines, "as written")
      try check(lines.shuffled(using: &generator), "shuffled")
      let extents = try GrowingJournal.reading(lines, user: "ada").pass.ledger.erasures.extents
      erasedCount += extents.count
      let erased = lines.map { line in
        Bool.random(using: &generator) ? line : Self.erased(line, extents)
      }
      try check(erased, "erased in part")
      try check(lines.map { Self.erased($0, extents) }.shuffled(using: &generator), "erased")
      try check(lines + erased, "both")
    }
    #expect(erasedCount > 0)
  }

  private static func erased(
    _ line: [UInt8], _ extents: [FullEventID: Erasures.Extent]
  ) -> [UInt8] {
    struct Sink: LineSink {
      let extents: [FullEventID: Erasures.Extent]
      var bytes: [UInt8]?

      mutating func event(
        _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
      ) {
        bytes = extents[FullEventID(layout, canonical)].flatMap {
          ErasedLine.bytes(of: layout, canonical, byteCount: line.count, extent: $0)
        }
      }

      mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
    }
    var sink = Sink(extents: extents)
    var scanner = LineScanner()
    scanner.scan(line, at: 0, number: 1, into: &sink)
    return sink.bytes.map { $0 + [0x0A] } ?? line
  }
}
