import EventLog
import EventLogInspection
import EventLogRemotes
import EventLogTesting
import Testing

/// Copies of a device.
///
/// Once the copy can be detected, neither writes under the other's ID.
@Suite struct CloneTests {
  private let clones: Clones

  init() async throws { clones = try await Clones() }

  // MARK: - Detected at once

  /// The kinds of copies that can detect themselves, and the notice for the user.
  private static let signs: [(DeviceCopying, sentence: String?)] = [
    (.journalAlone, nil),
    (.withSideFolder, "The journal is a copy, or was restored from one"),
    (.toAnotherMachine, "The journal was copied here from another machine"),
  ]

  @Test(arguments: signs)
  func `a detected copy takes a fresh ID with its first append`(
    copying: DeviceCopying, sentence: String?
  ) async throws {
    let copy = try await clones.phone.copy(copying, named: "copy")
    // The notice is known before the first write, so that an app can show it at once.
    #expect(copy.snapshot.notices.first?.hasPrefix(sentence ?? "nothing") ?? (sentence == nil))
    #expect(try copy.journal.status().notice == copy.snapshot.notices.first)
    #expect(copy.deviceID == nil)
    let notices = try await clones.write(copy, isFresh: true)
    #expect(notices.count == (sentence == nil ? 0 : 1))
    #expect(notices.first?.hasPrefix(sentence ?? "nothing") ?? (sentence == nil))
    #expect(notices.first?.hasSuffix(", so from now on it writes under a new device ID.") ?? true)
    #expect(copy.snapshot.notices.isEmpty)
    // The original continues as before, and both can sync at any time.
    try await clones.write(clones.phone, isFresh: false)
    try await clones.write(copy, isFresh: true, asBefore: true)
    let report = try await copy.sync(with: clones.phone)
    #expect(report.forks.isEmpty && !report.hasDuplicateWriter && !report.otherHasDuplicateWriter)
    try await clones.expectUniqueEventIDs(copy)
  }

  @Test func `a copy of a journal made during an append is whole, or its torn tail is quarantined`()
    async throws
  {
    try await clones.write(clones.phone, isFresh: false)
    let backup = try clones.phone.backUp()
    let whole = try #require(backup.journal)
    // Cut at the points that a copy may have reached if it began before the last append ended.
    let start = whole.count - (try clones.phone.lines().last?.utf8.count ?? 0) - 1
    for size in stride(from: start, through: whole.count, by: 7) {
      let copy = try await clones.phone.copy(
        .withSideFolder, named: "copy", seed: UInt64(size))
      try copy.restore(backup.cut(to: size), .journalReplaced)
      try await copy.reopen()
      try await clones.write(copy, isFresh: true)
      #expect(try copy.journal.verify().problems.isEmpty)
      #expect(try await copy.sync(with: clones.phone).forks.isEmpty)
      try await clones.expectUniqueEventIDs(copy)
    }
  }

  // MARK: - A whole machine

  @Test(arguments: [true, false])
  func `a clone that lacks events of its original takes a fresh ID when they sync`(
    isAsked: Bool
  ) async throws {
    let twin = try await clones.phone.copy(.wholeMachine, named: "twin")
    try await clones.write(clones.phone, isFresh: false)
    let report =
      isAsked ? try await clones.phone.sync(with: twin) : try await twin.sync(with: clones.phone)
    #expect(report.forks.isEmpty)
    #expect(report.hasDuplicateWriter == !isAsked && report.otherHasDuplicateWriter == isAsked)
    #expect(report.notices.count == 1)
    #expect(report.notices[0].contains("a copy of it was used"))
    try await clones.write(clones.phone, isFresh: false)
    #expect(try await clones.write(twin, isFresh: true)[0].contains("a copy of it was used"))
    #expect(try await clones.phone.sync(with: twin).forks.isEmpty)
    try await clones.expectUniqueEventIDs(twin)
  }

  @Test(arguments: [true, false], [ReplicationPlan.Directions.both, .pull, .push])
  func `if a device and its clone both wrote, both take fresh IDs when they sync`(
    isAsked: Bool, directions: ReplicationPlan.Directions
  ) async throws {
    let twin = try await clones.phone.copy(.wholeMachine, named: "twin")
    try await clones.write(clones.phone, isFresh: false)
    try await clones.write(twin, isFresh: false)
    let (one, other) = isAsked ? (clones.phone, twin) : (twin, clones.phone)
    let report = try await one.sync(with: other, directions)
    #expect(report.hasDuplicateWriter && report.otherHasDuplicateWriter)
    // The fork is one notice. If it isn't received here, each side has its own.
    #expect(report.notices.count == (directions == .push ? 2 : 1), "\(report.notices)")
    #expect(report.forks.map(\.device) == (directions == .push ? [] : [clones.id]))
    #expect(try await clones.write(one, isFresh: true).count == 1)
    #expect(try await clones.write(other, isFresh: true).count == 1)
    // Both histories are transferred, and the fork is reported once.
    try await one.sync(with: other)
    let second = try await one.sync(with: other)
    #expect(second.forks.isEmpty && second.notices.isEmpty)
    #expect(try Set(one.lines()) == Set(other.lines()))
    for device in [one, other] {
      #expect(try device.journal.verify().problems.isEmpty)
      #expect(try device.journal.verify().notes.map(\.code.text) == ["fork"])
    }
  }

  @Test(arguments: [true, false])
  func `a device that finds its own fork through a third journal takes a fresh ID`(isAsked: Bool)
    async throws
  {
    let twin = try await clones.phone.copy(.wholeMachine, named: "twin")
    try await clones.write(clones.phone, isFresh: false)
    try await clones.write(twin, isFresh: false)
    try await clones.phone.sync(with: clones.tablet)
    let report =
      isAsked ? try await clones.tablet.sync(with: twin) : try await twin.sync(with: clones.tablet)
    #expect(report.forks.map(\.device) == [clones.id] && report.notices.count == 1)
    try await clones.write(twin, isFresh: true)
    // The phone detects the fork at its next sync.
    #expect(try await clones.phone.sync(with: clones.tablet).forks.map(\.device) == [clones.id])
    try await clones.write(clones.phone, isFresh: true)
  }

  @Test(arguments: [true, false])
  func `a clone takes a fresh ID if a received event has seen one of its own that is lost`(
    isAsked: Bool
  ) async throws {
    let twin = try await clones.phone.copy(.wholeMachine, named: "twin")
    try await clones.write(clones.phone, isFresh: false)
    try clones.phone.cutOff(1)
    // The first event of the fresh device names the lost one, which exists nowhere anymore.
    try await clones.write(clones.phone, isFresh: true)
    let report =
      isAsked ? try await clones.phone.sync(with: twin) : try await twin.sync(with: clones.phone)
    #expect(report.forks.isEmpty)
    #expect(report.hasDuplicateWriter == !isAsked && report.otherHasDuplicateWriter == isAsked)
    #expect(try await clones.write(twin, isFresh: true)[0].contains("a copy of it was used"))
    #expect(try await clones.phone.sync(with: twin).forks.isEmpty)
    try await clones.expectUniqueEventIDs(twin)
  }

  // MARK: - A shared folder

  @Test func `two clones that share a folder both take fresh IDs`() async throws {
    let (cloud, twin) = (
      MemoryStorage(), try await clones.phone.copy(.wholeMachine, named: "twin")
    )
    let remote = ObjectRemote(cloud, random: .seeded(1))
    try await clones.write(clones.phone, isFresh: false)
    try await clones.write(twin, isFresh: false)
    #expect(try await clones.phone.sync(with: remote).forks.isEmpty)
    let second = try await twin.sync(with: remote)
    #expect(second.forks.map(\.device) == [clones.id] && second.hasDuplicateWriter)
    #expect(try await clones.phone.sync(with: remote).forks.map(\.device) == [clones.id])
    try await clones.write(clones.phone, isFresh: true)
    try await clones.write(twin, isFresh: true)
  }

  @Test(arguments: ["frontier", "range"])
  func `a frontier or a range alone, with later events, makes a clone take a fresh ID`(
    arrived: String
  ) async throws {
    let cloud = MemoryStorage()
    let remote = ObjectRemote(cloud, random: .seeded(1))
    try await clones.phone.sync(with: remote)
    let before = Set(cloud.names)
    let twin = try await clones.phone.copy(.wholeMachine, named: "twin")
    try await clones.write(clones.phone, isFresh: false)
    try await clones.phone.sync(with: remote)
    let late = cloud.names.filter { name in
      !before.contains(name) && name.contains("frontier") != (arrived == "frontier")
    }
    #expect(!late.isEmpty)
    cloud.hide(late)
    let report = try await twin.sync(with: remote, .pull)
    #expect(report.pulledCount == (arrived == "range" ? 1 : 0))
    #expect(report.forks.isEmpty && report.hasDuplicateWriter)
    try await clones.write(twin, isFresh: true)
    cloud.showAll()
    #expect(try await twin.sync(with: remote).forks.isEmpty)
    #expect(try await clones.phone.sync(with: remote).forks.isEmpty)
    try await clones.expectUniqueEventIDs(twin)
  }

  @Test func `a range of another history reveals a clone without a frontier`() async throws {
    let cloud = MemoryStorage()
    let remote = ObjectRemote(cloud, random: .seeded(1))
    let twin = try await clones.phone.copy(.wholeMachine, named: "twin")
    try await clones.write(clones.phone, isFresh: false)
    try await clones.write(twin, isFresh: false)
    try await clones.write(twin, isFresh: false)
    try await clones.phone.sync(with: remote)
    cloud.hide(cloud.names.filter { $0.contains("frontier") })
    // No frontier names the range yet.
    let report = try await twin.sync(with: remote, .pull)
    #expect(report.forks.map(\.device) == [clones.id] && report.hasDuplicateWriter)
    try await clones.write(twin, isFresh: true)
  }

  @Test func `a copy without an ID writes its frontier under a reader's name`() async throws {
    let cloud = MemoryStorage()
    let copy = try await clones.phone.copy(.toAnotherMachine, named: "copy")
    try await copy.sync(with: ObjectRemote(cloud, random: .seeded(1)))
    let frontiers = cloud.names.filter { $0.contains("_frontier_") }
    #expect(frontiers.count == 1 && frontiers[0].hasPrefix("reader-"))
  }
}
