import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

/// The end of a journal as the opening table describes it: its bytes, the reader's report, and the
/// effect of the next append.
@Suite struct JournalRecoveryTests {
  /// The effect of an append.
  enum Outcome {
    /// Appends after all existing bytes.
    case continues
    /// Moves all bytes from this offset to quarantine.
    case putsAside(from: Int)
    /// Leaves a damaged line, given by its number, in place.
    case damage(line: Int)
    /// Fails and changes nothing.
    case refused
  }

  struct Example: CustomTestStringConvertible {
    let name: String
    /// Builds the content from the journal's own lines and a tablet's.
    ///
    /// The record lists lines 0 to 3 as synced; lines 4 to 6 are newer.
    let content: @Sendable (_ own: [[UInt8]], _ tablet: [[UInt8]]) -> [UInt8]
    /// The number of lines that a reader applies.
    let readable: Int
    let fits: @Sendable (_ own: [[UInt8]]) -> Outcome
    let absent: (@Sendable (_ own: [[UInt8]]) -> Outcome)?
    /// Whether the device keeps its ID if the record fits.
    var isSame = false

    var testDescription: String { name }
  }

  private static func size(_ lines: some Sequence<[UInt8]>) -> Int {
    lines.reduce(0) { $0 + $1.count }
  }
  private static func join(_ lines: some Sequence<[UInt8]>) -> [UInt8] { Array(lines.joined()) }

  static let examples: [Example] = [
    Example(
      name: "empty", content: { _, _ in [] }, readable: 0, fits: { _ in .continues }, absent: nil),
    Example(
      name: "spaces", content: { _, _ in Array("   ".utf8) }, readable: 0,
      fits: { _ in .continues }, absent: nil),
    Example(
      name: "blank lines", content: { _, _ in Array("\n \r\n\n\t \n  ".utf8) }, readable: 0,
      fits: { _ in .continues }, absent: nil),
    Example(
      name: "sound", content: { own, _ in join(own) }, readable: 7, fits: { _ in .continues },
      absent: nil, isSame: true),
    Example(
      name: "sound, spaces after it", content: { own, _ in join(own) + Array("     ".utf8) },
      readable: 7, fits: { _ in .continues }, absent: nil, isSame: true),
    Example(
      name: "no last LF", content: { own, _ in join(own).dropLast() }, readable: 7,
      fits: { _ in .continues }, absent: nil, isSame: true),
    Example(
      name: "no last LF, spaces after it",
      content: { own, _ in join(own).dropLast() + Array("      ".utf8) }, readable: 7,
      fits: { _ in .continues }, absent: nil, isSame: true),
    Example(
      name: "part of a line", content: { own, _ in join(own[..<5]) + own[5].prefix(40) },
      readable: 5, fits: { .putsAside(from: size($0[..<5])) }, absent: nil),
    Example(
      name: "part of a line, spaces after it",
      content: { own, _ in join(own[..<5]) + own[5].prefix(40) + Array("    ".utf8) },
      readable: 5, fits: { .putsAside(from: size($0[..<5])) }, absent: nil),
    Example(
      name: "failing lines with LF",
      content: { own, _ in
        join(own[..<5]) + Sandbox.broken(own[5]) + Array("{}\n".utf8) + Sandbox.broken(own[6])
      }, readable: 5, fits: { .putsAside(from: size($0[..<5])) }, absent: nil),
    Example(
      name: "failing lines, a blank one among and after them",
      content: { own, _ in
        join(own[..<5]) + Array("{}\n\n".utf8) + Sandbox.broken(own[6]) + Array("\n  ".utf8)
      }, readable: 5, fits: { .putsAside(from: size($0[..<5])) }, absent: nil),
    Example(
      name: "zeros",
      content: { own, _ in join(own[..<5]) + [UInt8](repeating: 0, count: 5000) }, readable: 5,
      fits: { .putsAside(from: size($0[..<5])) }, absent: nil),
    Example(
      name: "zeros, then the end of a line",
      content: { own, _ in
        join(own[..<5]) + [UInt8](repeating: 0, count: 30) + own[5].suffix(20)
      }, readable: 5, fits: { .putsAside(from: size($0[..<5])) }, absent: nil),
    Example(
      name: "failing line, then own later events",
      content: { own, _ in join(own[..<4]) + Sandbox.broken(own[4]) + join(own[5...]) },
      readable: 4, fits: { .putsAside(from: size($0[..<4])) },
      absent: { _ in .damage(line: 5) }),
    Example(
      name: "failing line, then an own later event without LF",
      content: { own, _ in join(own[..<5]) + Sandbox.broken(own[5]) + own[6].dropLast() },
      readable: 5, fits: { .putsAside(from: size($0[..<5])) },
      absent: { _ in .damage(line: 6) }),
    Example(
      name: "failing line, then own later events, then a part",
      content: { own, _ in
        join(own[..<4]) + Sandbox.broken(own[4]) + own[5] + own[6].prefix(30)
      }, readable: 4, fits: { .putsAside(from: size($0[..<4])) },
      absent: { .putsAside(from: size($0[..<6])) }),
    Example(
      name: "failing line, then another device's events",
      content: { own, tablet in join(own[..<5]) + Sandbox.broken(own[5]) + join(tablet) },
      readable: 8, fits: { _ in .damage(line: 6) }, absent: nil, isSame: true),
    Example(
      name: "failing line, then own later events and another device's",
      content: { own, tablet in
        join(own[..<5]) + Sandbox.broken(own[5]) + own[6] + join(tablet)
      }, readable: 9, fits: { _ in .damage(line: 6) }, absent: nil, isSame: true),
    Example(
      name: "failing own line before the synced one",
      content: { own, _ in join(own[..<2]) + Sandbox.broken(own[2]) + join(own[3...]) },
      readable: 6, fits: { _ in .damage(line: 3) }, absent: nil, isSame: true),
    Example(
      name: "failing synced line, then own later events",
      content: { own, _ in join(own[..<3]) + Sandbox.broken(own[3]) + join(own[4...]) },
      readable: 6, fits: { _ in .damage(line: 4) }, absent: nil),
    Example(
      name: "failing first line",
      content: { own, _ in Sandbox.broken(own[0]) + join(own[1...]) },
      readable: 6, fits: { _ in .damage(line: 1) }, absent: nil, isSame: true),
    Example(
      name: "failing synced line at the end",
      content: { own, _ in join(own[..<3]) + Sandbox.broken(own[3]) },
      readable: 3, fits: { _ in .damage(line: 4) },
      absent: { .putsAside(from: size($0[..<3])) }),
    Example(
      name: "failing synced line, and then the beginning of a line",
      content: { own, _ in
        join(own[..<3]) + Sandbox.broken(own[3]) + Sandbox.broken(own[4]).dropLast(9)
      }, readable: 3,
      fits: { .putsAside(from: size($0[..<4])) }, absent: { .putsAside(from: size($0[..<3])) }),
    Example(
      name: "text", content: { _, _ in Array("hello\nworld\n".utf8) }, readable: 0,
      fits: { _ in .refused }, absent: nil),
    Example(
      name: "JSON that isn't an event", content: { _, _ in Array("[1]\n{\"id\":\"a:1\"}".utf8) },
      readable: 0, fits: { _ in .refused }, absent: nil),
    Example(
      name: "binary",
      content: { _, _ in (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 167 >> 3) } },
      readable: 0, fits: { _ in .refused }, absent: nil),
    Example(
      name: "own lines, all broken", content: { own, _ in join(own.map(Sandbox.broken)) },
      readable: 0, fits: { _ in .refused }, absent: nil),
  ]

  /// Creates seven own lines, four of which the record lists as synced.
  private func prepare(_ box: Sandbox) throws -> [[UInt8]] {
    let writer = box.writer()
    try writer.append(3)
    let record = try box.bytes("ada.eventlog/device.json")
    try writer.append(3)
    try box.put(record, "ada.eventlog/device.json")
    return Sandbox.lines(try box.bytes())
  }

  @Test(arguments: examples, [true, false])
  func `the end of a journal is read, kept or quarantined as the table specifies`(
    example: Example, hasRecord: Bool
  ) throws {
    let box = try Sandbox()
    let own = try prepare(box)
    let tablet = Sandbox.lines(of: "tablet-bbbbbbbb", count: 3)
    let content = example.content(own, tablet)
    try box.put(content)
    if !hasRecord { try box.remove("ada.eventlog/device.json") }
    let outcome = hasRecord ? example.fits(own) : (example.absent ?? example.fits)(own)
    let isCutOff = hasRecord && content.firstRange(of: own[3]) == nil
    try checkReading(box, content, outcome, isCutOff: isCutOff)
    #expect(try box.bytes() == content)
    try checkAppending(
      box, content, outcome, isSame: example.isSame && hasRecord,
      readable: hasRecord ? example.readable : nil, isCutOff: isCutOff)
  }

  /// - Parameter isCutOff: Whether an event that the record lists as synced is missing.
  private func checkReading(
    _ box: Sandbox, _ content: [UInt8], _ outcome: Outcome, isCutOff: Bool
  ) throws {
    let report = try box.journal().verify()
    switch outcome {
    case .continues: #expect(report.problems.map(\.code) == (isCutOff ? [.cutOff] : []))
    case .putsAside(let offset):
      let tail = try #require(report.problems.last)
      #expect(tail.code == .doubtfulTail)
      // A damaged line before the tail may be the synced event, and report it.
      let isShown = report.problems.contains { $0.code == .line(.checksumMismatch) }
      #expect(report.problems.contains { $0.code == .cutOff } == (isCutOff && !isShown))
      #expect(tail.byte == offset)
      #expect(tail.line == content[..<offset].count { $0 == 0x0A } + 1)
      #expect(try box.journal().snapshot().warnings == [tail])
      if report.problemCount == 1 { #expect(try box.journal().snapshot().firstDamage == nil) }
    case .damage(let line):
      #expect(report.problems.first?.code == .line(.checksumMismatch))
      #expect(report.problems.allSatisfy { $0.isDamage })
      #expect(report.problems.first?.line == line)
      #expect(report.problems.first?.sequence != nil)
      #expect(try box.journal().snapshot().firstDamage == report.problems.first)
    case .refused:
      #expect(report.problemCount > 0)
      #expect(
        failure { () throws(EventLogError) in _ = try box.journal().snapshot() }?.code
          == .notAJournal)
      #expect(
        failure { () throws(EventLogError) in _ = try box.journal().status() }?.code == .notAJournal
      )
    }
  }

  private func checkAppending(
    _ box: Sandbox, _ content: [UInt8], _ outcome: Outcome, isSame: Bool, readable: Int?,
    isCutOff: Bool
  ) throws {
    let before = (try? box.events()) ?? []
    if let readable { #expect(before.count == readable) }
    let writer = box.writer()
    if case .refused = outcome {
      let error = failure { () throws(EventLogError) in try writer.append() }
      #expect(error?.code == .notAJournal)
      #expect(try box.bytes() == content)
      #expect(try box.quarantine().isEmpty)
      return
    }
    let appended = try writer.append(2)
    let after = try box.events()
    #expect((appended.freshDevice == nil) == isSame)
    let isFresh = !before.contains { $0.device == appended.events[0].device }
    #expect(isFresh != isSame)
    #expect(
      after == before + (isFresh ? [EventID(device: appended.events[0].device, sequence: 1)] : [])
        + appended.events)
    #expect(Set(after).count == after.count)
    let report = try box.journal().verify()
    switch outcome {
    case .putsAside(let offset):
      #expect(try box.bytes().starts(with: content[..<offset]))
      #expect(try box.quarantine() == [Array(content[offset...])])
      #expect(appended.quarantinedBytes == content.count - offset)
      #expect(!report.problems.contains { $0.code == .doubtfulTail })
    case .damage(let line):
      #expect(try box.bytes().starts(with: content))
      #expect(report.problems.first?.line == line)
      #expect(try box.quarantine().isEmpty)
    case .continues, .refused:
      // The fresh device names the event that was cut off.
      #expect(report.problems.map(\.code) == (isCutOff ? [.gap] : []))
      #expect(try box.quarantine().isEmpty)
    }
    let next = try writer.append()
    #expect(next.events[0].device == appended.events[0].device)
    #expect(try box.writer().append().freshDevice == nil)
  }

  @Test func `a first batch that is torn at its beginning is quarantined`() throws {
    let box = try Sandbox()
    box.disk.failNext(.sync, after: 1, with: .inputOutput)
    #expect(failure { () throws(EventLogError) in try box.writer().append(60) } != nil)
    let written = try box.bytes()
    for zeros in [[UInt8](repeating: 0, count: 4096), [UInt8](repeating: 0, count: written.count)] {
      let torn = zeros + written.dropFirst(zeros.count)
      try box.put(torn)
      let journal = Journal(path: box.path, catalog: .standard, fileSystem: box.disk)
      let problems = try journal.verify().problems
      #expect(problems.map(\.code) == [.doubtfulTail])
      #expect(problems[0].message.contains("the next append moves them"))
      #expect(try journal.snapshot().snapshot.eventCount == 0)
    }
    let torn = try box.bytes()
    #expect(try Journal(path: box.path, fileSystem: box.disk).status().device == nil)
    let outcome = try box.writer().append()
    #expect(try box.journal().status().device == outcome.events[0].device)
    #expect(outcome.freshDevice != nil)
    #expect(try box.quarantine() == [torn])
    #expect(try box.events().count == 2)
    #expect(try box.journal().verify().problems.isEmpty)
  }

  @Test func `quarantine keeps the files of earlier recoveries`() throws {
    let box = try Sandbox()
    try box.begin()
    let sound = try box.bytes()
    for _ in 0..<3 {
      try box.put(sound + Array("{\"id\"".utf8))
      try box.writer().append()
    }
    #expect(try box.quarantine() == Array(repeating: Array("{\"id\"".utf8), count: 3))
  }
}
