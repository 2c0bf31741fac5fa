import EventLog
import EventLogCollections
import EventLogTesting
import Testing

/// Syncs that are iterated as a sequence.
@Suite struct ReplicationTests {
  private func reports(_ replication: Replication) async throws -> SyncReport? {
    var report: SyncReport?
    for try await progress in replication {
      if case .finished(let finished) = progress { report = finished }
    }
    return report
  }

  @Test func `a dry run yields the same report each time it is iterated`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    try await phone.edit(.oats) { $0.kcal = 2 }
    try await tablet.edit(.oats) { $0.kcal = 1 }
    let dryRun = phone.store.replication(with: tablet.remote, dryRun: true)
    let first = try #require(try await reports(dryRun))
    let second = try #require(try await reports(dryRun))
    #expect(!first.pulled.isEmpty && first.pulled == second.pulled)
    #expect(first.newConflicts.count == 1 && first.newConflicts == second.newConflicts)
  }

  @Test
  func `a replication that is iterated twice reports a conflict as new only once`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    try await phone.edit(.oats) { $0.kcal = 2 }
    try await tablet.edit(.oats) { $0.kcal = 1 }
    let replication = phone.store.replication(with: tablet.remote)
    #expect(try await reports(replication)?.newConflicts.count == 1)
    #expect(try await reports(replication)?.newConflicts.isEmpty == true)
  }

  @Test func `concurrent iterations of one replication leave both journals equal`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    try await phone.edit(.oats) { $0.kcal = 2 }
    try await tablet.edit(.oats) { $0.kcal = 1 }
    let replication = phone.store.replication(with: tablet.remote)
    var one = replication.makeAsyncIterator()
    var other = replication.makeAsyncIterator()
    var isMore = true
    while isMore {
      let steps = [try await one.next() != nil, try await other.next() != nil]
      isMore = steps.contains(true)
    }
    #expect(try Set(phone.lines()) == Set(tablet.lines()))
    // The tablet's own store sees the received events when it refreshes.
    try await tablet.refresh()
    #expect(phone.snapshot.conflicts.map(\.id) == tablet.snapshot.conflicts.map(\.id))
  }

  @Test
  func `fields that differ only in Unicode normalization conflict and are resolved separately`()
    async throws
  {
    let devices = try await Devices.meet(
      ["phone", "tablet"], records: Meal.self, catalog: .standard)
    let names = ["caf\u{E9}", "cafe\u{301}"]
    for (number, device) in devices.enumerated() {
      for name in names {
        _ = try await device.store.append([
          EventDraft(
            type: "profile.updated",
            data: JSONObject([.init(name: name, value: .number(JSONNumber(Int64(number))))]))
        ])
      }
    }
    try await Devices.syncAll(devices)
    let conflicts = devices[0].snapshot.conflicts
    #expect(conflicts.count == 2)
    for (number, conflict) in conflicts.enumerated() {
      try await devices[0].resolve(conflict, taking: conflict.candidates[0].event)
      let remaining = devices[0].snapshot.conflicts.map { Array($0.id.utf8) }
      #expect(remaining == conflicts.dropFirst(number + 1).map { Array($0.id.utf8) })
    }
  }

  @Test func `a sync that fails after receiving events doesn't claim that nothing was changed`()
    async throws
  {
    let (phone, tablet) = try await Devices.withOats()
    try await tablet.edit(.oats) { $0.kcal = 1 }
    try await phone.edit(.oats) { $0.kcal = 2 }
    for meaning in ["Events transferred so far are kept.", "Nothing was changed."] {
      // The first sync receives an event before it fails. The second one has none to receive.
      let error = await #expect(throws: EventLogError.self) {
        try await phone.sync(with: UnwritableRemote(base: tablet.remote))
      }
      #expect(error?.message == "Could not write \"far\": Input/output error. \(meaning)")
    }
    #expect(try phone.lines().count == tablet.lines().count + 1)
  }
}

/// A remote that sends events and accepts none.
private struct UnwritableRemote: ReachableRemote {
  let base: any ReachableRemote
  var address: String { base.address }

  func connect(_ request: SyncRequest) async throws(EventLogError) -> any RemoteSession {
    Session(base: try await base.connect(request))
  }

  private struct Session: RemoteSession {
    let base: any RemoteSession

    func statement(
      to initiator: FrontierStatement, _ lookup: any HistoryLookup
    ) async throws(EventLogError) -> FrontierStatement {
      try await base.statement(to: initiator, lookup)
    }

    func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
      try await base.chains(queries)
    }

    func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
      try await base.read(ranges)
    }

    func announce(_ statement: FrontierStatement) async throws(EventLogError) {
      throw .inputOutput("write", "far", .inputOutput, meaning: "Nothing was changed.")
    }

    func write(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult {
      try await base.write(lines)
    }

    var notices: [String] { get async { await base.notices } }

    func finish() async throws(EventLogError) -> Set<String> { try await base.finish() }
  }
}
