import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// The events of one request are read, recovered and sent together or not at all.
@Suite(.tags(.faults)) struct BatchCutTests {
  private let box: Sandbox
  private let content: [UInt8]
  /// The offsets of the batch's first byte, and of the LF after each of its five lines.
  private let start: Int
  private let ends: [Int]
  private let device: DeviceID
  /// The contents of `device.json` before the batch.
  private let record: [UInt8]

  init() async throws {
    box = try Sandbox()
    let store = box.store()
    device = try await store.append([.begin]).appended[0].id.device
    let before = try box.bytes().count
    record = try box.bytes("ada.eventlog/device.json")
    _ = try await store.append(Array(repeating: .advance, count: 5))
    try await store.close()
    content = try box.bytes()
    start = before
    let written = content
    ends = written.indices.filter { $0 >= before && written[$0] == 0x0A }
    #expect(ends.count == 5)
  }

  /// The total of all `completion.advanced` events of a journal.
  private func count(_ name: String = "ada.jsonl") throws -> Int {
    let progress = try box.state(name).entities("habit").first?.days.first?["progress"]
    guard case .number(let number)? = progress else { return 0 }
    return Int(number.integer ?? -1)
  }

  private func put(cutAt cut: Int, hasRecord: Bool) throws {
    try box.put(Array(content[..<cut]))
    if hasRecord {
      try box.put(record, "ada.eventlog/device.json")
    } else {
      try? box.remove("ada.eventlog/device.json")
    }
  }

  @Test func `every line of a batch except the last has the member more`() throws {
    let lines = Sandbox.lines(Array(content[start...])).map { String(decoding: $0, as: UTF8.self) }
    #expect(lines.map { $0.contains(#","more":true,"data""#) } == [true, true, true, true, false])
  }

  @Test(arguments: [true, false])
  func `a batch cut at any byte shows all of its events or none`(hasRecord: Bool) throws {
    let cuts = Rounds.areComplete ? Array(start...content.count) : cuts
    Counted.note(cuts.count, "cuts of a batch")
    for cut in cuts {
      let comment: Comment = "cut at byte \(cut - start)"
      try put(cutAt: cut, hasRecord: hasRecord)
      let isWhole = cut >= ends[4]
      #expect(try count() == (isWhole ? 5 : 0), comment)
      let report = try box.journal().verify()
      #expect(report.eventCount == (isWhole ? 7 : 2), comment)
      #expect(try box.events().count == report.eventCount, comment)
      let isTorn = !isWhole && cut > start
      if hasRecord {
        // The batch was never acknowledged, so all of it is doubtful.
        #expect(report.problems.map(\.code) == (isTorn ? [.doubtfulTail] : []), comment)
        if isTorn { #expect(report.problems[0].byte == Int64(start), comment) }
      } else {
        // Without the record, its device is unknown: whole lines stay, but don't count.
        let wholeLines = ends.count { $0 <= cut }
        let endsInLine = !ends.contains(cut) && !ends.contains(cut - 1) && cut > start
        #expect(report.problems.map(\.code) == (endsInLine ? [.doubtfulTail] : []), comment)
        let isCut = (1...4).contains(wholeLines)
        #expect(try box.notes() == (isCut ? [.unfinishedBatch] : []), comment)
      }
      #expect(try box.bytes() == Array(content[..<cut]), comment)
    }
  }

  /// The offsets at and near the ends of lines, and some between.
  private var cuts: [Int] {
    let all = Set(start...content.count)
    let near = ([start] + ends).flatMap { [$0 - 1, $0, $0 + 1, $0 + 2] }
    let between = stride(from: start + 7, to: content.count, by: Rounds.areLong ? 1 : 97)
    return all.intersection(near + between).sorted()
  }

  @Test(arguments: [true, false])
  func `an append succeeds after a batch was cut at any byte`(hasRecord: Bool) async throws {
    for cut in cuts {
      let comment: Comment = "cut at byte \(cut - start)"
      try put(cutAt: cut, hasRecord: hasRecord)
      let isWhole = cut >= ends[4]
      let receipt = try await box.store().append([.advance])
      #expect(try count() == (isWhole ? 6 : 1), comment)
      let report = try box.journal().verify()
      #expect(report.problems == [], comment)
      // The device ID stays only if the record exists and the device's lines are complete.
      let isSame = hasRecord && (isWhole || cut == start)
      #expect((receipt.appended[0].id.device == device) == isSame, comment)
      let keptCount = hasRecord && !isWhole ? start : min(cut, ends.last { $0 <= cut } ?? start)
      #expect(try box.bytes().starts(with: content[..<keptCount]), comment)
      if hasRecord, !isWhole, cut > start {
        #expect(try box.quarantine().contains(Array(content[start..<cut])), comment)
      }
    }
  }

  @Test func `a peer gets all events of a cut batch or none`() async throws {
    for cut in cuts {
      let comment: Comment = "cut at byte \(cut - start)"
      try put(cutAt: cut, hasRecord: false)
      let isWhole = cut >= ends[4]
      for name in ["peer.jsonl", "asking.jsonl"] { try? box.remove(name) }
      let peer = JournalRemote(path: box.folder.file("peer.jsonl"), options: box.options())
      try box.journal().forget(peer.path)
      let report = try await box.store().sync(with: peer)
      #expect(report.pushedCount == (isWhole ? 7 : 2), comment)
      #expect(try count("peer.jsonl") == (isWhole ? 5 : 0), comment)
      let pull = try await box.store("asking.jsonl")
        .sync(with: JournalRemote(path: box.path, options: box.options()))
      #expect(pull.pulledCount == (isWhole ? 7 : 2), comment)
      #expect(try count("asking.jsonl") == (isWhole ? 5 : 0), comment)
      for name in ["peer.jsonl", "asking.jsonl"] {
        #expect(try box.journal(name).verify().problems == [], comment)
        #expect(try box.notes(name) == [], comment)
      }
    }
  }

  @Test func `a cut batch counts after its remaining lines arrive`() async throws {
    try put(cutAt: ends[2] + 1, hasRecord: false)
    let store = box.store()
    try await store.refresh()
    #expect(store.snapshot.eventCount == 2)
    try box.put(content)
    try await store.refresh()
    #expect(store.snapshot.eventCount == 7 && store.snapshot.damage.isEmpty)
  }

  @Test func `a batch whose last events are skipped ends with the last event written`() async throws
  {
    let store = box.store()
    _ = try await store.append([
      .theme("a", ref: "1"), .theme("b", ref: "2"), .theme("c", ref: "2"), .theme("d", ref: "1"),
    ])
    _ = try await store.append([
      .theme("e", ref: "1"), .theme("f", ref: "3"), .theme("g", ref: "2"),
    ])
    let lines = Sandbox.lines(Array(try box.bytes()[content.count...]))
      .map { String(decoding: $0, as: UTF8.self) }
    #expect(lines.map { $0.contains(#""more":true"#) } == [true, false, false])
    #expect(try box.notes() == [])
  }

  @Test func `a request larger than the batch limit is split into several batches`() async throws {
    let store = box.store()
    let receipt = try await store.append(Array(repeating: .advance, count: 5000))
    #expect(receipt.appended.count == 5000)
    let lines = Sandbox.lines(Array(try box.bytes()[content.count...]))
      .map { String(decoding: $0, as: UTF8.self) }
    let ends = lines.indices.filter { !lines[$0].contains(#""more":true"#) }
    #expect(ends == [4095, 4999])
    let long = String(repeating: "x", count: 300_000)
    _ = try await store.append((0..<8).map { .theme(.string("\($0)\(long)")) })
    let further = Sandbox.lines(try box.bytes()).suffix(8)
    var (size, largest) = (0, 0)
    for line in further {
      size += line.count
      largest = max(largest, size)
      if !String(decoding: line, as: UTF8.self).contains(#""more":true"#) { size = 0 }
    }
    // Each batch contains as many events as fit.
    #expect(size == 0 && largest <= 1 << 20 && largest > 900_000)
    #expect(try box.journal().verify().problems == [] && box.notes() == [])
  }
}
