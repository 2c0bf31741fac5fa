import EventLogTesting
import Testing

@testable import EventLog

/// Where events stand, and the reading of some of them.
@Suite struct RangeReaderTests {
  private let place: Sandbox
  private let file: FileDescriptor
  private var size: Int64 { Int64((try? place.bytes().count) ?? 0) }

  /// Three devices, whose lines take turns of different lengths, over many blocks.
  init() throws {
    place = try Sandbox()
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
    try place.put(lines.flatMap(\.self))
    file = try place.disk.open(place.path, .read)
  }

  private func pass() throws -> JournalPass<EventList> {
    var pass = JournalPass(sink: EventList())
    _ = try JournalReading(path: place.path, fileSystem: place.disk, file: file)
      .read(into: &pass, record: nil)
    return pass
  }

  private func read(_ ranges: [EventRange], _ ledger: Ledger) throws -> [[UInt8]] {
    var reader = RangeReader(
      ranges, path: place.path, file: file, fileSystem: place.disk, ledger: ledger, size: size)
    var lines: [[UInt8]] = []
    while let batch = try reader.next() {
      #expect(!batch.isEmpty)
      let some = Sandbox.lines(batch.bytes)
      #expect(some.count == batch.count)
      lines += some
    }
    return lines
  }

  @Test func `ranges are read as they stand, in the order of the file`() throws {
    let pass = try pass()
    #expect(pass.report.problems == [] && pass.ledger.index.starts.count > 10)
    let all = Sandbox.lines(try place.bytes())
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

  /// Events of a device that has one history.
  private func range(
    _ device: String, _ first: Int64, _ last: Int64, _ ledger: Ledger
  ) throws -> EventRange {
    let end = try #require(
      ledger.points(named: EventID(device: DeviceID(device)!, sequence: last)).first)
    return EventRange(from: first, to: ledger.fullID(end))
  }

  @Test func `little more is read than what is asked for`() throws {
    let pass = try pass()
    place.disk.resetCounts()
    let range = try range("b-bbbbbbbb", 1_500, 1_510, pass.ledger)
    #expect(try read([range], pass.ledger).count == 11)
    #expect(place.disk.bytesRead <= 3 * LineIndex.blockBytes)
    #expect(size > 10 * LineIndex.blockBytes)
  }

  @Test func `the index of a reading in two parts is that of one`() throws {
    let whole = try pass().ledger.index
    var parts = JournalPass(sink: EventList())
    let bytes = try place.bytes()
    var end = 0
    for line in Sandbox.lines(bytes) {
      end += line.count
      if end % 7 != 0 { continue }
      try place.put(Array(bytes[..<end]), "part.jsonl")
      let file = try place.disk.open(place.folder.file("part.jsonl"), .read)
      defer { place.disk.close(file) }
      _ = try JournalReading(
        path: place.folder.file("part.jsonl"), fileSystem: place.disk, file: file
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

  @Test func `where any event stands is found`() throws {
    let pass = try pass()
    let lines = Sandbox.lines(try place.bytes())
    var offset: Int64 = 0
    for (index, line) in lines.enumerated() {
      if index % 501 == 0 {
        let event = try #require(EventID(pass.sink.ids[index]))
        let point = try #require(pass.ledger.points(named: event).first)
        let position = try RangeReader.position(
          of: point, path: place.path, file: file, fileSystem: place.disk, ledger: pass.ledger,
          size: size)
        #expect(position?.offset == offset)
        #expect(position?.byteCount == line.count - 1)
      }
      offset += Int64(line.count)
    }
  }

  @Test func `a file that was changed meanwhile is no source`() throws {
    let pass = try pass()
    let bytes = try place.bytes()
    // Another journal in its place, in the same inode.
    try place.put(Sandbox.lines(of: "b-bbbbbbbb", count: 9_000).flatMap(\.self))
    let range = try range("a-aaaaaaaa", 1, 3_000, pass.ledger)
    #expect(
      failure { () throws(EventLogError) in
        var reader = RangeReader(
          [range], path: place.path, file: file, fileSystem: place.disk, ledger: pass.ledger,
          size: Int64(bytes.count))
        while try reader.next() != nil {}
      }?.code == .inputOutput)
  }
}

/// The reading of ranges where lines stand in the file in another order than that of their needs.
@Suite struct StrayLinesTests {
  private let place: Sandbox

  init() throws { place = try Sandbox() }

  /// Puts lines into a file, and reads it.
  private func read(_ lines: [[UInt8]]) throws -> (pass: JournalPass<EventList>, JournalFile) {
    try place.put(Array(lines.joined()))
    let file = try JournalFile.open(place.path, .read, fileSystem: place.disk)
    var users = JournalUsers()
    users.given = "ada"
    var pass = JournalPass(sink: EventList(), users: users)
    _ = try JournalReading(path: place.path, fileSystem: place.disk, file: file.descriptor)
      .read(into: &pass, record: nil)
    return (pass, file)
  }

  private func ranges(
    _ ranges: [EventRange], _ pass: JournalPass<EventList>, _ file: JournalFile
  ) throws -> [[UInt8]] {
    var reader = RangeReader(
      ranges, path: place.path, file: file.descriptor, fileSystem: place.disk, ledger: pass.ledger,
      size: try file.status.size)
    var lines: [[UInt8]] = []
    while let batch = try reader.next() { lines += Sandbox.lines(batch.bytes) }
    return lines
  }

  /// All that a journal holds, as whoever has nothing of it would ask for it.
  private func all(_ ledger: Ledger) -> [EventRange] {
    ledger.tips.map { EventRange(from: 1, to: ledger.fullID($0)) }
  }

  /// What an empty journal takes of lines, in order.
  private func received(
    _ lines: [[UInt8]], missing: [EventRange]
  ) throws -> (result: ReceiveResult, lines: [[UInt8]]) {
    let box = try Sandbox()
    var result = ReceiveResult()
    let terms = ReceivingTerms(missing: missing)
    _ = try box.writer().commit { (batch) throws(EventLogError) in
      result = try batch.receive(Array(lines.joined()), on: terms)
    }
    return (result, lines.isEmpty ? [] : Sandbox.lines(try box.bytes()))
  }

  @Test func `whatever the order of the file, an empty journal takes all of its ranges`() throws {
    var strayCount = 0
    for seed in RandomRounds(150) {
      var habits = seed % 2 == 0 ? HistoryWorld.Habits() : .copied
      // Who has lost the adoption that let a guest in has to be given it first.
      if seed % 2 == 0 { habits.guests = 0 }
      let world = HistoryWorld(seed: seed, habits)
      var random = SplitMix64(seed: seed)
      let copies = world.copies.filter { world.history.user(of: $0) == "ada" }
      let copy = copies.randomElement(using: &random)!
      let lines = world.history.lines(of: copy).shuffled(using: &random)
      let (pass, file) = try read(lines)
      defer { file.close() }
      strayCount += pass.ledger.index.strays.count
      let found = try ranges(all(pass.ledger), pass, file)
      try #require(found.count == pass.sink.ids.count, "EVENTLOG_SEED=\(seed)")
      let (result, taken) = try received(found, missing: pass.ledger.missingRanges)
      try #require(result.refused == [], "EVENTLOG_SEED=\(seed)")
      try #require(taken == found, "EVENTLOG_SEED=\(seed)")
    }
    #expect(strayCount > Rounds.of(100))
  }

  @Test(arguments: [false, true])
  func `a guest comes behind the adoption that others have seen when they saw it`(
    isReversed: Bool
  ) throws {
    var (own, other) = (HandmadeDevice("b-bbbbbbbb"), HandmadeDevice("c-cccccccc"))
    var guest = HandmadeDevice("g-gggggggg")
    let joins = [own.join(user: "ada"), other.join(user: "ada"), guest.join(user: "guest")]
    let adoption = own.write("user.adopted", nil, ["from": "guest", "to": "ada"])
    let note = other.event(seeing: [own.tip, guest.tip])
    let again = other.write("user.adopted", nil, ["from": "guest", "to": "ada"])
    var lines = (joins + [adoption, note, again]).map { $0 + [0x0A] }
    if isReversed { lines.reverse() }
    let (pass, file) = try read(lines)
    defer { file.close() }
    let found = try ranges(all(pass.ledger), pass, file)
    #expect(found.count == 6)
    #expect(try received(found, missing: []).result.refused == [])
  }

  @Test func `a guest comes before an adoption that has seen it, where another one is held`() throws
  {
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

  @Test func `the events of a batch stay together`() throws {
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
    let (result, taken) = try received(found, missing: [])
    #expect(result.refused == [] && result.received.count == 63)
    #expect(taken == found)
  }

  @Test func `some events out of their order are read alone, and in order`() throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    var lines = [device.join(user: "ada")]
    var ids: [FullEventID] = [device.tip]
    for _ in 0..<200 {
      lines.append(device.event(text: String(repeating: "x", count: 1000)))
      ids.append(device.tip)
    }
    // As after a refill: what was missing stands behind all else.
    let lost = lines.remove(at: 100)
    let (pass, file) = try read((lines + [lost]).map { $0 + [0x0A] })
    defer { file.close() }
    #expect(pass.ledger.index.strays.count == 100)
    place.disk.resetCounts()
    let found = try ranges([EventRange(from: 99, to: ids[102])], pass, file)
    #expect(
      found.map { Array($0.dropLast()) } == [lines[98], lines[99], lost, lines[100], lines[101]])
    #expect(place.disk.bytesRead < 8 * LineIndex.blockBytes)
    // The index tells as much from a checkpoint.
    let decoded = try pass.ledger.index.stored(branchCount: 1)
    #expect(decoded.strays.map(\.offset) == pass.ledger.index.strays.map(\.offset))
    #expect(decoded.strays.map(\.sequence) == pass.ledger.index.strays.map(\.sequence))
  }

  @Test func `lines out of their order that were changed meanwhile are missed`() throws {
    let lines = Sandbox.lines(of: "a-aaaaaaaa", count: 20)
    let (pass, file) = try read(lines.reversed())
    defer { file.close() }
    var reader = RangeReader(
      all(pass.ledger), path: place.path, file: file.descriptor, fileSystem: place.disk,
      ledger: pass.ledger, size: try file.status.size)
    var changed = Array(lines.reversed())
    changed[10] = Sandbox.broken(changed[10])
    try place.put(Array(changed.joined()))
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
  /// The index that is read back from what is written of it.
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
