import EventLog
import EventLogTesting
import Testing

/// Events that somebody has written again: who still holds the originals takes them over, and what
/// was given up stays given up, wherever it turns up.
@Suite struct TakingOverTests {
  private let clock = AdjustableClock()

  /// A phone that holds five events and a tablet that has them too.
  private func pair() async throws -> (phone: JournalCopy, tablet: JournalCopy) {
    let phone = JournalCopy("phone", clock: clock)
    let tablet = JournalCopy("tablet", clock: clock)
    try await phone.set(["a": 1, "b": 2, "c": 3, "d": 4])
    try await tablet.sync(with: phone)
    return (phone, tablet)
  }

  /// The names that lines have had, each with how many lines have it now.
  private func names(_ copy: JournalCopy) throws -> [String: Int] {
    var names: [String: Int] = [:]
    _ = try copy.journal.replay { event, line in
      let checksum = String(decoding: line.dropLast(2).suffix(16), as: UTF8.self)
      names[event.was ?? "\(event.id)/\(checksum)", default: 0] += 1
      return true
    }
    return names
  }

  private func expectSame(_ one: JournalCopy, _ other: JournalCopy) throws {
    #expect(try one.lines() == other.lines())
    for copy in [one, other] {
      #expect(try copy.problems().isEmpty)
      #expect(try names(copy).values.allSatisfy { $0 == 1 })
    }
  }

  @Test func `what one has given up behind a hole is taken over by who holds the originals`()
    async throws
  {
    let (phone, tablet) = try await pair()
    try phone.damage(lineWith: "\"b\":2")
    #expect(try await phone.abandon().lost.map(\.count) == [1])
    let facts = try tablet.facts()
    #expect(try await tablet.sync(with: phone).forks.count == 1)
    let report = try await tablet.repair(from: phone)
    #expect(report.isWhole)
    #expect(report.reissued.map(\.from.count) == [2])
    #expect(try tablet.facts() == facts)
    #expect(try await phone.sync(with: tablet).forks.isEmpty)
    #expect(try phone.facts() == facts)
    try expectSame(phone, tablet)
  }

  @Test func `what is new behind it is written again, and has seen what was taken over`()
    async throws
  {
    let (phone, tablet) = try await pair()
    try tablet.damage(lineWith: "\"b\":2")
    _ = try await tablet.abandon()
    try await phone.set(["e": 5])
    let facts = try phone.facts()
    #expect(try await phone.repair(from: tablet).isWhole)
    _ = try await tablet.sync(with: phone)
    #expect(try tablet.facts() == facts)
    try expectSame(phone, tablet)
    let state = try phone.journal.snapshot().snapshot
    #expect(state.frontier.entries.count == 3)
  }

  @Test func `what was written again and given up once more says which branch it is`()
    async throws
  {
    let (phone, tablet) = try await pair()
    try phone.damage(lineWith: "\"a\":1")
    _ = try await phone.abandon()
    _ = try await tablet.repair(from: phone)
    // Both hold b, c and d under a fresh ID now.
    try tablet.damage(lineWith: "\"c\":3")
    _ = try await tablet.abandon()
    let fresh = try #require(try tablet.lines().first { $0.contains("\"supersedes\":\"phone-") })
    #expect(fresh.contains("device.joined"))
    #expect(try await tablet.sync(with: phone).forks.count == 1)
    let facts = try phone.facts()
    #expect(try await phone.repair(from: tablet).isWhole)
    _ = try await tablet.sync(with: phone)
    #expect(try tablet.facts() == facts)
    try expectSame(phone, tablet)
  }

  @Test func `originals behind a hole do not come back by its being filled`() async throws {
    let (phone, tablet) = try await pair()
    try phone.damage(lineWith: "\"a\":1")
    try tablet.damage(lineWith: "\"b\":2")
    _ = try await tablet.abandon()
    let report = try await phone.sync(with: tablet)
    #expect(report.forks.count == 1)
    #expect(try names(phone).values.allSatisfy { $0 == 1 })
    #expect(try await phone.repair(from: tablet).forks.isEmpty)
    _ = try await tablet.sync(with: phone)
    try expectSame(phone, tablet)
  }

  @Test func `a checkpoint and a folder keep what a device supersedes`() async throws {
    let (phone, tablet) = try await pair()
    try phone.damage(lineWith: "\"a\":1")
    _ = try await phone.abandon()
    _ = try await tablet.repair(from: phone)
    try tablet.damage(lineWith: "\"c\":3")
    _ = try await tablet.abandon()
    let folder = FolderRemote(
      path: "/Shared", options: .repeatable(fileSystem: tablet.memory))
    try await tablet.sync(with: folder)
    // Opened once more, from the checkpoint.
    #expect(try await tablet.sync(with: folder).pushed.isEmpty)
    let names = try tablet.memory.contents(of: "/Shared").filter { $0.contains("_frontier_") }
    let frontier = try String(decoding: tablet.bytes("/Shared/\(names[0])"), as: UTF8.self)
    #expect(frontier.contains("\"reissued\":{") && frontier.contains("\":[\"phone-"))
  }

  // MARK: - Holes in a branch

  /// A clone that both have written to; of the branch that gives way a line in the middle is gone.
  private func forkWithHole() async throws -> (gives: JournalCopy, keeps: JournalCopy) {
    let phone = JournalCopy("phone", clock: clock)
    try await phone.set(["a": 1])
    let clone = phone.clone(7, clock: clock)
    try await phone.set(["left": 1, "b": 2, "c": 3, "d": 4])
    try await clone.set(["right": 1, "b": 5, "c": 6, "d": 7])
    func checksum(_ copy: JournalCopy, _ text: String) throws -> Substring {
      try #require(try copy.lines().first { $0.contains(text) }).suffix(18)
    }
    let isFirst = try checksum(phone, "\"left\"") < checksum(clone, "\"right\"")
    return isFirst ? (clone, phone) : (phone, clone)
  }

  @Test func `a branch that gives way is refilled first, and else it stays until it is given up`()
    async throws
  {
    let (gives, keeps) = try await forkWithHole()
    let whole = gives.clone(9, clock: clock)
    let line = try #require(try gives.lines().first { $0.contains("\"c\":") })
    try gives.damage(lineWith: line)
    let facts = try gives.facts()
    let stuck = try await gives.repair(from: keeps)
    #expect(stuck.forks.map(\.reason) == [.incomplete] && stuck.reissued.isEmpty)
    #expect(try gives.facts() == facts)
    let filled = try await gives.repair(from: whole)
    #expect(filled.refilled.map(\.count) == [1] && filled.isWhole)
    #expect(try await gives.repair(from: keeps).isWhole)
    _ = try await keeps.sync(with: gives)
    #expect(try await whole.repair(from: keeps).isWhole)
    try expectSame(gives, keeps)
    try expectSame(gives, whole)
  }

  @Test func `an event may have seen what is lost`() async throws {
    let (phone, tablet) = try await pair()
    try await tablet.set(["x": 9])
    _ = try await phone.sync(with: tablet)
    // The last event of its device: nothing is stranded of that, but of who has seen it.
    try phone.damage(lineWith: "\"d\":4")
    let report = try await phone.abandon()
    #expect(report.lost.map(\.count) == [1] && report.damage == nil)
    #expect(report.reissued.map(\.from.device.text).allSatisfy { $0.hasPrefix("tablet-") })
    #expect(try phone.problems().isEmpty)
  }

  // MARK: - Whose it is

  @Test func `a journal that does not say whose it is is refilled by who holds its devices`()
    async throws
  {
    for isRemote in [true, false] {
      let (phone, tablet) = try await pair()
      try phone.damage(lineWith: "device.joined")
      _ =
        isRemote
        ? try await tablet.sync(with: phone.remote) : try await phone.sync(with: tablet.remote)
      try expectSame(phone, tablet)
    }
  }

  @Test func `and takes nothing of others`() async throws {
    let (phone, _) = try await pair()
    try phone.damage(lineWith: "device.joined")
    let before = try phone.bytes()
    let stranger = JournalCopy("stranger", clock: clock)
    try await stranger.set(["secret": 1])
    let error = await #expect(throws: EventLogError.self) {
      try await stranger.sync(with: phone)
    }
    #expect(error?.code == .damaged)
    #expect(try phone.bytes() == before)
  }

  @Test func `to be given up it needs to be said whose it is`() async throws {
    let (phone, _) = try await pair()
    try phone.damage(lineWith: "device.joined")
    let before = try phone.bytes()
    let nameless = JournalOptions.repeatable(
      device: "phone", user: nil, clock: clock, fileSystem: phone.disk)
    let journal = Journal(path: phone.path, fileSystem: phone.disk)
    let error = await #expect(throws: EventLogError.self) {
      _ = try await journal.repair(givingUp: true, options: nameless)
    }
    #expect(error?.code == .userNeeded)
    #expect(try phone.bytes() == before)
    #expect(try await phone.abandon().damage == nil)
    #expect(try phone.journal.status().user == "ada")
  }
}
