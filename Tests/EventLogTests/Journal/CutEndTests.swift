import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// A journal whose end is cut off reports the acknowledged events of its own devices as missing,
/// also after it is appended to.
@Suite(.tags(.faults)) struct CutEndTests {
  /// A journal on a disk in memory, and the acknowledged events.
  private struct Scene {
    let memory = MemoryFileSystem(machineIdentity: "desk")
    let path = "/ada.jsonl"
    private let random: RandomText
    var acknowledged: [EventID] = []
    /// All lines that the journal has contained.
    private(set) var lines: [[UInt8]] = []

    init(seed: UInt64) { random = .seeded(seed) }

    var options: JournalOptions {
      JournalOptions(
        fileSystem: memory, clock: .fixed(1_800_000_000_000), random: random, deviceName: "phone",
        user: "ada")
    }

    func writer() -> JournalWriter<EventList> {
      JournalWriter(path: path, options: options, sink: EventList())
    }

    var journal: Journal { Journal(path: path, fileSystem: memory) }

    /// Appends a batch like a process that ends afterwards.
    @discardableResult
    mutating func append(_ count: Int) throws -> JournalWriter<EventList>.Outcome {
      let outcome = try writer().commit { (batch) throws(EventLogError) in
        for index in 0..<count {
          _ = try batch.add(
            EventDraft(type: "note.added", data: JSONObject()), hasMore: index + 1 < count)
        }
      }
      acknowledged += outcome.events
      for line in Sandbox.lines(try bytes()) where !lines.contains(line) { lines.append(line) }
      return outcome
    }

    func bytes() throws -> [UInt8] { try memory.contents(ofFile: path, maximumBytes: 1 << 26) }

    func cut(to count: Int) throws {
      let file = try memory.open(path, .readWrite)
      defer { memory.close(file) }
      try memory.truncate(file, to: Int64(count))
    }

    /// Flips a bit of a line.
    ///
    /// Lines are counted from 0.
    func damage(line: Int) throws {
      let offset = Sandbox.lines(try bytes())[..<line].reduce(40) { $0 + $1.count }
      let file = try memory.open(path, .readWrite)
      defer { memory.close(file) }
      try memory.writeAll(file, [try bytes()[offset] ^ 1], at: Int64(offset))
    }

    /// The acknowledged events that don't count now.
    func lost() throws -> [EventID] {
      var present: Set<EventID> = []
      _ = try journal.replay { event, _ in
        present.insert(event.id)
        return true
      }
      return acknowledged.filter { !present.contains($0) }
    }

    /// The lost events that `status` doesn't list as missing and whose lines don't wait for the
    /// rest of their batch.
    func unreported() throws -> [EventID] {
      let missing = try journal.status().missing
      let whole = try bytes().split(separator: 0x0A).filter { lines.contains($0 + [0x0A]) }
      let held = whole.map { String(decoding: $0, as: UTF8.self) }
      return try lost().filter { id in
        !missing.contains { $0.device == id.device && ($0.first...$0.last).contains(id.sequence) }
          && !held.contains { $0.hasPrefix("{\"id\":\"\(id)\"") }
      }
    }

    func problems() throws -> [String] { try journal.verify().problems.map(\.code.text) }
  }

  @Test func `every event lost in a cut is reported until it is restored or its loss is accepted`()
    async throws
  {
    Counted.note(Rounds.of(300), "journals cut at any byte, then appended to")
    var healedCount = 0
    for round in 0..<UInt64(Rounds.of(300)) {
      let seed = UInt64(Sandbox.seed) &+ round
      let comment: Comment = "seed \(seed)"
      var random = SplitMix64(seed: seed)
      var scene = Scene(seed: seed)
      var isJournal = true
      for _ in 0..<Int.random(in: 1...3, using: &random) where isJournal {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          try scene.append(.random(in: 1...4, using: &random))
        }
        let bytes = try scene.bytes()
        let count = Int.random(in: 0...bytes.count, using: &random)
        try scene.cut(to: count)
        let isWhole = Sandbox.lines(bytes).indices.contains { index in
          Sandbox.lines(bytes)[...index].reduce(-1, { $0 + $1.count }) <= count
        }
        // A file without a whole line isn't a journal, and nothing is appended to it.
        isJournal = isWhole || count == 0
        if isJournal { #expect(try scene.unreported() == [], comment) }
      }
      guard isJournal else {
        let error = failure { () throws(EventLogError) in try scene.writer().append() }
        #expect(error?.code == .notAJournal, comment)
        continue
      }
      for _ in 0..<2 {
        try scene.append(2)
        #expect(try scene.unreported() == [], comment)
        #expect(try scene.problems().isEmpty == scene.lost().isEmpty, comment)
      }
      if try scene.lost().isEmpty { continue }
      if Bool.random(using: &random) {
        healedCount += 1
        let lines = scene.lines
        _ = try scene.writer().commit { (batch) throws(EventLogError) in
          _ = try batch.receive(Array(lines.joined()))
        }
        #expect(try scene.lost() == [], comment)
      } else {
        let report = try await scene.journal.acceptLoss(options: scene.options)
        #expect(report.isWhole, comment)
      }
      #expect(try scene.problems() == [], comment)
    }
    #expect(healedCount > 0)
  }

  @Test func `a journal cut between two lines has a gap after the next append`() throws {
    var scene = Scene(seed: 1)
    try scene.append(1)
    let keptSize = try scene.bytes().count
    try scene.append(1)
    let lost = try scene.append(1).events[0]
    try scene.cut(to: keptSize)
    #expect(try scene.problems() == ["cutOff"])
    #expect(try scene.append(1).freshDevice == .lacksSyncedEvent)
    #expect(try scene.problems() == ["gap"])
    #expect(
      try scene.journal.status().missing.map(\.description) == ["\(lost.device):3–\(lost.sequence)"]
    )
  }

  @Test func `a torn end that was acknowledged is reported as cut off by every reading`()
    async throws
  {
    var scene = Scene(seed: 1)
    try scene.append(1)
    let lost = try scene.append(1).events + scene.append(1).events
    let bytes = try scene.bytes()
    try scene.cut(to: bytes.count - Sandbox.lines(bytes).last!.count - 7)
    #expect(try scene.problems() == ["cutOff", "doubtfulTail"])
    #expect(try scene.lost() == lost && scene.unreported() == [])
    let read = try scene.journal.snapshot()
    #expect(read.snapshot.damage.map(\.code) == [.cutOff])
    #expect(read.damageCount == 1 && read.warnings.map(\.code) == [.doubtfulTail])
    _ = try scene.journal.checkAgreement()
    let writer = scene.writer()
    _ = try writer.refresh()
    #expect(writer.pass.report.missing.map(\.description) == ["\(lost[0].device):3–4"])
    let report = try await scene.journal.acceptLoss(options: scene.options)
    #expect(report.accepted.map(\.count) == [2] && report.isWhole)
    #expect(try scene.problems() == [])
  }

  @Test func `a torn end that was never acknowledged is not reported as cut off`() throws {
    let box = try Sandbox()
    try box.begin()
    let record = try box.bytes("ada.eventlog/device.json")
    try box.writer().append()
    try box.put(Array(try box.bytes().dropLast(7)))
    #expect(try box.journal().verify().problems.map(\.code) == [.cutOff, .doubtfulTail])
    try box.put(record, "ada.eventlog/device.json")
    #expect(try box.journal().verify().problems.map(\.code) == [.doubtfulTail])
    #expect(try box.state().damage == [])
  }

  @Test func `an open store shows acknowledged events as cut off until they are back`() async throws
  {
    let box = try Sandbox()
    let store = box.store()
    _ = try await store.append([.begin])
    let lost = try await store.append([.advance]).appended[0].id
    let whole = try box.bytes()
    for count in [7, Sandbox.lines(whole).last!.count] {
      try box.put(Array(whole.dropLast(count)))
      try await store.refresh()
      #expect(store.snapshot.damage.map(\.code) == [.cutOff])
      #expect(store.snapshot.damage.map(\.sequence) == [lost.sequence])
      try box.put(whole)
      try await store.refresh()
      #expect(store.snapshot.damage == [])
    }
  }

  @Test func `an end cut off after a damaged line is reported beside that line`() async throws {
    var scene = Scene(seed: 1)
    try scene.append(1)
    try scene.append(1)
    let kept = try scene.bytes().count
    let lost = try scene.append(1).events[0]
    try scene.cut(to: kept)
    try scene.damage(line: 1)
    #expect(try scene.problems() == ["checksumMismatch", "gap", "cutOff"])
    #expect(try scene.journal.status().missing.map(\.last) == [2, lost.sequence])
    #expect(try await scene.journal.acceptLoss(options: scene.options).isWhole)
  }

  @Test func `the rest of a cut batch waits until the next append names the lost end`() throws {
    var scene = Scene(seed: 1)
    try scene.append(1)
    let batch = try scene.append(4).events
    let lines = Sandbox.lines(try scene.bytes())
    try scene.cut(to: lines.dropLast(2).reduce(0) { $0 + $1.count })
    let report = try scene.journal.verify()
    #expect(report.problems.map(\.code.text) == ["cutOff"])
    #expect(report.problems[0].message.contains("\(batch[2].sequence)–\(batch[3].sequence)"))
    #expect(report.notes.contains { $0.code == .note(.unfinishedBatch) })
    #expect(try scene.lost() == batch)
    let bytesBefore = try scene.bytes()
    try scene.append(1)
    #expect(try scene.bytes().starts(with: bytesBefore))
    #expect(try scene.lost() == Array(batch.suffix(2)))
    #expect(try scene.problems() == ["gap"])
    #expect(try scene.journal.verify().notes.allSatisfy { $0.code != .note(.unfinishedBatch) })
  }

  @Test func `the lost ends of earlier devices are reported even after later devices are cut off`()
    throws
  {
    var scene = Scene(seed: 1)
    let first = try scene.append(2).events
    let keptSize = try scene.bytes().count
    let second = try scene.append(1).events
    let whole = try scene.bytes().count
    try scene.append(1)
    try scene.cut(to: whole)
    // The second device joins and is cut off with the end of the first.
    let third = try scene.append(2).events
    #expect(third[0].device != first[0].device)
    try scene.cut(to: keptSize)
    #expect(try scene.problems() == ["cutOff", "cutOff"])
    #expect(try scene.unreported() == [])
    try scene.append(1)
    #expect(try scene.problems() == ["gap", "gap"])
    #expect(try scene.unreported() == [] && scene.lost().contains(second[0]))
  }

  @Test func `accepting a damaged line also accepts the lost end that it names`() async throws {
    var scene = Scene(seed: 1)
    try scene.append(1)
    let keptSize = try scene.bytes().count
    try scene.append(2)
    try scene.cut(to: keptSize)
    // The first line of the fresh device names the lost end.
    try scene.append(3)
    try scene.damage(line: 2)
    #expect(try !scene.problems().isEmpty)
    let report = try await scene.journal.acceptLoss(options: scene.options)
    #expect(report.isWhole)
    #expect(try scene.problems() == [])
  }

  @Test func `a full record of earlier devices' ends fits in a page`() throws {
    let name = String(repeating: "d", count: 55)
    var record = DeviceRecord(
      device: DeviceID("\(name)-aaaaaaaa")!, machine: String(repeating: "m", count: 36),
      file: .init(inode: .max, birth: .max), sequence: 1,
      checksum: LineChecksum(before: 1, chain: 2))
    #expect(record.encoded.count == 512)
    record.past = (0..<DeviceRecord.pastMax).map { number in
      FullEventID(
        device: DeviceID("\(name)-\(10_000_000 + number)")!, sequence: LineLimits.sequenceMax,
        chain: .max)
    }
    #expect(record.encoded.count.isMultiple(of: 512) && record.encoded.count <= 4096)
    #expect(DeviceRecord(encoded: record.encoded) == record)
  }

  @Test func `a writer that named a lost end can reread its journal in file order`() throws {
    var scene = Scene(seed: 1)
    try scene.append(2)
    let keptSize = try scene.bytes().count
    try scene.append(1)
    try scene.cut(to: keptSize)
    let writer = scene.writer()
    #expect(try writer.append().freshDevice == .lacksSyncedEvent)
    // In the file, the fresh device's line waits for the lost event. These lines don't.
    var tablet = Scene(seed: 2)
    try tablet.append(2)
    let theirs = try tablet.bytes()
    _ = try writer.commit { (batch) throws(EventLogError) in _ = try batch.receive(theirs) }
    var list = EventList()
    let ledger = try writer.rereading().read(into: &list)
    ledger.checkInvariants()
    #expect(list.ids.sorted() == writer.pass.sink.ids.sorted())
  }

  @Test func `an open writer records a restored journal's loss for later processes`() throws {
    let box = try Sandbox()
    let writer = box.writer()
    try writer.append(2)
    let (bytes, record) = (try box.bytes(), try box.bytes("ada.eventlog/device.json"))
    let lost = try #require(try writer.append().events.first)
    try box.put(bytes)
    try box.put(record, "ada.eventlog/device.json")
    #expect(try writer.refresh())
    _ = try writer.commit { (_) throws(EventLogError) in }
    #expect(try box.journal().verify().problems.map(\.code) == [.cutOff])
    try box.writer().append()
    #expect(try box.journal().verify().problems.map(\.sequence) == [lost.sequence])
  }
}
