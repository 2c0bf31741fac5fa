import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Synchronization
import Testing

/// Repairs of missing or damaged lines: they affect no others and append the lost events.
@Suite(.tags(.faults)) struct RepairTests {
  private func state(_ copy: JournalCopy) throws -> [UInt8] {
    try copy.journal.snapshot().snapshot.json()
  }

  @Test func `three copies with different damage repair one another in a ring`() async throws {
    let (phone, tablet) = try await JournalCopy.pair()
    let desk = JournalCopy("desk", clock: phone.clock, seed: 3)
    try await phone.set(["a": 1])
    try await tablet.set(["b": 1])
    try await desk.sync(with: phone)
    try await desk.set(["c": 1])
    for _ in 0..<2 {
      try await phone.sync(with: tablet)
      try await tablet.sync(with: desk)
      try await desk.sync(with: phone)
    }
    let before = try state(phone)
    let copies = [phone, tablet, desk]
    for (copy, text) in zip(copies, ["\"a\"", "\"b\"", "\"c\""]) { try copy.damage(lineWith: text) }
    let damaged = try copies.map { try $0.bytes() }
    for copy in copies { #expect(try !copy.problems().isEmpty) }
    for _ in 0..<2 {
      try await phone.sync(with: tablet)
      try await tablet.sync(with: desk)
      try await desk.sync(with: phone)
    }
    for (copy, bytes) in zip(copies, damaged) {
      #expect(try state(copy) == before)
      let report = try copy.journal.verify()
      #expect(report.problems.isEmpty)
      #expect(report.notes.map(\.code.text) == ["deadBytes"])
      // A journal only grows.
      #expect(try copy.bytes().starts(with: bytes))
    }
  }

  @Test func `a repair pulls missing events from another copy and reports them`() async throws {
    let (phone, tablet) = try await JournalCopy.pair()
    try await phone.set(["a": 1, "b": 2])
    try await phone.set(["c": 3])
    try await phone.sync(with: tablet)
    let before = try state(phone)
    try phone.damage(lineWith: "\"b\"")
    let report = try await phone.repair(from: tablet)
    #expect(report.refilled.map(\.count) == [1] && report.isWhole)
    #expect(report.notices.isEmpty)
    #expect(try state(phone) == before)
    #expect(try await phone.repair(from: tablet).isEmpty)
  }

  @Test func `a repair reports how many of the missing events it has received`() async throws {
    let (phone, tablet) = try await JournalCopy.pair()
    try await phone.set(["a": 1])
    try await phone.set(["b": 2])
    try await phone.sync(with: tablet)
    try phone.damage(lineWith: "\"b\"")
    let steps = Mutex<[SyncProgress]>([])
    _ = try await phone.repair(from: tablet) { step in steps.withLock { $0.append(step) } }
    let counts = steps.withLock { $0 }.compactMap { step -> [Int64]? in
      if case .pulled(let count, let total) = step { [count, total] } else { nil }
    }
    #expect(counts.last == [1, 1])
  }

  @Test
  func `events cut off the end are missing until they are back or accepted as lost`() async throws {
    let (phone, tablet) = try await JournalCopy.pair()
    let journal = Journal(path: phone.path, catalog: .standard, fileSystem: phone.disk)
    try await phone.set(["a": 1])
    try await phone.sync(with: tablet)
    let synced = try phone.bytes()
    let last = try await phone.set(["b": 2])
    let whole = try phone.bytes()
    try phone.put(synced)
    #expect(try journal.verify().problems.map(\.code.text) == ["cutOff"])
    #expect(try journal.verify().problems.map(\.byte) == [Int64(synced.count)])
    #expect(try journal.status().missing.map(\.description) == last.map(\.description))
    // The tablet doesn't have it.
    let report = try await phone.repair(from: tablet)
    #expect(report.missing.map(\.count) == [1] && report.damage?.code == .cutOff)
    #expect(!report.isWhole)
    let copy = JournalCopy("old", clock: phone.clock, seed: 7)
    try copy.put(whole)
    #expect(try await phone.repair(from: copy).isWhole)
    #expect(try journal.verify().problems.isEmpty)

    try phone.put(synced)
    let accepted = try await phone.acceptLoss()
    #expect(accepted.accepted.map(\.count) == [1] && accepted.isWhole)
    #expect(try journal.verify().problems.isEmpty)
  }

  @Test func `a loss accepted on one device is accepted on peers after a sync`() async throws {
    let (phone, tablet) = try await JournalCopy.pair()
    try await phone.set(["a": 1])
    try await phone.set(["b": 2])
    let sound = try phone.bytes()
    try phone.damage(lineWith: "\"a\"")
    #expect(try phone.problems().map(\.code.text).sorted() == ["checksumMismatch", "gap"])
    let report = try await phone.acceptLoss()
    #expect(report.accepted.map(\.count) == [1] && report.isWhole)
    #expect(try phone.problems().isEmpty)
    try await tablet.sync(with: phone)
    #expect(try tablet.problems().isEmpty)
    #expect(try tablet.journal.verify().notes.map(\.code.text) == ["acknowledgedLoss"])
    #expect(try state(tablet) == state(phone))
    // A sound copy appears: its events are back, and none is duplicated.
    let old = JournalCopy("old", clock: phone.clock, seed: 7)
    try old.put(sound)
    try await tablet.sync(with: old)
    try await tablet.sync(with: phone)
    #expect(try state(tablet) == state(phone))
    #expect(try phone.journal.snapshot().snapshot.singleton("settings").map(\.name) == ["a", "b"])
    #expect(
      try phone.journal.snapshot().snapshot.eventCount
        == tablet.journal.snapshot().snapshot.eventCount)
  }

  @Test func `a device with damage before its end keeps its ID`() async throws {
    let (phone, _) = try await JournalCopy.pair()
    try await phone.set(["a": 1])
    let last = try await phone.set(["b": 2])
    try phone.damage(lineWith: "\"a\"")
    let next = try await phone.set(["c": 3])
    #expect(next[0].device == last[0].device && next[0].sequence == last[0].sequence + 1)
  }

  // MARK: - Users

  @Test(arguments: [true, false])
  func `a journal whose first line is damaged is repaired by a sync`(isAsked: Bool) async throws {
    let (phone, tablet) = try await JournalCopy.pair()
    try await phone.set(["a": 1])
    try await phone.sync(with: tablet)
    let before = try state(phone)
    try phone.damage(lineWith: "device.joined")
    if isAsked { try await tablet.sync(with: phone) } else { try await phone.sync(with: tablet) }
    #expect(try phone.problems().isEmpty)
    #expect(try state(phone) == before && state(tablet) == before)
  }

  // MARK: - Failures

  /// A phone that lacks an event in the middle, and a tablet that holds it.
  private func gap() async throws -> (phone: JournalCopy, tablet: JournalCopy) {
    let (phone, tablet) = try await JournalCopy.pair()
    for name in ["a", "b", "c"] { try await phone.set([name: 1]) }
    try await phone.sync(with: tablet)
    try phone.damage(lineWith: "\"b\"")
    return (phone, tablet)
  }

  @Test(arguments: [true, false])
  func `a repair that fails at any call only grows the journal, and a second one completes it`(
    isRefill: Bool
  ) async throws {
    var index = 0
    var wasCut = false
    while true {
      let (phone, tablet) = try await gap()
      let before = try phone.bytes()
      phone.disk.resetCounts()
      phone.disk.failNextCall(after: index, with: .inputOutput, times: index % 2 == 0 ? 1 : .max)
      let error = await failure { try await repair(phone, isRefill ? tablet : nil) }
      wasCut = wasCut || error != nil
      let isOver = phone.disk.failableCount <= index
      phone.disk.stopFailing()
      let comment: Comment = "call \(index)"
      #expect(try phone.bytes().starts(with: before), comment)
      if try phone.bytes() != before {
        #expect(error?.message.contains("Nothing was") != true, comment)
      }
      let second = try? await repair(phone, isRefill ? tablet : nil)
      #expect(second?.isWhole == true, comment)
      #expect(try phone.bytes().starts(with: before), comment)
      #expect(try phone.problems().isEmpty, comment)
      let names = try phone.journal.snapshot().snapshot.singleton("settings").map(\.name)
      #expect(names == (isRefill ? ["a", "b", "c"] : ["a", "c"]), comment)
      // The loss is accepted once, and no sequence is used twice.
      let lines = try phone.lines()
      let damagedCount = isRefill ? 1 : 0
      #expect(
        Set(lines.map { $0.prefix { $0 != "," } }).count == lines.count - damagedCount, comment)
      if isOver { break }
      index += 1
    }
    Counted.note(index, "failed calls of a repair")
    #expect(index > 10 && wasCut)
  }

  @discardableResult
  private func repair(
    _ copy: JournalCopy, _ other: JournalCopy?
  ) async throws -> RepairReport {
    guard let other else { return try await copy.acceptLoss() }
    return try await copy.repair(from: other)
  }

  private func failure(_ body: () async throws -> Void) async -> EventLogError? {
    do { try await body() } catch { return error as? EventLogError }
    return nil
  }

  @Test func `an open store shows the events of a repair`() async throws {
    let (phone, tablet) = try await gap()
    let store = try await EventStore.open(
      path: phone.path, options: phone.options, catalog: .standard)
    #expect(store.snapshot.damage.map(\.code.text).sorted() == ["checksumMismatch", "gap"])
    #expect(store.snapshot.singleton("settings").map(\.name) == ["a", "c"])
    try await phone.repair(from: tablet)
    try await store.refresh()
    #expect(store.snapshot.damage.isEmpty)
    #expect(store.snapshot.singleton("settings").map(\.name) == ["a", "b", "c"])
    let receipt = try await store.append([
      EventDraft(type: "settings.changed", data: ["late": true])
    ])
    #expect(receipt.appended.count == 1)
    try await store.close()
    #expect(try phone.problems().isEmpty)
  }
}
