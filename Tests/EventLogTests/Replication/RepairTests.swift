import EventLog
import EventLogTesting
import Testing

/// Two copies that went on under one device ID, and holes: settled and refilled, with nothing lost.
@Suite struct RepairTests {
  private let clock = AdjustableClock()

  /// A phone and its clone, which nobody could tell apart before both wrote, and a tablet that has
  /// met the phone.
  private func fork() async throws -> (phone: JournalCopy, clone: JournalCopy, tablet: JournalCopy)
  {
    let phone = JournalCopy("phone", clock: clock)
    let tablet = JournalCopy("tablet", clock: clock)
    try await phone.set(["theme": "dark", "font": "big"])
    try await tablet.sync(with: phone)
    try await tablet.set(["unit": "kg"])
    try await phone.sync(with: tablet)
    try await phone.set(["n": 0])
    let clone = phone.clone(7, clock: clock)
    try await phone.set(["n": 1, "left": true])
    try await clone.set(["n": 2, "right": true, "more": 3])
    return (phone, clone, tablet)
  }

  /// Which of the two keeps the ID.
  private func keeper(
    _ one: JournalCopy, _ other: JournalCopy
  ) async throws -> (keeps: JournalCopy, gives: JournalCopy) {
    let report = try await one.sync(with: other)
    let fork = try #require(report.forks.first)
    func checksum(_ copy: JournalCopy) throws -> String {
      let line = try #require(
        try copy.lines().first { $0.hasPrefix("{\"id\":\"\(fork)\"") })
      return String(line.suffix(18).prefix(16))
    }
    return try checksum(one) < checksum(other) ? (one, other) : (other, one)
  }

  // MARK: - Forks

  @Test(arguments: [true, false])
  func `a fork is settled alike, whoever repairs first`(keeperFirst: Bool) async throws {
    let (phone, clone, _) = try await fork()
    let facts = try phone.facts().union(clone.facts())
    let (keeps, gives) = try await keeper(phone, clone)
    let old = try Set(keeps.lines())
    if keeperFirst {
      let report = try await keeps.repair(from: gives)
      #expect(report.forks.map(\.reason) == [.keepsID] && !report.isWhole)
    }
    let report = try await gives.repair(from: keeps)
    #expect(report.isWhole && report.reissued.count == 1)
    #expect(try gives.facts() == facts)
    #expect(try old.isSubset(of: gives.lines()))
    // Each line that was taken out is kept.
    let taken = try gives.quarantined().split(separator: "\n").count
    #expect(Int64(taken) == report.reissued.reduce(0) { $0 + $1.from.count })
    #expect(try await keeps.repair(from: gives).isWhole)
    #expect(try keeps.lines() == gives.lines())
    for copy in [keeps, gives] {
      #expect(try copy.problems().isEmpty)
      #expect(try await copy.sync(with: copy.name == keeps.name ? gives : keeps).forks.isEmpty)
      #expect(try await keeps.repair(from: gives).isEmpty)
    }
  }

  @Test func `after a fork neither copy writes under the shared ID`() async throws {
    let (phone, clone, _) = try await fork()
    let (keeps, gives) = try await keeper(phone, clone)
    let old = try #require(try await keeps.sync(with: gives).forks.first).device
    #expect(try await keeps.set(["a": 1])[0].device != old)
    #expect(try await gives.repair(from: keeps).isWhole)
    #expect(try await gives.set(["b": 1])[0].device != old)
    _ = try await keeps.repair(from: gives)
    let report = try await keeps.sync(with: gives)
    #expect(report.forks.isEmpty && report.refused.isEmpty)
    #expect(try keeps.lines() == gives.lines())
  }

  @Test func `what has seen the branch that gives way moves with it`() async throws {
    let (phone, clone, tablet) = try await fork()
    let (keeps, gives) = try await keeper(phone, clone)
    try await tablet.sync(with: gives)
    try await tablet.set(["seen": "gives", "n": 5])
    let facts = try keeps.facts().union(tablet.facts())
    let report = try await tablet.repair(from: keeps)
    #expect(report.isWhole && report.reissued.count == 2)
    #expect(report.reissued.map(\.from.device.text).map { $0.prefix(2) } == ["ph", "ta"])
    #expect(try await gives.repair(from: tablet).isWhole)
    #expect(try await keeps.sync(with: tablet).refused.isEmpty)
    for copy in [keeps, gives, tablet] {
      #expect(try copy.facts() == facts)
      #expect(try copy.lines() == keeps.lines())
      #expect(try copy.problems().isEmpty)
    }
    // The tablet's write had seen that of the branch: it still replaces it, and only that.
    let conflict = try #require(try keeps.journal.snapshot().snapshot.conflicts.first)
    #expect(conflict.field == "n" && conflict.candidates.count == 2)
    #expect(conflict.base == 0)
  }

  @Test func `several who hold the same branch write the same lines`() async throws {
    let (phone, clone, tablet) = try await fork()
    let (keeps, gives) = try await keeper(phone, clone)
    try await tablet.sync(with: gives)
    let kept = keeps.clone(9, clock: clock)
    // Neither knows of the other's repair.
    #expect(try await tablet.repair(from: kept).isWhole)
    #expect(try await gives.repair(from: keeps).isWhole)
    #expect(try tablet.lines() == gives.lines())
    let report = try await gives.sync(with: tablet)
    #expect(report.pulled.isEmpty && report.pushed.isEmpty && report.forks.isEmpty)
  }

  @Test func `a third copy that holds the given-up branch learns of it from anybody`() async throws
  {
    let (phone, clone, tablet) = try await fork()
    let (keeps, gives) = try await keeper(phone, clone)
    try await tablet.sync(with: gives)
    try await tablet.set(["late": 1])
    #expect(try await gives.repair(from: keeps).isWhole)
    // The tablet knows nothing of it. It is told of a fork, and nothing is counted twice.
    let report = try await tablet.sync(with: gives)
    #expect(!report.forks.isEmpty)
    #expect(try await tablet.repair(from: gives).isWhole)
    #expect(try await gives.sync(with: tablet).forks.isEmpty)
    #expect(try gives.lines() == tablet.lines())
    let says = try tablet.lines().filter { $0.contains("\"right\":true") }
    #expect(says.count == 1)
  }

  @Test func `both branches in one file are settled there`() async throws {
    let (phone, clone, _) = try await fork()
    let both = JournalCopy("both", clock: clock)
    let file = try both.memory.open(both.path, .create)
    try both.memory.writeAll(file, try phone.bytes() + clone.bytes(), at: 0)
    both.memory.close(file)
    let facts = try phone.facts().union(clone.facts())
    #expect(try both.problems().contains { $0.code == .fork })
    let report = try await Journal(path: both.path, fileSystem: both.disk)
      .repair(options: both.options)
    #expect(report.isWhole && report.reissued.count == 1)
    #expect(try both.problems().isEmpty && both.facts() == facts)
    let (_, gives) = try await keeper(phone, clone)
    #expect(try await gives.repair(from: both).isWhole)
    #expect(try gives.facts() == facts)
  }

  // MARK: - Holes

  /// A phone of which a line in the middle is damaged, and a tablet that has it.
  private func hole() async throws -> (phone: JournalCopy, tablet: JournalCopy) {
    let phone = JournalCopy("phone", clock: clock)
    let tablet = JournalCopy("tablet", clock: clock)
    for number in 0..<6 { try await phone.set(["n": .number(JSONNumber(Int64(number)))]) }
    try await tablet.sync(with: phone)
    try await tablet.set(["unit": "kg"])
    try await phone.sync(with: tablet)
    try await phone.set(["own": true])
    try phone.damage(lineWith: "\"n\":3")
    return (phone, tablet)
  }

  @Test func `a sync refills a hole, and what stood behind it goes on its way`() async throws {
    let (phone, tablet) = try await hole()
    #expect(try !phone.problems().isEmpty)
    try await phone.set(["after": true])
    let report = try await phone.sync(with: tablet)
    #expect(report.refused.isEmpty && report.forks.isEmpty)
    #expect(try phone.problems().isEmpty)
    #expect(try phone.lines() == tablet.lines())
    #expect(try phone.facts().count == 6 + 3)
    #expect(try phone.quarantined().contains("Data"))
  }

  @Test func `a damaged journal is refilled by whoever meets it`() async throws {
    let (phone, tablet) = try await hole()
    let report = try await tablet.sync(with: phone)
    #expect(report.pushed.contains { $0.first == 5 })
    #expect(try phone.problems().isEmpty)
    try await tablet.sync(with: phone)
    #expect(try phone.lines() == tablet.lines())
  }

  @Test func `a repair refills from a copy, and finds nothing more to do`() async throws {
    let (phone, tablet) = try await hole()
    let report = try await phone.repair(from: tablet)
    #expect(report.isWhole && !report.refilled.isEmpty && report.lost.isEmpty)
    #expect(try phone.problems().isEmpty)
    #expect(try await phone.repair(from: tablet).isEmpty)
    // The ID was in order all along, and is gone on with.
    let journal = Journal(path: phone.path, fileSystem: phone.disk)
    let device = try #require(try journal.status().device)
    #expect(try await phone.set(["on": 1])[0].device == device)
  }

  @Test func `a line of which nothing can be read is put aside once nothing is missing`()
    async throws
  {
    let (phone, tablet) = try await hole()
    var bytes = try phone.bytes()
    let line = try #require(
      bytes.split(separator: 0x0A).first { String(decoding: $0, as: UTF8.self).contains("\"n\":1") }
    )
    for index in line.indices { bytes[index] = UInt8(ascii: "x") }
    let file = try phone.memory.open(phone.path, .readWrite)
    try phone.memory.writeAll(file, bytes, at: 0)
    phone.memory.close(file)
    #expect(try await phone.repair(from: tablet).isWhole)
    #expect(try phone.problems().isEmpty && phone.facts().count == 6 + 2)
    #expect(try phone.quarantined().contains("xxxx"))
  }

  @Test func `a hole that nobody can refill is given up, and all else is kept`() async throws {
    let (phone, _) = try await hole()
    let before = try phone.facts()
    let report = try await phone.abandon()
    #expect(report.damage == nil && report.lost.map(\.count) == [1])
    #expect(try phone.problems().isEmpty && phone.facts() == before)
    let old = try #require(report.lost.first).device
    #expect(try await phone.set(["on": 1])[0].device != old)
    #expect(try await phone.abandon().isEmpty)
  }

  @Test func `what was given up comes back from a copy that nobody thought of`() async throws {
    let (phone, tablet) = try await hole()
    _ = try await phone.abandon()
    let facts = try phone.facts().union(tablet.facts())
    #expect(try await !phone.sync(with: tablet).forks.isEmpty)
    #expect(try await tablet.repair(from: phone).isWhole)
    #expect(try await phone.sync(with: tablet).forks.isEmpty)
    for copy in [phone, tablet] {
      #expect(try copy.problems().isEmpty && copy.facts() == facts)
      let conflicts = try copy.journal.snapshot().snapshot.conflicts
      // The event that was lost and is back was not seen by what was written again without it.
      #expect(conflicts.allSatisfy { $0.field == "n" })
    }
    #expect(try phone.lines() == tablet.lines())
  }

  // MARK: - What fails

  /// Every line that was held is held still, or was taken out and kept.
  private func expectKept(
    _ lines: [String], in copy: JournalCopy, _ comment: Comment
  ) throws {
    let here = Set(try copy.lines())
    let taken = try copy.quarantined()
    for line in lines { #expect(here.contains(line) || taken.contains(line), comment) }
  }

  @Test(arguments: ["fork", "hole", "abandon"])
  func `whichever call fails, the journal is whole, and a second try ends the repair`(
    what: String
  ) async throws {
    var index = 0
    var wasCut = false
    while true {
      let copy: JournalCopy
      let other: JournalCopy
      if what == "fork" {
        let (phone, clone, _) = try await fork()
        (other, copy) = try await keeper(phone, clone)
      } else {
        (copy, other) = try await hole()
      }
      let lines = try copy.lines()
      let facts = try copy.facts()
      copy.disk.resetCounts()
      copy.disk.failNextCall(after: index, with: .inputOutput, times: index % 2 == 0 ? 1 : .max)
      let failed = await repair(copy, what, other) == nil
      wasCut = wasCut || failed
      let isOver = copy.disk.failableCount <= index
      copy.disk.stopFailing()
      let comment: Comment = "call \(index)"
      try expectKept(lines, in: copy, comment)
      #expect(try facts.isSubset(of: copy.facts()), comment)
      let again = await repair(copy, what, other)
      #expect(again?.damage == nil && again?.forks.isEmpty == true, comment)
      #expect(try copy.problems().isEmpty, comment)
      #expect(try facts.isSubset(of: copy.facts()), comment)
      // No number is used twice afterwards.
      let ids = Set(try copy.lines().map { String($0.prefix(40)) })
      let new = try await copy.set(["on": 1])
      #expect(new.allSatisfy { id in !ids.contains { $0.hasPrefix("{\"id\":\"\(id)\"") } })
      if isOver { break }
      index += 1
    }
    #expect(index > 20 && wasCut)
  }

  private func repair(
    _ copy: JournalCopy, _ what: String, _ other: JournalCopy
  ) async -> RepairReport? {
    try? await what == "abandon" ? copy.abandon() : copy.repair(from: other)
  }

  @Test func `a store that has the journal open reads it anew`() async throws {
    let (phone, tablet) = try await hole()
    let store = try await EventStore.open(path: phone.path, options: phone.options)
    #expect(!store.snapshot.damage.isEmpty)
    _ = try await phone.repair(from: tablet)
    try await store.refresh()
    #expect(store.snapshot.damage.isEmpty && store.snapshot.eventCount == 10)
    let receipt = try await store.append([
      EventDraft(type: "settings.changed", data: ["late": true])
    ])
    #expect(receipt.appended.count == 1)
    try await store.close()
    #expect(try phone.problems().isEmpty)
  }
}
