/// The problems and notes found while reading.
package struct JournalFindings: Sendable {
  /// Problems because of which events are missing or don't count, in file order, with at most
  /// ``FindingLog/keptMax`` of each kind.
  package var problems: [JournalProblem] = []
  /// The number of problems found.
  package var problemCount = 0
  /// The missing events whose loss isn't acknowledged, by device and sequence.
  package var missing: [EventRange] = []
  /// Findings that don't affect any events.
  package var notes: [JournalProblem] = []

  package init() {}

  /// The first problem that is damage.
  package var firstDamage: JournalProblem? { problems.first(where: \.isDamage) }
}

/// A line whose bytes are not an event, and what can still be determined about the event it
/// contained.
struct FailingLine: Sendable, Hashable {
  var code: LineFault.Code
  var clause: String
  var line: Int
  var offset: Int64
  /// The byte that the fault is about.
  var byte: Int64
  /// The CRC-32C of the line's bytes.
  var content: UInt32
  /// The ID in a damaged line, if the line begins as a writer would begin it.
  var id: EventID?
  /// The checksum in a damaged line.
  var checksum: LineChecksum?
  /// The chain that the other bytes result in.
  ///
  /// It is right if only the chain was damaged.
  var resealed: UInt32?
  /// Whether so many bytes are not text that they may hide a whole line.
  var mayHideLines: Bool
  /// Whether nothing of an erased event is left in it that can be told from other lines.
  var isCleared = false

  init(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    code = fault.code
    clause = fault.clause
    self.line = position.number
    offset = position.offset
    byte = position.offset + Int64(fault.byte)
    let start = line.copy(ByteRange(0, min(line.count, 96)))
    if start.starts(with: #"{"id":""#.utf8) {
      let text = start.dropFirst(7).prefix { $0 != UInt8(ascii: "\"") }
      id = EventID(String(decoding: text, as: UTF8.self)).flatMap { $0.chain == nil ? $0 : nil }
    }
    let end = line.copy(ByteRange(max(0, line.count - 18), line.count))
    checksum = LineChecksum(text: end.prefix(16))
    let bytes = line.copy(ByteRange(0, line.count))
    mayHideLines = Self.span(ofControls: bytes) >= LineLimits.lineBytesMin
    content = CRC32C.checksum(bytes)
    if let checksum, bytes.count > LineLimits.checksumTailBytes {
      resealed =
        LineChecksum.of(
          covered: bytes.dropLast(LineLimits.checksumTailBytes), after: checksum.before
        ).chain
    }
  }

  init(
    code: LineFault.Code, clause: String, line: Int, offset: Int64, byte: Int64, content: UInt32,
    id: EventID?, checksum: LineChecksum?, resealed: UInt32?, mayHideLines: Bool
  ) {
    self.code = code
    self.clause = clause
    self.line = line
    self.offset = offset
    self.byte = byte
    self.content = content
    self.id = id
    self.checksum = checksum
    self.resealed = resealed
    self.mayHideLines = mayHideLines
  }

  /// The distance from the first control character to the last.
  ///
  /// A disk may replace lost bytes by zeros, or by anything.
  private static func span(ofControls bytes: [UInt8]) -> Int {
    guard let first = bytes.firstIndex(where: { $0 < 0x20 }),
      let last = bytes.lastIndex(where: { $0 < 0x20 })
    else { return 0 }
    return last - first + 1
  }

  /// The chains that the event may have had.
  ///
  /// Empty if there is no indication.
  var chains: [UInt32] { [checksum?.chain, resealed].compactMap(\.self) }
}

/// Collects problems and notes while reading.
package struct FindingLog: Sendable {
  /// The number of findings of each kind that are kept.
  ///
  /// Further ones are only counted, so that a file of garbage doesn't fill the memory.
  package static let keptMax = 10_000

  var failing: [FailingLine] = []
  var failingCount = 0
  var refused: [JournalProblem] = []
  var refusedCount = 0
  /// The devices of other users.
  private var foreign: Set<String> = []
  /// Repeated lines.
  var notes: [JournalProblem] = []
  var noteCount = 0
  /// Damaged bytes whose loss was acknowledged, by offset and content.
  var acceptedDamage: Set<AcceptedDamage> = []
  /// The lines of an interrupted overwriting, by their offsets.
  var overwrites: [Int64: [UInt8]] = [:]

  /// The position of damaged bytes and their CRC-32C.
  package struct AcceptedDamage: Sendable, Hashable {
    var offset: Int64
    var content: UInt32
  }

  /// Whether nothing was found.
  var isEmpty: Bool { failingCount == 0 && refusedCount == 0 && notes.isEmpty }

  mutating func add(_ line: FailingLine) {
    failingCount += 1
    if failing.count < Self.keptMax { failing.append(line) }
  }

  /// Forgets all failing lines but the first `count`.
  mutating func forgetFailing(behind count: Int) {
    failingCount = count
    failing.removeLast(max(0, failing.count - count))
  }

  mutating func refuse(
    _ code: JournalProblem.Code, device: String, sequence: Int64, at position: LinePosition
  ) {
    // One for each device: all its lines are refused for the same reason.
    if case .otherUser = code, !foreign.insert(device).inserted { return }
    refusedCount += 1
    guard refused.count < Self.keptMax else { return }
    let message =
      code == .notJoined
      ? "\(device) does not begin with device.joined; the event does not count."
      : "\(device) belongs to another user; its events do not count."
    refused.append(
      JournalProblem(
        code: code, line: position.number, byte: position.offset, message: message,
        device: device, sequence: sequence))
  }

  mutating func note(
    _ note: JournalProblem.Note, device: String, sequence: Int64, at position: LinePosition
  ) {
    noteCount += 1
    guard notes.count < Self.keptMax else { return }
    notes.append(
      JournalProblem(
        code: .note(note), line: position.number, byte: position.offset,
        message: "\(device):\(sequence) is repeated here; it counts once.",
        device: device, sequence: sequence))
  }
}

extension JournalPass {
  /// The problems and notes found.
  ///
  /// - Complexity: O(findings and gaps), or O(events) if damaged lines don't show which event they
  ///   contained.
  package var report: JournalFindings {
    var report = JournalFindings()
    report.problems = findings.refused
    report.problemCount = findings.refusedCount
    report.notes = findings.notes
    addFailingLines(to: &report)
    addGaps(to: &report)
    addCutOffs(to: &report)
    addUnnamedErasures(to: &report)
    report.missing.sort()
    report.notes += forkNotes
    for line in unfinished.prefix(1) {
      report.notes.append(
        JournalProblem(
          code: .note(.unfinishedBatch), line: line.position.number, byte: line.position.offset,
          message: "\(ledger.names.text(Int(line.key.device))):\(line.key.sequence) is part of a"
            + " batch whose end is missing; it does not count until the end arrives.",
          device: ledger.names.text(Int(line.key.device)), sequence: line.key.sequence))
    }
    report.problems.sort(by: JournalProblem.stands(_:before:))
    report.notes.sort(by: JournalProblem.stands(_:before:))
    return report
  }

  private func addFailingLines(to report: inout JournalFindings) {
    if findings.failing.isEmpty { return }
    let search = HeldChains(ledger, for: findings.failing, record)
    let losses = AcknowledgedLosses(ledger)
    for line in findings.failing {
      let isAccepted =
        losses.contains(line)
        || findings.acceptedDamage.contains(.init(offset: line.offset, content: line.content))
      let remains = search.remains(of: line)
      let isDead = remains.isNothing
      let code: JournalProblem.Code =
        isDead ? .note(.deadBytes) : isAccepted ? .note(.acknowledgedLoss) : .line(line.code)
      let meaning = isAccepted && !isDead ? "its loss was accepted." : remains.rawValue
      let problem = JournalProblem(
        code: code, line: line.line, byte: line.byte,
        message: "The line \(line.clause); \(meaning)", device: line.id?.device.text,
        sequence: line.id?.sequence)
      if case .note = code { report.notes.append(problem) } else { report.problems.append(problem) }
    }
    report.problemCount += report.problems.count - findings.refused.count
    report.problemCount += findings.failingCount - findings.failing.count
  }

  private func addGaps(to report: inout JournalFindings) {
    let losses = AcknowledgedLosses(ledger)
    for branch in ledger.branches.indices where ledger.branches[branch].isMissing {
      let range = ledger.missingRange(branch)
      let naming = ledger.namings[Int32(branch)] ?? .init(line: 1, byte: 0)
      let isAcknowledged = losses.contains(range.end)
      let name = range.text(ledger.shownID)
      let problem = JournalProblem(
        code: isAcknowledged ? .note(.acknowledgedLoss) : .gap, line: naming.line,
        byte: naming.byte,
        message: isAcknowledged
          ? "\(name) \(range.count == 1 ? "is" : "are") missing; the loss was accepted."
          : "\(name) \(range.count == 1 ? "is" : "are") missing here: this line depends on"
            + " \(range.count == 1 ? "it" : "them"). All other events count.",
        device: range.device.text, sequence: range.first)
      if isAcknowledged {
        report.notes.append(problem)
      } else {
        report.problems.append(problem)
        report.problemCount += 1
        report.missing.append(range)
      }
    }
  }

  /// A note for each further way in which a device's history continues.
  private var forkNotes: [JournalProblem] {
    ledger.namings.filter {
      let branch = ledger.branches[Int($0.key)]
      return !branch.isMissing && !ledger.isSourceOnly(Int(branch.device))
    }.map { index, naming in
      let branch = ledger.branches[Int(index)]
      let device = ledger.device(of: Int(index))
      let after =
        branch.parent < 0
        ? nil : ledger.fullID(.init(branch: branch.parent, sequence: branch.after))
      return JournalProblem(
        code: .note(.fork), line: naming.line, byte: naming.byte,
        message: JournalFork(device: device, after: after, tips: []).sentence,
        device: device.text, sequence: branch.first)
    }
  }
}

extension JournalFork {
  /// A message for the user about what happened.
  public var sentence: String {
    let place = after.map { "after \($0.shortID)" } ?? "before its first event"
    return "\(device) was copied or restored \(place), and both copies kept writing under its ID."
      + " Both histories count, and each copy continues under a new ID."
  }
}

/// Determines whether the event of a damaged line is present elsewhere.
private struct HeldChains {
  /// The part of the line that is missing.
  enum Remains: String {
    case nothing = "its event is also on another line, so nothing is lost."
    case nothingOfSeveral = "its events are also on other lines, so nothing is lost."
    case event = "its event is missing here."
    case unknown =
      "the event at its start or end is on another line, but events in between may be lost."

    var isNothing: Bool { self == .nothing || self == .nothingOfSeveral }
  }

  private let ledger: Ledger
  /// The devices under which this copy has written to the file.
  private let own: Set<DeviceID>
  /// The number of damaged lines.
  private let lineCount: Int
  /// The events with a chain that a damaged line still contains.
  private var found: [UInt32: EventID] = [:]

  init(_ ledger: Ledger, for lines: [FailingLine], _ record: DeviceRecord?) {
    self.ledger = ledger
    own = Set(record.map { [$0.device] + $0.past.map(\.device) } ?? [])
    lineCount = lines.count
    let wanted = Set(lines.flatMap(\.chains))
    if wanted.isEmpty { return }
    for (number, branch) in ledger.branches.enumerated() {
      for index in branch.chains.indices.dropFirst(branch.isMissing ? 1 : 0)
      where wanted.contains(branch.chains[index]) {
        found[branch.chains[index]] = EventID(
          device: ledger.device(of: number), sequence: branch.first + Int64(index))
      }
    }
  }

  func remains(of line: FailingLine) -> Remains {
    let held = line.id.map { id in ledger.points(named: id).map { ledger.fullID($0).chain } } ?? []
    // It begins and ends as one event.
    if held.contains(where: line.chains.contains) { return .nothing }
    let last = line.chains.compactMap { found[$0] }
    // Another event of that ID is not the one that is lost.
    let isHeld =
      line.chains.isEmpty
      ? !held.isEmpty : last.contains { isOne(line, $0) || !held.isEmpty }
    if !isHeld { return .event }
    if !line.mayHideLines { return .nothing }
    return isStated(line) ? .nothingOfSeveral : .unknown
  }

  /// Returns true if everything that the bytes of a damaged line contained is known and held.
  ///
  /// An event of this copy states everything that the copy held when it was written. So it proves
  /// this if it is the last of the line and has seen the first, or if it follows the line, was
  /// written before the damage, and has seen the last of the line, or else the first. Such a later
  /// event is out of order now, because it depends on events that are on later lines.
  ///
  /// Neither holds for an event that was damaged and received again: its copy follows events that
  /// it hasn't seen. So nothing is proven if there is another damaged line, or if the last event
  /// hasn't seen the first.
  private func isStated(_ line: FailingLine) -> Bool {
    if lineCount > 1 || !ledger.unacknowledgedRanges.isEmpty { return false }
    let first = line.id.map { ledger.points(named: $0) } ?? []
    let last = line.checksum.flatMap { found[$0.chain] }
    if let last, own.contains(last.device), first.count == 1,
      ledger.points(named: last).contains(where: { $0 == first[0] || ledger.hasSeen($0, first[0]) })
    {
      return true
    }
    let points = last.map { ledger.points(named: $0) } ?? first
    let strays = ledger.index.strays
    return points.count == 1
      && strays.indices.contains { index in
        let stray = strays[index]
        return stray.offset > line.offset && own.contains(ledger.device(of: Int(stray.branch)))
          && ledger.hasSeen(.init(branch: stray.branch, sequence: stray.sequence), points[0])
      }
  }

  /// Whether only that event was lost with a damaged line.
  ///
  /// If line feeds are lost, the line begins as one event and ends as another. Later events of a
  /// device refer to the events between two of its events.
  private func isOne(_ line: FailingLine, _ event: EventID) -> Bool {
    guard let id = line.id, id.device != event.device else { return true }
    let (one, other) = (Array(id.description.utf8), Array(event.description.utf8))
    return one.count == other.count && zip(one, other).count { $0 != $1 } == 1
  }
}
