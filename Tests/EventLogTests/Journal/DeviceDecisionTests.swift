import EventLog
import Testing

@Suite struct DeviceDecisionTests {
  private static let device = DeviceID("phone-aaaaaaaa")!
  private static let checksum = LineChecksum(line: 1, chain: 2)
  private static let other = LineChecksum(line: 1, chain: 3)

  private static func file(_ inode: UInt64, _ birth: Int64?) -> DeviceRecord.FileIdentity {
    var status = FileStatus(
      kind: .regular, size: 0, device: 1, inode: inode, birth: birth, modified: 0)
    status.birth = birth
    return .init(status)
  }

  private static func record(
    sequence: Int64, _ retirement: DeviceRecord.Retirement?
  ) -> DeviceRecord {
    var record = DeviceRecord(
      device: device, machine: "desk", file: file(1, 7), sequence: sequence, checksum: checksum)
    record.retirement = retirement
    return record
  }

  /// What the table says, written down a second time as a list of its rows.
  private static func expected(_ facts: DeviceDecision.Facts) -> DeviceDecision {
    let rows: [(DeviceDecision.Reason, Bool)] = [
      (.noRecord, facts.record == nil),
      (.otherMachine, facts.machine != "desk"),
      (.otherFile, facts.file != file(1, 7)),
      (.doubtfulTail, facts.record?.retirement == .doubtfulEnd),
      (.continuedElsewhere, facts.record?.retirement == .continuedElsewhere),
      (.reissued, facts.record?.retirement == .reissued),
      (.lacksSyncedEvent, facts.record?.retirement == .rolledBack),
      (.noRecord, facts.record?.sequence == 0 && !facts.deviceHasEvents),
      (.lacksSyncedEvent, (facts.record?.sequence ?? 0) > 0 && facts.foundChecksum == nil),
      (.otherEvent, (facts.record?.sequence ?? 0) > 0 && facts.foundChecksum == other),
      (.forked, facts.deviceIsForked),
      (.behindHole, facts.deviceIsStopped),
      (.doubtfulTail, facts.hasDoubtfulTail),
    ]
    return rows.first { $0.1 }.map { .fresh($0.0) } ?? .same(device)
  }

  @Test func `every combination of facts has the answer of the first row that applies`() {
    var reasons: Set<DeviceDecision.Reason> = []
    var sameCount = 0
    let retirements: [DeviceRecord.Retirement?] = [nil] + DeviceRecord.Retirement.allCases
    let records: [DeviceRecord?] =
      [nil] + retirements.flatMap { [Self.record(sequence: 0, $0), Self.record(sequence: 5, $0)] }
    for record in records {
      for machine in ["desk", "lap", nil] {
        for file in [Self.file(1, 7), Self.file(2, 7), Self.file(1, 8), Self.file(1, nil)] {
          for found in [nil, Self.checksum, Self.other] {
            for flags in 0..<16 {
              let facts = DeviceDecision.Facts(
                record: record, machine: machine, file: file, foundChecksum: found,
                deviceHasEvents: flags & 1 == 1, deviceIsForked: flags & 8 == 8,
                deviceIsStopped: flags & 2 == 2, hasDoubtfulTail: flags & 4 == 4)
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
    // Sequence 0 with events, whatever was found; sequence 5 found as it was, with events or not.
    #expect(sameCount == 3 + 2)
  }

  @Test func `every reason but a missing record is explained to the person`() {
    for reason in DeviceDecision.Reason.allCases {
      #expect((reason.sentence == nil) == (reason == .noRecord))
    }
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
      sequence: LineLimits.sequenceMax, checksum: LineChecksum(line: .max, chain: 0))
    record.retirement = retirement
    return record
  }

  @Test(arguments: [nil, "desk", "\"\\\u{0}é"], [nil, Int64.min, .max])
  func `a record is read as it was written, from one sector`(machine: String?, birth: Int64?) {
    for retirement in [nil] + DeviceRecord.Retirement.allCases {
      let record = record(machine: machine, birth: birth, retirement)
      #expect(record.encoded.count == 512)
      #expect(record.encoded.last == 0x0A)
      #expect(DeviceRecord(encoded: record.encoded) == record)
    }
  }

  @Test func `what is no record is none`() {
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
  func `an ID that was given up for whatever reason is not used again`(reason: String) {
    let text = String(decoding: record().encoded, as: UTF8.self)
      .replacing("\"crc\"", with: "\"retired\":\(reason),\"crc\"")
    #expect(DeviceRecord(encoded: Array(text.utf8))?.retirement == .doubtfulEnd)
  }
}
