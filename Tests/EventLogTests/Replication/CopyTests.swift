import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// Copies of a journal: none writes under the ID of another once it can be known that there are
/// two, and where it cannot, both histories count.
@Suite struct CopyTests {
  @Test func `of two copies that nothing tells apart both histories count, and it is told once`()
    async throws
  {
    let (phone, tablet) = try await JournalCopy.pair()
    let twin = phone.clone(9, clock: phone.clock)
    let first = try await phone.advance(by: 5)
    let second = try await twin.advance(by: 7)
    #expect(first[0] == second[0], "Both used one number.")
    let report = try await phone.sync(with: twin)
    #expect(report.forks.count == 1 && report.notices.count == 1)
    #expect(report.notices[0].contains("was copied or restored after"))
    for copy in [phone, twin] {
      #expect(try copy.total() == 12)
      #expect(try copy.problems().isEmpty)
      #expect(try copy.journal.verify().notes.map(\.code.text) == ["fork"])
    }
    // Each goes on under a fresh ID.
    let (one, other) = (try await phone.advance(by: 1), try await twin.advance(by: 1))
    #expect(Set([first[0].device, one[0].device, other[0].device]).count == 3)
    #expect(try await phone.sync(with: twin).notices.isEmpty)
    try await tablet.sync(with: phone)
    for copy in [phone, twin, tablet] where copy.name != "twin" {
      #expect(try copy.total() == 14)
    }
  }

  @Test func `a journal that was rolled back goes on under a fresh ID once others tell`()
    async throws
  {
    let (phone, tablet) = try await JournalCopy.pair()
    let backup = phone.clone(9, clock: phone.clock)
    let lost = try await phone.advance(by: 5)
    try await phone.sync(with: tablet)
    let report = try await backup.sync(with: tablet)
    #expect(report.hasDuplicateWriter && report.forks.isEmpty && report.notices.count == 1)
    #expect(try backup.total() == 5)
    let next = try await backup.advance(by: 1)
    #expect(next[0].device != lost[0].device)
  }

  @Test func `a fork crosses like anything else, by a journal, a folder and a cloud`() async throws
  {
    let (phone, tablet) = try await JournalCopy.pair()
    let twin = phone.clone(9, clock: phone.clock)
    try await phone.advance(by: 5)
    try await twin.advance(by: 7)
    let cloud = ObjectRemote(MemoryStorage(), random: .seeded(1))
    try await phone.sync(with: cloud)
    try await twin.sync(with: cloud)
    try await phone.sync(with: cloud)
    try await tablet.sync(with: cloud)
    for copy in [phone, twin, tablet] { #expect(try copy.total() == 12) }
    let late = JournalCopy("late", clock: phone.clock, seed: 11)
    try await late.sync(with: cloud)
    #expect(try late.total() == 12)
    #expect(try late.lines() == tablet.lines())
  }
}
