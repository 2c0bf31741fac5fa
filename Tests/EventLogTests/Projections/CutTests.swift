import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// Cuts of a journal, compared with the brute-force ``Reference``.
@Suite(.tags(.random)) struct CutTests {
  /// Returns a random cut: by time, event, device or tip, or several of them.
  static func cut(of history: History, _ generator: inout SplitMix64) -> Cut {
    let entries = history.entries
    func pick() -> History.Entry { entries.randomElement(using: &generator)! }
    var cut = Cut()
    let kinds = Int.random(in: 1...15, using: &generator)
    if kinds & 1 != 0 { cut.time = pick().at }
    if kinds & 2 != 0 {
      let entry = pick()
      let isShort = entries.count { $0.id == entry.id } == 1 && Bool.random(using: &generator)
      cut.event = isShort ? entry.id : entry.fullID.id
    }
    if kinds & 4 != 0 { cut.device = pick().id.device }
    if kinds & 8 != 0, kinds & 3 != 3 { cut.tip = pick().fullID }
    return cut
  }

  @Test func `the state at a cut equals the reference`() throws {
    let journal = try HistoryJournal()
    var conflictCount = 0
    for seed in RandomRounds(1200) {
      var generator = SplitMix64(seed: seed)
      let history = RandomHistory.maybeForked(seed: seed)
      let cut = Self.cut(of: history, &generator)
      let includingDeleted = seed % 3 == 0
      let reference = ReferenceState(history, at: cut, includingDeleted: includingDeleted)
      try history.write(to: journal.path, lines: history.lines(order: seed))
      let snapshot = try journal.journal.snapshot(
        at: cut, includingDeleted: includingDeleted
      ).snapshot
      try #require(
        snapshot.report == reference.report, "EVENTLOG_SEED=\(seed) \(cut)")
      try #require(snapshot.eventCount == reference.eventCount, "EVENTLOG_SEED=\(seed)")
      try #require(
        snapshot.frontier.tips == reference.frontier, "EVENTLOG_SEED=\(seed)")
      // The user is known even before the first event of the cut.
      if snapshot.eventCount > 0 {
        try #require(
          ReferenceValue.plain(String(decoding: snapshot.json(), as: UTF8.self))
            == ReferenceValue.plain(String(decoding: reference.json, as: UTF8.self)),
          "EVENTLOG_SEED=\(seed)")
      }
      conflictCount += snapshot.conflicts.count
    }
    #expect(conflictCount > Rounds.of(20))
  }

  @Test func `a replay of a cut visits exactly its events`() throws {
    let journal = try HistoryJournal()
    for seed in RandomRounds(300) {
      var generator = SplitMix64(seed: seed)
      let history = RandomHistory.maybeForked(seed: seed)
      let cut = Self.cut(of: history, &generator)
      try history.write(to: journal.path, lines: nil)
      var ids: [FullEventID] = []
      _ = try journal.journal.replay(at: cut) { event, _ in
        ids.append(event.fullID)
        return true
      }
      #expect(ids == Reference(history).cut(cut).events.map(\.fullID), "EVENTLOG_SEED=\(seed)")
    }
  }

  @Test func `a cut at an event or device that isn't held is refused`() throws {
    let two = TwoDevices()
    let journal = try HistoryJournal()
    try two.history.write(to: journal.path, lines: nil)
    func code(_ cut: Cut) -> EventLogError.Code? {
      failure { () throws(EventLogError) in _ = try journal.journal.snapshot(at: cut) }?.code
    }
    let none = DeviceID("desk-aaaaaaaa")!
    #expect(code(Cut(event: EventID(device: two.phone, sequence: 99))) == .noEvent)
    #expect(code(Cut(event: EventID(device: none, sequence: 1))) == .noDevice)
    #expect(code(Cut(device: none)) == .noDevice)
    #expect(code(Cut(event: EventID(device: two.phone, sequence: 2))) == nil)
    #expect(code(Cut(time: .minute(-100_000))) == nil)
  }

  @Test func `an event ID that two events share is refused, but accepted with a chain`() throws {
    var two = TwoDevices()
    let phone = two.history.copy(of: two.phone)
    let clone = two.history.clone(phone)
    let events = [phone, clone].map { copy in
      two.history.write(EventDraft(type: "profile.updated", data: ["n": 1]), on: copy)
    }
    let journal = try HistoryJournal()
    try two.history.write(to: journal.path, lines: nil)
    let error = failure { () throws(EventLogError) in
      _ = try journal.journal.snapshot(at: Cut(event: events[0].shortID))
    }
    #expect(error?.code == .noEvent)
    for event in events {
      #expect(error?.description.contains(event.description) == true)
      for cut in [Cut(event: event.id), Cut(tip: event)] {
        #expect(try journal.journal.snapshot(at: cut).snapshot.frontier.tips.contains(event))
      }
    }
    let both = try journal.journal.snapshot(at: Cut(device: two.phone)).snapshot
    #expect(both.frontier[two.phone] == events.sorted())
  }
}
