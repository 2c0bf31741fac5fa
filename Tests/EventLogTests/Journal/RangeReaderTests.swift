import EventLogTesting
import Testing

@testable import EventLog

/// Locates events in a journal and reads ranges of them.
@Suite struct RangeReaderTests {
  private let box: Sandbox
  private let file: FileDescriptor
  private var size: Int64 { Int64((try? box.bytes().count) ?? 0) }

  /// Writes the lines of three devices in turns of random lengths, over many blocks.
  init() throws {
    box = try Sandbox()
    var lines: [[UInt8]] = []
    let devices = ["a-aaaaaaaa", "b-bbbbbbbb", "c-cccccccc"].map {
      Sandbox.lines(of: $0, count: 3_000)
    }
    var next = [0, 0, 0]
    var random = SplitMix64(seed: 3)
    while let device = (0..<3).filter({ next[$0] < 3_000 }).randomElement(using: &random) {
      for _ in 0..<Int.random(in: 1...40, using: &random) where next[device] < 3_000 {
        lines.append(devices[device][next[device]])
        next[device] += 1
      }
    }
    try box.put(lines.flatMap(\.self))
    file = try box.disk.open(box.path, .read)
  }

  private func pass() throws -> JournalPass<EventList> {
    var pass = JournalPass(sink: EventList())
    _ = try JournalReading(path: box.path, fileSystem: box.disk, file: file)
      .read(into: &pass, record: nil)
    return pass
  }

  private func read(_ ranges: [EventRange], _ ledger: Ledger) throws -> [[UInt8]] {
    var reader = RangeReader(
      ranges, path: box.path, file: file, fileSystem: box.disk, ledger: ledger, size: size)
    var lines: [[UInt8]] = []
    while let batch = try reader.next() {
      #expect(!batch.isEmpty)
      let some = Sandbox.lines(batch.bytes)
      #expect(some.count == batch.count)
      lines += some
    }
    return lines
  }

  @Test func `ranges are read in the order of the file`() throws {
    let pass = try pass()
    #expect(pass.report.problems == [] && pass.ledger.index.starts.count > 10)
    let all = Sandbox.lines(try box.bytes())
    var random = SplitMix64(seed: 5)
    for _ in 0..<20 {
      var ranges: [EventRange] = []
      for device in ["a-aaaaaaaa", "b-bbbbbbbb", "c-cccccccc"] where Bool.random(using: &random) {
        let first = Int64.random(in: 1...3_000, using: &random)
        let last = Int64.random(in: first...3_000, using: &random)
        ranges.append(try range(device, first, last, pass.ledger))
      }
      let expected = zip(pass.sink.ids, all).filter { id, _ in
        let id = EventID(id)!
        return ranges.contains {
          $0.device == id.device && ($0.first...$0.last).contains(id.sequence)
        }
      }
      #expect(try read(ranges, pass.ledger) == expected.map(\.1))
    }
  }

  /// A range of a device that has one history.
  private func range(
    _ device: String, _ first: Int64, _ last: Int64, _ ledger: Ledger
  ) throws -> EventRange {
    let end = try #require(
      ledger.points(named: EventID(device: DeviceID(device)!, sequence: last)).first)
    return EventRange(from: first, to: ledger.fullID(end))
  }

  @Test func `reading eleven events reads at most three blocks`() throws {
    let pass = try pass()
    box.disk.resetCounts()
    let range = try range("b-bbbbbbbb", 1_500, 1_510, pass.ledger)
    #expect(try read([range], pass.ledger).count == 11)
    #expect(box.disk.bytesRead <= 3 * LineIndex.blockBytes)
    #expect(size > 10 * LineIndex.blockBytes)
  }

  @Test func `an incremental reading builds the same index as a single pass`() throws {
    let whole = try pass().ledger.index
    var parts = JournalPass(sink: EventList())
    let bytes = try box.bytes()
    var end = 0
    for line in Sandbox.lines(bytes) {
      end += line.count
      if end % 7 != 0 { continue }
      try box.put(Array(bytes[..<end]), "part.jsonl")
      let file = try box.disk.open(box.folder.file("part.jsonl"), .read)
      defer { box.disk.close(file) }
      _ = try JournalReading(
        path: box.folder.file("part.jsonl"), fileSystem: box.disk, file: file
      ).read(into: &parts, record: nil)
      if end > 400_000 { break }
    }
    let index = parts.ledger.index
    #expect(index.starts.count > 4)
    #expect(index.starts[...] == whole.starts[..<index.starts.count])
    let decoded = try index.stored(branchCount: 3)
    #expect(decoded.starts == index.starts)
    #expect(decoded.entries.map { $0.map(\.sequence) } == index.entries.map { $0.map(\.sequence) })
  }

  @Test func `reading ranges of an overwritten file fails`() throws {
    let pass = try pass()
    let bytes = try box.bytes()
    // Another journal in the same inode.
    try box.put(Sandbox.lines(of: "b-bbbbbbbb", count: 9_000).flatMap(\.self))
    let range = try range("a-aaaaaaaa", 1, 3_000, pass.ledger)
    #expect(
      failure { () throws(EventLogError) in
        var reader = RangeReader(
          [range], path: box.path, file: file, fileSystem: box.disk, ledger: pass.ledger,
          size: Int64(bytes.count))
        while try reader.next() != nil {}
      }?.code == .inputOutput)
  }
}

/// Reading ranges of a file whose lines aren't in causal order.
@Suite struct StrayLinesTests {
  private let box: Sandbox

  init() throws { box = try Sandbox() }

  /// Writes lines to a file, and reads it after each of `counts` lines and at the end.
  private func read(
    _ lines: [[UInt8]], after counts: [Int] = []
  ) throws -> (pass: JournalPass<EventList>, JournalFile) {
    var pass = JournalPass(sink: EventList())
    pass.ledger.users.explicitUser = "ada"
    for count in counts + [lines.count] {
      try box.put(Array(lines.prefix(count).joined()))
      let file = try JournalFile.open(box.path, .read, fileSystem: box.disk)
      defer { file.close() }
      _ = try JournalReading(path: box.path, fileSystem: box.disk, file: file.descriptor)
        .read(into: &pass, record: nil)
    }
    return (pass, try JournalFile.open(box.path, .read, fileSystem: box.disk))
  }

  /// Whether lines are a journal of the user "ada": at first, a guest's events are the guest's.
  private func belongsToAda(_ lines: ArraySlice<[UInt8]>) throws -> Bool {
    do {
      try read(Array(lines)).1.close()
      return true
    } catch let error as EventLogError where error.code == .otherUser {
      return false
    }
  }

  private func ranges(
    _ ranges: [EventRange], _ pass: JournalPass<EventList>, _ file: JournalFile
  ) throws -> [[UInt8]] {
    var reader = RangeReader(
      ranges, path: box.path, file: file.descriptor, fileSystem: box.disk, ledger: pass.ledger,
      size: try file.status.size)
    var lines: [[UInt8]] = []
    while let batch = try reader.next() { lines += Sandbox.lines(batch.bytes) }
    return lines
  }

  /// All events of a journal, as an empty journal requests them.
  private func all(_ ledger: Ledger) -> [EventRange] {
    ledger.tips.map { EventRange(from: 1, to: ledger.fullID($0)) }
  }

  /// Sends lines to an empty journal, and the remaining ones again as long as that helps.
  ///
  /// - Returns: the last result, the lines of the journal, and the number of rounds.
  private func received(
    _ lines: [[UInt8]], missing: [EventRange]
  ) throws -> (result: ReceiveResult, lines: [[UInt8]], rounds: Int) {
    let box = try Sandbox()
    let filter = ReceiveFilter(missing: missing)
    var result = ReceiveResult()
    var taken: [[UInt8]] = []
    var (rest, rounds) = (lines, 0)
    repeat {
      _ = try box.writer().commit { (batch) throws(EventLogError) in
        result = try batch.receive(Array(rest.joined()), on: filter)
      }
      taken = lines.isEmpty ? [] : Sandbox.lines(try box.bytes())
      let known = Set(taken)
      rest.removeAll(where: known.contains)
      rounds += 1
    } while !result.received.isEmpty && !result.refused.isEmpty
    return (result, taken, rounds)
  }

  @Test func `an empty journal receives all ranges of a file in any order`() throws {
    var strayCount = 0
    for seed in RandomRounds(150) {
      var habits = seed % 2 == 0 ? HistoryWorld.Habits() : .copied
      // No guests: an adoption may come after their events, which are then received later.
      if seed % 2 == 0 { habits.guests = 0 }
      let world = HistoryWorld(seed: seed, habits)
      var random = SplitMix64(seed: seed)
      let copies = world.copies.filter { world.history.user(of: $0) == "ada" }
      let copy = copies.randomElement(using: &random)!
      let lines = world.history.lines(of: copy).shuffled(using: &random)
      let drawn = (0..<2).map { _ in Int.random(in: 0...lines.count, using: &random) }
      let counts = try drawn.sorted().filter { try belongsToAda(lines.prefix($0)) }
      let (pass, file) = try read(lines, after: counts)
      defer { file.close() }
      strayCount += pass.ledger.index.strays.count
      let found = try ranges(all(pass.ledger), pass, file)
      try #require(found.count == pass.sink.ids.count, "EVENTLOG_SEED=\(seed)")
      let (result, taken, rounds) = try received(found, missing: pass.ledger.missingRanges)
      try #require(result.refused == [], "EVENTLOG_SEED=\(seed)")
      try #require(Set(taken) == Set(found), "EVENTLOG_SEED=\(seed)")
      let hasGuests = !pass.ledger.users.adopted.isEmpty
      try #require(hasGuests || rounds == 1 && taken == found, "EVENTLOG_SEED=\(seed)")
    }
    #expect(strayCount > Rounds.of(100))
  }

  @Test(arguments: [false, true])
  func `a guest's events come after an adoption that another event has seen with them`(
    isReversed: Bool
  ) throws {
    var (own, other) = (HandmadeDevice("b-bbbbbbbb"), HandmadeDevice("c-cccccccc"))
    var guest = HandmadeDevice("g-gggggggg")
    let joins = [own.join(user: "ada"), other.join(user: "ada"), guest.join(user: "guest")]
    let adoption = own.write("user.adopted", nil, ["from": "guest", "to": "ada"])
    let note = other.event(seeing: [own.tip, guest.tip])
    let secondAdoption = other.write("user.adopted", nil, ["from": "guest", "to": "ada"])
    var lines = (joins + [adoption, note, secondAdoption]).map { $0 + [0x0A] }
    if isReversed { lines.reverse() }
    let (pass, file) = try read(lines)
    defer { file.close() }
    let found = try ranges(all(pass.ledger), pass, file)
    #expect(found.count == 6)
    #expect(try received(found, missing: []).result.refused == [])
  }

  @Test func `a guest's events come before a second adoption that has seen them`() throws {
    var (own, other) = (HandmadeDevice("b-bbbbbbbb"), HandmadeDevice("c-cccccccc"))
    var guest = HandmadeDevice("g-gggggggg")
    var lines = [own.join(user: "ada"), other.join(user: "ada"), guest.join(user: "guest")]
    lines.append(own.write("user.adopted", nil, ["from": "guest", "to": "ada"]))
    lines.append(other.event(seeing: [own.tip, guest.tip]))
    lines.append(other.write("user.adopted", nil, ["from": "guest", "to": "ada"]))
    lines = lines.map { $0 + [0x0A] }
    let (pass, file) = try read(lines.reversed())
    defer { file.close() }
    let wanted = [EventRange(from: 2, to: other.tip), EventRange(from: 1, to: guest.tip)]
    #expect(try ranges(wanted, pass, file) == [lines[2], lines[4], lines[5]])
  }

  @Test func `lines that were read later come after the lines that they need`() throws {
    var (one, other) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("b-bbbbbbbb"))
    let lines = [one.join(user: "ada"), one.event(), other.join(user: "ada")].map { $0 + [0x0A] }
    let later = other.event(seeing: [one.tip]) + [0x0A]
    let (pass, file) = try read([lines[1], lines[0], lines[2], later], after: [3])
    defer { file.close() }
    #expect(pass.ledger.index.strays.count == 1)
    #expect(try ranges(all(pass.ledger), pass, file) == [lines[0], lines[2], lines[1], later])
    // Without the line that is out of order, the lines come in file order.
    let wanted = [EventRange(from: 1, to: other.tip)]
    #expect(try ranges(wanted, pass, file) == [lines[2], later])
  }

  @Test(arguments: ["\r\n", "\n", ""])
  func `a line out of order is returned with an LF as its line ending`(end: String) throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    let lines = [device.join(user: "ada"), device.event(), device.event()]
    let written = [lines[2] + [0x0A], lines[1] + Array("\r\n".utf8), lines[0] + Array(end.utf8)]
    let (pass, file) = try read(written)
    defer { file.close() }
    #expect(pass.ledger.index.strays.count == 2)
    #expect(try ranges(all(pass.ledger), pass, file) == lines.map { $0 + [0x0A] })
  }

  @Test func `the events of a batch stay together if lines are out of order`() throws {
    var devices = ["a-aaaaaaaa", "b-bbbbbbbb", "c-cccccccc"].map { HandmadeDevice($0) }
    var lines: [[UInt8]] = []
    for index in devices.indices { lines.append(devices[index].join(user: "ada")) }
    for index in devices.indices {
      for step in 0..<20 { lines.append(devices[index].event(more: step % 5 != 4)) }
    }
    let (pass, file) = try read(lines.reversed().map { $0 + [0x0A] })
    defer { file.close() }
    #expect(pass.sink.ids.count == 63)
    let found = try ranges(all(pass.ledger), pass, file)
    let (result, taken, _) = try received(found, missing: [])
    #expect(result.refused == [] && result.received.count == 63)
    #expect(taken == found)
  }

  @Test func `reading events out of order reads few blocks and returns them in order`() throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    var lines = [device.join(user: "ada")]
    var ids: [FullEventID] = [device.tip]
    for _ in 0..<200 {
      lines.append(device.event(text: String(repeating: "x", count: 1000)))
      ids.append(device.tip)
    }
    // The restored event comes last, as after a repair.
    let lost = lines.remove(at: 100)
    let (pass, file) = try read((lines + [lost]).map { $0 + [0x0A] })
    defer { file.close() }
    #expect(pass.ledger.index.strays.count == 100)
    box.disk.resetCounts()
    let found = try ranges([EventRange(from: 99, to: ids[102])], pass, file)
    #expect(
      found.map { Array($0.dropLast()) } == [lines[98], lines[99], lost, lines[100], lines[101]])
    #expect(box.disk.bytesRead < 8 * LineIndex.blockBytes)
    // Strays survive encoding and decoding.
    let decoded = try pass.ledger.index.stored(branchCount: 1)
    #expect(decoded.strays.map(\.offset) == pass.ledger.index.strays.map(\.offset))
    #expect(decoded.strays.map(\.sequence) == pass.ledger.index.strays.map(\.sequence))
    #expect(decoded.strays.map(\.readUpTo) == pass.ledger.index.strays.map(\.readUpTo))
  }

  @Test func `reading lines out of order fails if the file has changed`() throws {
    let lines = Sandbox.lines(of: "a-aaaaaaaa", count: 20)
    let (pass, file) = try read(lines.reversed())
    defer { file.close() }
    var reader = RangeReader(
      all(pass.ledger), path: box.path, file: file.descriptor, fileSystem: box.disk,
      ledger: pass.ledger, size: try file.status.size)
    var changed = Array(lines.reversed())
    changed[10] = Sandbox.broken(changed[10])
    try box.put(Array(changed.joined()))
    let error = failure { () throws(EventLogError) in while try reader.next() != nil {} }
    #expect(error?.code == .inputOutput)
    #expect(
      failure { () throws(EventLogError) in _ = try reader.next() }?.code == .inputOutput)
  }
}

extension PagedArray {
  fileprivate func map<Value>(_ path: KeyPath<Element, Value>) -> [Value] {
    indices.map { self[$0][keyPath: path] }
  }
}

extension LineIndex {
  /// The index after it was written and read back.
  fileprivate func stored(branchCount: Int) throws -> LineIndex {
    var index = self
    let bytes = TableVisitor.bytes { (visitor) throws(ColumnFault) in
      try index.forEachTable(&visitor, branchCount: branchCount)
    }
    return try TableVisitor.read(bytes[...]) { (visitor) throws(ColumnFault) in
      var index = LineIndex()
      try index.forEachTable(&visitor, branchCount: branchCount)
      return index
    }
  }
}
