import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// A journal that is cut at any byte, or has any bit flipped, keeps all its sound lines.
@Suite(.tags(.random)) struct JournalDamageTests {
  let box: Sandbox
  let content: [UInt8]
  let lines: [[UInt8]]

  /// Creates a journal of own events in several batches with another device's events among them.
  init() throws {
    box = try Sandbox()
    try box.writer().append(2)
    let tablet = Sandbox.lines(of: "tablet-bbbbbbbb", count: 3)
    try box.put(try box.bytes() + tablet.joined())
    try box.writer().append(1)
    try box.writer().append(2)
    content = try box.bytes()
    lines = Sandbox.lines(content)
  }

  /// All of `range` if it is small; otherwise a random sample and `always`.
  private func sample(_ range: Range<Int>, _ count: Int, always: [Int] = []) -> [Int] {
    if Rounds.of(count) >= range.count { return Array(range) }
    var generator = SplitMix64(seed: Sandbox.seed)
    let random = (0..<Rounds.of(count)).map { _ in Int.random(in: range, using: &generator) }
    return Set(random + always.filter(range.contains)).sorted()
  }

  private var ends: [Int] {
    lines.indices.map { index in lines[...index].reduce(0) { $0 + $1.count } }
  }

  @Test func `a journal cut at any byte keeps all lines before the cut`() throws {
    let borders = [0] + ends.flatMap { [$0 - 1, $0] }
    let record = try box.bytes("ada.eventlog/device.json")
    let cuts = sample(0..<content.count, 40, always: borders)
    Counted.note(cuts.count, "cuts of a journal")
    for cut in cuts {
      let comment: Comment = "seed \(Sandbox.seed), cut at byte \(cut)"
      try box.put(Array(content[..<cut]))
      try box.put(record, "ada.eventlog/device.json")
      // A line without its LF is complete.
      let whole = ends.count { $0 - 1 <= cut }
      let isInLine = !([0] + ends.flatMap { [$0 - 1, $0] }).contains(cut)
      let problems = try box.journal().verify().problems
      // Only the record shows that the lines existed.
      let isCutOff = whole < lines.count
      #expect(
        problems.map(\.code)
          == (isCutOff ? [.cutOff] : []) + (isInLine ? [.doubtfulTail] : []), comment)
      if isInLine { #expect(problems.last?.line == whole + 1, comment) }
      #expect(try box.bytes() == Array(content[..<cut]), comment)
      let error = failure { () throws(EventLogError) in try box.writer().append() }
      guard whole > 0 || cut == 0 else {
        #expect(error?.code == .notAJournal, comment)
        continue
      }
      #expect(error == nil, comment)
      #expect(try box.bytes().starts(with: content[..<min(cut, ([0] + ends)[whole])]), comment)
      // The loss stays reported.
      #expect(
        try box.journal().verify().problems.map(\.code) == (isCutOff ? [.gap] : []), comment)
      // A fresh device joins first, unless only the last LF is missing.
      #expect(try box.events().count == whole + (whole == lines.count ? 1 : 2), comment)
    }
  }

  @Test
  func `a journal with any flipped bit reports the damaged line and keeps the others`() throws {
    let record = try box.bytes("ada.eventlog/device.json")
    let borders = ends.flatMap { end in [-18, -10, -1].map { (end + $0) * 8 + end % 8 } }
    let bits = sample(0..<content.count * 8, 40, always: borders)
    Counted.note(bits.count, "flipped bits of a journal")
    for bit in bits {
      let comment: Comment = "seed \(Sandbox.seed), byte \(bit / 8), bit \(bit % 8)"
      var damaged = content
      damaged[bit / 8] ^= 1 << (bit % 8)
      try box.put(damaged)
      try box.put(record, "ada.eventlog/device.json")
      let line = ends.count { $0 <= bit / 8 }
      let problems = try box.journal().verify().problems
      #expect(problems.first?.line == line + 1, comment)
      _ = try box.journal().snapshot()
      #expect(try box.bytes() == damaged, comment)
      let before = try box.events()
      try box.writer().append()
      // Without its LF, a line is merged with the next one.
      let isLineFeed = ends.contains(bit / 8 + 1)
      let lost = [line] + (isLineFeed ? [line + 1] : [])
      let after = try box.bytes()
      for index in lines.indices where !lost.contains(index) {
        #expect(contains(after, lines[index]), comment)
      }
      #expect(try box.events().starts(with: before), comment)
      let remaining = try box.journal().verify().problems
      #expect(!remaining.contains { $0.code == .doubtfulTail }, comment)
      if let first = remaining.first { #expect(first.line == line + 1, comment) }
    }
  }

  private func contains(_ bytes: [UInt8], _ line: [UInt8]) -> Bool {
    bytes.split(separator: 0x0A).contains { $0.elementsEqual(line.dropLast()) }
  }

  @Test func `random bytes in a journal are refused or reported as damage`() throws {
    var generator = SplitMix64(seed: Sandbox.seed)
    for _ in 0..<Rounds.of(40) {
      var bytes = content
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let start = Int.random(in: 0..<bytes.count, using: &generator)
        let end = min(bytes.count, start + Int.random(in: 0...80, using: &generator))
        let new = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
          Bool.random(using: &generator)
            ? UInt8.random(in: 0...255, using: &generator)
            : Array("{}[]\":,\\\n\r 0a".utf8).randomElement(using: &generator)!
        }
        bytes.replaceSubrange(start..<end, with: new)
      }
      try box.put(bytes)
      let comment: Comment = "seed \(Sandbox.seed)"
      let before = (try? box.events()) ?? []
      let error = failure { () throws(EventLogError) in try box.writer().append() }
      guard error == nil else {
        #expect(error?.code == .notAJournal, comment)
        #expect(try box.bytes() == bytes, comment)
        continue
      }
      #expect(try box.events().starts(with: before), comment)
      #expect(try box.journal().verify().problems.allSatisfy(\.isDamage), comment)
    }
  }
}
