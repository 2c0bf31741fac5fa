import EventLogTesting
import Testing

@testable import EventLog

/// Which history a missing event has its place in, and what that place does: the rule of admission,
/// example by example.
@Suite struct PlacesTests {
  private var own = HandmadeDevice("a")
  private var witness = HandmadeDevice("w")
  private var lines: [[UInt8]] = []

  /// Writes events; those whose numbers are left out are missing.
  @discardableResult
  private mutating func write(_ count: Int, without missing: Set<Int64> = []) -> [FullEventID] {
    (0..<count).map { _ in
      let line = own.tipIsJoined ? own.event() : own.join(user: "ada")
      if !missing.contains(own.tip.sequence) { lines.append(line) }
      return own.tip
    }
  }

  /// The places of missing events, each with what it is taken to go on from; the same for every
  /// order of the lines.
  private func places(_ comment: Comment? = nil) throws -> [String] {
    var found: [String]?
    var random = SplitMix64(seed: 1)
    for round in 0..<8 {
      let lines = round == 0 ? lines : lines.shuffled(using: &random)
      let ledger = try GrowingJournal.reading(lines.map { $0 + [0x0A] }, user: "ada").pass.ledger
      #expect(ledger.broken == [])
      let places = ledger.branches.indices.filter { ledger.branches[$0].isMissing }.map { index in
        let branch = ledger.branches[index]
        let place = ledger.fullID(.init(branch: Int32(index), sequence: branch.first))
        let after =
          branch.parent < 0
          ? "nothing"
          : "\(ledger.fullID(.init(branch: branch.parent, sequence: branch.after)).shortID)"
        return "\(place.shortID) after \(after)"
      }.sorted()
      #expect(found == nil || found == places, comment)
      found = places
    }
    return found ?? []
  }

  @Test mutating func `in one history it goes on from the end before it`() throws {
    write(5, without: [3])
    #expect(try places() == ["a:3 after a:2"])
  }

  @Test mutating func `of several missing ones behind one another only the last is named`() throws {
    write(6, without: [2, 3, 4])
    #expect(try places() == ["a:4 after a:1"])
    let ledger = try GrowingJournal.reading(lines.map { $0 + [0x0A] }, user: "ada").pass.ledger
    #expect(ledger.missingRanges.map(\.description) == ["a:2–4"])
    #expect(ledger.tips.map { ledger.fullID($0) } == [own.tip])
  }

  @Test mutating func `with nothing before it, it goes on from nothing`() throws {
    write(4, without: [1, 2])
    #expect(try places() == ["a:2 after nothing"])
  }

  @Test mutating func `what is missing twice is placed in order`() throws {
    write(8, without: [3, 6])
    #expect(try places() == ["a:3 after a:2", "a:6 after a:5"])
  }

  @Test mutating func `behind a fork it goes on from what the histories have in common`() throws {
    write(2)
    var other = own
    lines.append(other.event(text: "other"))
    write(4, without: [5])
    // One history is a:1–4, the other one a:1–2 and a:3 of the copy: both end before a:5.
    #expect(try places() == ["a:5 after a:2"])
  }

  @Test mutating func `a history that ends later is none that it goes on from`() throws {
    write(2)
    var other = own
    lines.append(other.event(text: "other"))
    write(6)
    _ = other.event(text: "missing")
    _ = other.event(text: "missing")
    lines += [witness.join(user: "ada"), witness.event(seeing: [other.tip])]
    // a:5 is missing, a:8 is held: of the two histories that of the copy ends before it.
    #expect(try places() == ["a:5 after a:3"])
  }

  @Test mutating func `where all end later, it goes on from the last before it in all of them`()
    throws
  {
    write(3)
    var other = own
    write(4)
    _ = other.event(text: "missing")
    _ = other.event(text: "missing")
    lines += [witness.join(user: "ada"), witness.event(seeing: [other.tip])]
    #expect(try places() == ["a:5 after a:4"])
  }

  @Test mutating func `of two places of one sequence the least chain comes first`() throws {
    write(2)
    var (left, right) = (own, own)
    _ = left.event(text: "left")
    _ = right.event(text: "right")
    let missing = [left.tip, right.tip].sorted()
    lines += [witness.join(user: "ada"), witness.event(seeing: missing)]
    #expect(try places() == ["a:3 after a:2", "a:3 after a:2"])
    let ledger = try GrowingJournal.reading(lines.map { $0 + [0x0A] }, user: "ada").pass.ledger
    #expect(ledger.missing == missing)
    #expect(ledger.forks == [], "Nothing is held there.")
  }

  @Test mutating func `a place that goes on from another place has seen what that had seen`() throws
  {
    write(7, without: [3, 5])
    #expect(try places() == ["a:3 after a:2", "a:5 after a:4"])
    // An entry means the whole history up to it, be it held or missing.
    let missing = FullEventID(device: own.id, sequence: 9, chain: 77)
    lines += [witness.join(user: "ada"), witness.event(seeing: [missing])]
    #expect(try places() == ["a:3 after a:2", "a:5 after a:4", "a:9 after a:7"])
    let ledger = try GrowingJournal.reading(lines.map { $0 + [0x0A] }, user: "ada").pass.ledger
    let tips = Set(ledger.tips.map { ledger.fullID($0) })
    // A missing event takes nothing from the tip before it.
    #expect(tips == [own.tip, witness.tip])
    let point = try #require(ledger.locate(witness.tip))
    let clock = ledger.clock(of: Int(point.branch), at: point.sequence)
    for branch in ledger.branches.indices {
      #expect(clock[branch] == ledger.branches[branch].last)
    }
  }

  @Test mutating func `an entry from which its own line can be reached counts as absent`() throws {
    write(2)
    let behind = FullEventID(device: own.id, sequence: 5, chain: 7)
    lines.append(own.event(seeing: [behind]))
    lines.append(own.event())
    #expect(try places() == ["a:5 after a:4"])
    let ledger = try GrowingJournal.reading(lines.map { $0 + [0x0A] }, user: "ada").pass.ledger
    let place = try #require(ledger.locate(behind))
    let point = try #require(ledger.locate(own.tip))
    #expect(ledger.seen(Int(place.branch), by: Int(point.branch)) == 0)
  }
}

extension HandmadeDevice {
  fileprivate var tipIsJoined: Bool { tip.sequence > 0 }
}

/// What a reading does with the lines that wait at its end.
@Suite struct SettlementTests {
  private var own = HandmadeDevice("a")
  private var other = HandmadeDevice("b")

  private func read(
    _ lines: [[UInt8]], user: String? = "ada"
  ) throws -> (ledger: Ledger, report: JournalFindings, pass: JournalPass<Fold>) {
    let pass = try GrowingJournal.reading(lines.map { $0 + [0x0A] }, user: user).pass
    #expect(pass.ledger.broken == [])
    return (pass.ledger, pass.report, pass)
  }

  @Test mutating func `lines that stand behind those that need them are admitted once`() throws {
    var lines = [own.join(user: "ada")]
    for _ in 0..<5 { lines.append(own.event()) }
    let (ledger, report, pass) = try read(lines.reversed() + lines)
    #expect(report.problems == [] && pass.sink.eventCount == 6)
    #expect(report.notes.map(\.code) == lines.map { _ in .note(.repeatedLine) })
    // Behind the first event, the second copy of each line stands in order.
    #expect(ledger.branches.count == 1 && ledger.index.strays.isEmpty)
    #expect(pass.unfinished.isEmpty && pass.waiting.isEmpty)
    #expect(try read(lines.reversed()).ledger.index.strays.count == 5)
  }

  @Test mutating func `a missing event is named with its chain where another has its number`()
    throws
  {
    let joined = own.join(user: "ada")
    var copy = own
    let (lost, there) = (own.event(), copy.event(text: "copy"))
    let name = own.tip
    let lines = [joined, there, own.event()]
    #expect(try read(lines).report.problems[0].message.hasPrefix("\(name) is missing here"))
    #expect(try read(lines + [lost]).report.problems.isEmpty)
  }

  @Test mutating func `lines that have become one are dead only where both are held`() throws {
    let joined = [own.join(user: "ada"), other.join(user: "ada"), other.event()]
    let (first, second, third) = (own.event(), own.event(), other.event())
    func merged(_ one: [UInt8], _ two: [UInt8], zeros: Int = 80) -> [UInt8] {
      Array(one.prefix(60)) + [UInt8](repeating: 0, count: zeros) + Array(two.suffix(60))
    }
    // Of two devices: nothing else tells of the first one's event.
    var report = try read(joined + [merged(first, third), third]).report
    #expect(report.problems.count == 1 && report.problems[0].line == 4 && report.notes.isEmpty)
    report = try read(joined + [merged(first, third), third, first]).report
    #expect(report.problems.isEmpty && report.notes.map(\.code) == [.note(.deadBytes)])
    // A third line may have stood between them, unless it is the beginning and the end of one.
    report = try read(joined + [merged(first, third, zeros: 92), third, first]).report
    #expect(report.problems.count == 1 && report.problems[0].message.contains("may be lost"))
    report = try read(joined + [merged(third, third, zeros: 92), third, first]).report
    #expect(report.problems.isEmpty && report.notes.map(\.code) == [.note(.deadBytes)])
    // Of one device: the second one names it.
    report = try read(joined + [merged(first, second), second]).report
    #expect(report.problems.map(\.code) == [.gap])
  }

  @Test mutating func `a batch counts from its end on, wherever that stands`() throws {
    let joined = own.join(user: "ada")
    let before = own.tip
    let batch = [own.event(more: true), own.event(more: true), own.event()]
    for count in 0...2 {
      let (ledger, report, pass) = try read([joined] + batch[..<count])
      #expect(ledger.frontier.tips == [before] && pass.sink.eventCount == 1)
      #expect(report.problems == [])
      #expect(report.notes.map(\.code) == (count == 0 ? [] : [.note(.unfinishedBatch)]))
      #expect(pass.unfinished.count == count)
    }
    let mixed = [batch[1], joined, batch[2], batch[0]]
    for lines in [[joined] + batch, batch.reversed() + [joined], mixed] {
      let (ledger, report, pass) = try read(lines)
      #expect(ledger.frontier.tips == [own.tip] && pass.sink.eventCount == 4)
      #expect(report.problems == [] && report.notes == [])
    }
    // Without its middle it is a gap, which may have been anything: what is there counts.
    let (ledger, report, pass) = try read([joined, batch[0], batch[2]])
    #expect(ledger.frontier.tips.contains(own.tip) && pass.sink.eventCount == 3)
    #expect(report.problems.map(\.code) == [.gap])
  }

  @Test mutating func `a batch before a gap counts, also when a fork comes beside it`() throws {
    let joined = own.join(user: "ada")
    var copy = own
    let batch = [own.event(more: true), own.event(more: true), own.event()]
    let lines = [joined, batch[0], batch[2]]
    #expect(try read(lines).pass.sink.eventCount == 3)
    #expect(try read(lines + [copy.event(text: "copy")]).pass.sink.eventCount == 4)
  }

  @Test mutating func `an event with more that somebody has seen counts, and what is before it`()
    throws
  {
    let lines = [own.join(user: "ada"), own.event(more: true), own.event(more: true)]
    let seen = own.tip
    let rest = [own.event(more: true), own.event(more: true)]
    let witness = [other.join(user: "ada"), other.event(seeing: [seen])]
    let (ledger, report, pass) = try read(lines + rest + witness)
    #expect(Set(ledger.frontier.tips) == [seen, other.tip] && pass.sink.eventCount == 5)
    #expect(pass.unfinished.count == 2)
    #expect(report.notes.map(\.code) == [.note(.unfinishedBatch)])
    // What an unfinished batch has seen counts for nothing yet.
    var third = HandmadeDevice("c")
    let open = [third.join(user: "ada"), third.event(seeing: [own.tip], more: true)]
    #expect(try read(lines + rest + witness + open).pass.sink.eventCount == 6)
    let closed = third.event()
    #expect(try read(lines + rest + witness + open + [closed]).pass.sink.eventCount == 10)
  }

  @Test mutating func `a fork in the middle of a batch is two batches with one beginning`() throws {
    let lines = [own.join(user: "ada"), own.event(more: true)]
    var copy = own
    let (left, right) = (own.event(text: "left"), copy.event(text: "right", more: true))
    let (ledger, report, pass) = try read(lines + [right, left])
    #expect(ledger.frontier.tips == [own.tip] && pass.sink.eventCount == 3)
    #expect(report.notes.map(\.code) == [.note(.unfinishedBatch)])
    let end = copy.event(text: "end")
    let whole = try read(lines + [end, right, left])
    #expect(Set(whole.ledger.frontier.tips) == [own.tip, copy.tip])
    #expect(whole.pass.sink.eventCount == 5 && whole.ledger.forks.count == 1)
  }

  @Test mutating func `lines of others name nothing and are named like what is missing`() throws {
    let joined = own.join(user: "ada")
    let strange = [other.join(user: "ben"), other.event(seeing: [own.tip])]
    let line = own.event(seeing: [other.tip])
    let (ledger, report, pass) = try read([line] + strange + [joined])
    #expect(pass.sink.eventCount == 2 && ledger.frontier.tips == [own.tip])
    #expect(ledger.missing == [other.tip])
    #expect(Set(report.problems.map(\.code)) == [.otherUser, .gap])
  }
}

/// Which additions change what an earlier line has seen, so that all is read from its start.
@Suite struct AdditionTests {
  private var own = HandmadeDevice("a")
  private var other = HandmadeDevice("b")

  /// How often a reading began anew when lines were added; what it came to must be what all at once
  /// come to.
  private func restarts(
    _ lines: [[UInt8]], adding added: [[UInt8]], at location: SourceLocation = #_sourceLocation
  ) throws -> Int {
    let journal = GrowingJournal(user: "ada")
    try journal.append(lines.map { $0 + [0x0A] })
    try journal.read()
    let before = journal.pass.restartCount
    try journal.append(added.map { $0 + [0x0A] })
    try journal.read()
    let whole = try GrowingJournal.reading((lines + added).map { $0 + [0x0A] }, user: "ada")
    let (found, expected) = (try journal.snapshot().json(), try whole.snapshot().json())
    #expect(found == expected, sourceLocation: location)
    #expect(journal.pass.ledger.missing == whole.pass.ledger.missing, sourceLocation: location)
    #expect(journal.pass.ledger.broken == [], sourceLocation: location)
    return journal.pass.restartCount - before
  }

  @Test mutating func `events behind the ends need none`() throws {
    let lines = [own.join(user: "ada"), own.event(), other.join(user: "ada")]
    #expect(try restarts(lines, adding: [own.event(), other.event(seeing: [own.tip])]) == 0)
  }

  @Test mutating func `a fork needs none`() throws {
    var lines = [own.join(user: "ada"), own.event()]
    var copy = own
    lines += [own.event(), own.event()]
    #expect(try restarts(lines, adding: [copy.event(text: "x"), copy.event(text: "y")]) == 0)
  }

  @Test mutating func `a new gap behind all that is missing needs none`() throws {
    var lines = [own.join(user: "ada")]
    _ = own.event()
    lines.append(own.event())
    _ = own.event()
    #expect(try restarts(lines, adding: [own.event()]) == 0)
  }

  @Test mutating func `what fills a place does`() throws {
    var lines = [own.join(user: "ada")]
    let missing = own.event()
    lines.append(own.event())
    #expect(try restarts(lines, adding: [missing]) == 1)
  }

  @Test mutating func `a line before a place of its device does`() throws {
    var lines = [own.join(user: "ada"), own.event()]
    var copy = own
    _ = own.event()
    lines.append(own.event())
    // a:3 is missing; the copy's a:3 could be what it goes on beside.
    #expect(try restarts(lines, adding: [copy.event(text: "copy")]) == 1)
    // Behind the place it needs none.
    #expect(try restarts(lines, adding: [own.event()]) == 0)
  }

  @Test mutating func `a gap before a known one does`() throws {
    let joined = own.join(user: "ada")
    let earlier = own.event()
    var copy = own
    _ = copy.event(text: "missing")
    let early = copy.event(text: "behind it")
    _ = own.event()
    _ = own.event()
    let lines = [joined, earlier, own.event()]
    #expect(try restarts(lines, adding: [early]) == 1)
  }

  @Test mutating func `who belongs does, and only where something was read otherwise`() throws {
    let mine = [own.join(user: "ada"), own.event()]
    let guests = [other.join(user: "guest"), other.event()]
    let adoption = own.write("user.adopted", nil, ["from": "guest", "to": "ada"])
    #expect(try restarts(mine + guests, adding: [adoption]) == 1)
    #expect(try restarts(mine + [adoption], adding: guests) == 0)
  }

  @Test mutating func `a joining that turns up does`() throws {
    let joined = other.join(user: "ben")
    let lines = [own.join(user: "ada"), other.event()]
    #expect(try restarts(lines, adding: [joined]) == 1)
  }
}
