import EventLog
import Testing

@Suite struct EventRangesTests {
  private static let phone = DeviceID("phone-aaaaaaaa")!
  private static let tablet = DeviceID("tablet-bbbbbbbb")!

  @Test func `events in any order become the fewest ranges`() {
    for seed in 0..<20 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var all = Set<Int64>()
      var ranges = EventRanges()
      for _ in 0..<60 {
        let sequence = Int64.random(in: 1...50, using: &random)
        let length = Int64.random(in: 0...3, using: &random)
        ranges.insert(
          EventRange(device: Self.phone, first: sequence, last: sequence + length))
        all.formUnion(sequence...(sequence + length))
        #expect(ranges.count == all.count)
        #expect(ranges.ranges.flatMap { $0.first...$0.last } == all.sorted())
        // No two of them touch.
        for (one, next) in zip(ranges.ranges, ranges.ranges.dropFirst()) {
          #expect(one.last + 1 < next.first)
        }
        for sequence in 1...54 as ClosedRange<Int64> {
          #expect(
            ranges.contains(EventID(device: Self.phone, sequence: sequence))
              == all.contains(sequence))
        }
      }
    }
  }

  @Test func `devices are apart, and in the order of their IDs`() {
    var ranges = EventRanges()
    ranges.insert(EventID(device: Self.tablet, sequence: 1))
    ranges.insert(EventID(device: Self.phone, sequence: 2))
    ranges.insert(EventID(device: Self.phone, sequence: 3))
    #expect(ranges.ranges.map(\.description) == ["phone-aaaaaaaa:2–3", "tablet-bbbbbbbb:1"])
    var other = EventRanges()
    other.insert(EventID(device: Self.phone, sequence: 1))
    ranges.formUnion(other)
    #expect(ranges.ranges[0] == EventRange(device: Self.phone, first: 1, last: 3))
    #expect(ranges.count == 4 && !ranges.isEmpty && EventRanges().isEmpty)
  }
}
