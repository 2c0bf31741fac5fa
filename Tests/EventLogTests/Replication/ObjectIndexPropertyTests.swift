import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// Compares reads of random objects with the rules applied line by line.
///
/// The histories have forks, batches and losses.
@Suite(.tags(.random)) struct ObjectIndexPropertyTests {
  /// All events ever written, and the parts that the initiator and the remote hold.
  private struct World {
    struct Line {
      var bytes: [UInt8]
      /// The predecessor.
      var before: FullEventID?
      var seen: [FullEventID]
      /// The number of its batch.
      var batch: Int
      var hasMore: Bool
    }

    var random: SplitMix64
    var lines: [FullEventID: Line] = [:]
    var histories: [[FullEventID]] = []
    /// The events that neither side holds.
    var lost: Set<FullEventID> = []
    /// The events that the initiator holds.
    var held: Set<FullEventID> = []
    /// The events of the undamaged objects.
    var remoteEvents: Set<FullEventID> = []
    /// The lost events that a frontier announces as missing.
    var missing: Set<FullEventID> = []
    let bucket = HandmadeBucket()

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      write()
      let single = lines.filter { lines in
        lines.value.before != nil && self.lines.values.count { $0.batch == lines.value.batch } == 1
      }
      lost = Set(single.keys.sorted().filter { _ in isOneIn(15) })
      for history in histories where !isOneIn(3) {
        held.formUnion(history.prefix(number(history.count + 1)).prefix { !lost.contains($0) })
      }
      // A batch is held as a whole or not at all.
      let cut = Set(
        lines.filter { !held.contains($0.key) && !lost.contains($0.key) }.map(\.value.batch))
      for history in histories {
        guard let first = history.first(where: { cut.contains(lines[$0]!.batch) }) else { continue }
        held.subtract(lines.keys.filter { isInHistory(first, of: $0) })
      }
      missing = Set(lost.sorted().filter { _ in isOneIn(2) })
      for history in histories { put(history) }
      let gaps = missing.sorted().map { EventRange(from: $0.sequence, to: $0) }
      bucket.state([], missing: gaps)
    }

    mutating func number(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    mutating func isOneIn(_ one: Int) -> Bool { number(one) == 0 }

    private mutating func write() {
      var devices: [HandmadeDevice] = []
      var batches = 0
      for _ in 0..<(15 + number(40)) {
        if devices.isEmpty || isOneIn(15) {
          var device = HandmadeDevice("d\(devices.count)-aaaaaaaa")
          let line = device.join(user: "ada")
          lines[device.tip] = Line(
            bytes: line, before: nil, seen: [], batch: batches, hasMore: false)
          devices.append(device)
          histories.append([device.tip])
          batches += 1
        } else if isOneIn(12) {
          // Forks a device.
          let index = number(devices.count)
          devices.append(devices[index])
          histories.append(histories[index])
        }
        let index = number(devices.count)
        let count = isOneIn(4) ? 2 + number(3) : 1
        for position in 1...count {
          let known = lines.keys.sorted()
          let seen = isOneIn(2) ? [known[number(known.count)]] : []
          let others = seen.filter { $0.device != devices[index].id }
          let before = devices[index].tip
          let bytes = devices[index].event(
            text: "\(index)", seeing: others, more: position < count)
          lines[devices[index].tip] = Line(
            bytes: bytes, before: before, seen: others, batch: batches, hasMore: position < count)
          histories[index].append(devices[index].tip)
        }
        batches += 1
      }
    }

    /// Writes a history in ranges. Some are left out or damaged.
    private mutating func put(_ history: [FullEventID]) {
      for _ in 0..<(isOneIn(4) ? 2 : 1) {
        var range: [FullEventID] = []
        for event in history {
          if !lost.contains(event) { range.append(event) }
          let isEnd = lost.contains(event) || event == history.last
          if range.isEmpty || !isEnd && (lines[event]!.hasMore || !isOneIn(5)) { continue }
          if !isOneIn(3) {
            let name = bucket.put(range.map { lines[$0]!.bytes }, addition: isOneIn(9) ? " 2" : "")
            if isOneIn(15) {
              bucket.storage.objects[name]!.removeLast()
            } else {
              bucket.storage.objects[name]! = range.flatMap { lines[$0]!.bytes + [0x0A] }
            }
          }
          range = []
        }
      }
      let whole = bucket.storage.objects.compactMap { name, bytes in
        RangeName(name).flatMap { RangeContent($0, bytes) }.map(\.bytes)
      }
      remoteEvents = Set(
        whole.flatMap { $0.split(separator: 0x0A).map { ForkedDevice.event(Array($0)) } })
    }

    func isInHistory(_ earlier: FullEventID, of later: FullEventID) -> Bool {
      var event: FullEventID? = later
      while let at = event, at != earlier { event = lines[at]!.before }
      return event != nil
    }

    /// An initiator that holds `held`, its session, and the remote's statement to it.
    func connect() async throws -> (
      own: HandmadeHistories, session: any RemoteSession, stated: FrontierStatement
    ) {
      let own = HandmadeHistories(held.map { lines[$0]!.bytes })
      let session = try await bucket.remote.connect(SyncRequest(user: "ada"))
      let initiator = FrontierStatement(user: "ada", tips: own.tips)
      return (own, session, try await session.statement(to: initiator, own))
    }

    /// The initiator's events in a history that the remote has announced.
    func divergences(
      of tip: FullEventID, _ session: any RemoteSession
    ) async throws -> [FullEventID] {
      let history = held.filter { isInHistory($0, of: tip) }.sorted()
      let chains = try await session.chains(
        history.map { HistoryQuery(sequence: $0.sequence, in: tip) })
      return zip(history, chains).filter { $0.chain == $1 }.map(\.0)
    }

    /// The events that can be received and aren't held.
    var available: Set<FullEventID> {
      var found: Set<FullEventID> = []
      let batches = Dictionary(grouping: lines.keys) { lines[$0]!.batch }
      while true {
        let known = held.union(found).union(missing)
        let next = batches.values.filter { batch in
          let isTaken = !batch.contains { !remoteEvents.contains($0) }
          return isTaken && !found.isSuperset(of: batch)
            && batch.allSatisfy { event in
              let line = lines[event]!
              return ([line.before].compactMap(\.self) + line.seen).allSatisfy {
                known.contains($0) || batch.contains($0)
              }
            }
        }
        if next.isEmpty { return found.subtracting(held) }
        found.formUnion(next.joined())
      }
    }
  }

  @Test func `a pull receives exactly the events that can be admitted`() async throws {
    var counts = (taken: 0, waiting: 0)
    for seed in RandomRounds(30, atLeast: 7) {
      let world = World(seed: seed)
      let (_, session, stated) = try await world.connect()
      var ranges: [EventRange] = []
      for tip in stated.tips where !world.held.contains(tip) {
        let last = try await world.divergences(of: tip, session).map(\.sequence).max()
        ranges.append(EventRange(from: (last ?? 0) + 1, to: tip))
      }
      let source = try await session.read(ranges)
      // Like a receiver, skip batches whose dependencies haven't arrived.
      var (sent, taken, batch): (Set<FullEventID>, Set<FullEventID>, [FullEventID]) = ([], [], [])
      while let lines = try await source.next() {
        let events = lines.bytes.split(separator: 0x0A).map { ForkedDevice.event(Array($0)) }
        for event in events {
          #expect(sent.insert(event).inserted, "\(seed)")
          batch.append(event)
          if world.lines[event]!.hasMore { continue }
          let needed = Set(
            batch.map { world.lines[$0]! }.flatMap { [$0.before].compactMap(\.self) + $0.seen })
          let known = taken.union(world.missing).union(world.held).union(batch)
          if needed.isSubset(of: known) { taken.formUnion(batch) }
          batch = []
        }
        #expect(batch == [], "\(seed)")
      }
      let expected = world.available
      #expect(taken.subtracting(world.held).subtracting(expected) == [], "\(seed)")
      #expect(expected.subtracting(taken) == [], "\(seed)")
      counts.taken += expected.count
      counts.waiting += world.remoteEvents.subtracting(world.held).subtracting(expected).count
    }
    #expect(counts.taken > 0 && counts.waiting > 0)
  }

  @Test func `a session returns the chains of a history as far as its events are known`()
    async throws
  {
    for seed in RandomRounds(20) {
      var world = World(seed: seed)
      let (_, session, _) = try await world.connect()
      for history in world.histories {
        let tip = history[world.number(history.count)]
        let index = world.number(Int(tip.sequence))
        let chain = try await session.chains([
          HistoryQuery(sequence: Int64(index) + 1, in: tip)
        ])[0]
        let path = history[index..<Int(tip.sequence)]
        let isKnown = path.allSatisfy { world.remoteEvents.union(world.held).contains($0) }
        #expect(chain == nil || chain == history[index].chain, "\(seed)")
        #expect(!isKnown || !world.remoteEvents.contains(tip) || chain != nil, "\(seed)")
        #expect(world.remoteEvents.contains(tip) || chain == nil, "\(seed)")
      }
    }
  }

  @Test func `a push sends exactly the held events that the remote lacks`() async throws {
    var counts = (after: 0, before: 0)
    for seed in RandomRounds(30, atLeast: 7) {
      let world = World(seed: seed)
      let (_, session, stated) = try await world.connect()
      var shared = stated.tips.filter { world.held.contains($0) }
      for tip in stated.tips where !world.held.contains(tip) {
        shared += try await world.divergences(of: tip, session)
      }
      let gaps = stated.missing.filter { world.held.contains($0.end) }
      for event in world.held {
        // Like the plan, send the events after the last common event.
        let isAfterShared = !shared.contains { world.isInHistory(event, of: $0) }
        let isInGap = gaps.contains {
          $0.first <= event.sequence && world.isInHistory(event, of: $0.end)
        }
        #expect(
          (isAfterShared || isInGap) != world.remoteEvents.contains(event), "\(seed) \(event)")
        if !world.remoteEvents.contains(event) {
          if isInGap { counts.before += 1 } else { counts.after += 1 }
        }
      }
    }
    #expect(counts.before > 0 && counts.after > 0)
  }
}
