import Testing

@testable import EventLog

@Suite struct EventRangesTests {
  private static let phone = DeviceID("phone-aaaaaaaa")!
  private static let tablet = DeviceID("tablet-bbbbbbbb")!

  private static func event(_ device: DeviceID, _ sequence: Int64, _ chain: UInt32) -> FullEventID {
    FullEventID(device: device, sequence: sequence, chain: chain)
  }

  @Test func `consecutive events of a history become one range`() {
    var ranges = EventRanges()
    for sequence in 3...9 as ClosedRange<Int64> {
      ranges.insert(
        Self.event(Self.phone, sequence, UInt32(sequence)), after: UInt32(sequence - 1))
    }
    #expect(ranges.ranges == [EventRange(device: Self.phone, first: 3, last: 9, chain: 9)])
    #expect(ranges.count == 7)
  }

  @Test func `each history of a fork has a range, and the common events belong to one of them`() {
    var ranges = EventRanges()
    ranges.insert(Self.event(Self.phone, 1, 1), after: 0)
    ranges.insert(Self.event(Self.phone, 2, 2), after: 1)
    ranges.insert(Self.event(Self.phone, 3, 3), after: 2)
    ranges.insert(Self.event(Self.phone, 3, 33), after: 2)
    ranges.insert(Self.event(Self.phone, 4, 34), after: 33)
    #expect(
      ranges.ranges == [
        EventRange(device: Self.phone, first: 1, last: 3, chain: 3),
        EventRange(device: Self.phone, first: 3, last: 4, chain: 34),
      ])
    #expect(ranges.count == 5)
  }

  @Test func `an event inserted before its predecessor gets a separate range`() {
    var ranges = EventRanges()
    ranges.insert(Self.event(Self.phone, 2, 2), after: 1)
    ranges.insert(Self.event(Self.phone, 1, 1), after: 0)
    #expect(ranges.count == 2)
    #expect(ranges.ranges.map(\.description) == ["phone-aaaaaaaa:1", "phone-aaaaaaaa:2"])
  }

  @Test func `ranges are separate for each device and sorted by device`() {
    var ranges = EventRanges()
    ranges.insert(Self.event(Self.tablet, 1, 7), after: 0)
    ranges.insert(Self.event(Self.phone, 2, 2), after: 1)
    ranges.insert(Self.event(Self.phone, 3, 3), after: 2)
    #expect(ranges.ranges.map(\.description) == ["phone-aaaaaaaa:2–3", "tablet-bbbbbbbb:1"])
    var other = EventRanges()
    other.insert(EventRange(device: Self.phone, first: 1, last: 3, chain: 3))
    ranges.formUnion(other)
    #expect(ranges.ranges[0] == EventRange(device: Self.phone, first: 1, last: 3, chain: 3))
    #expect(ranges.count == 4 && !ranges.isEmpty && EventRanges().isEmpty)
  }

  @Test func `a range has a last event and a count, and ranges are sorted`() {
    let range = EventRange(from: 2, to: Self.event(Self.phone, 5, 55))
    #expect(range.end == Self.event(Self.phone, 5, 55))
    #expect(range.count == 4)
    let others = [
      EventRange(device: Self.phone, first: 2, last: 5, chain: 56),
      EventRange(device: Self.phone, first: 2, last: 6, chain: 1),
      EventRange(device: Self.tablet, first: 1, last: 1, chain: 0),
    ]
    #expect([others[2], others[1], others[0], range].sorted() == [range] + others)
  }
}
