import EventLogCollections
import EventLogErasure
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// Erased lines, and the events that name what is erased.
@Suite struct ErasureTests {
  private let box: Sandbox

  init() throws { box = try Sandbox() }

  /// The erased form of a line, or nil if there is no room.
  private static func erased(_ line: [UInt8], without members: [String]? = nil) -> [UInt8]? {
    struct Sink: LineSink {
      var members: Set<[UInt8]>?
      var bytes: [UInt8]?

      mutating func event(
        _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
      ) {
        bytes = ErasedLine.bytes(
          of: layout, canonical, byteCount: line.count, without: members)
      }

      mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
    }
    var sink = Sink(members: members.map { Set($0.map { Erasures.Statement.spelled($0) }) })
    var scanner = LineScanner()
    scanner.scan(line + [0x0A], at: 0, number: 1, into: &sink)
    return sink.bytes
  }

  private static func erasing(
    _ device: inout HandmadeDevice, _ statements: [Erasures.Statement],
    seeing seen: [FullEventID] = []
  ) -> [UInt8] {
    device.write(
      "event.erased", nil, Erasures.Statement.data(of: statements, reason: "person"),
      at: Timestamp(milliseconds: 1_700_000_000_000)!, seeing: seen)
  }

  /// The lines that a reading of the file passes on, in its order, and the reading.
  private func read(
    _ lines: [[UInt8]]
  ) throws -> (lines: [[UInt8]], pass: JournalPass<LineList>) {
    try box.put(lines.map { $0 + [0x0A] }.joined().map(\.self))
    let file = try JournalFile.open(box.path, .read, fileSystem: box.disk)
    defer { file.close() }
    var pass = JournalPass(sink: LineList())
    _ = try JournalReading(path: box.path, fileSystem: box.disk, file: file.descriptor)
      .read(into: &pass, record: nil)
    return (pass.sink.lines, pass)
  }

  struct LineList: EventSink {
    var lines: [[UInt8]] = []

    func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { true }

    mutating func apply(
      _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
      branch: Int, ledger: Ledger
    ) { lines.append(line.copy()) }
  }

  @Test func `appends after an erasure do not read its numbers each time`() async throws {
    let phone = try await TemporaryStore(records: Habit.self)
    let habits = try await [phone.create(Habit.self).id, phone.create(Habit.self).id]
    try await phone.store.erase(.entity(habits[0].entity))
    let before = phone.disk.count(of: .open)
    for index in 1...40 { try await phone.edit(habits[1]) { $0.name = "Write \(index)" } }
    // Each append opens the record of the device, and a checkpoint may be written meanwhile.
    #expect(phone.disk.count(of: .open) < before + 60)

    try await phone.store.erase(.entity(habits[1].entity))
    let bytes = try phone.disk.contents(ofFile: phone.store.path, maximumBytes: 1 << 20)
    #expect(!bytes.containsBytes(of: "Write"))
  }

  @Test func `an erased line has the length and the chains of its original, and no content`()
    throws
  {
    var device = HandmadeDevice("a-aaaaaaaa")
    var random = SplitMix64(seed: 1)
    _ = device.join(user: "ada")
    for length in 0..<200 {
      let text = String(repeating: "x", count: length)
      let before = device.tip
      let seen = length % 3 == 0 ? [FullEventID(device: device.id, sequence: 1, chain: 7)] : []
      let more = Bool.random(using: &random)
      let line = device.event(text: text, seeing: seen, more: more)
      let erased = try #require(Self.erased(line))
      #expect(erased.count == line.count)
      #expect(erased.suffix(26) == line.suffix(26))
      let reference = try #require(ReferenceLine(erased))
      #expect(reference.id == device.tip && reference.previous == before)
      #expect(reference.seen == seen && reference.hasMore == more)
      #expect(reference.version == 0 && reference.data == [:])
      #expect(!String(decoding: erased, as: UTF8.self).contains("settings"))
    }
  }

  /// The salt has 60 random bits. Its checksum has 32, and is all that an erased line keeps.
  @Test func `the checksum of an erased line says nothing of its content`() throws {
    var generator = SplitMix64(seed: 7)
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    for value in ["1815-12-10", "1999-01-01", "2024-02-29"] {
      var counts = Array(repeating: 0, count: 4 * 256)
      for _ in 0..<10_000 {
        let salt = String((0..<12).map { _ in alphabet.randomElement(using: &generator)! })
        var writer = EventLineWriter(after: 0)
        writer.write(
          id: EventID("a-aaaaaaaa:2")!, at: Timestamp(milliseconds: 1_700_000_000_000)!,
          type: "profile.changed", entity: nil, seen: [], more: false,
          data: ["birthday": .string(value)], salt: salt)
        let chain = writer.checksum.chain
        for byte in 0..<4 { counts[byte * 256 + Int(chain >> (8 * byte) & 255)] += 1 }
      }
      // Chi-squared with 255 degrees of freedom is below 370 with a probability of 0.999999.
      for byte in 0..<4 {
        let expected = 10_000.0 / 256
        let statistic =
          counts[byte * 256..<(byte + 1) * 256]
          .reduce(0) { $0 + (Double($1) - expected) * (Double($1) - expected) } / expected
        #expect(statistic < 370, "\(value), byte \(byte)")
      }
    }
  }

  @Test func `a cut line keeps its other members`() throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    _ = device.join(user: "ada")
    let line = device.write(
      "profile.changed", nil, ["name": "Ada", "birthday": "1815-12-10", "city": "London, England"])
    let cut = try #require(Self.erased(line, without: ["birthday", "city"]))
    #expect(cut.count == line.count && cut.suffix(26) == line.suffix(26))
    let reference = try #require(ReferenceLine(cut))
    #expect(reference.data == ["name": "Ada"] && reference.type == "profile.changed")
    // Erasing the members one after the other gives the same line.
    let once = try #require(Self.erased(line, without: ["city"]))
    #expect(Self.erased(once, without: ["birthday", "city"]) == cut)
  }

  @Test func `events that are named are passed on without their content`() throws {
    var (one, other) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("b-bbbbbbbb"))
    var lines = [one.join(user: "ada"), other.join(user: "ada")]
    for number in 0..<4 { lines.append(one.event(text: "number \(number)")) }
    let range = EventRange(from: 3, to: one.tip)
    lines.append(one.event(text: "stays"))
    lines.append(Self.erasing(&other, [.init(range)], seeing: [one.tip]))
    var random = SplitMix64(seed: 5)
    for round in 0..<20 {
      let (passed, pass) = try read(round == 0 ? lines : lines.shuffled(using: &random))
      #expect(pass.report.problems == [])
      let texts = passed.map { String(decoding: $0, as: UTF8.self) }
      #expect(passed.count == 8)
      #expect(texts.count { $0.contains("\"text\":") } == 2)
      #expect(texts.count { $0.contains("\"erased\":") } == 3)
      #expect(pass.unerased.count == 3)
    }
  }

  @Test func `an erased line that nothing names is a problem until its original is there`() throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    var lines = [device.join(user: "ada"), device.event(text: "one"), device.event(text: "two")]
    let original = lines[1]
    lines[1] = try #require(Self.erased(original))
    let (_, pass) = try read(lines)
    #expect(pass.report.problems.map(\.code) == [.unnamedErasure])
    #expect(pass.report.missing.map(\.description) == ["a-aaaaaaaa:2"])
    let (passed, whole) = try read(lines + [original])
    #expect(whole.report.problems == [])
    #expect(Set(passed) == Set([lines[0], original, lines[2]]))
    let (_, first) = try read([lines[0], original, lines[1], lines[2]])
    #expect(first.report.problems == [] && first.restartCount == 0)
  }

  @Test func `an original counts also if it and its erased line wait for a missing event`() throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    let lines = [device.join(user: "ada")] + ["one", "two", "three"].map { device.event(text: $0) }
    let erased = try #require(Self.erased(lines[2]))
    for late in [[erased, lines[2]], [lines[2], erased]] {
      let (passed, pass) = try read([lines[0]] + late + [lines[3], lines[1]])
      #expect(pass.report.problems == [])
      #expect(Set(passed) == Set(lines))
    }
  }

  @Test func `an original that was found is not missed once it is erased, too`() throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    let lines = [device.join(user: "ada"), device.event(text: "one"), device.event(text: "two")]
    let named = try #require(ReferenceLine(lines[1])).id
    let erased = try #require(Self.erased(lines[1]))
    try box.put([lines[0], erased, lines[1], lines[2]].flatMap { $0 + [0x0A] })
    let (reader, other) = (box.writer(), box.writer())
    for writer in [reader, other] { try writer.append(1) }
    try Self.erase(named, other)
    try reader.append(1)
    #expect(reader.pass.report.problems == [])
    #expect(reader.pass.ledger.holds(named) && reader.pass.ledger.missingRanges == [])
    #expect(Sandbox.lines(try box.bytes())[1...2].allSatisfy { $0.dropLast() == erased })
  }

  @Test func `an original is not missed if it is erased before it is read once more`() throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    let lines = [device.join(user: "ada"), device.event(text: "one"), device.event(text: "two")]
    let erased = try #require(Self.erased(lines[1]))
    try box.put([lines[0], erased, lines[1], lines[2]].flatMap { $0 + [0x0A] })
    let file = try JournalFile.open(box.path, .read, fileSystem: box.disk)
    defer { file.close() }
    let reading = JournalReading(path: box.path, fileSystem: box.disk, file: file.descriptor)
    var pass = JournalPass(sink: LineList())
    _ = try reading.read(into: &pass, record: nil)
    #expect(pass.restartCount == 1)
    // Another process erases the original. Then a tail makes the reading begin again.
    try box.put([lines[0], erased, erased, lines[2]].flatMap { $0 + [0x0A] })
    pass.ledger.mustReread = true
    _ = try reading.read(into: &pass, record: nil)
    #expect(pass.sink.lines.count == 3 && pass.ledger.missingRanges == [])
  }

  @Test func `an erased line that a statement explains counts instead of an empty one`() throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    let lines = [
      device.join(user: "ada"),
      device.write(
        "profile.changed", nil, ["birthday": "1815-12-10", "city": "London, England"]),
      device.event(text: "two"),
    ]
    let named = try #require(ReferenceLine(lines[1])).id
    let (whole, cut) = (
      try #require(Self.erased(lines[1])), try #require(Self.erased(lines[1], without: ["city"]))
    )
    let part = Erasures.Statement(
      EventRange(from: 2, to: named), .members([Erasures.Statement.spelled("city")]))
    let statement = Self.erasing(&device, [part])
    for both in [[whole, cut], [cut, whole], [whole, lines[1]], [lines[1], whole]] {
      let (passed, pass) = try read([lines[0]] + both + [lines[2], statement])
      #expect(pass.report.problems == [])
      #expect(passed.contains(cut) && !passed.contains(whole))
    }
    for both in [[whole, cut], [cut, whole], [whole, cut, cut], [cut, cut, whole]] {
      let (passed, pass) = try read([lines[0]] + both + [lines[2]])
      #expect(passed.contains(cut) && !passed.contains(whole))
      #expect(pass.report.problems.map(\.code) == [.unnamedErasure])
    }
    let (_, alone) = try read([lines[0], whole, lines[2], statement])
    #expect(alone.report.problems.map(\.code) == [.unnamedErasure])
  }

  @Test func `a journal whose lines are erased is read once`() throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    var lines = [device.join(user: "ada"), device.event(text: "one")]
    let range = EventRange(from: 2, to: device.tip)
    lines[1] = try #require(Self.erased(lines[1]))
    lines.append(Self.erasing(&device, [.init(range)]))
    let (_, pass) = try read(lines)
    #expect(pass.report.problems == [] && pass.restartCount == 0 && pass.unerased.isEmpty)
  }

  @Test func `an append writes the erased lines in place`() throws {
    let writer = box.writer()
    try writer.append(5)
    let before = Sandbox.lines(try box.bytes())
    let named = try #require(ReferenceLine(before[3])).id
    let range = EventRange(from: named.sequence - 1, to: named)
    try writer.commit { (batch) throws(EventLogError) in
      _ = try batch.add(
        EventDraft(
          type: "event.erased", data: Erasures.Statement.data(of: [.init(range)], reason: "person"))
      )
    }
    let after = Sandbox.lines(try box.bytes())
    #expect(after.count == before.count + 1)
    for index in before.indices {
      #expect(after[index].count == before[index].count)
      #expect((after[index] == before[index]) == ![2, 3].contains(index))
    }
    #expect(after[2] == Self.erased(Array(before[2].dropLast())).map { $0 + [0x0A] })
    #expect(writer.pass.unerased.isEmpty && writer.pass.report.problems == [])
    try box.writer().append(1)
    let names = try box.disk.contents(of: box.folder.file("ada.eventlog"))
    #expect(!names.contains("overwrites.json"))
  }

  /// Appends an event that erases the fourth event.
  private static func erase(_ named: FullEventID, _ writer: JournalWriter<EventList>)
    throws(EventLogError)
  {
    let range = EventRange(from: named.sequence, to: named)
    try writer.commit { (batch) throws(EventLogError) in
      _ = try batch.add(
        EventDraft(
          type: "event.erased", data: Erasures.Statement.data(of: [.init(range)], reason: "person"))
      )
    }
  }

  @Test(arguments: [1, Int.max])
  func `an erasure that is interrupted at any call is completed by the next append`(
    failureCount: Int
  ) throws {
    var isComplete = false
    var callCount = 0
    while !isComplete {
      let box = try Sandbox()
      try box.writer().append(5)
      let before = Sandbox.lines(try box.bytes())
      let named = try #require(ReferenceLine(before[3])).id
      let erased = Self.erased(Array(before[3].dropLast())).map { $0 + [0x0A] }
      let writer = box.writer()
      box.disk.resetCounts()
      box.disk.failNextCall(after: callCount, with: .inputOutput, times: failureCount)
      let error = failure { () throws(EventLogError) in try Self.erase(named, writer) }
      isComplete = box.disk.failableCount <= callCount
      box.disk.stopFailing()
      let comment: Comment = "call \(callCount): \(String(describing: error))"
      #expect(try box.journal().verify().problems == [], comment)
      try box.writer().commit { (batch) throws(EventLogError) in
        _ = try batch.add(EventDraft(type: "settings.changed", data: ["k": 1]))
      }
      let after = Sandbox.lines(try box.bytes())
      let isErased = after.contains { String(decoding: $0, as: UTF8.self).contains("event.erased") }
      #expect(after[3] == (isErased ? erased : before[3]), comment)
      if error == nil { #expect(isErased, comment) }
      #expect(try box.journal().verify().problems == [], comment)
      callCount += 1
    }
    #expect(callCount > 15)
  }

  @Test func `half an erased line is read as the recorded one`() throws {
    try box.writer().append(5)
    let before = Sandbox.lines(try box.bytes())
    let named = try #require(ReferenceLine(before[3])).id
    try Self.erase(named, box.writer())
    var lines = Sandbox.lines(try box.bytes())
    let erased = lines[3]
    let offset = lines[..<3].joined().count
    lines[3] = Array(erased.prefix(40) + before[3].dropFirst(40))
    try box.put(lines.joined().map(\.self))
    #expect(try box.journal().verify().problems.map(\.code) == [.line(.checksumMismatch), .gap])
    let record: JSONObject = [
      "lines": .array([
        [
          "byte": .number(JSONNumber(Int64(offset))),
          "line": .string(String(decoding: erased.dropLast(), as: UTF8.self)),
        ]
      ])
    ]
    var bytes: [UInt8] = []
    record.write(to: &bytes)
    try box.put(bytes, "ada.eventlog/overwrites.json")
    #expect(try box.journal().verify().problems == [])
    try box.writer().commit { (batch) throws(EventLogError) in
      _ = try batch.add(EventDraft(type: "settings.changed", data: ["k": 1]))
    }
    #expect(Sandbox.lines(try box.bytes())[3] == erased)
    #expect(try box.journal().verify().problems == [])
  }

  @Test func `a received line that is erased here is written erased`() throws {
    var (one, other) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("b-bbbbbbbb"))
    let lines = [one.join(user: "ada"), one.event(text: "secret"), one.event(text: "stays")]
    let named = try #require(ReferenceLine(lines[1])).id
    let late = [
      other.join(user: "ada"),
      Self.erasing(&other, [.init(EventRange(from: 2, to: named))], seeing: [one.tip]),
    ]
    func receive(_ lines: [[UInt8]], missing: [EventRange] = []) throws {
      try box.writer().commit { (batch) throws(EventLogError) in
        _ = try batch.receive(
          lines.flatMap { $0 + [0x0A] }, on: ReceiveFilter(missing: missing))
      }
    }
    // The erasure comes first, because its sender lacked what it names.
    try receive(late, missing: [EventRange(from: 1, to: one.tip)])
    try receive(lines)
    let bytes = String(decoding: try box.bytes(), as: UTF8.self)
    #expect(!bytes.contains("secret") && bytes.contains("stays"))
    #expect(try box.journal().verify().problems == [])
  }

  @Test func `an erasure that arrives while its event goes into quarantine reaches it`() throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    let begin = device.join(user: "ada")
    let secret = device.event(text: "secret")
    let statement = Self.erasing(
      &device, [.init(EventRange(from: 2, to: device.tip))], seeing: [])
    // The last line lost its LF to a flipped bit.
    try box.put(begin + [0x0A] + secret + [UInt8(0x0B)])
    let writer = box.writer()
    let lines = [begin, try #require(Self.erased(secret)), statement]
    _ = try writer.commit { (batch) throws(EventLogError) in
      _ = try batch.receive(lines.flatMap { $0 + [0x0A] }, on: ReceiveFilter())
    }
    #expect(writer.pass.ledger.erasures.statements.count == 1)
    let kept = try box.quarantine().map { String(decoding: $0, as: UTF8.self) }
    #expect(!kept.contains { $0.contains("secret") })
  }

  @Test func `an erasure that fails after its statement was written is tried again`() throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    let begin = device.join(user: "ada")
    let secret = device.event(text: "secret")
    let statement = Self.erasing(&device, [.init(EventRange(from: 2, to: device.tip))])
    try box.put(begin + [0x0A] + secret + [UInt8(0x0B)])
    let writer = box.writer()
    try writer.append()
    box.disk.failNext(.rename, with: .noSpace)
    let lines = [try #require(Self.erased(secret)), statement]
    _ = try writer.commit { (batch) throws(EventLogError) in
      _ = try batch.receive(lines.flatMap { $0 + [0x0A] }, on: ReceiveFilter())
    }
    box.disk.stopFailing()
    let side = SideFolder(beside: box.path, fileSystem: box.disk)
    #expect(side.erasureCounts.known == 0)
    #expect(writer.takeNotices().contains { $0.contains("erase events in") })
    try writer.append()
    #expect(side.erasureCounts.known == 1)
    let kept = try box.quarantine().map { String(decoding: $0, as: UTF8.self) }
    #expect(!kept.contains { $0.contains("secret") })
  }

  @Test func `an erasure reaches quarantine also if its event arrives after it, erased`() throws {
    var (device, other) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("b-aaaaaaaa"))
    let begin = device.join(user: "ada")
    let secret = device.event(text: "secret")
    try box.put(begin + [0x0A] + secret + [UInt8(0x0B)])
    let writer = box.writer()
    let joining = other.join(user: "ada")
    let statement = Self.erasing(&other, [.init(EventRange(from: 2, to: device.tip))])
    for lines in [[joining, statement], [try #require(Self.erased(secret))]] {
      let bytes = try box.quarantine().map { String(decoding: $0, as: UTF8.self) }
      #expect(lines.count == 2 || bytes.contains { $0.contains("secret") })
      _ = try writer.commit { (batch) throws(EventLogError) in
        _ = try batch.receive(lines.flatMap { $0 + [0x0A] }, on: ReceiveFilter())
      }
    }
    #expect(writer.pass.ledger.erasures.extents.count == 1)
    let kept = try box.quarantine().map { String(decoding: $0, as: UTF8.self) }
    #expect(!kept.contains { $0.contains("secret") })
  }

  @Test func `a state that was read before an erasure is not left in a checkpoint`() async throws {
    let phone = try await TemporaryStore(catalog: .standard)
    let text = String(repeating: "secret ", count: 40)
    for number in 0..<400 {
      _ = try await phone.store.append(
        [EventDraft(type: "settings.changed", data: ["note": .string("\(text)\(number)")])],
        durability: .buffered)
    }
    let other = try await phone.openAgain()
    try await other.refresh()
    // The other process writes its checkpoint without having read on.
    phone.disk.reportChanges(false)
    try await phone.store.erase(.field("note", of: "settings"))
    try await other.close()
    let proof = try ErasureProof(phone.journal)
    #expect(proof.erasedCount == 399)
    #expect(proof.remainders == [])
  }

  @Test(arguments: [true, false])
  func `a damaged line of an erased event loses its content and is the same finding`(
    inContent: Bool
  ) async throws {
    var (device, other) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("b-bbbbbbbb"))
    let joining = device.join(user: "ada")
    let line = device.event(text: String(repeating: "secret ", count: 30))
    let event = device.tip
    var damaged = line
    damaged[inContent ? 100 : line.count - 5] ^= 1
    let file = [joining, damaged, device.event(), other.join(user: "ada"), line]
    let erasing = Self.erasing(
      &other, [.init(EventRange(from: 2, to: event))], seeing: [device.tip])
    try box.put((file + [erasing]).flatMap { $0 + [0x0A] })
    let journal = Journal(path: box.path, catalog: .standard, fileSystem: box.disk)
    let before = try journal.verify()
    let store = try await EventStore.open(
      path: box.path, options: JournalOptions(fileSystem: box.disk), catalog: .standard)
    _ = try await store.append([EventDraft(type: "settings.changed", data: ["x": 1])])
    try await store.close()
    #expect(!String(decoding: try box.bytes(), as: UTF8.self).contains("secret"))
    #expect(try ErasureProof(journal).remainders == [])
    let after = try journal.verify()
    #expect(after.problems.map(\.code) == before.problems.map(\.code))
    #expect(after.notes.map(\.code) == before.notes.map(\.code))
  }

  @Test(arguments: ["merged", "fork", "short"])
  func `a damaged line that may contain something else is left, and the proof names it`(
    _ damage: String
  ) async throws {
    var (device, other) = (HandmadeDevice("a-aaaaaaaa"), HandmadeDevice("b-bbbbbbbb"))
    let (joining, second) = (device.join(user: "ada"), other.join(user: "ada"))
    var fork = device
    let line = device.event(text: "secret")
    let event = device.tip
    let next = device.event(text: "of another event")
    let damaged: [UInt8]
    switch damage {
    // The end of the line was damaged, so the next event is in it.
    case "merged": damaged = line.dropLast(1) + [0x78] + next
    case "fork":
      var bytes = fork.event(text: "of another history")
      bytes[90] ^= 1
      damaged = bytes
    default: damaged = Array(line.prefix(60))
    }
    let erasing = Self.erasing(&other, [.init(EventRange(from: 2, to: event))])
    try box.put(
      [joining, damaged, line, second, erasing].flatMap { $0 + [0x0A] })
    let store = try await EventStore.open(
      path: box.path, options: JournalOptions(fileSystem: box.disk), catalog: .standard)
    _ = try await store.append([EventDraft(type: "settings.changed", data: ["x": 1])])
    try await store.close()
    let lines = Sandbox.lines(try box.bytes())
    #expect(Array(lines[1].prefix(damaged.count)) == damaged)
    #expect(!String(decoding: lines[2], as: UTF8.self).contains("secret"))
    let journal = Journal(path: box.path, catalog: .standard, fileSystem: box.disk)
    #expect(try ErasureProof(journal).remainders.map(\.event) == [event.shortID])
  }

  @Test func `a sync fetches the original of an erased line that nothing names`() async throws {
    var device = HandmadeDevice("a-aaaaaaaa")
    let lines = [device.join(user: "ada"), device.event(text: "kept"), device.event()]
    let erased = try #require(Self.erased(lines[1]))
    try box.put([lines[0], erased, lines[2]].flatMap { $0 + [0x0A] })
    let (other, third) = (try Sandbox(), try Sandbox())
    try other.put([lines[0], erased, lines[2]].flatMap { $0 + [0x0A] })
    try third.put(lines.flatMap { $0 + [0x0A] })
    let store = try await EventStore.open(
      path: box.path, options: JournalOptions(fileSystem: box.disk), catalog: .standard)
    // Nothing is better at this remote.
    let first = try await store.sync(with: JournalRemote(path: other.path), .pull)
    #expect(first.refilled == [] && first.pending == [] && first.refused == [])
    let second = try await store.sync(with: JournalRemote(path: third.path), .pull)
    #expect(second.refilled.map(\.description) == ["a-aaaaaaaa:2"])
    try await store.close()
    let journal = Journal(path: box.path, catalog: .standard, fileSystem: box.disk)
    #expect(try journal.verify().problems == [])
    #expect(
      try String(decoding: journal.snapshot().snapshot.json(), as: UTF8.self).contains("text"))
  }

  @Test func `an accepted loss of an erased line's content is no problem, and is accepted once`()
    async throws
  {
    var device = HandmadeDevice("a-aaaaaaaa")
    let lines = [device.join(user: "ada"), device.event(), device.event()]
    let erased = try #require(Self.erased(lines[1]))
    try box.put([lines[0], erased, lines[2]].flatMap { $0 + [0x0A] })
    let journal = Journal(path: box.path, fileSystem: box.disk)
    #expect(try journal.verify().problems.map(\.code) == [.unnamedErasure])
    let options = JournalOptions(fileSystem: box.disk)
    let first = try await journal.acceptLoss(options: options)
    #expect(first.accepted.count == 1)
    #expect(try journal.verify().problems == [])
    #expect(try await journal.acceptLoss(options: options).accepted == [])
  }
}
