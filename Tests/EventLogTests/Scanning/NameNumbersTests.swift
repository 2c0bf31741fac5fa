import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLog

/// Numbering names during a reading doesn't change its result.
@Suite(.tags(.random)) struct NameNumbersTests {
  /// The state of a journal read in parts, each with or without numbered names.
  private static func state(
    of lines: [[UInt8]], cutAt cuts: [Int], inParallel: (Int) -> Bool
  ) throws -> [UInt8] {
    let disk = MemoryFileSystem()
    let file = try disk.open("ada.jsonl", .create)
    defer { disk.close(file) }
    try disk.writeAll(file, lines.flatMap { $0 }, at: 0)
    var pass = JournalPass(sink: Fold(.withFood))
    let reading = ReadAhead(of: file, in: disk)
    let ends = cuts.map { cut in Int64(lines[..<cut].reduce(0) { $0 + $1.count }) }
    var end = ReadAhead.End(offset: 0, number: 1, slowLineCount: 0)
    for (index, limit) in ends.enumerated() {
      end =
        try inParallel(index)
        ? reading.readInParallel(from: end.offset, end.number, upTo: limit, into: &pass)
        : reading.read(from: end.offset, end.number, upTo: limit, into: &pass)
    }
    return pass.ledger.bytes + pass.sink.bytes(pass.ledger)
  }

  @Test func `a journal read in parts has the same state with and without numbered names`() throws {
    for seed in RandomRounds(300) {
      let lines = RandomHistory(seed: seed, sizes: 3...60).history.lines
      var random = SplitMix64(seed: seed)
      let cuts =
        (0..<Int.random(in: 0...3, using: &random))
        .map { _ in Int.random(in: 0...lines.count, using: &random) }.sorted() + [lines.count]
      let choices = cuts.map { _ in Bool.random(using: &random) }
      let plain = try Self.state(of: lines, cutAt: cuts) { _ in false }
      let numbered = try Self.state(of: lines, cutAt: cuts) { choices[$0] }
      let allNumbered = try Self.state(of: lines, cutAt: cuts) { _ in true }
      // Compared outside `#require`, which would print both states.
      let isSame = numbered == plain && allNumbered == plain
      try #require(isSame, "EVENTLOG_SEED=\(seed)")
    }
  }

  @Test func `names are distinguished by all their bytes and keep their numbers`() throws {
    // Equal at both ends, in length, or in both; of all lengths up to 40.
    let ends = ["a", "date", "progress", "completion.advanced"]
    let names = ends.flatMap { end in
      (0..<24).map { end + String(repeating: "x", count: $0) } + ["\(end)-\(end)", "\(end)+\(end)"]
    }
    var numbers = NameNumbers()
    var known: [String: Int32] = [:]
    var random = SplitMix64(seed: 1)
    for _ in 0..<4000 {
      let name = names.randomElement(using: &random)!
      // With and without bytes after the name.
      let bytes = Array((name + (Bool.random(using: &random) ? "" : "\":\"12345678")).utf8)
      let number = numbers.field(bytes.span, ByteRange(0, name.utf8.count))
      #expect(known[name] ?? number == number)
      known[name] = number
    }
    #expect(Set(known.values).count == Set(names).count)
  }

  @Test func `the numbers of an earlier reading are forgotten`() {
    var table = NumberedNames()
    #expect(table.value(0, of: 0) == -1)
    table.note(7, under: 3, of: 1)
    #expect(table.value(3, of: 1) == 7 && table.value(2, of: 1) == -1)
    #expect(table.value(-1, of: 1) == -1 && table.value(4, of: 1) == -1)
    #expect(table.value(3, of: 2) == -1 && table.value(3, of: 0) == -1)
    table.note(8, under: -1, of: 2)
    #expect(table.value(3, of: 1) == 7)
    table.note(9, under: 1, of: 2)
    #expect(table.value(1, of: 2) == 9 && table.value(3, of: 2) == -1)
    #expect(table.value(3, of: 1) == -1)
  }
}
