import EventLogTesting
import Testing

@testable import EventLog

/// The fast and the general reader implement the same rules.
@Suite(.tags(.random)) struct RespellingTests {
  /// The distinct lines of the golden journals whose names start with `random`, or don't.
  private static func lines(random isRandom: Bool) throws -> [[UInt8]] {
    let names = try FormatFiles.names(in: "Golden", suffix: ".jsonl")
      .filter { $0.hasPrefix("random") == isRandom }
    var lines: Set<[UInt8]> = []
    for name in names {
      for line in try FormatFiles.bytes("Golden", name + ".jsonl").split(separator: 0x0A) {
        let text = line.last == 0x0D ? line.dropLast() : line
        if text.contains(UInt8(ascii: "{")) { lines.insert(Array(text)) }
      }
    }
    return lines.sorted { $0.lexicographicallyPrecedes($1) }
  }

  @Test(arguments: [(false, 100), (true, 10)])
  func `every spelling of a golden line is read as the same event`(
    isRandom: Bool, spellings: Int
  ) throws {
    var speller = Respeller(FormatRandom.generator("Respelling"))
    speller.reordersValues = true
    var scanner = LineScanner()
    let lines = try Self.lines(random: isRandom)
    #expect(lines.count > 200)
    for line in lines {
      let event = try #require(scanner.read(line).event)
      let original = EventContent(event)
      let tree = try Respeller.tree(of: line)
      for _ in 0..<Rounds.of(spellings) {
        let covered = speller.covered(tree)
        let respelled = sealed(
          covered, after: event.id.sequence == 1 ? 0 : speller.random.next32())
        guard let found = try readGenerally(respelled).event, EventContent(found) == original else {
          Issue.record("another event: \(String(decoding: respelled, as: UTF8.self))")
          return
        }
      }
    }
  }

  /// Canonical golden lines are read in place, with the same result as in the general reader,
  /// including the spelling of their data.
  @Test func `both readers return the same event for every golden line`() throws {
    var scanner = LineScanner()
    let lines = try Self.lines(random: false) + Self.lines(random: true)
    for line in lines {
      let fast = try scanner.read(line)
      #expect(try fast == readGenerally(line))
      #expect(fast.event != nil)
    }
    #expect(scanner.slowLineCount < lines.count / 2)
  }

  @Test func `a respelled line is canonical after it is written again`() throws {
    var speller = Respeller(FormatRandom.generator("Rewriting"))
    var scanner = LineScanner()
    for line in try Self.lines(random: false) {
      let covered = speller.covered(try Respeller.tree(of: line))
      guard let event = try readGenerally(sealed(covered)).event, let at = event.at else {
        continue
      }
      var writer = EventLineWriter(after: 0)
      writer.write(
        id: event.id, at: at, type: event.type, entity: event.entity, seen: event.seen,
        ref: event.ref, more: event.hasMore, data: event.data)
      let written = try #require(scanner.read(writer.bytes.dropLast()).event)
      #expect(EventContent(written) == EventContent(event))
    }
    #expect(scanner.slowLineCount == 0)
  }
}

extension SplitMix64 {
  fileprivate mutating func next32() -> UInt32 { UInt32(truncatingIfNeeded: next()) }
}
