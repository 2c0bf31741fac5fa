import EventLogTesting
import Testing

@testable import EventLog

/// How a run puts events into a shared place: step by step, each of which counts.
@Suite struct ObjectWritingTests {
  private let place = HandmadePlace()

  /// Some 2 MiB in several batches.
  private func phoneWithMuch() async throws -> TemporaryStore {
    let phone = try await place.device("phone")
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

  private func inPlace() -> Int64 {
    var ranges = EventRanges()
    for name in place.ranges { ranges.insert(RangeName(name)!.range) }
    return ranges.count
  }

  @Test func `what is said to be pushed is in its place`() async throws {
    let phone = try await phoneWithMuch()
    var counts: [Int64] = []
    for try await progress in phone.store.replication(with: place.remote) {
      guard case .pushed(let count, let total) = progress else { continue }
      counts.append(count)
      #expect(inPlace() == count && total == 7_502)
    }
    #expect(counts.count > 1 && counts.last == 7_502)
  }

  @Test func `a run that is left after any step has given something, and the next ones go on`()
    async throws
  {
    let phone = try await phoneWithMuch()
    var runs = 0
    var before: Int64 = 0
    while inPlace() < 7_502 {
      for try await progress in phone.store.replication(with: place.remote) {
        if case .pushed = progress { break }
      }
      #expect(inPlace() > before)
      before = inPlace()
      runs += 1
    }
    #expect(runs > 1)
    let report = try await phone.sync(with: place.remote)
    #expect(report.pushed.isEmpty)
    let tablet = try await place.device("tablet")
    #expect(try await tablet.sync(with: place.remote, .pull).pulledCount == 7_502)
  }

  @Test func `a failure behind the first step leaves what was said to be pushed`() async throws {
    let phone = try await phoneWithMuch()
    var pushed: Int64 = 0
    var code: EventLogError.Code?
    do throws(EventLogError) {
      for try await progress in phone.store.replication(with: place.remote) {
        guard case .pushed(let count, _) = progress else { continue }
        pushed = count
        place.storage.failCall(after: 0)
      }
    } catch {
      code = error.code
    }
    place.storage.stopFailing()
    #expect(code == .remoteFailed && pushed > 0 && inPlace() == pushed)
  }

  @Test func `many devices' few events are put in steps, and joining has steps of its own`()
    async throws
  {
    var lines: [[UInt8]] = []
    for number in 0..<5 {
      var device = HandmadeDevice("device\(number)-aaaaaaaa")
      lines += [device.join(user: "ada"), device.event()]
    }
    let phone = try await place.device("phone", edits: 0, holding: lines)
    var steps = 0
    for try await progress in phone.store.replication(with: place.remote) {
      if case .pushed = progress { steps += 1 }
    }
    #expect(steps == 5 && place.ranges.count == 5)
    // The eighth range of its own is joined with the others.
    for number in 0..<8 {
      _ = try await phone.create(Meal.self, key: "\(number)")
      steps = 0
      for try await progress in phone.store.replication(with: place.remote) {
        if case .pushed = progress { steps += 1 }
      }
      #expect(steps == (number == 7 ? 2 : 1))
    }
  }
}
