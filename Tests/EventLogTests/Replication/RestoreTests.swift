import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// Earlier states of a journal that are put back, at any moment and in any way: the numbers that it
/// has given since are not given again, once it can be known that they were.
@Suite struct RestoreTests {
  private let clones: Clones
  private var phone: TemporaryStore { clones.phone }
  private var tablet: TemporaryStore { clones.tablet }

  init() async throws { clones = try await Clones() }

  /// Writes an event that the tablet gets, then puts the state before it back.
  private func goBack(_ restoring: DeviceRestoring, isOpen: Bool) async throws {
    let backup = try phone.backUp()
    try await clones.write(phone, isFresh: false)
    try await phone.sync(with: tablet)
    // A store that is open would notice by itself.
    if !isOpen { try await phone.close() }
    try phone.restore(backup, restoring)
    if !isOpen { try await phone.reopen() } else { try await readAgain() }
  }

  /// Reads what an open store finds at its path; a file that was replaced is opened again.
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
  func `the next append takes a fresh ID, where anything tells`(
    restoring: DeviceRestoring, isOpen: Bool
  ) async throws {
    // Written back as a whole, it looks to whoever opens it later as if nothing had happened.
    if restoring == .allRolledBack, !isOpen { return }
    try await goBack(restoring, isOpen: isOpen)
    let sentence = try #require(Self.sentences[restoring])
    #expect(phone.snapshot.notices.count == 1)
    #expect(phone.snapshot.notices[0].hasPrefix(sentence))
    let notices = try await clones.write(phone, isFresh: true)
    #expect(notices.count == 1 && notices[0].hasPrefix(sentence))
    #expect(phone.snapshot.notices.isEmpty)
    let report = try await phone.sync(with: tablet)
    #expect(report.forks.isEmpty && report.pulledCount == 1)
    try await clones.expectNoNumberTwice()
  }

  @Test(arguments: DeviceRestoring.allCases)
  func `a store that is open does not need to have looked`(restoring: DeviceRestoring) async throws
  {
    let backup = try phone.backUp()
    try await clones.write(phone, isFresh: false)
    try await phone.sync(with: tablet)
    try phone.restore(backup, restoring)
    if restoring == .journalReplaced || restoring == .allReplaced { try await readAgain() }
    let receipt = try await phone.edit(.oats) { $0.servings = 3 }
    #expect(receipt.appended[0].id.device != clones.id)
    #expect(receipt.notices.count == 1)
    try await clones.expectNoNumberTwice()
  }

  @Test func `a second store on the journal learns from the first one that it was rolled back`()
    async throws
  {
    let backup = try phone.backUp()
    try await clones.write(phone, isFresh: false)
    try await phone.sync(with: tablet)
    try phone.restore(backup, .allRolledBack)
    // The first one reads under the lock without writing, as a sync with nobody new does.
    #expect(
      try await phone.sync(with: FolderRemote(path: "/Empty", options: phone.options), .pull)
        .pulled.isEmpty)
    let other = try await phone.openAgain()
    let receipt = try await other.edit(.oats) { $0.servings = 3 }
    #expect(receipt.appended[0].id.device != clones.id)
    try await clones.expectNoNumberTwice()
  }

  @Test(arguments: [true, false])
  func `rolled back to before its last fresh ID, it does not go back to the one before`(
    isOpen: Bool
  ) async throws {
    // Of another device, so that more than one is known.
    try await tablet.edit(.oats) { $0.servings = 1 }
    try await phone.sync(with: tablet)
    let backup = try phone.backUp()
    try await clones.write(phone, isFresh: false)
    // A fresh ID, for whatever reason.
    try phone.cutOff(1)
    try await clones.write(phone, isFresh: true)
    // A store that has known only that one, or one that has seen both.
    if !isOpen { try await phone.reopen() }
    try phone.restore(backup, .allRolledBack)
    try await clones.write(phone, isFresh: true)
    try await clones.expectNoNumberTwice()
  }

  @Test(
    arguments: [DeviceRestoring.journalRolledBack, .journalReplaced, .allReplaced], [true, false])
  func `one way after the other, it is not forgotten what was there`(
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
    try await clones.expectNoNumberTwice()
  }

  @Test(arguments: [true, false])
  func `put back twice, and then with its side folder, it does not go back to the first ID`(
    isOpen: Bool
  ) async throws {
    let backup = try phone.backUp()
    try await clones.write(phone, isFresh: false)
    try phone.restore(backup, .journalRolledBack)
    try await clones.write(phone, isFresh: true)
    // What the second ID wrote is gone too: of it `device.json` alone speaks.
    if !isOpen { try await phone.close() }
    try phone.restore(backup, .journalRolledBack)
    if !isOpen { try await phone.reopen() } else { try await phone.refresh() }
    try phone.restore(backup, .allRolledBack)
    try await clones.write(phone, isFresh: true)
    try await clones.expectNoNumberTwice()
  }

  @Test func `rolled back to before it gave its ID up, it has still given it up`() async throws {
    let backup = try phone.backUp()
    let twin = try await phone.copy(.wholeMachine, named: "twin")
    try await clones.write(twin, isFresh: false)
    // Nothing is gone with that: the clone's event never comes.
    #expect(try await phone.sync(with: twin, .push).hasDuplicateWriter)
    try phone.restore(backup, .allRolledBack)
    try await clones.write(phone, isFresh: true)
    #expect(try await phone.sync(with: twin).forks.isEmpty)
    try await clones.expectNoNumberTwice(twin)
  }

  // MARK: - When they sync

  /// By whom a journal that was rolled back as a whole is told.
  enum Meeting: String, CaseIterable, Sendable {
    case asksTablet, isAskedByTablet, folder
  }

  @Test(arguments: Meeting.allCases, [ReplicationPlan.Directions.both, .pull, .push])
  func `what was rolled back as a whole is found out by the first meeting, whichever way`(
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
    try await clones.expectNoNumberTwice()
  }

  @Test func `a folder that was rolled back too still says what there was`() async throws {
    let cloud = MemoryStorage()
    let remote = ObjectRemote(cloud, random: .seeded(1))
    try await phone.sync(with: remote)
    let backup = try phone.backUp()
    let before = Set(cloud.names)
    try await clones.write(phone, isFresh: false)
    try await phone.sync(with: remote)
    // The events are gone from it, and one of those who held them has said so.
    cloud.hide(cloud.names.filter { !before.contains($0) && !$0.contains("frontier") })
    try await phone.close()
    try phone.restore(backup, .allRolledBack)
    try await phone.reopen()
    #expect(try await phone.sync(with: remote).hasDuplicateWriter)
    try await clones.write(phone, isFresh: true)
  }

  @Test func `where nobody could tell, the fork is reported, and nothing more is written into it`()
    async throws
  {
    try await goBack(.allRolledBack, isOpen: false)
    let receipt = try await phone.edit(.oats) { $0.servings = 3 }
    #expect(receipt.appended[0].id == EventID(device: clones.id, sequence: 3))
    let report = try await tablet.sync(with: phone)
    #expect(report.forks.map(\.device) == [clones.id] && report.notices.count == 1)
    try await clones.write(phone, isFresh: true)
    #expect(try phone.journal.verify().problems.isEmpty)
    #expect(try Set(tablet.lines()).isSubset(of: phone.lines()))
  }

  @Test func `who syncs in vain is not told again and again`() async throws {
    try await goBack(.allRolledBack, isOpen: false)
    #expect(try await phone.sync(with: tablet, .push).notices.count == 1)
    #expect(try await phone.sync(with: tablet, .push).notices.isEmpty)
    // It is still said where it matters: by the state, and with the append.
    #expect(phone.snapshot.notices.count == 1)
    #expect(try await clones.write(phone, isFresh: true).count == 1)
  }

  // MARK: - Comparing

  @Test func `a comparison tells, and the ID can be given up by what it found`() async throws {
    try await goBack(.allRolledBack, isOpen: false)
    let difference = try phone.journal.difference(from: tablet.journal)
    #expect(difference.right.map(\.device) == [clones.id])
    // The tablet is not concerned, and a comparison by itself changes nothing.
    #expect(try tablet.journal.giveUpDeviceID(after: difference, as: .right) == nil)
    #expect(phone.deviceID == clones.id)
    let notice = try phone.journal.giveUpDeviceID(after: difference, as: .left)
    #expect(notice?.contains("it was rolled back, or") == true)
    #expect(try phone.journal.giveUpDeviceID(after: difference, as: .left) == nil)
    #expect(try await clones.write(phone, isFresh: true) == [notice])
    try await clones.expectNoNumberTwice()
  }

  @Test func `what another process has appended since the comparison is no reason`() async throws {
    let widget = try await phone.openAgain()
    let early = phone.journal
    try await widget.edit(.oats) { $0.kcal = 371 }
    try await phone.sync(with: tablet)
    let difference = try early.difference(from: tablet.journal)
    #expect(try phone.journal.giveUpDeviceID(after: difference, as: .left) == nil)
    try await clones.write(phone, isFresh: false)
  }
}
