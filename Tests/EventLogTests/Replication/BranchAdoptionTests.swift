import EventLog
import EventLogTesting
import Testing

/// Forks of which a branch lies in a shared place, and nowhere else any more.
@Suite struct BranchAdoptionTests {
  private let clock = AdjustableClock()

  /// Where several write.
  enum Place: CaseIterable {
    case cloud, folder

    func make() -> any Remote {
      switch self {
      case .cloud: ObjectRemote(MemoryStorage(pageCount: 3), random: .seeded(7))
      case .folder:
        FolderRemote(path: "/S", options: JournalOptions(fileSystem: MemoryFileSystem()))
      }
    }
  }

  /// A phone and clones of it, each of which went on by itself: the one that keeps the ID first.
  private func branches(_ count: Int) async throws -> [JournalCopy] {
    let phone = JournalCopy("phone", clock: clock)
    try await phone.set(["theme": "dark", "n": 0])
    var copies = [phone]
    for number in 1..<count { copies.append(phone.clone(UInt64(number + 1), clock: clock)) }
    for (number, copy) in copies.enumerated() {
      try await copy.set(["n": .number(JSONNumber(Int64(number + 1)))])
      for field in 0..<number {
        try await copy.set(["f\(field)": .string("of \(number)")])
      }
    }
    let fork = try await phone.set(["end": true])[0].device
    return try copies.sorted { try checksum(fork, $0) < checksum(fork, $1) }
  }

  /// The checksum of the event about which all differ.
  private func checksum(_ device: DeviceID, _ copy: JournalCopy) throws -> String {
    let line = try #require(try copy.lines().first { $0.hasPrefix("{\"id\":\"\(device):4\"") })
    return String(line.suffix(18).prefix(16))
  }

  private func facts(_ copies: [JournalCopy]) throws -> Set<String> {
    try copies.reduce(into: []) { try $0.formUnion($1.facts()) }
  }

  /// Puts what each of them holds into one place, none of them knowing of the others.
  private func cloud(_ copies: [JournalCopy]) async throws -> MemoryStorage {
    let all = MemoryStorage()
    for (number, copy) in copies.enumerated() {
      let alone = MemoryStorage()
      try await copy.sync(with: ObjectRemote(alone, random: .seeded(UInt64(number + 1))))
      all.objects.merge(alone.objects) { $1 }
    }
    return all
  }

  private func repair(_ copy: JournalCopy, _ remote: some Remote) async throws -> RepairReport {
    try await Journal(path: copy.path, fileSystem: copy.disk)
      .repair(from: remote, options: copy.options)
  }

  /// That the fork is settled, with all the work of all in the place, once.
  private func expectSettled(
    _ copy: JournalCopy, _ remote: some Remote, _ facts: Set<String>, _ comment: Comment? = nil
  ) async throws {
    for _ in 0..<2 {
      let report = try await copy.sync(with: remote)
      #expect(report.forks.isEmpty && report.refused.isEmpty && report.pending.isEmpty, comment)
    }
    #expect(try await repair(copy, remote).isEmpty, comment)
    let new = JournalCopy("new", clock: clock)
    let report = try await new.sync(with: remote)
    #expect(report.forks.isEmpty && report.refused.isEmpty && report.pending.isEmpty, comment)
    for copy in [copy, new] {
      let lines = try copy.lines().filter { !$0.contains("device.joined") }
      #expect(try copy.facts() == facts && lines.count == facts.count, comment)
      #expect(try copy.problems().isEmpty, comment)
      #expect(try leftOvers(copy).isEmpty, comment)
    }
    #expect(try copy.lines() == new.lines(), comment)
  }

  private func leftOvers(_ copy: JournalCopy) throws -> [String] {
    ((try? copy.memory.contents(of: "/ada.eventlog/cache")) ?? []).filter { $0.hasPrefix(".") }
  }

  // MARK: - One branch in the place

  @Test(arguments: Place.allCases, [0, 1])
  func `a branch whose device is lost is settled by who holds the other one`(
    place: Place, ours: Int
  ) async throws {
    let remote = place.make()
    let copies = try await branches(2)
    let facts = try facts(copies)
    try await copies[1 - ours].sync(with: remote)
    #expect(try await copies[ours].sync(with: remote).forks.count == 1)
    let report = try await repair(copies[ours], remote)
    #expect(report.isWhole && report.reissued.count == 1)
    // What was written again is said once.
    let fresh = Set(report.reissued.map(\.to.device))
    #expect(!report.pulled.contains { fresh.contains($0.device) })
    try await expectSettled(copies[ours], remote, facts)
  }

  @Test(arguments: [0, 1])
  func `what others wrote who had seen it, and who are lost too, comes along`(
    ours: Int
  ) async throws {
    let copies = try await branches(2)
    // One has seen the branch in the place, the other one that of the journal.
    let tablets = [JournalCopy("tablet", clock: clock), JournalCopy("desk", clock: clock)]
    for (tablet, copy) in zip(tablets, [copies[1 - ours], copies[ours]]) {
      try await tablet.sync(with: copy)
      try await tablet.set(["by": .string(tablet.name)])
    }
    let facts = try facts(copies + tablets)
    let storage = try await cloud([copies[1 - ours]] + tablets)
    let place = ObjectRemote(storage, random: .seeded(8))
    let report = try await repair(copies[ours], place)
    #expect(report.isWhole)
    #expect(report.reissued.count == 2)
    try await expectSettled(copies[ours], place, facts)
  }

  // MARK: - Several branches in the place

  @Test(arguments: [0, 1])
  func `both branches may lie in the place`(ours: Int) async throws {
    let copies = try await branches(2)
    let facts = try facts(copies)
    let place = ObjectRemote(try await cloud(copies), random: .seeded(8))
    let report = try await repair(copies[ours], place)
    #expect(report.isWhole && report.reissued.count == 1)
    try await expectSettled(copies[ours], place, facts)
  }

  @Test func `who holds neither of them can settle it as well`() async throws {
    let copies = try await branches(2)
    let facts = try facts(copies)
    let place = ObjectRemote(try await cloud(copies), random: .seeded(8))
    let reader = JournalCopy("reader", clock: clock)
    #expect(try await reader.sync(with: place).forks.count == 1)
    let report = try await repair(reader, place)
    #expect(report.isWhole && report.reissued.count == 1)
    try await expectSettled(reader, place, facts)
  }

  @Test(arguments: [0, 1, 2], [true, false])
  func `three branches are settled one after the other`(
    ours: Int, allInPlace: Bool
  ) async throws {
    let copies = try await branches(3)
    let facts = try facts(copies)
    let given = copies.enumerated().filter { allInPlace || $0.offset != ours }.map(\.element)
    let place = ObjectRemote(try await cloud(given), random: .seeded(8))
    let report = try await repair(copies[ours], place)
    #expect(report.isWhole && report.reissued.count == 2, "\(report.reissued)")
    try await expectSettled(copies[ours], place, facts)
  }

  @Test(arguments: [0, 1, 2], [true, false])
  func `a branch of a branch is not taken for the one that was given up`(
    ours: Int, keeperFirst: Bool
  ) async throws {
    var copies = try await branches(2)
    let index = keeperFirst ? 0 : 1
    let further = copies[index].clone(9, clock: clock)
    try await copies[index].set(["once": 1])
    try await further.set(["twice": 2, "thrice": 3])
    copies.append(further)
    let facts = try facts(copies)
    let place = ObjectRemote(
      try await cloud(copies.indices.filter { $0 != ours }.map { copies[$0] }),
      random: .seeded(8))
    let report = try await repair(copies[ours], place)
    #expect(report.isWhole && !report.reissued.isEmpty)
    try await expectSettled(copies[ours], place, facts)
  }

  @Test func `two who settle it at once come to the same`() async throws {
    let copies = try await branches(2)
    let facts = try facts(copies)
    let storage = try await cloud(copies)
    let place = ObjectRemote(storage, random: .seeded(8))
    let readers = [JournalCopy("one", clock: clock), copies[0]]
    for reader in readers { try await reader.sync(with: place) }
    for reader in readers { #expect(try await repair(reader, place).isWhole) }
    for reader in readers { try await reader.sync(with: place) }
    for reader in readers { try await expectSettled(reader, place, facts) }
  }

  // MARK: - What fails

  @Test func `whichever call fails, a second try ends the repair and leaves nothing behind`()
    async throws
  {
    var index = 0
    var cutCount = 0
    while true {
      let copies = try await branches(2)
      let facts = try facts(copies)
      let place = ObjectRemote(try await cloud(copies), random: .seeded(8))
      let copy = copies[0]
      let own = try copy.facts()
      copy.disk.resetCounts()
      copy.disk.failNextCall(after: index, with: .inputOutput, times: .max)
      if (try? await repair(copy, place)) == nil { cutCount += 1 }
      let isOver = copy.disk.failableCount <= index
      copy.disk.stopFailing()
      let comment: Comment = "call \(index)"
      #expect(try own.isSubset(of: copy.facts()), comment)
      #expect(try await repair(copy, place).isWhole, comment)
      try await expectSettled(copy, place, facts, comment)
      if isOver { break }
      index += 31
    }
    #expect(cutCount > 10)
  }
}
