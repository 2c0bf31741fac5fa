import EventLogTesting
import Testing

@testable import EventLog

@Suite struct LedgerClosureTests {
  private typealias Clock = [Int: Int64]

  /// Devices that learn of each other, and now and then do not say all that they have learned.
  private struct World {
    var devices: [HandmadeDevice]
    var lines: [[UInt8]] = []
    /// Per device the clocks of its events, by all that those state.
    var clocks: [[Clock]]
    var random: SplitMix64

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      let count = Int.random(in: 2...[6, 24].randomElement(using: &random)!, using: &random)
      devices = (0..<count).map { HandmadeDevice("d\($0)-aaaaaaaa") }
      clocks = Array(repeating: [], count: count)
      for index in devices.indices { add(devices[index].join(user: "ada"), index, [:]) }
      let isHonest = Bool.random(using: &random)
      for _ in 0..<Int.random(in: 5...60, using: &random) { write(isHonest: isHonest) }
    }

    private mutating func add(_ line: [UInt8], _ index: Int, _ told: Clock) {
      var clock = clocks[index].last ?? [:]
      clock[index, default: 0] += 1
      clock.merge(told, uniquingKeysWith: max)
      clocks[index].append(clock)
      lines.append(line + [0x0A])
    }

    private mutating func write(isHonest: Bool) {
      let index = devices.indices.randomElement(using: &random)!
      var told: Clock = [:]
      for other in devices.indices where other != index && Bool.random(using: &random) {
        let last = clocks[other].last!
        told[other] = last[other]
        let isSilent = !isHonest && Int.random(in: 0..<10, using: &random) == 0
        if !isSilent { told.merge(last, uniquingKeysWith: max) }
      }
      told[index] = nil
      let known = clocks[index].last ?? [:]
      let news = told.filter { $0.value > known[$0.key] ?? 0 }
      let seen = news.map { tips[$0.key]![Int($0.value) - 1] }
      add(devices[index].event(seeing: seen), index, news)
      tips[index]!.append(devices[index].tip)
    }

    /// Per device its events.
    private lazy var tips: [Int: [FullEventID]] = Dictionary(
      uniqueKeysWithValues: devices.indices.map { ($0, [devices[$0].tip]) })

    /// Whether each event's clock holds those of all events in it, looked at one by one.
    var isClosed: Bool {
      clocks.joined().allSatisfy { clock in
        clock.allSatisfy { device, sequence in
          clocks[device][Int(sequence) - 1].allSatisfy { clock[$0.key] ?? 0 >= $0.value }
        }
      }
    }
  }

  @Test func `clocks hold what they name exactly where each event's does`() {
    var counts: [Bool: Int] = [:]
    for seed in RandomRounds(400, until: { counts.count == 2 && counts.values.min()! > 20 }) {
      let world = World(seed: seed)
      var reading = HistoryReading()
      reading.read(world.lines)
      let isClosed = world.isClosed
      counts[isClosed, default: 0] += 1
      #expect(reading.pass.ledger.areClocksClosed == isClosed, "EVENTLOG_SEED=\(seed)")
    }
    #expect(counts.count == 2)
  }

  @Test func `where histories part or events are missing, it is not said`() {
    var (phone, tablet) = (HandmadeDevice("phone-aaaaaaaa"), HandmadeDevice("tablet-aaaaaaaa"))
    let joins = [phone.join(user: "ada"), tablet.join(user: "ada")]
    var parted = phone
    let lines = joins + [phone.event(text: "one"), parted.event(text: "two"), tablet.event()]
    for missing in [3, 2] {
      var reading = HistoryReading()
      reading.read(lines.enumerated().filter { $0.offset != missing }.map { $0.element + [0x0A] })
      #expect(reading.pass.ledger.areClocksClosed)
    }
    var reading = HistoryReading()
    reading.read(lines.map { $0 + [0x0A] })
    #expect(!reading.pass.ledger.areClocksClosed)
    var gap = HistoryReading()
    gap.read([joins[0], joins[1], tablet.event(seeing: [phone.tip])].map { $0 + [0x0A] })
    #expect(!gap.pass.ledger.areClocksClosed)
  }
}
