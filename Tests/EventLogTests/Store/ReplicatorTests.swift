import EventLogAccounts
import EventLogInspection
import EventLogTesting
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// Automatic syncing of a store.
@Suite struct ReplicatorTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var shared: FolderRemote { FolderRemote(path: folder.file("Shared")) }

  /// Short delays, and no syncs at intervals.
  private static let quick = ReplicationSchedule(
    delay: .milliseconds(5), interval: nil, retryMin: .milliseconds(1), retryMax: .milliseconds(20))

  /// Waits for a status that satisfies `isThere`, and returns it.
  @discardableResult
  private func wait(
    _ replicator: Replicator, at index: Int = 0,
    until isThere: (Replicator.Status) -> Bool
  ) async throws -> Replicator.Status {
    for await statuses in replicator.updates where isThere(statuses[index]) {
      return statuses[index]
    }
    throw Ended()
  }

  private struct Ended: Error {}

  // MARK: - Syncing

  @Test func `a replicator syncs when it starts and after appends`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats")
    let replicator = phone.store.replicate(with: [shared], Self.quick)
    let first = try await wait(replicator) { $0.phase.isSynced }
    #expect(first.id == shared.address && first.lastSynced != nil)
    try await tablet.store.sync(with: shared)
    #expect(tablet.snapshot[.oats] != nil)

    try await phone.edit(.oats) { $0.kcal = 370 }
    // The replicator may have synced once more: its own files change the folder.
    for await _ in replicator.updates {
      try await tablet.store.sync(with: shared)
      if tablet.snapshot[.oats]?.kcal == 370 { break }
    }
    await replicator.stop()
  }

  @Test func `events that weren't sent yet are counted as pending`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats")
    let schedule = ReplicationSchedule(delay: .seconds(3600), interval: nil)
    let replicator = phone.store.replicate(with: [shared], schedule)
    try await wait(replicator) { $0.phase.isSynced }
    for kcal in 1...3 { try await phone.edit(.oats) { $0.kcal = kcal } }
    let status = try await wait(replicator) { $0.phase.pendingCount == 3 }
    guard case .pending(_, let since) = status.phase else {
      Issue.record("\(status.phase)")
      return
    }
    #expect(since >= status.lastSynced!)
    replicator.syncNow()
    try await wait(replicator) { $0.phase.isSynced }
    await replicator.stop()
  }

  @Test(arguments: ["Shared", "desk.jsonl"])
  func `a change at the remote arrives without a call by the app`(name: String) async throws {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats")
    let path = folder.file(name)
    let remote: any Remote =
      name.hasSuffix(".jsonl") ? JournalRemote(path: path) : FolderRemote(path: path)
    let replicator = phone.store.replicate(with: [remote], Self.quick)
    try await wait(replicator) { $0.phase.isSynced }
    var changes = phone.changes(of: Meal.self).makeAsyncIterator()
    _ = await changes.next()
    try await tablet.store.sync(with: remote)
    try await tablet.edit(.oats) { $0.kcal = 400 }
    try await tablet.store.sync(with: remote)
    while phone.snapshot[.oats]?.kcal != 400 { _ = await changes.next() }
    await replicator.stop()
  }

  @Test func `devices that only append converge`() async throws {
    let devices = try await Devices.meet(["phone", "tablet", "desk"], records: Meal.self)
    _ = try await devices[0].create(Meal.self, key: "oats")
    let replicators = devices.map { $0.store.replicate(with: [shared], Self.quick) }
    for device in devices.dropFirst() {
      for await state in device.changes where state[.oats] != nil { break }
    }
    for round in 0..<10 {
      for device in devices {
        try await device.edit(.oats) { $0.servings += 1 }
        if round.isMultiple(of: 3) { try await Task.sleep(for: .milliseconds(7)) }
      }
    }
    for device in devices {
      for await state in device.changes where state[.oats]?.servings.value == 30 { break }
    }
    for replicator in replicators { await replicator.stop() }
    #expect(try differences(between: devices[0], and: devices[2]) == [])
  }

  @Test func `a replicator with nothing on either side waits for the first event`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    let replicator = phone.store.replicate(with: [shared], Self.quick)
    _ = try await phone.create(Meal.self, key: "oats")
    try await wait(replicator) { $0.phase.isSynced }
    await replicator.stop()
  }

  @Test func `a slow reader gets the reports of all syncs and then the end`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    let replicator = phone.store.replicate(with: [shared], Self.quick)
    let (fast, slow) = (replicator.reports, replicator.reports)
    var reader = fast.makeAsyncIterator()
    for _ in 1...3 {
      _ = try await phone.create(Meal.self)
      while let (_, report) = await reader.next(), report.pushed.isEmpty {}
    }
    await replicator.stop()
    var pushed: [Int64] = []
    for await (remote, report) in slow {
      #expect(remote == shared.address)
      if !report.pushed.isEmpty { pushed.append(report.pushedCount) }
    }
    // The first sync also sends that the device joined.
    #expect(pushed == [2, 1, 1])
    #expect(replicator.statuses[0].lastReport != nil)
    for await _ in replicator.reports { Issue.record("A report came after the end.") }
  }

  // MARK: - Failures

  @Test func `every retry waits for a random time within a growing limit`() async throws {
    let phone = try await TemporaryStore(
      records: Meal.self, clock: AdjustableClock(step: .zero))
    _ = try await phone.create(Meal.self)
    let naps = Naps()
    let remote = FakeRemote { () throws(EventLogError) in
      throw EventLogError(remoteFailed: "It is away.", hint: "Wait.")
    }
    let replicator = Replicator(
      phone.store, [remote], ReplicationSchedule(), ReplicatorTools(sleep: naps.sleep))
    while naps.all.count < 40 { await Task.yield() }
    await replicator.stop()
    let limits = (0..<40).map { min(0.5 * Double(1 << min($0, 20)), 300) }
    let waits = naps.all.prefix(40).map { $0 / .seconds(1) }
    #expect(zip(waits, limits).allSatisfy { $0 >= 0 && $0 <= $1 })
    // The durations are spread over their ranges.
    let shares = zip(waits, limits).map { $0 / $1 }
    #expect(shares.contains { $0 < 0.4 } && shares.contains { $0 > 0.6 })
  }

  @Test func `a reopened store keeps the retry time of its remote and the reason`() async throws {
    let clock = AdjustableClock(step: .zero)
    let phone = try await TemporaryStore(records: Meal.self, clock: clock)
    _ = try await phone.create(Meal.self)
    let remote = FakeRemote { () throws(EventLogError) in
      throw EventLogError(remoteFailed: "It is away.", hint: "Wait.")
    }
    let slow = ReplicationSchedule(retryMin: .seconds(200), retryMax: .seconds(300))
    var replicator = phone.store.replicate(with: [remote], slow)
    let before = try await wait(replicator) { $0.phase.retry != nil }
    await replicator.stop()
    let calls = remote.callCount
    try await phone.reopen()
    replicator = phone.store.replicate(with: [remote], slow)
    let after = try await wait(replicator) { $0.phase.retry != nil }
    #expect(after.phase.retry?.at == before.phase.retry?.at)
    #expect(after.phase.retry?.because.hint == "Wait." && remote.callCount == calls)
    // `syncNow` doesn't wait for the retry.
    replicator.syncNow()
    while remote.callCount == calls { await Task.yield() }
    await replicator.stop()
  }

  @Test func `a sync by other means ends the retry wait of an earlier replicator`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self)
    let cloud = MemoryStorage()
    let remote = ObjectRemote(cloud)
    cloud.failCall(after: 0)
    let slow = ReplicationSchedule(retryMin: .seconds(200), retryMax: .seconds(300))
    let first = phone.store.replicate(with: [remote], slow)
    try await wait(first) { $0.phase.retry != nil }
    await first.stop()
    cloud.stopFailing()
    try await phone.store.sync(with: remote)
    let second = phone.store.replicate(with: [remote], slow)
    try await wait(second) { $0.hasAnswered }
    await second.stop()
  }

  @Test func `a delay that a remote requests lasts until a sync succeeds`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self)
    let (journal, address) = (phone.journal, "s3://bucket/ada")
    let error = EventLogError(remoteFailed: "Busy.", hint: "Wait.", retryAfter: .seconds(3600))
    journal.note(error, of: address)
    #expect(journal.wait(of: address) == nil)
    journal.note(error, of: address, isRetried: true)
    let wait = try #require(journal.wait(of: address))
    #expect(wait.message == "Busy." && wait.hint == "Wait." && wait.retryAfter == .seconds(3600))
    #expect(journal.wait(of: "s3://bucket/ben") == nil)
    let status = try #require(try journal.status().remoteStatuses.first)
    #expect(status.nextAttempt != nil && status.failure?.error.retryAfter == .seconds(3600))
    let success = RemoteRecord.Success(
      at: Timestamp(trusted: 0), ends: [], lacking: [], missing: [])
    SideFolder(beside: phone.store.path, fileSystem: SystemFileSystem())
      .note(success, of: address, at: JournalOptions().now, evenIfNew: true)
    #expect(journal.wait(of: address) == nil)
  }

  @Test func `a new replicator shows the last sync of an earlier one`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self)
    let cloud = MemoryStorage()
    let remote = ObjectRemote(cloud)
    let first = phone.store.replicate(with: [remote], Self.quick)
    let time = try await wait(first) { $0.lastSynced != nil }.lastSynced
    await first.stop()
    cloud.failCall(after: 0)
    let second = phone.store.replicate(with: [remote], Self.quick)
    let status = try await wait(second) { $0.failingSince != nil }
    // The record is written shortly before the status is published.
    let last = try #require(status.lastSynced)
    #expect(try last <= #require(time) && !status.hasAnswered)
    await second.stop()
  }

  @Test func `a failed first sync is remembered even if there is no journal yet`() async throws {
    let path = folder.file("new.jsonl")
    let cloud = MemoryStorage()
    cloud.failCall(after: 0)
    let options = JournalOptions.repeatable(clock: AdjustableClock(step: .zero))
    let store = try await EventStore.open(path: path, options: options)
    let replicator = store.replicate(with: [ObjectRemote(cloud)], Self.quick)
    let since = try await wait(replicator) { $0.failingSince != nil }.failingSince
    try await store.close()
    let reopened = try await EventStore.open(path: path, options: options)
    // The first attempt takes longer than reading the record.
    let hour = ReplicationSchedule(interval: nil, retryMin: .seconds(3600))
    let second = reopened.replicate(with: [ObjectRemote(cloud)], hour)
    let status = try await wait(second) { $0.failingSince != nil }
    #expect(status.failingSince == since && since != nil)
    try await reopened.close()
  }

  @Test func `a remote that accepts no events is never reported as synced`() async throws {
    let (guest, ada) = (
      try await TemporaryStore(user: "guest-1", records: Meal.self),
      try await TemporaryStore(records: Meal.self)
    )
    _ = try await guest.create(Meal.self)
    _ = try await ada.create(Meal.self)
    let remote = JournalRemote(path: guest.store.path)
    try await ada.store.adopt(remote)
    let replicator = ada.store.replicate(with: [remote], Self.quick)
    var statuses: [Replicator.Status] = []
    for await status in replicator.updates {
      statuses += status
      if case .oneWay(_, let reason) = status[0].phase {
        #expect(reason.code == .wrongAddress && reason.message.contains("guest-1"))
        break
      }
    }
    #expect(!statuses.contains { $0.phase.isSynced || $0.lastSynced != nil })
    await replicator.stop()
  }

  @Test func `a permanent failure stops syncing until the app asks for it`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self)
    let other = try await TemporaryStore(user: "ben", records: Meal.self)
    _ = try await other.create(Meal.self)
    let replicator = phone.store.replicate(
      with: [JournalRemote(path: other.path)], Self.quick)
    let status = try await wait(replicator) { $0.phase.stop != nil }
    #expect(status.phase.stop?.code == .otherUser && status.phase.stop?.hint != nil)
    try other.changeJournal { _ in [] }
    replicator.syncNow()
    try await wait(replicator) { $0.phase.stop == nil }
    await replicator.stop()
  }

  @Test func `a remote that held events and is now empty isn't filled again`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats")
    let replicator = phone.store.replicate(with: [shared], Self.quick)
    try await wait(replicator) { $0.phase.isSynced }
    // As if an external drive were unplugged.
    try SystemFileSystem().rename(shared.address, to: shared.address + ".away")
    try SystemFileSystem().makeFolder(shared.address)
    try await phone.edit(.oats) { $0.kcal = 1 }
    let status = try await wait(replicator) { $0.phase.retry != nil }
    #expect(status.phase.retry?.because.code == .noJournal)
    #expect(try SystemFileSystem().contents(of: shared.address).isEmpty)
    try SystemFileSystem().remove(shared.address)
    try SystemFileSystem().rename(shared.address + ".away", to: shared.address)
    replicator.syncNow()
    try await wait(replicator) { $0.phase.isSynced }
    await replicator.stop()
  }

  // MARK: - Stopping

  @Test func `a hanging remote delays neither appends nor other remotes nor stopping`() async throws
  {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats")
    let hanging = FakeRemote { () throws(EventLogError) in
      try? await Task.sleep(for: .seconds(3600))
      throw EventLogError(.canceled, "It was canceled.")
    }
    let replicator = phone.store.replicate(with: [hanging, shared], Self.quick)
    let first = try await wait(replicator, at: 1) { $0.phase.isSynced }
    try await phone.edit(.oats) { $0.kcal = 1 }
    try await wait(replicator, at: 1) { $0.phase.isSynced && $0.lastSynced! > first.lastSynced! }
    #expect(hanging.callCount == 1)
    await replicator.stop()
  }

  @Test func `a replicator ends if it is stopped or its store is closed or released`() async throws
  {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats")
    var replicator: Replicator? = phone.store.replicate(with: [shared], Self.quick)
    let updates = try #require(replicator).updates
    await replicator?.stop()
    for await _ in updates {}
    let remote = FakeRemote { () throws(EventLogError) in throw EventLogError(remoteFailed: "No.") }
    replicator = phone.store.replicate(with: [remote], Self.quick)
    while remote.callCount == 0 { await Task.yield() }
    let rest = try #require(replicator).updates
    replicator = nil
    try await phone.store.close()
    for await _ in rest {}

    var store: EventStore? = try await EventStore.open(
      path: folder.file("gone.jsonl"), options: JournalOptions(user: "ada"))
    weak let released = store
    let last = try #require(store).replicate(with: [remote], Self.quick).updates
    store = nil
    for await _ in last {}
    while released != nil { await Task.yield() }
  }

  @Test(arguments: [false, true])
  func `a replicator reports that its store was released but not that it was closed`(
    isReleased: Bool
  )
    async throws
  {
    var store: EventStore? = try await EventStore.open(
      path: folder.file("gone.jsonl"), options: JournalOptions(user: "ada"))
    let replicator = try #require(store).replicate(with: [shared], Self.quick)
    let updates = replicator.updates
    if isReleased {
      store = nil
    } else {
      try await store?.close()
    }
    for await _ in updates {}
    guard isReleased else { return #expect(replicator.statuses[0].phase.stop == nil) }
    let error = try #require(replicator.statuses[0].phase.stop)
    #expect(error.code == .usage && error.message.contains("gone.jsonl"))
    #expect(error.hint?.contains("Keep the store") == true)
  }

  @Test func `a replicator without references continues until its store ends`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    _ = phone.store.replicate(with: [shared], Self.quick)
    _ = try await phone.create(Meal.self, key: "oats")
    while tablet.snapshot[.oats] == nil {
      _ = try? await tablet.store.sync(with: shared)
      await Task.yield()
    }
  }

  @Test func `a sync by the app updates the replicator's status`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats")
    let schedule = ReplicationSchedule(delay: .seconds(3600), interval: nil)
    let replicator = phone.store.replicate(with: [shared], schedule)
    try await wait(replicator) { $0.phase.isSynced }
    try await phone.edit(.oats) { $0.kcal = 1 }
    try await wait(replicator) { $0.phase.pendingCount == 1 }
    try await phone.store.sync(with: shared)
    try await wait(replicator) { $0.phase.isSynced }
    await replicator.stop()
  }

  @Test func `a folder of journals as a remote stops syncing with a hint`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self)
    try SystemFileSystem().makeFolder(shared.address)
    try SystemFileSystem().replaceFile(at: shared.address + "/ada.jsonl", with: [1])
    let replicator = phone.store.replicate(with: [shared], Self.quick)
    let status = try await wait(replicator) { $0.phase.stop != nil }
    #expect(status.phase.stop?.hint?.hasPrefix("Use a folder in it") == true)
    await replicator.stop()
  }
}

extension Replicator.Phase {
  var isSynced: Bool { if case .synced = self { true } else { false } }
  var pendingCount: Int? {
    if case .pending(let count, _) = self { count } else { nil }
  }
  fileprivate var retry: (at: Timestamp, because: EventLogError)? {
    if case .retrying(let at, let because) = self { (at, because) } else { nil }
  }
  fileprivate var stop: EventLogError? {
    if case .stopped(let error) = self { error } else { nil }
  }
}

/// A remote that calls a test's function to connect, and then fails.
private final class FakeRemote: ReachableRemote {
  let address = "fake"
  private let act: @Sendable () async throws(EventLogError) -> Void
  private let calls = Mutex(0)
  var callCount: Int { calls.withLock { $0 } }

  init(_ act: @escaping @Sendable () async throws(EventLogError) -> Void) { self.act = act }

  func connect(_ visit: SyncRequest) async throws(EventLogError) -> any RemoteSession {
    calls.withLock { $0 += 1 }
    try await act()
    throw EventLogError(remoteFailed: "Nothing is there.")
  }
}

/// Records durations instead of sleeping.
private final class Naps: Sendable {
  private let durations = Mutex<[Duration]>([])
  var all: [Duration] { durations.withLock { $0 } }

  var sleep: @Sendable (Duration) async throws -> Void {
    { [self] duration in
      try Task.checkCancellation()
      durations.withLock { $0.append(duration) }
    }
  }
}
