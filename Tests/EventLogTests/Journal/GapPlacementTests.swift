import EventLogTesting
import Testing

@testable import EventLog

/// The history and position assumed for a missing event: the rule of admission, by example.
@Suite struct GapPlacementTests {
  private var own = HandmadeDevice("a")
  private var witness = HandmadeDevice("w")
  private var lines: [[UInt8]] = []

  /// Writes `count` events and leaves out the lines of those with `missing` sequences.
  @discardableResult
  private mutating func write(_ count: Int, without missing: Set<Int64> = []) -> [FullEventID] {
    (0..<count).map { _ in
      let line = own.tipIsJoined ? own.event() : own.join(user: "ada")
      if !missing.contains(own.tip.sequence) { lines.append(line) }
      return own.tip
    }
  }

  /// Returns each missing event with its presumed predecessor, which must be the same for every
  /// order of the lines.
  private func gaps(_ comment: Comment? = nil) throws -> [String] {
    var found: [String]?
    var random = SplitMix64(seed: 1)
    for round in 0..<8 {
      let lines = round == 0 ? lines : lines.shuffled(using: &random)
      let ledger = try GrowingJournal.reading(lines.map { $0 + [0x0A] }, user: "ada").pass.ledger
      #expect(ledger.broken == [])
      let gaps = ledger.branches.indices.filter { ledger.branches[$0].isMissing }.map { index in
        let branch = ledger.branches[index]
        let missing = ledger.fullID(.init(branch: Int32(index), sequence: branch.first))
        let after =
          branch.parent < 0
          ? "nothing"
          : "\(ledger.fullID(.init(branch: branch.parent, sequence: branch.after)).shortID)"
        return "\(missing.shortID) after \(after)"
      }.sorted()
      #expect(found == nil || found == gaps, comment)
      found = gaps
    }
    return found ?? []
  }

  @Test mutating func `a missing event continues the tip before it`() throws {
    write(5, without: [3])
    #expect(try gaps() == ["a:3 after a:2"])
  }

  @Test mutating func `a gap of several events is represented by its last event`() throws {
    write(6, without: [2, 3, 4])
    #expect(try gaps() == ["a:4 after a:1"])
    let ledger = try GrowingJournal.reading(lines.map { $0 + [0x0A] }, user: "ada").pass.ledger
    #expect(ledger.missingRanges.map(\.description) == ["a:2–4"])
    #expect(ledger.tips.map { ledger.fullID($0) } == [own.tip])
  }

  @Test mutating func `a missing event with no held event before it continues nothing`() throws {
    write(4, without: [1, 2])
    #expect(try gaps() == ["a:2 after nothing"])
  }

  @Test mutating func `two gaps in a history each continue the event before them`() throws {
    write(8, without: [3, 6])
    #expect(try gaps() == ["a:3 after a:2", "a:6 after a:5"])
  }

  @Test
  mutating func `a missing event after a fork continues the common part of the histories`() throws {
    write(2)
    var other = own
    lines.append(other.event(text: "other"))
    write(4, without: [5])
    // The histories are a:1–4, and a:1–2 with the copy's a:3. Both end before a:5.
    #expect(try gaps() == ["a:5 after a:2"])
  }

  @Test mutating func `a missing event doesn't continue a history that ends after it`() throws {
    write(2)
    var other = own
    lines.append(other.event(text: "other"))
    write(6)
    _ = other.event(text: "missing")
    _ = other.event(text: "missing")
    lines += [witness.join(user: "ada"), witness.event(seeing: [other.tip])]
    // a:5 is missing, and a:8 is held. Only the copy's history ends before a:5.
    #expect(try gaps() == ["a:5 after a:3"])
  }

  @Test
  mutating func `a missing event continues the last common event if all histories end after it`()
    throws
  {
    write(3)
    var other = own
    write(4)
    _ = other.event(text: "missing")
    _ = other.event(text: "missing")
    lines += [witness.join(user: "ada"), witness.event(seeing: [other.tip])]
    #expect(try gaps() == ["a:5 after a:4"])
  }

  @Test mutating func `two missing events of one sequence are sorted by chain`() throws {
    write(2)
    var (left, right) = (own, own)
    _ = left.event(text: "left")
    _ = right.event(text: "right")
    let missing = [left.tip, right.tip].sorted()
    lines += [witness.join(user: "ada"), witness.event(seeing: missing)]
    #expect(try gaps() == ["a:3 after a:2", "a:3 after a:2"])
    let ledger = try GrowingJournal.reading(lines.map { $0 + [0x0A] }, user: "ada").pass.ledger
    #expect(ledger.missing == missing)
    #expect(ledger.forks == [], "Nothing is held there.")
  }

  @Test mutating func `an event after a missing one has seen the history before it`() throws {
    write(7, without: [3, 5])
    #expect(try gaps() == ["a:3 after a:2", "a:5 after a:4"])
    // An entry stands for the whole history up to it, held or missing.
    let missing = FullEventID(device: own.id, sequence: 9, chain: 77)
    lines += [witness.join(user: "ada"), witness.event(seeing: [missing])]
    #expect(try gaps() == ["a:3 after a:2", "a:5 after a:4", "a:9 after a:7"])
    let ledger = try GrowingJournal.reading(lines.map { $0 + [0x0A] }, user: "ada").pass.ledger
    let tips = Set(ledger.tips.map { ledger.fullID($0) })
    // A missing event doesn't replace the tip before it.
    #expect(tips == [own.tip, witness.tip])
    let point = try #require(ledger.locate(witness.tip))
    let clock = ledger.clock(of: Int(point.branch), at: point.sequence)
    for branch in ledger.branches.indices {
      #expect(clock[branch] == ledger.branches[branch].last)
    }
  }

  @Test mutating func `a seen entry that leads back to its own event counts as absent`() throws {
    write(2)
    let later = FullEventID(device: own.id, sequence: 5, chain: 7)
    lines.append(own.event(seeing: [later]))
    lines.append(own.event())
    #expect(try gaps() == ["a:5 after a:4"])
    let ledger = try GrowingJournal.reading(lines.map { $0 + [0x0A] }, user: "ada").pass.ledger
    let gap = try #require(ledger.locate(later))
    let point = try #require(ledger.locate(own.tip))
    #expect(ledger.seen(Int(gap.branch), by: Int(point.branch)) == 0)
  }
}

extension HandmadeDevice {
  fileprivate var tipIsJoined: Bool { tip.sequence > 0 }
}

/// The treatment of lines that are still deferred at the end of a reading.
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

  @Test mutating func `lines that precede the lines they need are admitted once`() throws {
    var lines = [own.join(user: "ada")]
    for _ in 0..<5 { lines.append(own.event()) }
    let (ledger, report, pass) = try read(lines.reversed() + lines)
    #expect(report.problems == [] && pass.sink.eventCount == 6)
    #expect(report.notes.map(\.code) == lines.map { _ in .note(.repeatedLine) })
    // After the first event, the second copy of each line is in order.
    #expect(ledger.branches.count == 1 && ledger.index.strays.isEmpty)
    #expect(pass.unfinished.isEmpty && pass.waiting.isEmpty)
    #expect(try read(lines.reversed()).ledger.index.strays.count == 5)
  }

  @Test
  mutating func `a missing event is named with its chain if another event has its ID`() throws {
    let joined = own.join(user: "ada")
    var copy = own
    let (lost, there) = (own.event(), copy.event(text: "copy"))
    let name = own.tip
    let lines = [joined, there, own.event()]
    #expect(try read(lines).report.problems[0].message.hasPrefix("\(name) is missing here"))
    #expect(try read(lines + [lost]).report.problems.isEmpty)
  }

  @Test mutating func `a line merged from two is dead bytes only if both events are held`() throws {
    let joined = [own.join(user: "ada"), other.join(user: "ada"), other.event()]
    let (first, second, third) = (own.event(), own.event(), other.event())
    func merged(_ one: [UInt8], _ two: [UInt8], zeros: Int = 80) -> [UInt8] {
      Array(one.prefix(60)) + [UInt8](repeating: 0, count: zeros) + Array(two.suffix(60))
    }
    // Different devices: no other line names the first device's event.
    var report = try read(joined + [merged(first, third), third]).report
    #expect(report.problems.count == 1 && report.problems[0].line == 4 && report.notes.isEmpty)
    report = try read(joined + [merged(first, third), third, first]).report
    #expect(report.problems.isEmpty && report.notes.map(\.code) == [.note(.deadBytes)])
    // A third line may have been between them, unless both are parts of one line.
    report = try read(joined + [merged(first, third, zeros: 92), third, first]).report
    #expect(report.problems.count == 1 && report.problems[0].message.contains("may be lost"))
    report = try read(joined + [merged(third, third, zeros: 92), third, first]).report
    #expect(report.problems.isEmpty && report.notes.map(\.code) == [.note(.deadBytes)])
    // The same device: the second line names the first event.
    report = try read(joined + [merged(first, second), second]).report
    #expect(report.problems.map(\.code) == [.gap])
  }

  @Test mutating func `a batch counts once its end is present, whatever the order of its lines`()
    throws
  {
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
    // A batch without its middle has a gap of unknown content, so the lines present count.
    let (ledger, report, pass) = try read([joined, batch[0], batch[2]])
    #expect(ledger.frontier.tips.contains(own.tip) && pass.sink.eventCount == 3)
    #expect(report.problems.map(\.code) == [.gap])
  }

  @Test mutating func `a batch with a gap counts even with a fork beside it`() throws {
    let joined = own.join(user: "ada")
    var copy = own
    let batch = [own.event(more: true), own.event(more: true), own.event()]
    let lines = [joined, batch[0], batch[2]]
    #expect(try read(lines).pass.sink.eventCount == 3)
    #expect(try read(lines + [copy.event(text: "copy")]).pass.sink.eventCount == 4)
  }

  @Test
  mutating func `an event seen in the middle of a batch counts with the events before it`() throws {
    let lines = [own.join(user: "ada"), own.event(more: true), own.event(more: true)]
    let seen = own.tip
    let rest = [own.event(more: true), own.event(more: true)]
    let witness = [other.join(user: "ada"), other.event(seeing: [seen])]
    let (ledger, report, pass) = try read(lines + rest + witness)
    #expect(Set(ledger.frontier.tips) == [seen, other.tip] && pass.sink.eventCount == 5)
    #expect(pass.unfinished.count == 2)
    #expect(report.notes.map(\.code) == [.note(.unfinishedBatch)])
    // Events that only an unfinished batch has seen don't count yet.
    var third = HandmadeDevice("c")
    let open = [third.join(user: "ada"), third.event(seeing: [own.tip], more: true)]
    #expect(try read(lines + rest + witness + open).pass.sink.eventCount == 6)
    let closed = third.event()
    #expect(try read(lines + rest + witness + open + [closed]).pass.sink.eventCount == 10)
  }

  @Test mutating func `a fork within a batch makes two batches with a common prefix`() throws {
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

  @Test mutating func `another user's event is reported as missing if a line names it`() throws {
    let joined = own.join(user: "ada")
    let strange = [other.join(user: "ben"), other.event(seeing: [own.tip])]
    let line = own.event(seeing: [other.tip])
    let (ledger, report, pass) = try read([line] + strange + [joined])
    #expect(pass.sink.eventCount == 2 && ledger.frontier.tips == [own.tip])
    #expect(ledger.missing == [other.tip])
    #expect(Set(report.problems.map(\.code)) == [.otherUser, .gap])
  }
}

/// Whether an addition changes the clocks of earlier lines, so that the journal is reread from its
/// start.
@Suite struct AdditionTests {
  private var own = HandmadeDevice("a")
  private var other = HandmadeDevice("b")

  /// Returns how often adding lines restarted the reading.
  ///
  /// The result must equal that of reading all lines at once.
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

  @Test mutating func `adding events after the tips restarts no reading`() throws {
    let lines = [own.join(user: "ada"), own.event(), other.join(user: "ada")]
    #expect(try restarts(lines, adding: [own.event(), other.event(seeing: [own.tip])]) == 0)
  }

  @Test mutating func `adding a fork restarts no reading`() throws {
    var lines = [own.join(user: "ada"), own.event()]
    var copy = own
    lines += [own.event(), own.event()]
    #expect(try restarts(lines, adding: [copy.event(text: "x"), copy.event(text: "y")]) == 0)
  }

  @Test mutating func `adding a gap after all missing events restarts no reading`() throws {
    var lines = [own.join(user: "ada")]
    _ = own.event()
    lines.append(own.event())
    _ = own.event()
    #expect(try restarts(lines, adding: [own.event()]) == 0)
  }

  @Test mutating func `adding a missing event restarts the reading`() throws {
    var lines = [own.join(user: "ada")]
    let missing = own.event()
    lines.append(own.event())
    #expect(try restarts(lines, adding: [missing]) == 1)
  }

  @Test
  mutating func `adding a line before a missing event of its device restarts the reading`() throws {
    var lines = [own.join(user: "ada"), own.event()]
    var copy = own
    _ = own.event()
    lines.append(own.event())
    // a:3 is missing. The copy's a:3 could share its presumed predecessor.
    #expect(try restarts(lines, adding: [copy.event(text: "copy")]) == 1)
    // After the missing event, an addition restarts nothing.
    #expect(try restarts(lines, adding: [own.event()]) == 0)
  }

  @Test mutating func `adding a gap before a known one restarts the reading`() throws {
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

  @Test
  mutating func `adding an adoption restarts a reading only if it affects lines already read`()
    throws
  {
    let mine = [own.join(user: "ada"), own.event()]
    let guests = [other.join(user: "guest"), other.event()]
    let adoption = own.write("user.adopted", nil, ["from": "guest", "to": "ada"])
    #expect(try restarts(mine + guests, adding: [adoption]) == 1)
    #expect(try restarts(mine + [adoption], adding: guests) == 0)
  }

  @Test mutating func `adding a missing first event restarts the reading`() throws {
    let joined = other.join(user: "ben")
    let lines = [own.join(user: "ada"), other.event()]
    #expect(try restarts(lines, adding: [joined]) == 1)
  }
}
