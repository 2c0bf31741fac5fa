import EventLogTesting
import Testing

@testable import EventLog

/// The library's ledger and fold, compared with the reference on journals of copies that were
/// cloned, rolled back and damaged.
@Suite(.tags(.random)) struct LibraryHistoryTests {
  /// The lines of a world, or most of them.
  private static func lines(_ seed: UInt64) -> (lines: [[UInt8]], user: String?) {
    var habits = seed % 3 == 0 ? HistoryWorld.Habits.damaged : .init()
    habits.guests = seed % 2 == 0 ? 6 : 0
    let world = HistoryWorld(seed: seed, habits, drafts: RandomDrafts(seed: seed))
    var generator = SplitMix64(seed: seed)
    let lines = world.entries.map(\.line)
    if seed % 5 == 0 { return (lines, "ada") }
    var some = lines.shuffled(using: &generator)
    some.removeLast(Int.random(in: 0...min(8, lines.count - 1), using: &generator))
    return (lines.filter(Set(some).contains), "ada")
  }

  /// Compares the ledger and the state with the reference.
  private static func check(
    _ lines: [[UInt8]], _ user: String?, _ expected: Reference, _ json: [UInt8], _ comment: Comment
  ) throws {
    let journal = try GrowingJournal.reading(lines, user: user)
    try #require(journal.isRefused == expected.histories.users.isOthers, comment)
    if journal.isRefused { return }
    try #require(journal.pass.ledger.difference(from: expected.histories) == nil, comment)
    try #require(text(try journal.snapshot().json()) == text(json), comment)
  }

  private static func text(_ json: [UInt8]) -> String {
    ReferenceValue.plain(String(decoding: json, as: UTF8.self))
  }

  @Test func `lines read in any order, or twice, produce the same state as the reference`() throws {
    for seed in RandomRounds(120) {
      let (lines, user) = Self.lines(seed)
      var generator = SplitMix64(seed: seed)
      let reference = Reference(lines: lines, user: user)
      let json = ReferenceState(reference).json
      func check(_ lines: [[UInt8]], _ order: String) throws {
        try Self.check(lines, user, reference, json, "EVENTLOG_SEED=\(seed) \(order)")
      }
      try check(lines, "as written")
      try check(lines.reversed(), "reversed")
      try check(lines.shuffled(using: &generator), "shuffled")
      try check(lines + lines.shuffled(using: &generator), "twice")
    }
  }

  @Test func `a cut of a damaged journal equals the reference`() throws {
    for seed in RandomRounds(100) {
      let (lines, user) = Self.lines(seed)
      var generator = SplitMix64(seed: seed)
      let reference = Reference(lines: lines, user: user)
      func pick() -> ReferenceEvent { reference.events.randomElement(using: &generator)! }
      if reference.events.isEmpty || reference.histories.users.isOthers { continue }
      var cut = Cut()
      let kinds = Int.random(in: 1...7, using: &generator)
      if kinds & 1 != 0 { cut.time = pick().at }
      if kinds & 2 != 0 { cut.event = seed % 2 == 0 ? pick().id : pick().fullID.id }
      if kinds & 4 != 0 { cut.device = pick().id.device }
      if kinds == 4 { cut = Cut(tip: pick().fullID) }
      let includesDeleted = seed % 3 == 0
      let journal = try GrowingJournal.reading(lines.shuffled(using: &generator), user: user)
      let found = try journal.part(cut, includingDeleted: includesDeleted)
      let expected = ReferenceState(reference.cut(cut), includingDeleted: includesDeleted)
      let comment: Comment = "EVENTLOG_SEED=\(seed) \(cut)"
      try #require(found.report == expected.report, comment)
      try #require(found.eventCount == expected.eventCount, comment)
      try #require(found.frontier.tips == expected.frontier, comment)
    }
  }

  @Test func `a growing file read line by line always equals the reference`() throws {
    var restartCount = 0
    for seed in RandomRounds(50, atLeast: 12) {
      var (lines, user) = Self.lines(seed)
      var generator = SplitMix64(seed: seed)
      switch seed % 4 {
      case 0: break
      case 1: lines.reverse()
      default: lines.shuffle(using: &generator)
      }
      let journal = GrowingJournal(user: user)
      for count in 1...lines.count {
        try journal.append([lines[count - 1]])
        try journal.read()
        let comment: Comment = "EVENTLOG_SEED=\(seed) after \(count) lines"
        let histories = ReferenceHistories(
          lines.prefix(count).map { ReferenceLine($0)! }, user: user)
        try #require(journal.isRefused == histories.users.isOthers, comment)
        if journal.isRefused { continue }
        try #require(journal.pass.ledger.difference(from: histories) == nil, comment)
        if count % 8 == 0 || count == lines.count {
          let expected = ReferenceState(Reference(lines: lines.prefix(count), user: user)).json
          try #require(Self.text(try journal.snapshot().json()) == Self.text(expected), comment)
        }
      }
      restartCount += journal.pass.restartCount
    }
    #expect(restartCount > 0)
  }
}
