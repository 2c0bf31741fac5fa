import EventLog
import Testing

@Suite struct DeliveredEventsTests {
  private var delivered = DeliveredEvents()

  private mutating func add(_ sequences: [Int64], chain: UInt32 = 1) -> [Bool] {
    sequences.map { delivered.add(Self.event($0, chain)) }
  }

  private static func event(_ sequence: Int64, _ chain: UInt32, of device: String = "a")
    -> FullEventID
  {
    FullEventID(device: DeviceID(device)!, sequence: sequence, chain: chain)
  }

  @Test mutating func `an event is new only once`() {
    let found1 = add([1, 2, 3, 2, 1, 3, 4])
    #expect(found1 == [true, true, true, false, false, false, true])
    let isNewElsewhere = delivered.add(Self.event(1, 1, of: "b"))
    #expect(isNewElsewhere)
  }

  @Test mutating func `every sequence is new exactly once, in any order`() {
    let found2 = add([5, 9, 7])
    #expect(found2 == [true, true, true])
    let found3 = add([5, 7, 9])
    #expect(found3 == [false, false, false])
    let found4 = add([8, 6, 4, 10, 1])
    #expect(found4 == [true, true, true, true, true])
    let found5 = add([1, 4, 5, 6, 7, 8, 9, 10])
    #expect(found5 == Array(repeating: false, count: 8))
    let found6 = add([2, 3, 11])
    #expect(found6 == [true, true, true])
  }

  @Test mutating func `an event with the same ID and another chain is new`() {
    _ = add([1, 2, 3])
    let found7 = add([2], chain: 7)
    #expect(found7 == [true])
    let found8 = add([2], chain: 7)
    #expect(found8 == [false])
    let found9 = add([1, 3])
    #expect(found9 == [false, false])
  }

  @Test mutating func `the highest sequences are new exactly once`() {
    let last: Int64 = 1 << 53 - 1
    let found10 = add([last, 1, last - 1, last])
    #expect(found10 == [true, true, true, false])
  }

  @Test func `a random event is new exactly if it wasn't delivered before`() {
    for seed in RandomRounds(200) {
      var random = SplitMix64(seed: seed)
      var delivered = DeliveredEvents()
      var events: Set<FullEventID> = []
      for _ in 0..<200 {
        let sequence = Int64.random(in: 1...60, using: &random)
        let event = Self.event(sequence, UInt32.random(in: 1...2, using: &random))
        let isNew = events.insert(event).inserted
        let found = delivered.add(event)
        #expect(found == isNew, "EVENTLOG_SEED=\(seed)")
        if found != isNew { return }
      }
    }
  }
}
