import EventLog
import EventLogInspection
import EventLogRemotes
import EventLogTesting
import Testing

/// Restores of earlier states of a journal, at any moment and in any way.
///
/// The sequences written since then aren't used again if anything reveals the restore.
@Suite struct RestoreTests {
  private let clones: Clones
  private var phone: TemporaryStore { clones.phone }
  private var tablet: TemporaryStore { clones.tablet }

  init() async throws { clones = try await Clones() }

  /// Writes an event, syncs it to the tablet, and restores the state before it.
  private func rollBack(_ restoring: DeviceRestoring, isOpen: Bool) async throws {
    let backup = try phone.backUp()
    try await clones.write(phone, isFresh: false)
    try await phone.sync(with: tablet)
    // An open store would notice the restore.
    if !isOpen { try await phone.close() }
    try phone.restore(backup, restoring)
    if !isOpen { try await phone.reopen() } else { try await readAgain() }
  }

  /// Refreshes the open store, or reopens it if its file was replaced.
  private func readAgain() async throws {
    do throws(EventLogError) { try await phone.store.refresh() } catch {
      guard error.code == .journalReplaced else { throw error }
      try await phone.reopen()
    }
  }

  private static let sentences: [DeviceRestoring: String] = [
    .journalReplaced: "The journal is a copy, or was restored from one",
    .allReplaced: "The journal is a copy, or was restored from one",
    .journalRolledBack: "The journal was rolled back to an earlier state",
    .allRolledBack: "The journal was rolled back to an earlier state",
  ]

  @Test(arguments: DeviceRestoring.allCases, [true, false])
  func `the next append takes a fresh ID if anything reveals the restore`(
    restoring: DeviceRestoring, isOpen: Bool
  ) async throws {
    // A complete rollback is invisible to a store that is opened later.
    if restoring == .allRolledBack, !isOpen { return }
    try await rollBack(restoring, isOpen: isOpen)
    let sentence = try #require(Self.sentences[restoring])
    #expect(phone.snapshot.notices.count == 1)
    #expect(phone.snapshot.notices[0].hasPrefix(sentence))
    let notices = try await clones.write(phone, isFresh: true)
    #expect(notices.count == 1 && notices[0].hasPrefix(sentence))
    #expect(phone.snapshot.notices.isEmpty)
    let report = try await phone.sync(with: tablet)
    #expect(report.forks.isEmpty && report.pulledCount == 1)
    try await clones.expectUniqueEventIDs()
  }

  @Test(arguments: DeviceRestoring.allCases)
  func `an open store takes a fresh ID after a restore`(restoring: DeviceRestoring) async throws {
    let backup = try phone.backUp()
    try await clones.write(phone, isFresh: false)
    try await phone.sync(with: tablet)
    try phone.restore(backup, restoring)
    if restoring == .journalReplaced || restoring == .allReplaced { try await readAgain() }
    let receipt = try await phone.edit(.oats) { $0.servings += 3 }
    #expect(receipt.appended[0].id.device != clones.id)
    #expect(receipt.notices.count == 1)
    try await clones.expectUniqueEventIDs()
  }

  @Test func `a second store takes a fresh ID after the first one noticed a rollback`()
    async throws
  {
    let backup = try phone.backUp()
    try await clones.write(phone, isFresh: false)
    try await phone.sync(with: tablet)
    try phone.restore(backup, .allRolledBack)
    // The first store reads under the lock without writing, as a sync without new events does.
    #expect(
      try await phone.sync(with: FolderRemote(path: "/Empty", options: phone.options), .pull)
        .pulled.isEmpty)
    let other = try await phone.openAgain()
    let receipt = try await other.edit(.oats) { $0.servings += 3 }
    #expect(receipt.appended[0].id.device != clones.id)
    try await clones.expectUniqueEventIDs()
  }

  @Test(arguments: [true, false])
  func `rolling back to before the last fresh ID doesn't bring back the previous ID`(
    isOpen: Bool
  ) async throws {
    // Add an event of another device, so that the journal has two devices.
    try await tablet.edit(.oats) { $0.servings += 1 }
    try await phone.sync(with: tablet)
    let backup = try phone.backUp()
    try await clones.write(phone, isFresh: false)
    // Forces a fresh ID.
    try phone.cutOff(1)
    try await clones.write(phone, isFresh: true)
    // The store has seen only the fresh ID, or both IDs.
    if !isOpen { try await phone.reopen() }
    try phone.restore(backup, .allRolledBack)
    try await clones.write(phone, isFresh: true)
    try await clones.expectUniqueEventIDs()
  }

  @Test(
    arguments: [DeviceRestoring.journalRolledBack, .journalReplaced, .allReplaced], [true, false])
  func `a second restore doesn't hide the first one`(
    first: DeviceRestoring, isOpen: Bool
  ) async throws {
    let backup = try phone.backUp()
    try await clones.write(phone, isFresh: false)
    try await phone.sync(with: tablet)
    if !isOpen { try await phone.close() }
    try phone.restore(backup, first)
    if isOpen { try await readAgain() } else { try await phone.reopen() }
    try phone.restore(backup, .allRolledBack)
    try await phone.refresh()
    #expect(phone.snapshot.notices.count == 1)
    try await clones.write(phone, isFresh: true)
    try await clones.expectUniqueEventIDs()
  }

  @Test(arguments: [true, false])
  func `a third restore, with the side folder, doesn't bring back the first ID`(
    isOpen: Bool
  ) async throws {
    let backup = try phone.backUp()
    try await clones.write(phone, isFresh: false)
    try phone.restore(backup, .journalRolledBack)
    try await clones.write(phone, isFresh: true)
    // The events of the second ID are gone too. Only `device.json` contains it.
    if !isOpen { try await phone.close() }
    try phone.restore(backup, .journalRolledBack)
    if !isOpen { try await phone.reopen() } else { try await phone.refresh() }
    try phone.restore(backup, .allRolledBack)
    try await clones.write(phone, isFresh: true)
    try await clones.expectUniqueEventIDs()
  }

  @Test func `rolling back to before the ID was given up doesn't bring it back`() async throws {
    let backup = try phone.backUp()
    let twin = try await phone.copy(.wholeMachine, named: "twin")
    try await clones.write(twin, isFresh: false)
    // The phone only pushes, so it doesn't receive the clone's event.
    #expect(try await phone.sync(with: twin, .push).hasDuplicateWriter)
    try phone.restore(backup, .allRolledBack)
    try await clones.write(phone, isFresh: true)
    #expect(try await phone.sync(with: twin).forks.isEmpty)
    try await clones.expectUniqueEventIDs(twin)
  }

  // MARK: - Syncing after a rollback

  /// The peer that reveals a complete rollback.
  enum Meeting: String, CaseIterable, Sendable {
    case asksTablet, isAskedByTablet, folder
  }

  @Test(arguments: Meeting.allCases, [ReplicationPlan.Directions.both, .pull, .push])
  func `the first sync in any direction reveals a complete rollback`(
    meeting: Meeting, directions: ReplicationPlan.Directions
  ) async throws {
    let folder = FolderRemote(path: "/Shared", options: phone.options)
    let backup = try phone.backUp()
    try await clones.write(phone, isFresh: false)
    try await phone.sync(with: tablet)
    try await tablet.sync(with: folder)
    try await phone.close()
    try phone.restore(backup, .allRolledBack)
    try await phone.reopen()
    #expect(phone.snapshot.notices.isEmpty)
    let report: SyncReport
    switch meeting {
    case .asksTablet: report = try await phone.sync(with: tablet, directions)
    case .isAskedByTablet: report = try await tablet.sync(with: phone, directions)
    case .folder: report = try await phone.sync(with: folder, directions)
    }
    #expect(report.hasDuplicateWriter == (meeting != .isAskedByTablet))
    #expect(report.otherHasDuplicateWriter == (meeting == .isAskedByTablet))
    #expect(report.notices.count == 1 && report.notices[0].contains("it was rolled back, or"))
    #expect(phone.snapshot.notices.count == 1)
    #expect(try await clones.write(phone, isFresh: true)[0].contains("it was rolled back, or"))
    #expect(try await phone.sync(with: tablet).forks.isEmpty)
    try await clones.expectUniqueEventIDs()
  }

  @Test func `a remote that has lost the events still reveals the rollback`() async throws {
    let cloud = MemoryStorage()
    let remote = ObjectRemote(cloud, random: .seeded(1))
    try await phone.sync(with: remote)
    let backup = try phone.backUp()
    let before = Set(cloud.names)
    try await clones.write(phone, isFresh: false)
    try await phone.sync(with: remote)
    // The events are gone, but the frontier that lists them remains.
    cloud.hide(cloud.names.filter { !before.contains($0) && !$0.contains("frontier") })
    try await phone.close()
    try phone.restore(backup, .allRolledBack)
    try await phone.reopen()
    #expect(try await phone.sync(with: remote).hasDuplicateWriter)
    try await clones.write(phone, isFresh: true)
  }

  @Test func `a different event that is only announced reveals a copy`() async throws {
    let cloud = MemoryStorage()
    let remote = ObjectRemote(cloud, random: .seeded(7))
    for device in [phone, tablet, phone] { try await device.sync(with: remote) }
    let backup = try phone.backUp()
    for _ in 1...5 { try await clones.write(phone, isFresh: false) }
    let before = Set(cloud.names)
    try await phone.sync(with: remote)
    try await phone.close()
    try phone.restore(backup, .allRolledBack)
    try await phone.reopen()
    for _ in 1...9 { try await clones.write(phone, isFresh: false) }
    cloud.hide(cloud.names.filter { !before.contains($0) && $0.hasSuffix(".jsonl") })
    let report = try await phone.sync(with: remote)
    #expect(report.hasDuplicateWriter && report.forks.isEmpty)
    try await clones.write(phone, isFresh: true)
  }

  @Test func `another process on the same journal isn't a copy`() async throws {
    let widget = try await phone.openAgain()
    try await widget.edit(.oats) { $0.kcal = 371 }
    try await widget.sync(with: tablet.remote)
    // The phone's process has not read the event that the widget wrote and sent.
    #expect(try await !phone.sync(with: tablet).hasDuplicateWriter)
    try await clones.write(phone, isFresh: false)
  }

  @Test func `a fork after an unnoticed rollback is reported and not continued`() async throws {
    try await rollBack(.allRolledBack, isOpen: false)
    let receipt = try await phone.edit(.oats) { $0.servings += 3 }
    #expect(receipt.appended[0].id == EventID(device: clones.id, sequence: 3))
    let report = try await tablet.sync(with: phone)
    #expect(report.forks.map(\.device) == [clones.id] && report.notices.count == 1)
    try await clones.write(phone, isFresh: true)
    #expect(try phone.journal.verify().problems.isEmpty)
    #expect(try Set(tablet.lines()).isSubset(of: phone.lines()))
  }

  @Test func `repeated syncs report a rollback once`() async throws {
    try await rollBack(.allRolledBack, isOpen: false)
    #expect(try await phone.sync(with: tablet, .push).notices.count == 1)
    #expect(try await phone.sync(with: tablet, .push).notices.isEmpty)
    // The snapshot and the next append still report it.
    #expect(phone.snapshot.notices.count == 1)
    #expect(try await clones.write(phone, isFresh: true).count == 1)
  }

  // MARK: - Comparisons

  @Test func `a comparison reveals a rollback, and the ID can be given up after it`() async throws {
    try await rollBack(.allRolledBack, isOpen: false)
    let difference = try phone.journal.difference(from: tablet.journal)
    #expect(difference.right.map(\.device) == [clones.id])
    // The tablet is unaffected, and a comparison alone changes nothing.
    #expect(try tablet.journal.giveUpDeviceID(after: difference, as: .right) == nil)
    #expect(phone.deviceID == clones.id)
    let notice = try phone.journal.giveUpDeviceID(after: difference, as: .left)
    #expect(notice?.contains("it was rolled back, or") == true)
    #expect(try phone.journal.giveUpDeviceID(after: difference, as: .left) == nil)
    #expect(try await clones.write(phone, isFresh: true) == [notice])
    try await clones.expectUniqueEventIDs()
  }

  @Test func `the ID isn't given up because of another process's later events`() async throws {
    let widget = try await phone.openAgain()
    let early = phone.journal
    try await widget.edit(.oats) { $0.kcal = 371 }
    try await phone.sync(with: tablet)
    let difference = try early.difference(from: tablet.journal)
    #expect(try phone.journal.giveUpDeviceID(after: difference, as: .left) == nil)
    try await clones.write(phone, isFresh: false)
  }
}
