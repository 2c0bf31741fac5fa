import Testing

@testable import EventLog

@Suite struct ForkSearchTests {
  private static let device = DeviceID("a-aaaaaaaa")!

  /// The histories of a device on two sides, which differ from an event on.
  private struct Histories {
    var ours: [LineChecksum]
    var theirs: [LineChecksum]
    /// What a side cannot tell.
    var unknown: Set<Int64> = []

    /// - Parameter fork: the first event about which they differ; nil: none.
    init(_ ourCount: Int, _ theirCount: Int, fork: Int64?) {
      func history(_ count: Int, _ mark: UInt32) -> [LineChecksum] {
        (0..<count).map { place in
          let isOther = fork.map { Int64(place) + 1 >= $0 } ?? false
          return LineChecksum(line: UInt32(place), chain: isOther ? mark : UInt32(place))
        }
      }
      ours = history(ourCount, 7_000)
      theirs = history(theirCount, 8_000)
    }

    func search() async throws -> (found: Int64?, lookupCount: Int) {
      var count = 0
      let found = try await ForkSearch.firstDifference(
        of: ForkSearchTests.device,
        HistoryPoint(sequence: Int64(ours.count), checksum: ours.last!),
        HistoryPoint(sequence: Int64(theirs.count), checksum: theirs.last!),
        ourLookup: { (event) throws(EventLogError) in
          count += 1
          return ours[Int(event.sequence) - 1]
        },
        theirLookup: { (event) throws(EventLogError) in
          count += 1
          return unknown.contains(event.sequence) ? nil : theirs[Int(event.sequence) - 1]
        })
      return (found, count)
    }
  }

  @Test func `histories that agree have no fork, at the cost of one question`() async throws {
    for (ours, theirs) in [(1, 1), (1, 9), (9, 1), (5, 5), (4, 5)] {
      let (found, count) = try await Histories(ours, theirs, fork: nil).search()
      #expect(found == nil)
      #expect(count <= 1)
    }
  }

  @Test func `the first different event is found, wherever it is`() async throws {
    for ours in 1...12 {
      for theirs in 1...12 {
        for fork in 1...min(ours, theirs) {
          let (found, _) = try await Histories(ours, theirs, fork: Int64(fork)).search()
          #expect(found == Int64(fork))
        }
      }
    }
  }

  @Test func `it takes as many questions as a search by halves`() async throws {
    let (found, count) = try await Histories(100_000, 90_000, fork: 12_345).search()
    #expect(found == 12_345)
    #expect(count <= 2 * 18)
  }

  @Test func `what cannot be told counts as different`() async throws {
    var histories = Histories(9, 9, fork: 8)
    histories.unknown = [4]
    // Halves: 4 is unknown, so the difference is looked for before it.
    let found = try #require(try await histories.search().found)
    #expect(found <= 8)
    histories = Histories(5, 9, fork: nil)
    histories.unknown = Set(1...9)
    #expect(try await histories.search().found == 1)
  }
}
