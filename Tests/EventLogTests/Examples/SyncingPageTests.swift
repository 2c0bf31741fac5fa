import EventLog
import EventLogInspection
import EventLogPipe
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

/// The samples of the page on syncing compile and behave as described.
@Suite struct SyncingPageTests {
  private let temporaryFolder: TemporaryFolder
  private let sharedFolder: URL

  init() throws {
    temporaryFolder = try TemporaryFolder()
    sharedFolder = URL(fileURLWithPath: temporaryFolder.file("Shared"))
  }

  @Test func `a replicator reports the status of each remote`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    let store = phone.store
    _ = try await store.create(Meal.self)
    var shown: [String] = []
    func show(_ remote: String, _ text: String) { shown.append(text) }
    // Docs: begin
    let replicator = store.replicate(with: [FolderRemote(sharedFolder)])
    for await statuses in replicator.updates {
      for status in statuses { show(status.id, text(of: status)) }
      // Docs: end
      if statuses[0].lastSynced != nil { break }
    }
    #expect(shown.last == "Up to date")
    await replicator.stop()
    let slow = store.replicate(
      with: [FolderRemote(sharedFolder)], ReplicationSchedule(interval: .seconds(600)))
    await slow.stop()
  }

  // Docs: begin
  func text(of status: Replicator.Status) -> String {
    switch status.phase {
    case .waiting: "Nothing to sync yet"
    case .syncing: "Syncing…"
    case .synced: "Up to date"
    case .oneWay(_, let reason): reason.message
    case .pending(let count, _): "\(count) changes to send"
    case .retrying(_, let error): "\(error.message) Trying again soon."
    case .stopped(let error): "\(error.message) \(error.hint ?? "")"
    }
  }
  // Docs: end

  @Test func `a replicator reports files that are incomplete`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    _ = try await tablet.create(Meal.self)
    try await tablet.sync(with: FolderRemote(sharedFolder))
    // Simulates a file-sharing service that has downloaded only a part of each file.
    let manager = FileManager.default
    for name in try manager.contentsOfDirectory(atPath: sharedFolder.path)
    where name.hasSuffix(".jsonl") {
      let file = sharedFolder.appendingPathComponent(name)
      try Data(contentsOf: file).dropLast(3).write(to: file)
    }
    let store = phone.store
    var shown: [String] = []
    func show(_ remote: String, _ text: String) { shown.append(text) }
    let replicator = store.replicate(with: [FolderRemote(sharedFolder)])
    // Docs: begin
    for await (remote, report) in replicator.reports {
      for notice in report.notices { show(remote, notice) }
      for refusal in report.refused { show(remote, refusal.message) }
      // Docs: end
      #expect(remote == sharedFolder.path && !report.pending.isEmpty)
      break
    }
    #expect(shown.contains { $0.contains(".jsonl") })
    let status = replicator.statuses[0]
    #expect(status.lastReport?.pending.isEmpty == false)
    await replicator.stop()
    for await _ in replicator.reports { Issue.record("A report came after the end.") }
  }

  @Test func `a replicator stops at another user's journal`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self)
    let other = try await TemporaryStore(user: "ben", records: Meal.self)
    _ = try await other.create(Meal.self)
    let replicator = phone.store.replicate(with: [JournalRemote(path: other.path)])
    for await statuses in replicator.updates {
      guard case .stopped(let error) = statuses[0].phase else { continue }
      #expect(error.code == .otherUser && error.hint != nil)
      #expect(text(of: statuses[0]).contains("another user"))
      break
    }
    await replicator.stop()
  }

  @Test func `a single sync reports the exchanged events`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    let store = phone.store
    try await tablet.edit(try await tablet.create(Meal.self).id) { $0.kcal = 80 }
    try await tablet.sync(with: FolderRemote(sharedFolder))
    _ = try await store.create(Meal.self)
    var lines: [String] = []
    func show(_ text: String) { lines.append(text) }
    // Docs: begin
    let report = try await store.sync(with: FolderRemote(sharedFolder))
    show("\(report.pulledCount) events received, \(report.pushedCount) sent")
    for refusal in report.refused { show(refusal.message) }
    for notice in report.notices { show(notice) }
    if !report.newConflicts.isEmpty { show("\(report.newConflicts.count) new conflicts") }
    // Docs: end
    #expect(lines == ["3 events received, 2 sent"])

    let dry = try await store.dryRunSync(with: FolderRemote(sharedFolder))
    #expect(dry.pulled.isEmpty && dry.pushed.isEmpty)
    try await tablet.sync(with: FolderRemote(sharedFolder), .pull)
    #expect(tablet.snapshot.all(Meal.self).count == 2)
  }

  @Test func `the remotes of a record show whether each has all of it`() async throws {
    let (phone, _) = try await Devices.meet(records: Meal.self)
    let store = phone.store
    let soup = try await store.create(Meal.self).id
    let stew = try await store.create(Meal.self).id
    try await store.sync(with: FolderRemote(sharedFolder))
    try await store.edit(soup) { $0.kcal = 80 }
    phone.journal.remember("/media/stick/ada.jsonl")
    var shown: [String] = []
    func show(_ place: String, _ text: String) { shown.append("\(place) \(text)") }
    // Docs: begin
    for place in try await store.places(of: soup) {
      switch place.phase {
      case .synced: show(place.id, "has all of it")
      case .pending(let count, _): show(place.id, "\(count) changes to send")
      default: show(place.id, "never synced from here")
      }
    }
    // Docs: end
    let folder = sharedFolder.path
    #expect(
      shown.sorted().suffix(2) == [
        "/media/stick/ada.jsonl never synced from here", "\(folder) 1 changes to send",
      ])
    let ofStew = try #require(try await store.places(of: stew).first { $0.id == folder })
    #expect(ofStew.lastSynced != nil)
    if case .synced = ofStew.phase {} else { Issue.record("\(ofStew.phase)") }
    await #expect(throws: EventLogError.self) { try await store.places(of: ID<Meal>("none")!) }
  }

  @Test func `a new device restores its journal from a folder`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats") { $0.kcal = 370 }
    try await phone.sync(with: FolderRemote(sharedFolder))
    let url = URL(fileURLWithPath: temporaryFolder.file("new.jsonl"))
    // Docs: begin
    let store = try await EventStore.open(url, user: "ada", device: "tablet", records: Meal.self)
    try await store.sync(with: FolderRemote(sharedFolder))
    // Docs: end
    #expect(store.snapshot[.oats]?.kcal == 370 && store.snapshot.deviceID == nil)
    try await store.edit(.oats) { $0.kcal = 380 }
    #expect(store.snapshot.deviceID?.text.hasPrefix("tablet-") == true)
    try await store.close()
  }

  @Test func `a machine's SSH address is a remote`() throws {
    // Docs: begin
    let desk = try PipeRemote(machine: "ada@desk:journals/ada.jsonl")
    let remotes: [any Remote] = [desk, FolderRemote(sharedFolder)]
    // Docs: end
    #expect(remotes.map(\.address) == ["ada@desk:journals/ada.jsonl", sharedFolder.path])
  }

  // Docs: begin
  struct BucketStorage: ObjectStorage {
    let bucket: Bucket
    var address: String { "bucket:\(bucket.name)" }

    func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
      do { return try await bucket.create(name, bytes) } catch { throw failure(error) }
    }

    func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
      do {
        return try await bucket.list(after: name).map {
          StoredObject(name: $0.name, byteCount: $0.byteCount)
        }
      } catch { throw failure(error) }
    }

    func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
      do { return try await bucket.get(name) } catch { throw failure(error) }
    }

    func remove(_ name: String) async throws(EventLogError) {
      do { try await bucket.delete(name) } catch { throw failure(error) }
    }

    private func failure(_ error: any Error) -> EventLogError {
      EventLogError(remoteFailed: "The bucket failed: \(error). Nothing was lost.")
    }
  }
  // Docs: end

  /// A cloud service with its own client interface.
  actor Bucket {
    struct Offline: Error {}

    let name = "ada"
    private var objects: [String: [UInt8]] = [:]
    private var isOnline = true

    func goOffline() { isOnline = false }

    func create(_ name: String, _ bytes: [UInt8]) throws -> Bool {
      if !isOnline { throw Offline() }
      if objects[name] != nil { return false }
      objects[name] = bytes
      return true
    }

    func list(after name: String?) throws -> [(name: String, byteCount: Int64)] {
      if !isOnline { throw Offline() }
      return objects.filter { $0.key > name ?? "" }.sorted { $0.key < $1.key }
        .map { ($0.key, Int64($0.value.count)) }
    }

    func get(_ name: String) throws -> [UInt8]? {
      if !isOnline { throw Offline() }
      return objects[name]
    }

    func delete(_ name: String) throws {
      if !isOnline { throw Offline() }
      objects[name] = nil
    }
  }

  @Test func `a custom storage syncs two devices and reports its failure`() async throws {
    let bucket = Bucket()
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats")
    let store = phone.store
    // Docs: begin
    try await store.sync(with: ObjectRemote(BucketStorage(bucket: bucket)))
    // Docs: end
    try await tablet.sync(with: ObjectRemote(BucketStorage(bucket: bucket)))
    #expect(tablet.snapshot[.oats] != nil)
    await bucket.goOffline()
    let error = await #expect(throws: EventLogError.self) {
      try await store.sync(with: ObjectRemote(BucketStorage(bucket: bucket)))
    }
    #expect(error?.code == .remoteFailed)
  }

  @Test func `a sync in the background can be canceled`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    let store = phone.store
    _ = try await store.create(Meal.self)
    let remote = FolderRemote(sharedFolder)
    var isDone: Bool?
    func finish(success: Bool) { isDone = success }
    // Docs: begin
    let work = Task { try await store.sync(with: remote) }
    // When the system takes the time back: work.cancel()
    do {
      let report = try await work.value
      finish(success: report.pending.isEmpty)
    } catch {
      finish(success: false)  // what had crossed stays
    }
    // Docs: end
    #expect(isDone == true)
  }
}
