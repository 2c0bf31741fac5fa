import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// Syncs with a remote whose files are late, incomplete, duplicated, foreign or missing.
@Suite struct ObjectRemoteTests {
  private let storage = MemoryStorage(pageCount: 3)
  private var remote: ObjectRemote { ObjectRemote(storage, random: .seeded(7)) }

  private func device(_ name: String, edits: Int = 0) async throws -> TemporaryStore {
    let device = try await TemporaryStore(device: name, records: Meal.self, catalog: .standard)
    for number in 0..<edits {
      _ = try await device.create(Meal.self, key: "\(name)-\(number)") { $0.kcal = number }
    }
    return device
  }

  private var ranges: [String] { storage.names.filter { $0.hasSuffix(".jsonl") } }
  private var frontiers: [String] { storage.names.filter { $0.hasSuffix(".json") } }

  // MARK: - Incomplete files

  @Test func `a file that is cut at any byte is ignored`() async throws {
    let phone = try await device("phone", edits: 2)
    try await phone.sync(with: remote)
    let name = try #require(ranges.first)
    let whole = try #require(storage.objects[name])
    for count in 0..<whole.count {
      storage.objects[name] = Array(whole[..<count])
      let tablet = try await device("tablet")
      let report = try await tablet.sync(with: remote, .pull)
      #expect(report.pulled.isEmpty && report.refused.isEmpty && report.forks.isEmpty, "\(count)")
    }
    storage.objects[name] = whole
    let tablet = try await device("tablet")
    #expect(try await tablet.sync(with: remote, .pull).pulledCount == 3)
  }

  @Test func `a range with a flipped bit isn't received`() async throws {
    let phone = try await device("phone", edits: 1)
    try await phone.sync(with: remote)
    let name = try #require(ranges.first)
    let whole = try #require(storage.objects[name])
    for index in stride(from: 0, to: whole.count, by: 3) {
      storage.objects[name]![index] ^= 1 << (index % 8)
      let tablet = try await device("tablet")
      #expect(try await tablet.sync(with: remote, .pull).pulled.isEmpty, "\(index)")
      storage.objects[name] = whole
    }
  }

  @Test func `a frontier that is cut at any byte is ignored, and ranges are still received`()
    async throws
  {
    let phone = try await device("phone", edits: 1)
    try await phone.sync(with: remote)
    let name = try #require(frontiers.first)
    let whole = try #require(storage.objects[name])
    for count in 0..<whole.count {
      storage.objects[name] = Array(whole[..<count])
      let tablet = try await device("tablet")
      let report = try await tablet.sync(with: remote, .pull)
      #expect(report.pulledCount == 2 && report.refused.isEmpty, "\(count)")
    }
  }

  @Test func `a frontier that arrives before its ranges leaves them pending`() async throws {
    let phone = try await device("phone", edits: 1)
    try await phone.sync(with: remote)
    let tablet = try await device("tablet")
    storage.hide(ranges)
    let early = try await tablet.sync(with: remote, .pull)
    #expect(early.pulled.isEmpty && early.forks.isEmpty && !early.hasDuplicateWriter)
    #expect(early.pending.map(\.last) == [2])
    storage.showAll()
    let report = try await tablet.sync(with: remote, .pull)
    #expect(report.pulledCount == 2 && report.pending.isEmpty)
  }

  @Test func `a later range that arrives first waits without reporting a fork`() async throws {
    let (phone, tablet) = (
      try await device("phone", edits: 1), try await device("tablet", edits: 1)
    )
    try await phone.sync(with: remote)
    try await tablet.sync(with: remote)
    let first = Set(storage.names)
    _ = try await phone.create(Meal.self, key: "second")
    try await phone.sync(with: remote)
    let second = Set(storage.names).subtracting(first)
    _ = try await phone.create(Meal.self, key: "third")
    try await phone.sync(with: remote)
    storage.hide(second)
    let report = try await tablet.sync(with: remote)
    #expect(report.pulled.isEmpty && report.forks.isEmpty && report.refused.isEmpty)
    storage.showAll()
    #expect(try await tablet.sync(with: remote).pulledCount == 2)
  }

  @Test func `a sync lists again if a file vanishes between listing and reading`() async throws {
    let phone = try await device("phone", edits: 1)
    try await phone.sync(with: remote)
    _ = try await phone.create(Meal.self, key: "second")
    try await phone.sync(with: remote)
    storage.letVanish([try #require(ranges.last)])
    let tablet = try await device("tablet")
    let report = try await tablet.sync(with: remote, .pull)
    #expect(report.pulledCount == 2 && report.refused.isEmpty)
  }

  // MARK: - Foreign files

  @Test func `a sync ignores foreign files`() async throws {
    let phone = try await device("phone", edits: 1)
    try await phone.sync(with: remote)
    let name = try #require(ranges.first)
    for other in [
      "notes.txt", ".stfolder", "phone_1-2.jsonl", "phone_0-2_0000000000000000.jsonl",
      "phone_2-1_0000000000000000.jsonl", "~syncthing~\(name).tmp", "a_frontier_1_00000000.json",
      "a_frontier_x_00000000.json", "_frontier_1_00000000.json", "_1-2_0000000000000000.jsonl",
      "\(name).part", "Copy of \(name)", "a b_1-1_0000000000000000.jsonl",
      "phone_1-99999999999999999999_0000000000000000.jsonl",
      "x_1-9007199254740991_0123456789abcdef.jsonl",
    ] {
      storage.objects[other] = Array("anything at all\n".utf8)
    }
    let tablet = try await device("tablet", edits: 1)
    let report = try await tablet.sync(with: remote)
    #expect(report.pulledCount == 2 && report.pushedCount == 2 && report.refused.isEmpty)
    #expect(try await phone.sync(with: remote).pulledCount == 2)
    #expect(storage.objects["notes.txt"] != nil)
  }

  @Test(arguments: [
    " (conflicted copy 2026-01-28)", ".sync-conflict-20260128-091233-ABCDEFG", " 2", "-DESK_1",
  ])
  func `a renamed copy replaces a damaged range`(addition: String) async throws {
    let phone = try await device("phone", edits: 1)
    try await phone.sync(with: remote)
    let name = try #require(ranges.first)
    let copy = name.replacing(".jsonl", with: "\(addition).jsonl")
    storage.objects[copy] = storage.objects[name]
    storage.objects[name] = Array("{}\n".utf8)
    let tablet = try await device("tablet")
    #expect(try await tablet.sync(with: remote, .pull).pulledCount == 2)
  }

  @Test func `a range whose name is taken by a damaged file gets another name`() async throws {
    let phone = try await device("phone", edits: 1)
    try await phone.sync(with: remote)
    let name = try #require(ranges.first)
    storage.objects[name] = Array(try #require(storage.objects[name]).dropLast(7))
    #expect(try await phone.sync(with: remote).pushedCount == 2)
    #expect(ranges.count == 2)
    // Verified files aren't read again.
    let callCount = storage.callCount
    #expect(try await phone.sync(with: remote).pushed.isEmpty)
    #expect(storage.callCount - callCount < 8)
    let tablet = try await device("tablet")
    #expect(try await tablet.sync(with: remote, .pull).pulledCount == 2)
    // One more copy is enough.
    #expect(try await phone.sync(with: remote).pushed.isEmpty)
  }

  @Test func `a sync with another user's folder is refused`() async throws {
    let phone = try await device("phone", edits: 1)
    let ben = try await TemporaryStore(
      device: "ben", user: "ben", records: Meal.self, catalog: .standard)
    _ = try await ben.create(Meal.self)
    try await phone.sync(with: remote)
    let code = await failureCode { () async throws(EventLogError) in
      try await ben.sync(with: remote)
    }
    #expect(code == .otherUser)
  }

  @Test func `a sync with a folder of two users ignores the other user's devices`() async throws {
    let phone = try await device("phone", edits: 1)
    try await phone.sync(with: remote)
    let ben = try await TemporaryStore(
      device: "ben", user: "ben", records: Meal.self, catalog: .standard)
    _ = try await ben.create(Meal.self)
    let other = MemoryStorage()
    try await ben.sync(with: ObjectRemote(other, random: .seeded(9)))
    storage.objects.merge(other.objects) { $1 }
    _ = try await phone.create(Meal.self, key: "second")
    for _ in 0..<2 {
      let report = try await phone.sync(with: remote)
      #expect(report.pulled.isEmpty && report.pending.isEmpty && report.refused.isEmpty)
    }
    let fresh = try await TemporaryStore(
      device: "new", user: "eve", records: Meal.self, catalog: .standard)
    #expect(
      await failureCode { () async throws(EventLogError) in try await fresh.sync(with: remote) }
        == .remoteFailed)
    #expect(other.names.allSatisfy { storage.objects[$0] != nil })
  }

  // MARK: - Repair

  enum Damage: CaseIterable { case lost, emptied, halved }

  @Test(arguments: Damage.allCases)
  func `a device that holds the events of a harmed file pushes them again`(
    harm: Damage
  ) async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    for round in 0..<3 {
      for device in [phone, tablet] {
        _ = try await device.create(Meal.self, key: "\(round)") { $0.kcal = round }
        try await device.sync(with: remote)
      }
    }
    try await phone.sync(with: remote)
    let whole = storage.objects
    for name in storage.names {
      storage.objects = whole
      let bytes = whole[name]!
      switch harm {
      case .lost: storage.objects[name] = nil
      case .emptied: storage.objects[name] = []
      case .halved: storage.objects[name] = Array(bytes[..<(bytes.count / 2)])
      }
      let plan = try await phone.store.dryRunSync(with: remote)
      let report = try await phone.sync(with: remote)
      #expect(plan.pushed == report.pushed, "\(name)")
      #expect(report.pulled.isEmpty && report.refused.isEmpty && report.forks.isEmpty, "\(name)")
      let fresh = try await device("fresh")
      try await fresh.sync(with: remote, .pull)
      #expect(try Set(fresh.lines()) == Set(phone.lines()), "\(name)")
      #expect(try await tablet.sync(with: remote).pushed.isEmpty, "\(name)")
    }
  }

  /// A phone that has put four files, with `wordCount` words each.
  private func phone(wordCount: Int) async throws -> TemporaryStore {
    let phone = try await device("phone")
    for number in 0..<4 {
      _ = try await phone.create(Meal.self, key: "\(number)") {
        $0.name = String(repeating: "long ", count: wordCount)
      }
      try await phone.sync(with: remote)
    }
    return phone
  }

  @Test(arguments: [(1, false), (1, true), (60_000, false), (160_000, true)])
  func `a later sync finds a flipped bit in a verified file`(
    wordCount: Int, isWriting: Bool
  ) async throws {
    let byteCount = try await phone(wordCount: wordCount).lines().reduce(0) { $0 + $1.utf8.count }
    let piece = Int(ScrubSchedule.bytesPerRun)
    for number in 0..<Rounds.of(4) {
      storage.objects = [:]
      let phone = try await phone(wordCount: wordCount)
      // This sync verifies all files.
      try await phone.sync(with: remote)
      let bad = ranges[number]
      storage.objects[bad]![storage.objects[bad]!.count / 2] ^= 1
      // Enough syncs for two full scrubs, including files uploaded along the way.
      let runsMax = 2 * (4 + byteCount / piece + 4)
      var runs = 0
      var report = SyncReport()
      while damageNotices(of: report).isEmpty, runs < runsMax {
        runs += 1
        if isWriting { _ = try await phone.create(Meal.self) }
        let plan = try await phone.store.dryRunSync(with: remote)
        report = try await phone.sync(with: remote)
        #expect(plan.pushed == report.pushed)
        #expect(damageNotices(of: plan).count == damageNotices(of: report).count)
      }
      #expect(
        damageNotices(of: report).count == 1 && damageNotices(of: report)[0].contains(bad),
        "\(runs)")
      let fresh = try await device("fresh")
      try await fresh.sync(with: remote, .pull)
      #expect(try Set(fresh.lines()) == Set(phone.lines()))
      // The damage is reported once.
      #expect(damageNotices(of: try await phone.sync(with: remote)).isEmpty)
    }
  }

  /// The notices about damaged files.
  private func damageNotices(of report: SyncReport) -> [String] {
    report.notices.filter { $0.contains("damaged: its events") }
  }

  @Test func `a range's fault distinguishes incomplete from damaged bytes`() async throws {
    let phone = try await device("phone", edits: 2)
    try await phone.sync(with: remote)
    let name = try #require(ranges.first.flatMap { RangeName($0) })
    let bytes = try #require(storage.objects[name.text])
    for count in bytes.indices {
      let fault = RangeFault(name, Array(bytes.prefix(count)))
      #expect(fault == (count == 0 ? .empty : .cutOff), "\(count)")
    }
    for index in bytes.indices.dropLast() {
      var other = bytes
      other[index] ^= 1
      #expect(RangeFault(name, other) == .damaged, "\(index)")
    }
    #expect(RangeFault(name, bytes + bytes) == .damaged)
    #expect(RangeFault(name, bytes.map { _ in 0 }) == .damaged)
  }

  @Test func `a damaged file doesn't prevent its neighbors from being merged`() async throws {
    let phone = try await device("phone")
    for number in 0..<60 {
      _ = try await phone.create(Meal.self, key: "\(number)")
      try await phone.sync(with: remote)
      if number == 4 { storage.objects[try #require(ranges.last)] = Array("{}\n".utf8) }
    }
    #expect(ranges.count < 20, "\(ranges)")
    let fresh = try await device("fresh")
    try await fresh.sync(with: remote, .pull)
    #expect(try Set(fresh.lines()) == Set(phone.lines()))
  }

  // MARK: - Failures

  @Test func `a sync that fails at any call is continued by the next one`() async throws {
    var count = 0
    while true {
      let storage = MemoryStorage(pageCount: 3)
      let remote = ObjectRemote(storage, random: .seeded(7))
      let phone = try await device("phone", edits: 2)
      let tablet = try await device("tablet", edits: 2)
      try await phone.sync(with: remote)
      storage.failCall(after: count)
      let code = await failureCode { () async throws(EventLogError) in
        try await tablet.sync(with: remote)
      }
      storage.stopFailing()
      #expect(code == nil || code == .remoteFailed)
      try await tablet.sync(with: remote)
      try await phone.sync(with: remote)
      #expect(try Set(phone.lines()) == Set(tablet.lines()))
      #expect(phone.snapshot.json() == tablet.snapshot.json())
      if code == nil { break }
      count += 1
    }
    #expect(count >= 6)
  }

  // MARK: - Compaction

  @Test func `a year of daily syncs leaves at most 50 files`() async throws {
    // A whole year takes a while, and unbounded growth would show sooner.
    let days = Rounds.areLong ? 365 : Rounds.areComplete ? 150 : 60
    let devices = [
      try await device("phone", edits: 1), try await device("tablet", edits: 1),
      try await device("desk", edits: 1),
    ]
    var most = 0
    for day in 0..<days {
      for (number, device) in devices.enumerated() where (day + number) % 7 != 0 {
        _ = try await device.store.append([
          EventDraft(
            type: "settings.changed",
            data: JSONObject([.init(name: "day", value: .number(JSONNumber(Int64(day))))]))
        ])
        try await device.sync(with: remote)
      }
      most = max(most, storage.names.count)
      // A fresh device receives everything at any time.
      if day % 37 == 1 {
        let fresh = try await device("fresh")
        try await fresh.sync(with: remote, .pull)
        let all = Set(try devices.flatMap { try $0.lines() })
        #expect(try Set(fresh.lines()) == all)
      }
    }
    #expect(most <= 50, "\(most)")
    #expect(frontiers.count <= 6, "\(frontiers)")
  }
}
