import EventLog
import EventLogClouds
import EventLogInspection
import EventLogRemotes
import EventLogTesting
import Testing

/// An in-memory server whose objects a test can inspect.
protocol ListingServer: HTTPTransport {
  /// The contents of the tested remote's objects, by name.
  var objects: [String: [UInt8]] { get }
  /// Advances the time by two days, after which the remains of failed requests may be removed.
  func advanceTwoDays()
}

extension BucketServer: ListingServer {
  func advanceTwoDays() {}
}
extension WebDAVServer: ListingServer {}

/// Two devices that sync through a remote whose requests fail at random, four in ten.
///
/// Each sync ends soon, and reports its outcome correctly. In the end, no event is lost or
/// duplicated, and no obsolete object remains.
struct ChaosRounds {
  let service: TestedService
  let server: any ListingServer
  let chaos: ChaosTransport
  let devices: [TemporaryStore]
  private let remotes: [ObjectRemote]
  private var number = 0

  init(_ service: TestedService, _ server: some ListingServer, seed: Int) async throws {
    (self.service, self.server) = (service, server)
    let chaos = ChaosTransport(server, seed: UInt64(seed))
    self.chaos = chaos
    devices = [
      try await TemporaryStore(device: "phone", seed: UInt64(seed)),
      try await TemporaryStore(device: "tablet", seed: UInt64(seed) + 1000),
    ]
    let random = RandomText.seeded(UInt64(seed))
    // As in apps, each device keeps its storage.
    remotes = devices.map { _ in
      ObjectRemote(
        service.storage(chaos, random: random, sleep: { chaos.sleep($0) }), random: random,
        now: { chaos.now })
    }
  }

  private mutating func append(to device: TemporaryStore) async throws {
    number += 1
    _ = try await device.store.append(
      [EventDraft(type: "note.created", data: ["number": .number(.init(Int64(number)))])],
      allowingUnknownTypes: true)
  }

  mutating func run() async throws {
    for round in 0..<12 {
      for (device, remote) in zip(devices, remotes) {
        for _ in 0...(round % 3) { try await append(to: device) }
        await sync(device, remote)
      }
    }
    chaos.stopFailing()
    server.advanceTwoDays()
    // When a sync has merged ranges, a later one removes the old objects.
    var rounds = 0
    while rounds < 6 || Self.ranges(server.objects.keys).contains(where: { $0.isOverlapped }) {
      rounds += 1
      try #require(rounds < 12, "\(server.objects.keys.sorted())")
      for (device, remote) in zip(devices, remotes) {
        try await append(to: device)
        try await device.store.sync(with: remote)
      }
    }
    try await devices[0].store.sync(with: remotes[0])
    try await check(number + 2)
  }

  /// Syncs once and checks the outcome.
  private func sync(_ device: TemporaryStore, _ remote: ObjectRemote) async {
    _ = chaos.takeCounts()
    var failure: EventLogError?
    do throws(EventLogError) { try await device.store.sync(with: remote) } catch {
      failure = error
    }
    let counts = chaos.takeCounts()
    #expect(counts.requests <= 100 && counts.time <= .seconds(30), "\(counts)")
    let status = try? device.journal.status().remoteStatuses.first
    guard let failure else {
      #expect(status?.failure == nil && status?.waitingCount == 0)
      return
    }
    #expect(failure.message.contains(remote.address) && failure.hint != nil)
    // Without a successful sync, there is no record of the remote.
    guard let status, status.success != nil else { return }
    #expect(status.failure?.error.code == failure.code)
  }

  private func check(_ eventCount: Int) async throws {
    let lines = try devices.map { try $0.lines() }
    #expect(Set(lines[0]) == Set(lines[1]))
    for lines in lines { #expect(lines.count == eventCount && Set(lines).count == eventCount) }
    let fresh = try await TemporaryStore(device: "fresh")
    let remote = ObjectRemote(service.storage(server))
    #expect(try await Int(fresh.store.sync(with: remote, .pull).pulledCount) == eventCount)
    #expect(try Set(fresh.lines()) == Set(lines[0]))
    // Each object matches its name.
    let names = server.objects.keys.sorted()
    let ranges = Self.ranges(names)
    #expect(names.filter { $0.hasSuffix(".json") }.count == names.count - ranges.count, "\(names)")
    #expect(names.count - ranges.count <= 2, "\(names)")
    for range in ranges {
      #expect(server.objects[range.name]!.split(separator: 0x0A).count == range.numbers.count)
    }
  }

  private struct NamedRange {
    let name: String
    let device: Substring
    let numbers: ClosedRange<Int>
    /// Whether another range of the device overlaps it.
    var isOverlapped = false

    /// Parses the name of a range. Nil for other names. A name may have a suffix if the shorter one
    /// existed.
    init?(_ name: String) {
      let parts = name.split(separator: "_")
      guard parts.count == 3, parts[2].utf8.count >= 16 + 6 else { return nil }
      let numbers = parts[1].split(separator: "-").compactMap { Int($0) }
      guard numbers.count == 2 else { return nil }
      (self.name, device, self.numbers) = (name, parts[0], numbers[0]...numbers[1])
    }
  }

  private static func ranges(_ names: some Sequence<String>) -> [NamedRange] {
    var ranges = names.compactMap { NamedRange($0) }
    for index in ranges.indices {
      let range = ranges[index]
      ranges[index].isOverlapped = ranges.contains { other in
        other.name != range.name && other.device == range.device
          && other.numbers.overlaps(range.numbers)
      }
    }
    return ranges
  }
}
