import EventLogRemotes
import EventLogTesting
import Testing

@testable import EventLog

/// The statements of a remote for objects, and its answers to queries.
@Suite struct ObjectStatementTests {
  private let bucket = HandmadeBucket()

  /// Connects with an initiator that states these lines and users.
  private func session(
    holding lines: [[UInt8]] = [], user: String? = nil, adopted: [String] = [],
    missing: [EventRange] = [], known: Set<String> = []
  ) async throws -> (session: any RemoteSession, statement: FrontierStatement) {
    let session = try await bucket.remote.connect(SyncRequest(user: user, known: known))
    let own = HandmadeHistories(lines)
    let initiator = FrontierStatement(
      user: user, adoptedUsers: adopted, tips: own.tips, missing: missing)
    return (session, try await session.statement(to: initiator, own))
  }

  private func statement(
    holding lines: [[UInt8]] = [], user: String? = nil, adopted: [String] = [],
    missing: [EventRange] = []
  ) async throws -> FrontierStatement {
    try await session(holding: lines, user: user, adopted: adopted, missing: missing).statement
  }

  private func text(_ ranges: [EventRange]) -> [String] {
    ranges.map { "\($0.first)–\($0.last)" }
  }

  // MARK: - Tips

  @Test func `the stated tips are the ends of each history's complete ranges`() async throws {
    let twin = ForkedDevice(common: 4, left: 3, right: 2)
    bucket.put(twin.common)
    bucket.put(twin.common.prefix(2))
    bucket.put(twin.left)
    bucket.put(twin.left, addition: " 2")
    bucket.put(twin.right)
    let ends = [twin.left, twin.right].map { ForkedDevice.event($0.last!) }.sorted()
    var stated = try await statement()
    #expect(stated.tips == ends && stated.isShared && stated.user == nil)
    // An initiator that holds the same events needn't read them.
    let finished = try await session(holding: twin.common + twin.left).session.finish()
    let before = bucket.storage.callCount
    stated = try await session(holding: twin.common + twin.left, known: finished).statement
    #expect(Set(stated.tips).isSuperset(of: ends))
    // The calls are two listings of one page, a read of the other history, and the check of one
    // object.
    #expect(bucket.storage.callCount - before <= 4)
    let bad = bucket.put(twin.right)
    bucket.storage.objects[bad] = [1]
    #expect(try await statement().tips == [ends.first { $0.sequence == 7 }!])
  }

  @Test func `a remote advertises tips even if it lacks their events`() async throws {
    var (one, two) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("b-bbbbbbbb"))
    let bad = bucket.put([one.join(user: "ada")])
    bucket.storage.objects[bad] = [1]
    _ = two.join(user: "ben")
    bucket.state([one.tip], by: "x-aaaaaaaa")
    bucket.state([two.tip], of: "ben", by: "y-aaaaaaaa")
    #expect(try await statement(user: "ada").advertised == [one.tip, two.tip])
  }

  // MARK: - Histories

  @Test func `a history is followed through the remote's objects and the initiator's lines`()
    async throws
  {
    let twin = ForkedDevice(common: 6, left: 4, right: 4)
    bucket.put(twin.common.dropFirst(4))
    bucket.put(twin.left.prefix(2))
    bucket.put(twin.left.dropFirst(2))
    bucket.put(twin.right)
    let history = twin.common + twin.left
    let tip = ForkedDevice.event(history.last!)
    let queries = (1...10).map { HistoryQuery(sequence: Int64($0), in: tip) }
    var session = try await session().session
    #expect(
      try await session.chains(queries)
        == history.enumerated().map { $0 < 4 ? nil : ForkedDevice.checksum($1).chain })
    session = try await self.session(holding: twin.common).session
    #expect(
      try await session.chains(queries) == history.map { ForkedDevice.checksum($0).chain })
    // An unknown event has no history.
    let unknown = FullEventID(device: twin.id, sequence: 10, chain: tip.chain ^ 1)
    #expect(
      try await session.chains([
        HistoryQuery(holds: unknown), HistoryQuery(holds: ForkedDevice.event(twin.common[0])),
        HistoryQuery(sequence: 8, in: ForkedDevice.event(twin.right.last!)),
      ]) == [nil, nil, ForkedDevice.checksum(twin.right[1]).chain])
  }

  // MARK: - Missing events

  @Test
  func `an event is missing if its publisher lacks it and no object contains it`() async throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    let begin = [device.join(user: "ada"), device.event()]
    let lost = [device.event(), device.event()]
    let gap = EventRange(from: 3, to: device.tip)
    let end = [device.event()]
    bucket.put(begin)
    bucket.put(end)
    bucket.state([device.tip], missing: [gap])
    #expect(try await statement().missing == [gap])
    #expect(try await statement(holding: begin).missing == [gap])
    // The initiator holds it, and is asked for events before the start of an object.
    #expect(try await statement(holding: begin + lost + end).missing == [gap])
    bucket.put(lost)
    #expect(try await statement().missing.isEmpty)
    #expect(try await statement(holding: begin + lost + end).missing.isEmpty)
  }

  @Test func `an initiator that holds the events of lost or damaged objects is asked for them`()
    async throws
  {
    let twin = ForkedDevice(common: 6, left: 6, right: 3)
    let all = twin.common + twin.left + twin.right
    let left = twin.common + twin.left
    for start in stride(from: 0, to: 12, by: 3) { bucket.put(left[start..<(start + 3)]) }
    bucket.put(twin.right)
    #expect(try await statement(holding: all).missing.isEmpty)
    let names = bucket.ranges.filter { RangeName($0)!.range.last < 9 }
    for name in names { bucket.storage.objects[name] = [1] }
    let stated = try await statement(holding: all)
    #expect(text(stated.missing) == ["1–6"])
    #expect(stated.missing.map(\.end) == [twin.fork] && stated.pending.isEmpty)
    // For other initiators, they are late.
    #expect(text(try await statement().pending) == ["1–3", "4–6", "7–9", "7–9", "10–12"])
    // Events in an object of another history are present.
    for name in names { bucket.storage.objects[name] = nil }
    bucket.put(left[..<8])
    #expect(try await statement(holding: all).missing.isEmpty)
  }

  @Test func `an initiator isn't asked for events that it also lacks`() async throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    let begin = [device.join(user: "ada"), device.event()]
    _ = device.event()
    let gap = EventRange(from: 3, to: device.tip)
    let rest = [device.event(), device.event()]
    bucket.put(rest)
    // Its journal presumes that the missing event continues the second one.
    let presumed = PresumingHistories(lines: begin + rest, tip: device.tip, lacking: gap)
    let session = try await bucket.remote.connect(SyncRequest(user: "ada"))
    let initiator = FrontierStatement(user: "ada", tips: [device.tip], missing: [gap])
    let stated = try await session.statement(to: initiator, presumed)
    #expect(text(stated.missing) == ["1–2"])
  }

  /// The answers of a journal that lacks an event.
  private struct PresumingHistories: HistoryLookup {
    let lines: [[UInt8]]
    let tip: FullEventID
    let lacking: EventRange

    func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
      queries.map { query in
        lines.map(ForkedDevice.event).first { $0.sequence == query.sequence }?.chain
      }
    }
  }

  // MARK: - Pending events

  @Test func `an announced event is pending if it is neither present nor held`() async throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    let lines = [device.join(user: "ada")] + (0..<9).map { _ in device.event() }
    bucket.put(lines[..<4])
    bucket.state([ForkedDevice.event(lines[2])], by: "x-aaaaaaaa")
    #expect(try await statement().pending.isEmpty)
    bucket.state([ForkedDevice.event(lines[6])], by: "y-aaaaaaaa")
    bucket.state([device.tip], by: "z-aaaaaaaa")
    #expect(text(try await statement().pending) == ["5–7", "8–10"])
    #expect(text(try await statement(holding: Array(lines[..<5])).pending) == ["6–7", "8–10"])
    #expect(try await statement(holding: lines).pending.isEmpty)
    let half = bucket.put(lines[4..<7])
    bucket.storage.objects[half]!.removeLast()
    #expect(text(try await statement().pending) == ["5–7", "8–10"])
    bucket.put(lines[4...])
    #expect(try await statement().pending.isEmpty)
  }

  // MARK: - Users

  @Test func `a remote belongs to the user who has adopted all others`() async throws {
    var (one, two) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("b-bbbbbbbb"))
    bucket.put([one.join(user: "guest")])
    bucket.put([two.join(user: "ada")])
    bucket.state([one.tip], of: "guest", by: "x-aaaaaaaa")
    // So far, there is only one user.
    #expect(try await statement().user == "guest")
    #expect(try await statement(user: "ben").user == "guest")
    #expect(try await statement(user: "ada", adopted: ["guest"]).user == "guest")
    bucket.state([two.tip], of: "ada", by: "y-aaaaaaaa")
    await #expect(throws: EventLogError.self) { try await statement() }
    await #expect(throws: EventLogError.self) { try await statement(user: "ben") }
    // Tips of the other user are only advertised.
    for (user, tip) in [("guest", one.tip), ("ada", two.tip)] {
      let stated = try await statement(user: user)
      #expect(stated.user == user && stated.tips == [tip])
      #expect(stated.advertised == [one.tip, two.tip])
    }
    #expect(try await statement(user: "ada", adopted: ["guest"]).tips.count == 2)
    // The adopter counts for both users.
    bucket.state([two.tip], of: "ada", adopting: ["guest"], by: "z-aaaaaaaa")
    for user in [nil, "ada", "ben"] {
      let stated = try await statement(user: user)
      #expect(stated.user == "ada" && stated.adoptedUsers == ["guest"])
      #expect(stated.tips.count == 2)
    }
    bucket.storage.objects = bucket.storage.objects.filter { !$0.key.hasPrefix("x-") }
    let guest = try await statement(user: "guest")
    #expect(guest.user == "ada" && guest.adoptedUsers == ["guest"])
  }
}
