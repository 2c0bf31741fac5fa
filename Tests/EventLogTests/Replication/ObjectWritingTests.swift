import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// Pushes to a remote for objects, in steps that are complete by themselves.
@Suite struct ObjectWritingTests {
  private let bucket = HandmadeBucket()

  /// A phone with about 2 MiB of events in several batches.
  private func phoneWithManyEvents() async throws -> TemporaryStore {
    let phone = try await bucket.device("phone")
    for round in 0..<5 {
      _ = try await phone.store.append(
        (0..<1_500).map { number in
          EventDraft(
            type: "settings.changed",
            data: JSONObject([
              .init(
                name: "key\(round)-\(number % 9)",
                value: .string(String(repeating: "x", count: 100)))
            ]))
        })
    }
    return phone
  }

  private func storedEventCount() -> Int64 {
    var ranges = EventRanges()
    for name in bucket.ranges { ranges.insert(RangeName(name)!.range) }
    return ranges.count
  }

  @Test func `events are present in the remote when they are reported as pushed`() async throws {
    let phone = try await phoneWithManyEvents()
    var counts: [Int64] = []
    for try await progress in phone.store.replication(with: bucket.remote) {
      guard case .pushed(let count, let total) = progress else { continue }
      counts.append(count)
      #expect(storedEventCount() == count && total == 7_502)
    }
    #expect(counts.count > 1 && counts.last == 7_502)
  }

  @Test func `a sync that is abandoned after any step is continued by the next one`() async throws {
    let phone = try await phoneWithManyEvents()
    var runs = 0
    var before: Int64 = 0
    while storedEventCount() < 7_502 {
      for try await progress in phone.store.replication(with: bucket.remote) {
        if case .pushed = progress { break }
      }
      #expect(storedEventCount() > before)
      before = storedEventCount()
      runs += 1
    }
    #expect(runs > 1)
    let report = try await phone.sync(with: bucket.remote)
    #expect(report.pushed.isEmpty)
    let tablet = try await bucket.device("tablet")
    #expect(try await tablet.sync(with: bucket.remote, .pull).pulledCount == 7_502)
  }

  @Test func `a failure after the first step keeps the events that were reported as pushed`()
    async throws
  {
    let phone = try await phoneWithManyEvents()
    var pushed: Int64 = 0
    var code: EventLogError.Code?
    do throws(EventLogError) {
      for try await progress in phone.store.replication(with: bucket.remote) {
        guard case .pushed(let count, _) = progress else { continue }
        pushed = count
        bucket.storage.failCall(after: 0)
      }
    } catch {
      code = error.code
    }
    bucket.storage.stopFailing()
    #expect(code == .remoteFailed && pushed > 0 && storedEventCount() == pushed)
  }

  @Test func `ranges of several devices are put one by one, and a merge is a separate step`()
    async throws
  {
    var lines: [[UInt8]] = []
    for number in 0..<5 {
      var device = HandmadeDevice("device\(number)-aaaaaaaa")
      lines += [device.join(user: "ada"), device.event()]
    }
    let phone = try await bucket.device("phone", edits: 0, holding: lines)
    var steps = 0
    for try await progress in phone.store.replication(with: bucket.remote) {
      if case .pushed = progress { steps += 1 }
    }
    #expect(steps == 5 && bucket.ranges.count == 5)
    // The eighth range of the phone itself is merged with the others.
    for number in 0..<8 {
      _ = try await phone.create(Meal.self, key: "\(number)")
      steps = 0
      for try await progress in phone.store.replication(with: bucket.remote) {
        if case .pushed = progress { steps += 1 }
      }
      #expect(steps == (number == 7 ? 2 : 1))
    }
  }

  // MARK: - Ranges

  /// Writes lines to the remote, and returns the ranges by first and last event.
  private func write(_ batches: [[[UInt8]]]) async throws -> [String] {
    let histories = HandmadeHistories(batches.flatMap { $0 })
    let statement = FrontierStatement(user: "ada", tips: histories.tips)
    let session = try await bucket.remote.connect(SyncRequest(user: "ada"))
    _ = try await session.statement(to: statement, histories)
    try await session.announce(statement)
    for lines in batches {
      var batch = LineBatch()
      for line in lines { batch.add(line) }
      let result = try await session.write(batch)
      #expect(result.refused.isEmpty)
    }
    try await session.finish()
    #expect(bucket.ranges.allSatisfy { bucket.storage.objects[$0]!.count <= 4 << 20 })
    return bucket.ranges.compactMap { RangeName($0)?.range }.sorted().map(\.description)
  }

  @Test func `two histories of a device are written as separate ranges`() async throws {
    let twin = ForkedDevice(common: 2, left: 2, right: 2)
    let mixed = [twin.left[0], twin.right[0], twin.left[1], twin.right[1]]
    let ranges = try await write([twin.common + mixed])
    #expect(ranges == ["twin-aaaaaaaa:1–4", "twin-aaaaaaaa:3–4"])
    let chains = Set(bucket.ranges.compactMap { RangeName($0)?.range.chain })
    #expect(chains == Set([twin.left, twin.right].map { ForkedDevice.checksum($0[1]).chain }))
  }

  @Test func `a range ends before a batch that would make it too long`() async throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    let text = String(repeating: "x", count: 9_900)
    var batches = [[device.join(user: "ada")]]
    for _ in 0..<10 { batches.append((1...50).map { device.event(text: text, more: $0 < 50) }) }
    for _ in 0..<2 { batches.append((0..<80).map { _ in device.event(text: text) }) }
    var ends: Set<Int64> = [1]
    for number in 1...10 { ends.insert(Int64(1 + 50 * number)) }
    _ = try await write(batches)
    let ranges = bucket.ranges.compactMap { RangeName($0)?.range }.sorted()
    #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.last + 1 == $1.first })
    #expect(ranges.allSatisfy { $0.last > 501 || ends.contains($0.last) })
    #expect(ranges.last?.last == 661)
  }
}
