import EventLog
import EventLogInspection
import EventLogTesting
import Testing

@Suite struct HistoryTests {
  private static func text(_ lines: [[UInt8]]) -> [String] {
    lines.map { String(decoding: $0.dropLast(), as: UTF8.self) }
  }

  @Test func `a new device joins at once, under a fixed ID`() throws {
    var history = History(user: "ada")
    let phone = history.device("phone")
    #expect(phone.text == "phone-aaaaaaaa")
    #expect(
      Self.text(history.lines) == [
        #"{"id":"phone-aaaaaaaa:1","at":"2026-01-01T08:00:00.000Z","type":"device.joined","#
          + #""data":{"user":"ada","name":"phone"},"crc":"00000000f033d2c0"}"#
      ])
  }

  @Test func `a line lists the events that its device received since its last event`() throws {
    var history = History(user: "ada")
    let phone = history.device("phone")
    let tablet = history.device("tablet")
    let watch = history.device("watch")
    history.append(phone, "profile.updated", ["n": 1])
    history.sync(from: phone, to: tablet)
    history.append(tablet, "profile.updated", ["n": 2])
    // The watch receives the phone's event through the tablet.
    history.sync(from: tablet, to: watch)
    history.append(watch, "profile.updated", ["n": 3])
    history.append(watch, "profile.updated", ["n": 4])
    let seen = history.entries.map { $0.event.seen.map(\.shortID.description) }
    #expect(
      seen == [
        [], [], [], [], ["phone-aaaaaaaa:2"], ["phone-aaaaaaaa:2", "tablet-aaaaaaaa:2"], [],
      ])
    let stated = history.entries[5].event.seen.map { "\"\($0)\"" }.joined(separator: ",")
    #expect(Self.text(history.lines)[5].contains(#","seen":[\#(stated)],"data":"#))
  }

  @Test func `every random order is sound, complete and determined by its seed`() throws {
    let journal = try HistoryJournal()
    for seed in RandomRounds(50) {
      let history = RandomHistory(seed: seed).history
      let lines = history.lines(order: seed)
      try #require(lines == history.lines(order: seed))
      try #require(Set(lines) == Set(history.lines))
      try #require(
        journal.verify(history, lines: lines).problems.isEmpty, "EVENTLOG_SEED=\(seed)")
    }
  }

  @Test func `every causal order is enumerated once, and no other order`() throws {
    var history = History(user: "ada")
    let phone = history.device("phone")
    let tablet = history.device("tablet")
    history.append(phone, "profile.updated", ["n": 1])
    history.sync(from: phone, to: tablet)
    history.append(tablet, "profile.updated", ["n": 2])
    let journal = try HistoryJournal()
    var orders: Set<[[UInt8]]> = []
    try history.forEachOrder { (lines: [[UInt8]]) throws in
      try #require(orders.insert(lines).inserted)
      try #require(journal.verify(history, lines: lines).problems.isEmpty)
    }
    // The tablet joins first, second or third; its second event comes last.
    #expect(orders.count == 3)
  }
}
