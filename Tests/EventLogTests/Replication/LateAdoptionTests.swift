import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// Adoptions that come after the events that they admit.
///
/// A journal has this order if it lost the adoption and received it again.
@Suite struct LateAdoptionTests {
  private let sandbox: Sandbox
  private let guest: DeviceID

  /// Writes a guest's events that another device has seen, and the adoption at the end.
  init() throws {
    sandbox = try Sandbox()
    var (own, guest) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("g-gggggggg"))
    self.guest = guest.id
    var lines = [own.join(user: "ada"), guest.join(user: "guest"), guest.event()]
    let adoption = own.write("user.adopted", nil, ["from": "guest", "to": "ada"])
    lines += [own.event(seeing: [guest.tip]), guest.event(seeing: [own.tip]), adoption]
    try sandbox.put(lines.flatMap { $0 + [0x0A] })
  }

  private var remote: JournalRemote {
    JournalRemote(path: sandbox.path, options: JournalOptions(user: "ada"))
  }

  @Test func `a pull with a late adoption gets the adopted events in the same run`() async throws {
    let phone = try await TemporaryStore()
    let plan = try await phone.store.dryRunSync(with: remote, .pull)
    #expect(plan.pulledCount == 6 && plan.refused == [] && plan.pending == [])
    let report = try await phone.sync(with: remote, .pull)
    #expect(report.pulledCount == 6 && report.refused == [] && report.pending == [])
    #expect(try phone.sequences(of: guest) == [1, 2, 3])
    #expect(phone.snapshot.eventCount == 6 && phone.snapshot.damage.isEmpty)
    #expect(try await phone.sync(with: remote, .pull).pulledCount == 0)
  }

  @Test func `a push with a late adoption sends the adopted events in the same run`() async throws {
    let phone = try await TemporaryStore()
    let store = try await EventStore.open(
      path: sandbox.path, options: JournalOptions(user: "ada"), catalog: phone.catalog)
    let report = try await store.sync(with: phone.remote, .push)
    #expect(report.pushedCount == 6 && report.refused == [])
    try await store.close()
    #expect(try phone.sequences(of: guest) == [1, 2, 3])
  }

  @Test func `a comparison with a late adoption refuses no adopted events`() async throws {
    let phone = try await TemporaryStore()
    let first = Sandbox.lines(try sandbox.bytes())[0]
    try await JournalRemote(path: phone.store.path, options: .init(user: "ada"))
      .give([Array(first.dropLast())], of: "ada")
    let difference = try phone.journal.difference(
      from: Journal(path: sandbox.path, catalog: phone.catalog))
    #expect(difference.refused == [])
    #expect(difference.right.map(\.description) == ["a-aaaaaaaa:2–3", "g-gggggggg:1–3"])
  }

  @Test func `a remote with late adoptions is read again in the same run`() async throws {
    // Sorted by name, the guest of the guest comes first.
    var (first, second) = (HandmadeDevice("b-bbbbbbbb"), HandmadeDevice("a-aaaaaaaa"))
    var own = HandmadeDevice("c-cccccccc")
    let bucket = HandmadeBucket()
    bucket.put([second.join(user: "guest-2"), second.event()])
    bucket.put([
      first.join(user: "guest-1"),
      first.write("user.adopted", nil, ["from": "guest-2", "to": "guest-1"]),
    ])
    bucket.put([
      own.join(user: "ada"), own.write("user.adopted", nil, ["from": "guest-1", "to": "ada"]),
    ])
    bucket.state([own.tip, first.tip, second.tip], adopting: ["guest-1", "guest-2"])
    let phone = try await TemporaryStore()
    let report = try await phone.sync(with: bucket.remote, .pull)
    #expect(report.pulledCount == 6 && report.refused == [] && report.pending == [])
  }

  @Test(arguments: [ReplicationPlan.Directions.pull, .push])
  func `late adoptions that each need the one before all come in the same run`(
    _ direction: ReplicationPlan.Directions
  ) async throws {
    // A repaired journal has this order: its device's events were deferred, but not the guests'.
    var own = HandmadeDevice("a-aaaaaaaa")
    var lines = [own.join(user: "ada")]
    var adoptions: [[UInt8]] = []
    var seen: [FullEventID] = []
    for number in 10..<30 {
      var guest = HandmadeDevice("g-gggggg\(number)")
      lines += [guest.join(user: "guest-\(number)"), guest.event()]
      adoptions.append(
        own.write(
          "user.adopted", nil, ["from": .string("guest-\(number)"), "to": "ada"], seeing: seen))
      seen = [guest.tip]
    }
    let file = try Sandbox()
    try file.put((lines + adoptions).flatMap { $0 + [0x0A] })
    let phone = try await TemporaryStore()
    let options = JournalOptions(user: "ada")
    let report =
      if direction == .pull {
        try await phone.sync(with: JournalRemote(path: file.path, options: options), .pull)
      } else {
        try await EventStore.open(path: file.path, options: options, catalog: phone.catalog)
          .sync(with: phone.remote, .push)
      }
    #expect(report.refused == [])
    #expect(report.pulledCount + report.pushedCount == 61)
  }

  @Test func `a user who is never adopted is refused once`() async throws {
    var (own, other) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("b-bbbbbbbb"))
    let bucket = HandmadeBucket()
    bucket.put([own.join(user: "ada"), own.event()])
    bucket.put([other.join(user: "ben"), other.event()])
    bucket.state([own.tip, other.tip])
    let phone = try await TemporaryStore()
    let report = try await phone.sync(with: bucket.remote, .pull)
    #expect(report.pulledCount == 2 && report.refused.map(\.code) == [.otherUser])
  }
}
