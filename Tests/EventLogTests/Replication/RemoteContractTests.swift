import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// The contract of every kind of remote.
@Suite struct RemoteContractTests {
  private static let kinds = RemoteKind.allCases

  /// A device with a journal of its first event and `edits` further ones.
  private func device(_ name: String, edits: Int = 0, seed: UInt64 = 1) async throws
    -> TemporaryStore
  {
    let device = try await TemporaryStore(
      device: name, records: Meal.self, catalog: .standard, seed: seed)
    for number in 0..<edits {
      _ = try await device.create(Meal.self, key: "\(name)-\(number)") { $0.kcal = number }
    }
    return device
  }

  private func expectSame(
    _ one: TemporaryStore, _ other: TemporaryStore, _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try Set(one.lines()) == Set(other.lines()), sourceLocation: location)
    #expect(one.snapshot.json() == other.snapshot.json(), sourceLocation: location)
    #expect(try one.journal.verify().problems.isEmpty, sourceLocation: location)
    #expect(try other.journal.verify().problems.isEmpty, sourceLocation: location)
  }

  @Test(arguments: kinds)
  func `two devices that sync with a remote get the same lines`(kind: RemoteKind) async throws {
    let fixture = try kind.make()
    let (phone, tablet) = (
      try await device("phone", edits: 3), try await device("tablet", edits: 2)
    )
    let first = try await phone.sync(with: fixture.remote)
    #expect(first.pushedCount == 4 && first.pulled.isEmpty)
    let second = try await tablet.sync(with: fixture.remote)
    #expect(second.pushedCount == 3 && second.pulled == first.pushed)
    let third = try await phone.sync(with: fixture.remote)
    #expect(third.pulled == second.pushed && third.pushed.isEmpty)
    try expectSame(phone, tablet)
    // A second sync has nothing to do on either side.
    let lines = try phone.lines()
    for device in [phone, tablet] {
      let report = try await device.sync(with: fixture.remote)
      #expect(report.pulled.isEmpty && report.pushed.isEmpty && report.refused.isEmpty)
      #expect(report.forks.isEmpty && report.newConflicts.isEmpty && !report.hasDuplicateWriter)
    }
    #expect(try phone.lines() == lines)
  }

  @Test(arguments: kinds)
  func `a pull only pulls, and a push only pushes`(kind: RemoteKind) async throws {
    let fixture = try kind.make()
    let (phone, tablet) = (
      try await device("phone", edits: 1), try await device("tablet", edits: 1)
    )
    #expect(try await phone.sync(with: fixture.remote, .push).pushedCount == 2)
    let pull = try await tablet.sync(with: fixture.remote, .pull)
    #expect(pull.pulledCount == 2 && pull.pushed.isEmpty)
    #expect(try await phone.sync(with: fixture.remote).pulled.isEmpty)
    let push = try await tablet.sync(with: fixture.remote, .push)
    #expect(push.pulled.isEmpty && push.pushedCount == 2)
    #expect(try await phone.sync(with: fixture.remote, .pull).pulledCount == 2)
    try expectSame(phone, tablet)
  }

  @Test(arguments: kinds)
  func `an empty device receives everything that a remote holds`(kind: RemoteKind) async throws {
    let fixture = try kind.make()
    let phone = try await device("phone", edits: 2)
    try await phone.sync(with: fixture.remote)
    let fresh = try await TemporaryStore(
      device: "new", user: "ada", records: Meal.self, catalog: .standard)
    #expect(try await fresh.sync(with: fixture.remote).pulledCount == 3)
    try expectSame(phone, fresh)
    #expect(fresh.deviceID == nil)
    _ = try await fresh.create(Meal.self, key: "new")
    #expect(try await fresh.sync(with: fixture.remote).pushedCount == 2)
    #expect(try await phone.sync(with: fixture.remote).pulledCount == 2)
    try expectSame(phone, fresh)
  }

  @Test(arguments: kinds)
  func `a push includes the events of other devices`(kind: RemoteKind) async throws {
    let fixture = try kind.make()
    let (phone, tablet) = (
      try await device("phone", edits: 2), try await device("tablet", edits: 2)
    )
    try await phone.sync(with: tablet)
    // The phone itself never syncs with this remote.
    #expect(try await tablet.sync(with: fixture.remote).pushedCount == 6)
    let desk = try await device("desk")
    #expect(try await desk.sync(with: fixture.remote).pulledCount == 6)
    try expectSame(phone, desk)
  }

  @Test(arguments: kinds)
  func `a remote that lost everything receives it again`(kind: RemoteKind) async throws {
    let fixture = try kind.make()
    let (phone, tablet) = (
      try await device("phone", edits: 2), try await device("tablet", edits: 2)
    )
    try await phone.sync(with: fixture.remote)
    try await tablet.sync(with: fixture.remote)
    let empty = try kind.make()
    #expect(try await tablet.sync(with: empty.remote).pushedCount == 6)
    #expect(try await phone.sync(with: empty.remote).pulledCount == 3)
    try expectSame(phone, tablet)
  }

  @Test(arguments: kinds)
  func `a sync that ends after any step is continued by the next one`(kind: RemoteKind) async throws
  {
    var steps = 0
    while true {
      let fixture = try kind.make()
      let phone = try await device("phone", edits: 3)
      let tablet = try await device("tablet", edits: 3)
      try await phone.sync(with: fixture.remote)
      var taken = 0
      for try await _ in tablet.store.replication(with: fixture.remote) {
        taken += 1
        if taken > steps { break }
      }
      let isWhole = taken <= steps
      try await tablet.reopen()
      try await tablet.sync(with: fixture.remote)
      try await phone.sync(with: fixture.remote)
      try expectSame(phone, tablet)
      if isWhole { break }
      steps += 1
    }
    // The steps: planned, pulled, pushed, finished.
    #expect(steps == 4)
  }

  @Test(arguments: kinds)
  func `a sync can be canceled between two batches`(kind: RemoteKind) async throws {
    let fixture = try kind.make()
    let (phone, tablet) = (
      try await device("phone", edits: 3), try await device("tablet", edits: 3)
    )
    try await phone.sync(with: fixture.remote)
    let task = Task {
      var steps = 0
      do throws(EventLogError) {
        for try await _ in tablet.store.replication(with: fixture.remote) {
          steps += 1
          withUnsafeCurrentTask { $0?.cancel() }
        }
      } catch {
        return (steps, error.code as EventLogError.Code?)
      }
      return (steps, nil)
    }
    let (steps, code) = await task.value
    #expect(steps == 1 && code == .canceled)
    try await tablet.sync(with: fixture.remote)
    try await phone.sync(with: fixture.remote)
    try expectSame(phone, tablet)
  }

  @Test(arguments: kinds)
  func `concurrent syncs lose no events and cause no fork`(kind: RemoteKind) async throws {
    let fixture = try kind.make()
    let (phone, tablet) = (
      try await device("phone", edits: 9), try await device("tablet", edits: 9)
    )
    let widget = try await phone.openAgain()
    let runs = [phone.store, tablet.store, widget].map { device in
      Task { try await device.sync(with: fixture.remote) }
    }
    var reports: [SyncReport] = []
    for run in runs { reports.append(try await run.value) }
    #expect(reports.allSatisfy { $0.forks.isEmpty && !$0.hasDuplicateWriter })
    for device in [phone, tablet, phone] { try await device.sync(with: fixture.remote) }
    try expectSame(phone, tablet)
  }

  @Test(arguments: kinds)
  func `many events are transferred in several batches`(kind: RemoteKind) async throws {
    let fixture = try kind.make()
    let phone = try await device("phone")
    // One append is one batch and is never split.
    for request in 0..<42 {
      let drafts = (0..<100).map { number in
        let value = JSONValue.number(JSONNumber(Int64(100 * request + number)))
        return EventDraft(
          type: "settings.changed",
          data: JSONObject([.init(name: "key\(number % 50)", value: value)]))
      }
      _ = try await phone.store.append(drafts)
    }
    let tablet = try await device("tablet")
    var counts: [Int64] = []
    for device in [phone, tablet] {
      for try await progress in device.store.replication(with: fixture.remote) {
        if case .pulled(let count, let total) = progress {
          counts.append(count)
          #expect(total == 4_201)
        }
        if case .pushed(let count, _) = progress { counts.append(count) }
      }
    }
    // From objects, a batch of events enters a line batch only if all of it fits.
    let first: Int64 = kind == .folder || kind == .objects ? 4_001 : 4_101
    #expect(counts == [4_101, 4_201, first, 4_201])
    try expectSame(phone, tablet)
  }

  @Test(arguments: kinds)
  func `invalid events are kept out, and others are transferred`(kind: RemoteKind) async throws {
    let fixture = try kind.make()
    let (phone, tablet) = (
      try await device("phone", edits: 2), try await device("tablet", edits: 1)
    )
    try await phone.sync(with: tablet)
    // A device with an event that has seen unknown events.
    var wrong = HandmadeDevice("wrong-aaaaaaaa")
    let joined = wrong.join(user: "ada")
    let bad = wrong.event(seeing: [FullEventID("nobody-aaaaaaaa:3~00000001")!])
    try await fixture.remote.give([joined, bad], of: "ada")
    try await phone.sync(with: fixture.remote)
    let report = try await tablet.sync(with: fixture.remote)
    try expectSame(phone, tablet)
    #expect(report.refused.isEmpty)
    // A journal refuses the event when it is given. A remote for files keeps it, and readers skip
    // it.
    let isKept = kind == .folder || kind == .objects
    #expect(report.pending.map(\.description) == (isKept ? ["wrong-aaaaaaaa:2"] : []))
    #expect(try tablet.events().filter { $0.id.device == wrong.id }.map(\.id.sequence) == [1])
    #expect(try phone.events().filter { $0.id.device == wrong.id }.map(\.id.sequence) == [1])
  }

  @Test(arguments: kinds)
  func `lines in a noncanonical spelling are transferred unchanged`(kind: RemoteKind) async throws {
    let fixture = try kind.make()
    let phone = try await device("phone", edits: 1)
    try await phone.sync(with: fixture.remote)
    var other = HandmadeDevice("other-aaaaaaaa")
    let joined = other.join(user: "ada")
    let line = other.respelled(
      #"{"at":"2026-01-28T09:12:33.123Z", "data":{"a":1.0}"#
        + #", "id":"other-aaaaaaaa:2" ,"type":"settings.changed""#)
    try await fixture.remote.give([joined, line], of: "ada")
    try await phone.sync(with: fixture.remote)
    #expect(try phone.lines().contains(String(decoding: line, as: UTF8.self)))
    let tablet = try await device("tablet")
    try await tablet.sync(with: fixture.remote)
    try expectSame(phone, tablet)
  }

  @Test(arguments: kinds)
  func `a sync with another user's remote is refused`(kind: RemoteKind) async throws {
    let fixture = try kind.make()
    try await device("phone", edits: 1).sync(with: fixture.remote)
    let ben = try await TemporaryStore(
      device: "ben", user: "ben", records: Meal.self, catalog: .standard)
    _ = try await ben.create(Meal.self)
    let code = await failureCode { () throws(EventLogError) in
      try await ben.sync(with: fixture.remote)
    }
    #expect(code == .otherUser)
    #expect(try ben.events().count == 2)
  }

  @Test(arguments: kinds)
  func `a dry run reports the result of the next sync and changes nothing`(
    kind: RemoteKind
  ) async throws {
    let fixture = try kind.make()
    let (phone, tablet) = try await Devices.withOats()
    try await phone.sync(with: fixture.remote)
    try await phone.edit(.oats) { $0.kcal = 371 }
    try await tablet.edit(.oats) { $0.kcal = 372 }
    try await phone.sync(with: fixture.remote)
    let lines = try tablet.lines()
    let before = try fixture.contents()
    #expect(!before.isEmpty)
    let plan = try await tablet.store.dryRunSync(with: fixture.remote)
    #expect(try tablet.lines() == lines && tablet.snapshot.conflicts.isEmpty)
    let secondPlan = try await tablet.store.dryRunSync(with: fixture.remote)
    #expect(try fixture.contents() == before)
    let report = try await tablet.sync(with: fixture.remote)
    #expect(try fixture.contents() != before)
    for plan in [plan, secondPlan] {
      #expect(plan.pulled == report.pulled && plan.pushed == report.pushed)
      #expect(plan.newConflicts == report.newConflicts && plan.refused == report.refused)
      #expect(plan.forks == report.forks)
    }
    #expect(report.newConflicts.map(\.field) == ["kcal"])
    let conflict = try #require(report.newConflicts.first)
    #expect(conflict.base == 370)
    #expect(Set(conflict.candidates.map { report.side(of: $0.fullID) }) == [.ours, .theirs])
  }

  @Test(arguments: kinds)
  func `both histories of a fork are transferred, and the fork is reported once`(kind: RemoteKind)
    async throws
  {
    let fixture = try kind.make()
    var one = HandmadeDevice("copied-aaaaaaaa")
    let common = [one.join(user: "ada")] + (0..<5).map { _ in one.event() }
    let parting = one.tip
    var other = one
    let left = (0..<3).map { one.event(text: "left \($0)") }
    let right = (0..<4).map { other.event(text: "right \($0)") }
    var witness = HandmadeDevice("witness-aaaaaa")
    let seen = [witness.join(user: "ada"), witness.event(seeing: [one.tip])]
    try await fixture.remote.give(common + left + seen, of: "ada")

    let phone = try await device("phone", edits: 1)
    try await JournalRemote(path: phone.store.path).give(common + right, of: "ada")
    let before = try phone.lines()
    let report = try await phone.sync(with: fixture.remote)
    #expect(report.forks.map(\.after) == [parting])
    #expect(report.forks.map(\.tips) == [[one.tip, other.tip].sorted()])
    #expect(report.pulled.map(\.description) == ["copied-aaaaaaaa:7–9", "witness-aaaaaa:1–2"])
    #expect(report.pushed.contains(EventRange(from: 7, to: other.tip)))
    #expect(report.refused.isEmpty && report.missing.isEmpty)
    #expect(try phone.lines().starts(with: before))
    let tablet = try await device("tablet")
    try await tablet.sync(with: fixture.remote)
    try expectSame(phone, tablet)
    let second = try await phone.sync(with: fixture.remote)
    // The fork is reported once.
    #expect(second.forks.isEmpty && second.pushed.isEmpty)
  }

  @Test(arguments: kinds)
  func `missing events are filled in by the side that holds them`(kind: RemoteKind) async throws {
    var other = HandmadeDevice("other-aaaaaaaa")
    var lines = [other.join(user: "ada")]
    for _ in 0..<3 { lines.append(other.event()) }
    let gap = EventRange(from: 2, to: other.tip)
    for _ in 0..<2 { lines.append(other.event()) }
    let rest = [lines[0], lines[4], lines[5]]

    // The phone lacks events that the remote holds.
    let whole = try kind.make()
    try await whole.remote.give(lines, of: "ada")
    let phone = try await device("phone", edits: 1)
    let result = try await JournalRemote(path: phone.store.path)
      .give(rest, of: "ada", lacking: [gap])
    #expect(result.refused.isEmpty && result.received.count == 3)
    let report = try await phone.sync(with: whole.remote)
    #expect(report.pulled == [gap] && report.refilled == [gap] && report.missing.isEmpty)

    // The remote lacks events that the phone holds.
    let lacking = try kind.make()
    try await lacking.remote.give(rest, of: "ada", lacking: [gap])
    #expect(try await phone.sync(with: lacking.remote).pushed.contains(gap))
    let tablet = try await device("tablet")
    #expect(try await tablet.sync(with: lacking.remote).missing.isEmpty)
    try expectSame(phone, tablet)
  }

  @Test(arguments: kinds)
  func `events that no device holds don't hold back others`(kind: RemoteKind) async throws {
    var other = HandmadeDevice("other-aaaaaaaa")
    let joined = other.join(user: "ada")
    _ = other.event()
    let gap = EventRange(from: 2, to: other.tip)
    let rest = [joined, other.event(), other.event()]
    let fixture = try kind.make()
    let phone = try await device("phone", edits: 1)
    try await JournalRemote(path: phone.store.path).give(rest, of: "ada", lacking: [gap])
    #expect(try await phone.sync(with: fixture.remote).missing == [gap])
    let tablet = try await device("tablet")
    let report = try await tablet.sync(with: fixture.remote)
    #expect(report.missing == [gap] && report.refused.isEmpty)
    #expect(try Set(phone.lines()).isSubset(of: tablet.lines()))
    #expect(try tablet.journal.verify().problems.map(\.code) == [.gap])
  }
}
