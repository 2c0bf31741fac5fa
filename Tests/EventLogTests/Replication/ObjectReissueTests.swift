import EventLogTesting
import Testing

@testable import EventLog

/// A shared place that keeps a branch of a fork which somebody has written again under fresh IDs.
@Suite struct ObjectReissueTests {
  private let place = HandmadePlace()
  private let twin = ForkedDevice(common: 5, left: 4, right: 6)
  private let fresh: [[UInt8]]
  private let freshID: DeviceID
  private let reissue: Reissue
  /// Somebody who has seen the branch that was given up.
  private let witness: [[UInt8]]
  private let witnessID: DeviceID

  init() {
    var device = HandmadeDevice("twin-bbbbbbbb")
    fresh = [device.join(user: "ada")] + (0..<6).map { device.event(text: "right \($0)") }
    freshID = device.id
    reissue = Reissue(
      device: device.id, original: twin.fork, checksum: ForkedDevice.checksum(twin.right[0]))
    var witness = HandmadeDevice("witness-aaaaaa")
    self.witness = [witness.join(user: "ada"), witness.event(seeing: ["twin-aaaaaaaa": 8])]
    witnessID = witness.id
  }

  private func point(_ lines: [[UInt8]]) -> HistoryPoint {
    HistoryPoint(sequence: Int64(lines.count), checksum: ForkedDevice.checksum(lines.last!))
  }

  /// Both branches, in several objects each, and what the one who has settled the fork says.
  private func fill(isSaid: Bool = true) async throws {
    try await place.give(twin.common + twin.right.prefix(2), by: "right")
    try await place.give(twin.common + twin.right + witness, by: "later")
    try await place.give(twin.common + twin.left + fresh, by: "left")
    let bytes = Array(twin.right.dropFirst(2).joined(separator: [0x0A])) + [0x0A]
    let range = EventRange(device: twin.id, first: 8, last: 11)
    place.storage.objects[RangeName(range, ForkedDevice.checksum(twin.right[5])).text] = bytes
    if isSaid {
      place.state(
        [twin.id: point(twin.common + twin.left), freshID: point(fresh)], by: "left-aaaaaaaa",
        number: 2, reissues: [reissue])
    }
  }

  @Test func `whoever comes new takes the living branch`() async throws {
    try await fill()
    let desk = try await place.device("desk")
    let report = try await desk.sync(with: place.remote, .pull)
    #expect(report.forks.isEmpty && report.refused.isEmpty)
    let lines = Set(try desk.lines().map { Array($0.utf8) })
    #expect(lines.isSuperset(of: twin.common + twin.left + fresh))
    #expect(lines.isDisjoint(with: twin.right))
    // What has seen the other one has not seen this one.
    #expect(try desk.sequences(of: witnessID) == [1])
    #expect(try desk.journal.verify().problems.isEmpty)
  }

  @Test func `whoever holds the living branch meets no fork`() async throws {
    try await fill()
    let desk = try await place.device("desk", holding: twin.common + twin.left.prefix(2))
    let report = try await desk.sync(with: place.remote)
    #expect(report.forks.isEmpty && report.refused.isEmpty)
    #expect(try desk.sequences(of: twin.id) == Array(1...9))
    #expect(try desk.sequences(of: freshID) == Array(1...7))
  }

  @Test(arguments: [true, false])
  func `what was given up is not awaited`(holdsIt: Bool) async throws {
    try await fill()
    let desk = try await place.device("desk", holding: holdsIt ? twin.common + twin.left : [])
    let plan = try await desk.rehearseSync(with: place.remote, .pull)
    let report = try await desk.sync(with: place.remote, .pull)
    #expect(report.forks.isEmpty && plan.pending == report.pending)
    // What has seen it is there, and waits for its writer to write it again.
    #expect(report.pending == [EventRange(device: witnessID, first: 2, last: 2)])
  }

  @Test func `of the living branch a late file is awaited, up to its end`() async throws {
    try await fill()
    place.storage.hide(place.ranges.filter { $0.hasPrefix("twin-aaaaaaaa_") && $0.contains("-9_") })
    let desk = try await place.device("desk")
    let report = try await desk.sync(with: place.remote, .pull)
    let late = report.pending.filter { $0.device == twin.id }
    // What both had in common stands in files of the other branch, too.
    #expect(late == [EventRange(device: twin.id, first: 1, last: 9)])
    place.storage.showAll()
    let later = try await desk.sync(with: place.remote, .pull)
    #expect(later.pending.allSatisfy { $0.device == witnessID })
    #expect(try desk.sequences(of: twin.id) == Array(1...9))
  }

  @Test func `without the word of who has settled it, it is a fork`() async throws {
    try await fill(isSaid: false)
    let desk = try await place.device("desk", holding: twin.common + twin.left)
    #expect(try await desk.sync(with: place.remote).forks == [twin.fork])
  }

  @Test func `whoever holds the branch that was given up is told so`() async throws {
    try await fill()
    let desk = try await place.device("desk", holding: twin.common + twin.right)
    let before = place.storage.objects.filter { $0.key.hasPrefix("twin-") }
    let report = try await desk.sync(with: place.remote)
    #expect(report.forks == [twin.fork])
    #expect(try desk.sequences(of: freshID).isEmpty)
    #expect(place.storage.objects.filter { $0.key.hasPrefix("twin-") } == before)
  }

  @Test func `what a writer withheld of the branch that was given up is no fork any more`()
    async throws
  {
    try await fill()
    // Somebody with the other branch came before it was settled.
    let desk = try await place.device("desk", holding: twin.common + twin.right)
    try await desk.sync(with: place.remote)
    let said = place.storage.objects.values.map { String(decoding: $0, as: UTF8.self) }
    #expect(said.contains { $0.contains("\"withheld\"") })
    let laptop = try await place.device("laptop", holding: twin.common + twin.left)
    #expect(try await laptop.sync(with: place.remote).forks.isEmpty)
  }

  @Test func `what the visitor itself has given up counts as well`() async throws {
    try await fill(isSaid: false)
    let visitor = Histories(
      lines: [twin.id: twin.common + twin.left, freshID: fresh], reissues: [reissue])
    let session = try await place.remote.connect(RemoteVisit(user: "ada"))
    let statement = try await session.statement(to: visitor)
    #expect(statement.frontier[twin.id] == point(twin.common + twin.left))
    for claim in statement.claims.compactMap({ $0[twin.id] }) {
      #expect(
        [point(twin.common + twin.left), point(twin.common)].contains(claim))
    }
  }

  @Test func `the branch that was given up is read once and then known`() async throws {
    try await fill()
    let desk = try await place.device("desk")
    var counts: [Int] = []
    for _ in 0..<4 {
      let before = place.storage.callCount
      try await desk.sync(with: place.remote, .pull)
      counts.append(place.storage.callCount - before)
    }
    // What is left is to list the place, and to read what writers say and one object again.
    #expect(counts[3] < counts[0] && counts[3] <= place.frontiers.count + 4, "\(counts)")
  }

  /// What a visitor holds, by its lines.
  private struct Histories: DeviceHistories {
    let lines: [DeviceID: [[UInt8]]]
    let reissues: [Reissue]

    var points: [DeviceID: HistoryPoint] {
      lines.mapValues {
        HistoryPoint(sequence: Int64($0.count), checksum: ForkedDevice.checksum($0.last!))
      }
    }

    func checksum(of event: EventID) async throws(EventLogError) -> LineChecksum? {
      guard let lines = lines[event.device], lines.indices.contains(Int(event.sequence) - 1)
      else { return nil }
      return ForkedDevice.checksum(lines[Int(event.sequence) - 1])
    }
  }
}
