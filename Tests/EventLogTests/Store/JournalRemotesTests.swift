import EventLogAccounts
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// The status of a journal's remotes, without contacting them.
@Suite struct JournalRemotesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var shared: FolderRemote { FolderRemote(path: folder.file("Shared")) }

  private func remoteStatus(_ device: TemporaryStore, _ index: Int = 0) throws -> RemoteStatus {
    let statuses = try device.journal.status().remoteStatuses
    return try #require(statuses.indices.contains(index) ? statuses[index] : nil)
  }

  @Test func `a remote changes from synced to pending when an event is appended`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "rice")
    #expect(try phone.journal.status().places.allSatisfy { $0.id != shared.address })
    try await phone.sync(with: shared)
    let index = try #require(
      try phone.journal.status().places.firstIndex { $0.id == shared.address })
    #expect(try remoteStatus(phone, index).status.phase.isSynced)

    _ = try await phone.create(Meal.self, key: "oats")
    let waiting = try remoteStatus(phone, index)
    #expect(waiting.waitingCount == 1 && waiting.status.phase.pendingCount == 1)
    let last = try #require(try phone.events().last)
    #expect(waiting.oldest == last.at)
    #expect(waiting.waiting.map(\.end) == [last.fullID])

    // The phone learns about events that other devices have pushed only by a sync.
    try await tablet.sync(with: shared)
    try await phone.sync(with: shared)
    #expect(try remoteStatus(phone, index).waiting.isEmpty)
  }

  @Test func `the status fails if the record of a remote can't be read`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats")
    try await phone.sync(with: shared)
    let cache = Path.replacingExtension(phone.path, "jsonl", with: "eventlog") + "/cache"
    let manager = FileManager.default
    let name = try #require(
      try manager.contentsOfDirectory(atPath: cache).first { $0.hasPrefix("place-") })
    try manager.removeItem(atPath: "\(cache)/\(name)")
    try manager.createDirectory(atPath: "\(cache)/\(name)", withIntermediateDirectories: false)
    let error = #expect(throws: EventLogError.self) { try phone.journal.status() }
    #expect(error?.code == .inputOutput && error?.hint?.contains("delete it") == true)
    // A sync doesn't need the record.
    try await phone.sync(with: shared)
  }

  @Test func `coverage lists the events that each remote lacks`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats")
    try await phone.sync(with: shared)
    _ = try await phone.create(Meal.self, key: "soup")
    try await phone.edit(.oats) { $0.kcal = 370 }
    let journal = phone.journal
    let oats = try journal.coverage(of: "meal/oats")
    #expect(oats.eventCount == 2 && oats.remotes.map(\.lacking.count) == [1])
    let soup = try journal.coverage(of: "meal/soup")
    #expect(soup.eventCount == 1 && soup.remotes.map(\.lacking.count) == [1])
    let events = try phone.events()
    for (index, event) in events.enumerated() {
      let found = try journal.coverage(of: event.id.description)
      #expect(found.eventCount == 1)
      #expect(found.remotes.map(\.lacking.isEmpty) == [index < events.count - 2])
    }
    #expect(throws: EventLogError.self) { try journal.coverage(of: "meal/none") }
    try await phone.sync(with: shared)
    #expect(try journal.coverage(of: "meal/soup").remotes.allSatisfy(\.lacking.isEmpty))
  }

  @Test func `a pull doesn't mark the journal's own events as sent`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats")
    try await phone.sync(with: shared)
    _ = try await phone.create(Meal.self, key: "soup")
    try await phone.sync(with: shared, .pull)
    #expect(try remoteStatus(phone).waitingCount == 1)
    // A pull alone doesn't add a remote to the journal's remotes.
    let tablet = try await TemporaryStore(records: Meal.self)
    try await tablet.sync(with: shared, .pull)
    #expect(try tablet.journal.status().places.isEmpty)
  }

  @Test func `a remote isn't synced if one user has adopted the other`() async throws {
    let (guest, ada) = (
      try await TemporaryStore(device: "tablet", user: "guest-1", records: Meal.self),
      try await TemporaryStore(records: Meal.self)
    )
    _ = try await guest.create(Meal.self)
    _ = try await ada.create(Meal.self)
    let remote = JournalRemote(path: guest.store.path)
    try await ada.store.adopt(remote)
    for directions in [ReplicationPlan.Directions.both, .pull] {
      try await ada.sync(with: remote, directions)
      let read = try #require(
        try ada.journal.status().places.first { $0.id == remote.address })
      #expect(read.lastSynced == nil && read.phase.reason?.contains("guest-1") == true)
      #expect(read.phase.reason?.contains("nothing is sent there") == true)
    }
    let back = JournalRemote(path: ada.store.path)
    try await guest.sync(with: back)
    _ = try await guest.create(Meal.self)
    let sent = try #require(try guest.journal.status().places.first { $0.id == back.address })
    #expect(sent.lastSynced == nil && sent.phase.reason?.contains("none are received") == true)
    let waitingCounts = try guest.journal.status().remoteStatuses.map(\.waitingCount)
    #expect(waitingCounts == [1])
  }

  @Test func `a remote isn't synced if its events weren't received`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "rice")
    try await phone.sync(with: shared, .push)
    #expect(try status(of: shared, phone).phase.isSynced)
    _ = try await tablet.create(Meal.self, key: "oats")
    try await tablet.sync(with: shared)
    try await phone.sync(with: shared, .push)
    let sent = try status(of: shared, phone)
    #expect(sent.lastSynced == nil && sent.phase.reason?.contains("asked to send only") == true)
    try await phone.sync(with: shared)
    #expect(try status(of: shared, phone).phase.isSynced)
  }

  private func status(
    of remote: FolderRemote, _ device: TemporaryStore
  ) throws -> Replicator.Status {
    try #require(try device.journal.status().places.first { $0.id == remote.address })
  }

  @Test func `a remembered remote waits for its first sync and can be forgotten`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats")
    phone.journal.remember(shared.address)
    #expect(try remoteStatus(phone).word == "waiting")
    try await phone.sync(with: shared)
    #expect(try remoteStatus(phone).word == "synced")
    try phone.journal.forget(shared.address)
    #expect(try phone.journal.status().places.isEmpty)
  }

  @Test func `a remote's failure is kept until a sync succeeds`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats")
    let path = folder.file("other.jsonl")
    try Data("no journal\n".utf8).write(to: URL(fileURLWithPath: path))
    let remote = JournalRemote(path: path)
    // A remote whose first sync fails isn't added.
    await #expect(throws: EventLogError.self) { try await phone.sync(with: remote) }
    #expect(try phone.journal.status().places.isEmpty)

    let replicator = phone.store.replicate(with: [remote])
    for await statuses in replicator.updates {
      if case .stopped = statuses[0].phase { break }
    }
    await replicator.stop()
    let stopped = try remoteStatus(phone)
    #expect(stopped.word == "stopped" && stopped.failure?.error.code == .notAJournal)
    #expect(stopped.success == nil)
    try FileManager.default.removeItem(atPath: path)
    try await phone.sync(with: remote)
    #expect(try remoteStatus(phone).word == "synced")
  }

  @Test func `the remainder of a range excludes the exchanged events`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    for index in 1...6 { _ = try await phone.create(Meal.self, key: "m\(index)") }
    let ledger = phone.snapshot.ledger
    let events = try phone.events().map(\.fullID)
    func range(_ first: Int, _ last: Int) -> EventRange {
      EventRange(from: Int64(first), to: events[last - 1])
    }
    let whole = range(1, 7)
    #expect(ledger.rest(of: [whole], after: []) == [whole])
    #expect(ledger.rest(of: [whole], after: [whole]).isEmpty)
    #expect(
      ledger.rest(of: [whole], after: [range(4, 5), range(1, 2)]) == [range(3, 3), range(6, 7)])
  }
}

extension Replicator.Phase {
  /// The reason why events went in one direction only.
  fileprivate var reason: String? {
    if case .oneWay(_, let error) = self { error.message } else { nil }
  }
}

extension RemoteStatus {
  fileprivate var word: String {
    switch status.phase {
    case .waiting: "waiting"
    case .syncing: "syncing"
    case .synced: "synced"
    case .oneWay: "oneWay"
    case .pending: "pending"
    case .retrying: "retrying"
    case .stopped: "stopped"
    }
  }
}
