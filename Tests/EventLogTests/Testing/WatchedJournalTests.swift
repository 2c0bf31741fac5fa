import EventLog
import Testing

@testable import EventLogTesting

/// The simulation's view of a journal's file.
@Suite struct WatchedJournalTests {
  private var device = HandmadeDevice("a-aaaaaaaa")
  private var journal = WatchedJournal()

  private static func file(_ lines: [[UInt8]]) -> [UInt8] { lines.flatMap { $0 + [0x0A] } }

  @Test mutating func `a whole last line counts without its LF, and once`() {
    let first = device.join(user: "ada")
    #expect(journal.follow(first, quarantined: { [] }).fresh.map(\.bytes) == [first])
    let second = device.event()
    let change = journal.follow(Self.file([first, second]), quarantined: { [] })
    #expect(change.fresh.map(\.bytes) == [second])
    #expect(change.failure == nil && !change.wasCut)
    #expect(journal.failing.isEmpty)
  }

  @Test mutating func `a last line without its LF doesn't count if more of its batch is missing`() {
    let (first, begin) = (device.join(user: "ada"), device.event(more: true))
    let change = journal.follow(Self.file([first]) + begin, quarantined: { [] })
    #expect(change.fresh.map(\.bytes) == [first])
  }

  @Test mutating func `a whole last line without its LF may not be removed`() {
    let (first, second) = (device.join(user: "ada"), device.event())
    _ = journal.follow(Self.file([first]) + second, quarantined: { [] })
    let change = journal.follow(Self.file([first]), quarantined: { [] })
    #expect(change.wasCut && change.failure == "lines are gone, but are not in quarantine")
  }

  @Test mutating func `a damaged line from a backup holds the events that it held before`() {
    let lines = [device.join(user: "ada"), device.event(), device.event()]
    _ = journal.follow(Self.file(lines), quarantined: { [] })
    let lost = Set(journal.lines.keys.filter { $0.sequence == 2 })
    var damaged = lines[1]
    damaged[20] ^= 1
    journal.restart(Self.file([lines[0], damaged, lines[2]]))
    #expect(journal.failing == [damaged: lost])
    // The LF between them is damaged, too.
    let joined = damaged + [UInt8(0x0B)] + lines[2]
    journal.restart(Self.file([lines[0], joined]))
    #expect(journal.failing[joined]?.count == 2)
    let later = device.event()
    _ = journal.follow(Self.file([lines[0], joined, later]), quarantined: { [] })
    journal.restart(Self.file([lines[0], damaged, lines[2]]))
    #expect(journal.failing == [damaged: lost])
    #expect(journal.formerLines.values.contains(later))
  }
}
