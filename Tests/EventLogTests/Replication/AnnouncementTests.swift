import EventLogTesting
import Testing

@testable import EventLog

/// What a run says before it gives anything is what it then gives.
@Suite struct AnnouncementTests {
  private let place = HandmadePlace()

  @Test func `what is written while a run is under way hides nothing of what the run gives`()
    async throws
  {
    let (phone, tablet) = (try await place.device("phone"), try await place.device("tablet"))
    for device in [phone, tablet, phone] { try await device.sync(with: place.remote) }
    for number in 0..<5 { _ = try await phone.create(Meal.self, key: "given-\(number)") }
    for try await progress in phone.store.replication(with: place.remote) {
      guard case .planned = progress else { continue }
      _ = try await phone.create(Meal.self, key: "meanwhile")
    }
    #expect(try await tablet.sync(with: place.remote).pulledCount == 5)
    #expect(try await phone.sync(with: place.remote).pushedCount == 1)
  }

  @Test func `what comes from elsewhere while a run is under way is not said to be there`()
    async throws
  {
    let (phone, tablet) = (try await place.device("phone"), try await place.device("tablet"))
    let desk = try await place.device("desk")
    try await desk.sync(with: place.remote)
    for try await progress in phone.store.replication(with: place.remote) {
      if case .planned = progress { try await phone.sync(with: tablet) }
    }
    let report = try await desk.sync(with: place.remote)
    #expect(report.pulled.map(\.device) == [try #require(phone.deviceID)])
    #expect(report.pending.isEmpty)
  }

  @Test func `what a fork withholds hides nothing else of who withholds it`() async throws {
    let twin = ForkedDevice(common: 6, left: 3, right: 4)
    var witness = HandmadeDevice("witness-aaaaaa")
    let joined = [witness.join(user: "ada")]
    let seen = [witness.event(seeing: ["twin-aaaaaaaa": 7])]
    var fine = HandmadeDevice("fine-aaaaaaaa")
    let other = [fine.join(user: "ada"), fine.event()]
    try await place.remote.give(twin.common + twin.left, of: "ada")
    let desk = try await place.device("desk", holding: twin.common + twin.left + joined)
    let phone = try await place.device(
      "phone", holding: twin.common + twin.right + joined + seen + other)
    let pushed = try await phone.sync(with: place.remote)
    #expect(pushed.forks == [twin.fork])
    // Of the witness only what has not seen the fork.
    #expect(
      Set(pushed.pushed.map(\.description)) == [
        "fine-aaaaaaaa:1–2", "witness-aaaaaa:1", "\(try #require(phone.deviceID)):1–2",
      ])
    #expect(place.ranges(of: witness).allSatisfy { $0.hasPrefix("witness-aaaaaa_1-1_") })
    let report = try await desk.sync(with: place.remote)
    #expect(report.pulled.map(\.device).contains(fine.id))
    #expect(report.pending.isEmpty && report.refused.isEmpty)
  }

  // MARK: - The ends

  private static let a = DeviceID("a-aaaaaaaa")!
  private static let b = DeviceID("b-bbbbbbbb")!

  private func ends(
    _ ours: [DeviceID: Int64], now: [DeviceID: Int64], _ theirs: [DeviceID: Int64],
    disputed: [DeviceID: Int64] = [:], firstSeeing: [DeviceID: Int64] = [:]
  ) -> [DeviceID: Int64] {
    ReplicationPlan(ours: ours, theirs: theirs, forks: disputed, firstSeeing: firstSeeing)
      .ends(ours: now, theirs: theirs, disputed: disputed, firstSeeing: firstSeeing)
  }

  @Test func `both hold the same up to the end of what was planned`() {
    #expect(
      ends([Self.a: 5], now: [Self.a: 7, Self.b: 3], [Self.b: 4]) == [Self.a: 5, Self.b: 3])
    // What has come from elsewhere meanwhile is not planned.
    #expect(ends([Self.a: 5], now: [Self.a: 5, Self.b: 3], [:]) == [Self.a: 5])
  }

  @Test func `a fork, and what has seen it, ends before it`() {
    #expect(
      ends(
        [Self.a: 9, Self.b: 8], now: [Self.a: 9, Self.b: 8], [Self.a: 7, Self.b: 8],
        disputed: [Self.a: 6], firstSeeing: [Self.b: 4]) == [Self.a: 5, Self.b: 3])
    #expect(
      ends([Self.a: 2, Self.b: 2], now: [Self.a: 2, Self.b: 2], [:], disputed: [Self.a: 1])
        == [Self.b: 2])
  }
}
