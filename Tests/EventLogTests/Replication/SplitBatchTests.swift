import EventLogInspection
import EventLogRemotes
import Testing

@testable import EventLog
@testable import EventLogTesting

/// Batches of which each side has another part.
@Suite(.tags(.faults)) struct SplitBatchTests {
  private let lines: [[UInt8]]

  init() {
    var watch = HandmadeDevice("w-wwwwwwww")
    lines =
      [watch.join(user: "ada")] + (1...4).map { watch.event(text: "\($0)", more: $0 < 4) }
  }

  private func store(_ name: String, _ lines: [[UInt8]]) async throws -> TemporaryStore {
    try await TemporaryStore(
      device: name, user: "ada", bytes: lines.flatMap { $0 + [0x0A] }, catalog: SchemaCatalog(),
      projections: [], clock: AdjustableClock(), seed: 1, on: nil)
  }

  @Test func `one run completes a batch on both sides`() async throws {
    let phone = try await store("phone", Array(lines[..<3]))
    let tablet = try await store("tablet", [lines[0]] + lines[3...])
    #expect(phone.snapshot.eventCount == 1)
    let plan = try await phone.store.dryRunSync(with: tablet.remote)
    let report = try await phone.sync(with: tablet.remote)
    #expect(report.pulledCount == 2 && report.pushedCount == 2)
    #expect(plan.pulledCount == 2 && plan.pushedCount == 2)
    try await tablet.store.refresh()
    #expect(phone.snapshot.eventCount == 5 && tablet.snapshot.eventCount == 5)
    #expect(phone.snapshot.frontier == tablet.snapshot.frontier)
    #expect(try tablet.journal.verify().problems.isEmpty)
  }

  @Test func `one run completes a batch in a shared place`() async throws {
    let phone = try await store("phone", Array(lines[..<3]))
    let tablet = try await store("tablet", [lines[0]] + lines[3...])
    let place = ObjectRemote(MemoryStorage(), random: .seeded(1))
    try await tablet.sync(with: place)
    try await phone.sync(with: place)
    let report = try await tablet.sync(with: place)
    #expect(report.pulledCount == 2 && report.missing == [])
    #expect(tablet.snapshot.eventCount == 5)
  }
}
