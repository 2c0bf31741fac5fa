import EventLogTesting
import Testing

@testable import EventLog

@Suite struct DeviceDecisionTests {
  private static let device = DeviceID("phone-aaaaaaaa")!
  private static let checksum = LineChecksum(before: 1, chain: 2)

  private static func file(_ inode: UInt64, _ birth: Int64?) -> DeviceRecord.FileIdentity {
    var status = FileStatus(
      kind: .regular, size: 0, device: 1, inode: inode, birth: birth, modified: 0)
    status.birth = birth
    return .init(status)
  }

  private static func record(
    sequence: Int64, _ retirement: DeviceRecord.Retirement?, past: [FullEventID] = []
  ) -> DeviceRecord {
    var record = DeviceRecord(
      device: device, machine: "desk", file: file(1, 7), sequence: sequence, checksum: checksum)
    record.retirement = retirement
    record.past = past
    return record
  }

  /// The decision table, written a second time as a list of its rows.
  private static func expected(_ facts: DeviceDecision.Facts) -> DeviceDecision {
    let isSynced = (facts.record?.sequence ?? 0) > 0
    let rows: [(DeviceDecision.Reason, Bool)] = [
      (.noRecord, facts.record == nil),
      (.otherMachine, facts.machine != "desk"),
      (
        .noRecord,
        facts.file != file(1, 7) && facts.record?.retirement == nil && facts.record?.sequence == 0
          && facts.record?.past.isEmpty == true && facts.historyCount == 0
      ),
      (.otherFile, facts.file != file(1, 7)),
      (.doubtfulTail, facts.record?.retirement == .doubtfulEnd),
      (.forked, facts.record?.retirement == .duplicateWriter && facts.historyCount > 1),
      (.duplicateWriter, facts.record?.retirement == .duplicateWriter),
      (.lacksSyncedEvent, facts.record?.retirement == .rolledBack),
      (.noRecord, facts.record?.sequence == 0 && facts.historyCount == 0),
      (.otherEvent, isSynced && !facts.holdsSyncedEvent && facts.holdsOtherEvent),
      (.lacksSyncedEvent, isSynced && !facts.holdsSyncedEvent),
      (.forked, facts.historyCount > 1),
      (.laterEvents, facts.hasLaterEvents),
      (.doubtfulTail, facts.hasDoubtfulTail),
    ]
    return rows.first { $0.1 }.map { .fresh($0.0) } ?? .same(device)
  }

  @Test func `every combination of facts is decided by the first row that applies`() {
    let pastEvent = FullEventID(device: Self.device, sequence: 1, chain: 1)
    var reasons: Set<DeviceDecision.Reason> = []
    var sameCount = 0
    let retirements: [DeviceRecord.Retirement?] = [nil] + DeviceRecord.Retirement.allCases
    let records: [DeviceRecord?] =
      [nil]
      + retirements.flatMap {
        [
          Self.record(sequence: 0, $0), Self.record(sequence: 5, $0),
          Self.record(sequence: 0, $0, past: [pastEvent]),
        ]
      }
    for record in records {
      for machine in ["desk", "lap", nil] {
        for file in [Self.file(1, 7), Self.file(2, 7), Self.file(1, 8), Self.file(1, nil)] {
          for count in 0...2 {
            for flags in 0..<16 {
              var facts = DeviceDecision.Facts(record: record, machine: machine, file: file)
              facts.historyCount = count
              facts.holdsSyncedEvent = flags & 1 == 1
              facts.holdsOtherEvent = flags & 2 == 2
              facts.hasLaterEvents = flags & 4 == 4
              facts.hasDoubtfulTail = flags & 8 == 8
              let decision = DeviceDecision.decide(facts)
              #expect(decision == Self.expected(facts))
              switch decision {
              case .same: sameCount += 1
              case .fresh(let reason): reasons.insert(reason)
              }
            }
          }
        }
      }
    }
    #expect(reasons == Set(DeviceDecision.Reason.allCases))
    // Sequence 0 with one history, for all four combinations of flags, of two records. A held
    // sequence 5 with one history or none, and with or without another event under the same ID.
    #expect(sameCount == 2 * 4 + 4)
  }

  @Test func `every reason except a missing record has an explanation for the user`() {
    for reason in DeviceDecision.Reason.allCases {
      #expect((reason.sentence == nil) == (reason == .noRecord))
      #expect((reason.foretelling == nil) == (reason == .noRecord))
    }
  }

  @Test func `a record is trusted only if it belongs to this file and its events`() {
    let trusted: Set<DeviceDecision.Reason> = [
      .doubtfulTail, .laterEvents, .forked, .duplicateWriter,
    ]
    for reason in DeviceDecision.Reason.allCases {
      #expect(DeviceDecision.fresh(reason).trustsRecord == trusted.contains(reason))
    }
    #expect(DeviceDecision.same(Self.device).trustsRecord)
  }
}

/// The facts that the lines of a journal yield for the decision table.
@Suite struct DeviceFactsTests {
  let box: Sandbox
  private var own: HandmadeDevice

  init() throws {
    box = try Sandbox()
    own = HandmadeDevice("phone-aaaaaaaa")
  }

  /// The decision for a journal of `lines`, with a record that lists `synced` as the last event.
  private func decision(
    _ lines: [[UInt8]], synced: FullEventID?
  ) throws -> DeviceDecision {
    try box.put(lines.flatMap { $0 + [0x0A] })
    let file = try JournalFile.open(box.path, .read, fileSystem: box.disk)
    defer { file.close() }
    let identity = DeviceRecord.FileIdentity(try file.status)
    let record = DeviceRecord(
      device: own.id, machine: "desk", file: identity, sequence: synced?.sequence ?? 0,
      checksum: LineChecksum(before: 0, chain: synced?.chain ?? 0))
    var pass = JournalPass(sink: LedgerSink())
    let end = try JournalReading(path: box.path, fileSystem: box.disk, file: file.descriptor)
      .read(into: &pass, record: record)
    return .decide(record, machine: "desk", file: identity, pass, end)
  }

  @Test mutating func `a device continues its own history if it is sound to its end`() throws {
    let lines = [own.join(user: "ada"), own.event()]
    let synced = own.tip
    #expect(try decision(lines, synced: synced) == .same(own.id))
    #expect(try decision(lines + [own.event()], synced: synced) == .same(own.id))
    #expect(try decision(lines, synced: nil) == .same(own.id))
    #expect(try decision([], synced: nil) == .fresh(.noRecord))
  }

  @Test
  mutating func `a device keeps its ID if there is a gap before the end of its history`() throws {
    let lines = [own.join(user: "ada"), own.event(), own.event(), own.event()]
    #expect(try decision([lines[0], lines[2], lines[3]], synced: own.tip) == .same(own.id))
    #expect(try decision([lines[3]], synced: own.tip) == .same(own.id))
  }

  @Test mutating func `a device gets a fresh ID if the end of its history is missing`() throws {
    var lines = [own.join(user: "ada"), own.event()]
    let synced = own.tip
    lines.append(own.event())
    let last = own.tip
    #expect(try decision([lines[0], lines[1]], synced: last) == .fresh(.lacksSyncedEvent))
    var other = HandmadeDevice("tablet-bbbbbbbb")
    let seeing = [other.join(user: "ada"), other.event(seeing: [last])]
    #expect(try decision(lines[..<2] + seeing, synced: synced) == .fresh(.laterEvents))
  }

  @Test
  mutating func `a device gets a fresh ID if another event has the ID of the synced one`() throws {
    let first = own.join(user: "ada")
    var twin = own
    let (one, other) = (own.event(text: "one"), twin.event(text: "other"))
    #expect(try decision([first, other], synced: own.tip) == .fresh(.otherEvent))
    #expect(try decision([first, one, other], synced: own.tip) == .fresh(.forked))
    // A fork after the synced event: both histories are the device's own.
    #expect(try decision([first, one, other], synced: nil) == .fresh(.forked))
  }

  @Test mutating func `a device gets a fresh ID if its last batch has no end`() throws {
    let first = own.join(user: "ada")
    let synced = own.tip
    let open = own.event(more: true)
    #expect(try decision([first, open], synced: synced) == .fresh(.doubtfulTail))
    var other = HandmadeDevice("tablet-bbbbbbbb")
    let joined = other.join(user: "ada")
    #expect(try decision([first, open, joined], synced: synced) == .fresh(.doubtfulTail))
    #expect(
      try decision([first, joined, other.event(more: true)], synced: synced) == .same(own.id))
  }
}

@Suite struct DeviceRecordTests {
  private func record(
    machine: String? = "desk", birth: Int64? = 7, _ retirement: DeviceRecord.Retirement? = nil
  ) -> DeviceRecord {
    let status = FileStatus(
      kind: .regular, size: 0, device: 1, inode: .max, birth: birth, modified: 0)
    var record = DeviceRecord(
      device: DeviceID("phone-aaaaaaaa")!, machine: machine, file: .init(status),
      sequence: LineLimits.sequenceMax, checksum: LineChecksum(before: .max, chain: 0))
    record.retirement = retirement
    record.syncedOffset = .max
    return record
  }

  @Test(arguments: [nil, "desk", "\"\\\u{0}é"], [nil, Int64.min, .max])
  func `a device record round-trips and fits in one sector`(
    machine: String?, birth: Int64?
  ) {
    for retirement in [nil] + DeviceRecord.Retirement.allCases {
      let record = record(machine: machine, birth: birth, retirement)
      #expect(record.encoded.count == 512)
      #expect(record.encoded.last == 0x0A)
      #expect(DeviceRecord(encoded: record.encoded) == record)
    }
  }

  @Test func `a truncated or malformed device record isn't decoded`() {
    let bytes = record().encoded
    let text = String(decoding: bytes, as: UTF8.self)
    for end in 0..<bytes.count where bytes[end...].contains(UInt8(ascii: "}")) {
      #expect(DeviceRecord(encoded: Array(bytes[..<end])) == nil)
    }
    for (old, new) in [
      ("phone-aaaaaaaa", "ph one"), ("\"crc\"", "\"src\""), ("\"sequence\":", "\"sequence\":-"),
      ("\"inode\":\"", "\"inode\":\"-"), ("ffffffff", "FFFFFFFF"),
    ] {
      let changed = text.replacing(old, with: new)
      #expect(changed != text)
      #expect(DeviceRecord(encoded: Array(changed.utf8)) == nil, "\(new)")
    }
    #expect(DeviceRecord(encoded: [UInt8](repeating: 0, count: 512)) == nil)
  }

  @Test(arguments: ["true", "\"aReasonOfLater\"", "null", "1"])
  func `a record that is retired for an unknown reason stays retired`(reason: String) {
    let text = String(decoding: record().encoded, as: UTF8.self)
      .replacing("\"crc\"", with: "\"retired\":\(reason),\"crc\"")
    #expect(DeviceRecord(encoded: Array(text.utf8))?.retirement == .doubtfulEnd)
  }
}
