import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// The frontiers that a sync writes to a remote for later readers.
@Suite struct AnnouncementTests {
  private let bucket = HandmadeBucket()

  @Test func `a frontier states the user, the tips and the missing events`() async throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    let begin = [device.join(user: "ada")]
    _ = device.event()
    let gap = EventRange(from: 2, to: device.tip)
    let rest = [device.event()]
    let other = EventRange(
      from: 7, to: FullEventID(device: DeviceID(".b")!, sequence: 9, chain: 0xabc))
    let session = try await bucket.remote.connect(
      SyncRequest(user: "ada", device: DeviceID("writer-aaaaaaaa")))
    let statement = FrontierStatement(
      user: "ada", adoptedUsers: ["guest", "\u{e9}"], tips: [device.tip], missing: [other, gap])
    _ = try await session.statement(to: statement, HandmadeHistories(begin + rest))
    try await session.announce(statement)
    let name = try #require(bucket.frontiers.first)
    #expect(name.hasPrefix("writer-aaaaaaaa_frontier_1_"))
    let chains = [gap.chain, device.tip.chain].map(ChainDigits.text)
    #expect(
      String(decoding: bucket.storage.objects[name]!, as: UTF8.self) == """
        {"version":1,"user":"ada","adopted":["guest","\u{e9}"],\
        "tips":["a-aaaaaaaa:3~\(chains[1])"],\
        "missing":[{"device":".b","first":7,"last":9,"chain":"00000abc"},\
        {"device":"a-aaaaaaaa","first":2,"last":2,"chain":"\(chains[0])"}]}

        """)
    #expect(bucket.stated.first == statement)
  }

  @Test(arguments: [
    #""tips":["a:1"],"missing":[]"#, #""tips":[]"#, #""missing":[]"#, #""tips":{},"missing":[]"#,
    #""tips":[],"missing":[{"device":"a","first":2,"last":1,"chain":"00000001"}]"#,
    #""tips":[],"missing":[{"device":"a","first":1,"last":1,"chain":"1"}]"#,
    #""tips":[],"missing":[{"device":"~a","first":1,"last":1,"chain":"00000001"}]"#,
    #""tips":[],"missing":[],"user":"b""#, #""tips":[],"missing":[]}{"#,
  ])
  func `a frontier with malformed lists is ignored`(lists: String) {
    #expect(!isFrontier(#"{"version":1,"user":"ada","adopted":[],\#(lists)}"#))
  }

  @Test func `a frontier without a valid user or version is ignored`() {
    let rest = #""tips":[],"missing":[]}"#
    #expect(isFrontier(#"{"version":1,"user":"ada","adopted":[],"more":1,\#(rest)"#))
    #expect(!isFrontier(#"{"version":1,"user":"","adopted":[],\#(rest)"#))
    #expect(!isFrontier(#"{"version":1,"adopted":[],\#(rest)"#))
    #expect(!isFrontier(#"{"version":1,"user":"ada","adopted":[1],\#(rest)"#))
    #expect(!isFrontier(#"{"version":2,"user":"ada","adopted":[],\#(rest)"#))
    #expect(!isFrontier(""))
  }

  private func isFrontier(_ text: String) -> Bool {
    let content = Array(text.utf8)
    let name = FrontierName(DeviceID("a")!, 1, content: content)
    #expect(FrontierObject.isOfLaterVersion(name, content) == text.contains("\"version\":2"))
    return FrontierObject(name, content) != nil
  }

  @Test func `a frontier is written once, and a changed one gets the next number`() async throws {
    let phone = try await bucket.device("phone")
    try await phone.sync(with: bucket.remote)
    let first = bucket.frontiers
    bucket.storage.objects = bucket.storage.objects.filter { first.contains($0.key) }
    #expect(try await phone.sync(with: bucket.remote).pushedCount == 2)
    #expect(bucket.frontiers == first)
    _ = try await phone.create(Meal.self, key: "second")
    try await phone.sync(with: bucket.remote)
    #expect(bucket.frontiers.count == 1 && bucket.frontiers != first)
    #expect(FrontierName(bucket.frontiers[0])?.number == 2)
  }

  @Test func `events appended during a sync are pushed and announced`() async throws {
    let (phone, tablet) = (try await bucket.device("phone"), try await bucket.device("tablet"))
    for device in [phone, tablet, phone] { try await device.sync(with: bucket.remote) }
    for number in 0..<5 { _ = try await phone.create(Meal.self, key: "given-\(number)") }
    for try await progress in phone.store.replication(with: bucket.remote) {
      guard case .planned = progress else { continue }
      _ = try await phone.create(Meal.self, key: "meanwhile")
    }
    let report = try await tablet.sync(with: bucket.remote)
    #expect(report.pulledCount == 6 && report.pending.isEmpty)
  }

  @Test func `events received from another device during a sync are pushed`() async throws {
    let (phone, tablet) = (try await bucket.device("phone"), try await bucket.device("tablet"))
    let desk = try await bucket.device("desk")
    try await desk.sync(with: bucket.remote)
    for try await progress in phone.store.replication(with: bucket.remote) {
      if case .planned = progress { try await phone.sync(with: tablet) }
    }
    let report = try await desk.sync(with: bucket.remote)
    #expect(report.pulledCount == 4 && report.pending.isEmpty)
  }

  @Test func `both histories of a fork are pushed and announced`() async throws {
    let twin = ForkedDevice(common: 6, left: 3, right: 4)
    let desk = try await bucket.device("desk", holding: twin.common + twin.left)
    let phone = try await bucket.device("phone", holding: twin.common + twin.right)
    for device in [desk, phone, desk] { try await device.sync(with: bucket.remote) }
    let all = Set((twin.common + twin.left + twin.right).map(ForkedDevice.event))
    for device in [desk, phone] {
      #expect(try all.isSubset(of: device.lines().map { ForkedDevice.event(Array($0.utf8)) }))
    }
    let ends = [twin.left, twin.right].map { ForkedDevice.event($0.last!) }
    #expect(bucket.stated.contains { Set($0.tips).isSuperset(of: ends) })
    #expect(try await phone.sync(with: bucket.remote).pulled.isEmpty)
  }
}
