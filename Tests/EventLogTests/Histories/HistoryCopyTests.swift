import EventLog
import EventLogTesting
import Testing

/// Copies of a generated history that are cloned, rolled back and damaged.
@Suite struct HistoryCopyTests {
  private var history = History(user: "ada")
  private let phone: History.Copy
  private let tablet: History.Copy

  init() {
    phone = history.copy("phone")
    tablet = history.copy("tablet")
    history.unite(from: tablet, to: phone)
  }

  private func note(_ text: String) -> EventDraft {
    EventDraft(type: "profile.updated", data: ["note": .string(text)])
  }

  private func truth(_ event: FullEventID) -> [FullEventID] {
    let entry = history.entries[history.index(of: event)!]
    return entry.truth.numbers.map { history.entries[$0].fullID }.sorted()
  }

  @Test
  mutating func `a clone continues under the same ID, and the other copy lists its event once`()
    throws
  {
    let clone = history.clone(phone)
    let one = history.write(note("one"), on: phone)
    let other = history.write(note("other"), on: clone)
    #expect(one.shortID == other.shortID && one.chain != other.chain)
    #expect(!truth(one).contains(other) && !truth(other).contains(one))
    history.unite(from: clone, to: phone)
    let both = history.write(note("both"), on: phone)
    #expect(history.entries.last?.event.seen == [other])
    #expect(truth(both).contains(other) && truth(both).contains(one))
    history.write(note("again"), on: phone)
    #expect(history.entries.last?.event.seen == [])
    #expect(history.histories(of: phone).tips.map(\.sequence) == [2, 4, 1])
  }

  @Test mutating func `a rolled-back copy reuses a sequence`() {
    let backup = history.clone(phone)
    let lost = history.write(note("lost"), on: phone)
    history.restore(phone, from: backup)
    let reused = history.write(note("again"), on: phone)
    #expect(lost.shortID == reused.shortID && lost != reused)
    #expect(!history.entries(of: phone).contains { $0.fullID == lost })
  }

  @Test mutating func `a copy that lost a line no longer holds it, and receives it again`() {
    let first = history.write(note("first"), on: phone)
    history.write(note("second"), on: phone)
    history.unite(from: phone, to: tablet)
    history.lose(first, on: phone)
    let last = history.write(note("last"), on: phone)
    #expect(!truth(last).contains(first))
    // Its history continues from the lost event, and the next line repeats the `seen`
    // entries that only the lost line had.
    #expect(history.histories(of: phone).missing == [first])
    #expect(history.entries.last?.event.seen == [history.lastEvent(of: tablet)!])
    history.unite(from: tablet, to: phone)
    #expect(history.histories(of: phone).missing == [])
  }

  @Test mutating func `a batch counts once complete, and a crash leads to a new device ID`() {
    let batch = history.write(batch: [note("a"), note("b"), note("c")], on: phone)
    #expect(history.entries.suffix(3).map(\.event.hasMore) == [true, true, false])
    history.give(batch.prefix(2), to: tablet)
    #expect(history.histories(of: tablet).waiting.numbers.count == 2)
    history.unite(from: phone, to: tablet)
    #expect(history.histories(of: tablet).waiting.isEmpty)
    history.write(note("torn"), on: phone, more: true)
    history.renew(phone, as: "phone2")
    #expect(history.device(of: phone).text == "phone2-aaaaaaaa")
    #expect(history.entries.last?.event.seen.map(\.sequence) == [4, 1])
    history.unite(from: phone, to: tablet)
    #expect(!history.entries(of: tablet).contains { $0.data["note"] == "torn" })
  }

  @Test mutating func `a guest's events belong to the user only while an adoption is held`() {
    let guest = history.copy("laptop", user: "guest")
    let written = history.write(note("guest"), on: guest)
    history.unite(from: guest, to: phone)
    history.unite(from: phone, to: guest)
    #expect(!history.entries(of: phone).contains { $0.fullID == written })
    #expect(history.entries(of: guest).count == 2)
    history.adopt("guest", on: tablet)
    history.unite(from: tablet, to: phone)
    history.unite(from: guest, to: phone)
    #expect(history.histories(of: phone).tips.contains(written))
    // They no longer belong after the adoption is lost.
    let adoption = history.entries.first { $0.type == "user.adopted" }!.fullID
    history.lose(adoption, on: phone)
    #expect(!history.histories(of: phone).tips.contains(written))
  }

  @Test func `a line round-trips, and a damaged one is refused`() throws {
    for seed in RandomRounds(30) {
      let world = HistoryWorld(seed: seed, drafts: RandomDrafts(seed: seed))
      for entry in world.history.entries {
        try #require(ReferenceLine(entry.line) == entry.event, "EVENTLOG_SEED=\(seed)")
        var broken = entry.line
        broken[broken.count / 2] ^= 1
        try #require(ReferenceLine(broken) == nil, "EVENTLOG_SEED=\(seed)")
      }
    }
  }

  @Test func `the incremental list of unseen events equals the reference's`() throws {
    for seed in RandomRounds(150) {
      let world = HistoryWorld(seed: seed, .copied, drafts: RandomDrafts(seed: seed))
      for entry in world.history.entries {
        let held = entry.held.numbers.map { world.history.entries[$0].event }
        let read = ReferenceHistories(held, user: entry.user)
        try #require(
          entry.event.seen == read.unstated(after: entry.event.previous),
          "EVENTLOG_SEED=\(seed) \(entry.fullID)")
      }
    }
  }
}
