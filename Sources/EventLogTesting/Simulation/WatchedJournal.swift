import EventLog

/// The contents of a journal's file, checked after each step: a journal only grows, and lines only
/// change to their erased form.
struct WatchedJournal {
  /// The bytes of the file without blanks at its end.
  private(set) var bytes: [UInt8] = []
  /// The valid lines, without their LF.
  private(set) var lines: [FullEventID: [UInt8]] = [:]
  /// The invalid lines, and the events that each may have contained.
  private(set) var failing: [[UInt8]: Set<FullEventID>] = [:]
  /// The invalid lines of earlier contents, which a restored backup may bring back.
  private var formerlyFailing: [[UInt8]: Set<FullEventID>] = [:]
  /// The lines of contents that the simulator replaced. A store that has read them still knows
  /// where they were, and so may find one that a joined line contains now.
  private(set) var formerLines: [FullEventID: [UInt8]] = [:]
  /// Whether an invalid line was damaged again, so that its events are uncertain.
  private var wasDamagedTwice = false
  /// The events of an invalid end without an LF, which becomes a line when another one follows.
  private var lostWithEnd: Set<FullEventID> = []
  /// The end of the last line that was read, after its LF if it has one.
  private var endOffset = 0
  /// For each device, the greatest sequence that a line names.
  private var greatest: [DeviceID: Int64] = [:]

  /// The changes to a file since the last check.
  struct Change {
    /// The new events, in the order of their lines.
    var fresh: [Line] = []
    /// Whether a torn tail was removed.
    var wasCut = false
    /// The violation, or nil.
    var failure: String?
  }

  /// A new line.
  struct Line {
    let id: FullEventID
    let bytes: [UInt8]
    /// Whether no earlier line names this sequence of the device, or a greater one.
    let isNew: Bool
  }

  /// Checks the current contents of the file.
  ///
  /// - Parameter quarantined: The files in quarantine, which must contain all removed lines.
  mutating func follow(_ file: [UInt8], quarantined: () -> [[UInt8]]) -> Change {
    let now = Self.withoutFreeSpace(file)
    var change = Change()
    takeErasedForms(of: now)
    let common = Self.commonCount(bytes, now)
    if common < bytes.count {
      lostWithEnd = []
      // A writer may remove an unfinished line of its own without quarantining it.
      change.wasCut = common < endOffset
      let cut = bytes[..<common].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      if change.wasCut {
        change.failure = Self.failure(of: Array(bytes[cut...]), quarantined())
        forget(from: cut)
      }
    }
    bytes = now
    read(into: &change)
    return change
  }

  /// Accepts a change that the simulator made to the file.
  mutating func restart(_ file: [UInt8]) {
    let before = self
    self = WatchedJournal()
    formerlyFailing = before.formerlyFailing.merging(before.failing) { _, latest in latest }
    formerLines = before.formerLines.merging(before.lines) { first, _ in first }
    bytes = Self.withoutFreeSpace(file)
    var change = Change()
    read(into: &change)
    // The missing events were in lines that are invalid now.
    var lost = Set(before.lines.keys).subtracting(lines.keys)
    if hasEnd {
      lostWithEnd = before.hasEnd ? before.lostWithEnd : lost
    } else {
      lost.formUnion(before.lostWithEnd)
    }
    for (line, held) in before.failing where failing[line] == nil { lost.formUnion(held) }
    for line in Array(failing.keys) { failing[line] = formerlyFailing[line] ?? lost }
    wasDamagedTwice =
      before.wasDamagedTwice || before.failing.keys.contains { failing[$0] == nil }
  }

  private var hasEnd: Bool { bytes.count > endOffset }

  /// Whether more events may be reported as lost than are known, because a line was damaged
  /// twice, or whole lines may have become zeros.
  var hasUnclearDamage: Bool {
    wasDamagedTwice || failing.keys.contains { line in line.count { $0 == 0 } > 90 }
  }

  private static func withoutFreeSpace(_ file: [UInt8]) -> [UInt8] {
    Array(file[..<((file.lastIndex { $0 != 0x20 } ?? -1) + 1)])
  }

  /// Returns the length of the common prefix of two files.
  private static func commonCount(_ left: [UInt8], _ right: [UInt8]) -> Int {
    let count = min(left.count, right.count)
    return left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        var index = 0
        while index + 8 <= count,
          left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            == right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        {
          index += 8
        }
        while index < count, left[index] == right[index] { index += 1 }
        return index
      }
    }
  }

  /// Returns the violation by a removed end, or nil if it was allowed.
  ///
  /// It must be in quarantine, and begin with an invalid line or an unfinished batch.
  private static func failure(of end: [UInt8], _ quarantined: [[UInt8]]) -> String? {
    guard quarantined.contains(where: { $0.starts(with: end) }) else {
      return "lines are gone, but are not in quarantine"
    }
    var reader = LineCollector()
    var scanner = LineScanner()
    scanner.scanLines(Array(end.prefix { $0 != 0x0A }), into: &reader)
    guard let first = reader.lines.first, !first.hasMore else { return nil }
    return "lines from \(first.id) on were moved to quarantine, although nothing is wrong with them"
  }

  /// Accepts erased lines in place of their originals.
  private mutating func takeErasedForms(of now: [UInt8]) {
    var start = Self.commonCount(bytes, now)
    while start < min(bytes.count, now.count) {
      let first = bytes[..<start].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      // The last line may not have an LF, before or after the change.
      let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      guard end == now.count || end < now.count && now[end] == 0x0A else { return }
      let (old, new) = (Array(bytes[first..<end]), Array(now[first..<end]))
      if new.isHollowForm(of: old), let events = failing[old] {
        failing[new] = events
      } else if new.isErasedForm(of: old), let id = ReferenceLine(new)?.id {
        lines[id] = new
      } else {
        return
      }
      failing[old] = nil
      bytes.replaceSubrange(first..<end, with: new)
      start = first + Self.commonCount(Array(bytes[first...]), Array(now[first...]))
    }
  }

  private mutating func forget(from offset: Int) {
    let before = self
    self = WatchedJournal()
    wasDamagedTwice = before.wasDamagedTwice
    formerlyFailing = before.formerlyFailing.merging(before.failing) { _, latest in latest }
    formerLines = before.formerLines
    bytes = Array(before.bytes[..<offset])
    var change = Change()
    read(into: &change)
    for line in Array(failing.keys) { failing[line] = before.failing[line] ?? [] }
  }

  private mutating func read(into change: inout Change) {
    // The LF of a line that was read without it.
    if endOffset > 0, bytes[endOffset - 1] != 0x0A, bytes.count > endOffset { endOffset += 1 }
    let end = max(endOffset, (bytes.lastIndex(of: 0x0A) ?? -1) + 1)
    let isWhole = Self.isWholeLine(bytes[end...])
    var reader = LineCollector()
    var scanner = LineScanner()
    scanner.scanLines(Array(bytes[endOffset..<(isWhole ? bytes.count : end)]), into: &reader)
    guard isWhole || end > endOffset else { return }
    endOffset = isWhole ? bytes.count : end
    for line in reader.lines {
      if lines.updateValue(line.bytes, forKey: line.id) == nil {
        let isNew = line.id.sequence > greatest[line.id.device] ?? 0
        change.fresh.append(Line(id: line.id, bytes: line.bytes, isNew: isNew))
      }
      for named in [line.id] + line.seen {
        greatest[named.device] = max(named.sequence, greatest[named.device] ?? 0)
      }
    }
    for line in reader.failing { failing[line] = failing[line] ?? lostWithEnd }
    lostWithEnd = []
  }

  /// Whether bytes without an LF are a valid line: it counts, unless more of its batch is missing.
  private static func isWholeLine(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.last == UInt8(ascii: "}") else { return false }
    var reader = LineCollector()
    var scanner = LineScanner()
    scanner.scanLines(Array(bytes), into: &reader)
    return reader.failing.isEmpty && reader.lines.first?.hasMore == false
  }
}

/// Collects valid and invalid lines.
struct LineCollector: LineSink {
  struct Line {
    let id: FullEventID
    let bytes: [UInt8]
    let seen: [FullEventID]
    let hasMore: Bool
  }

  private(set) var lines: [Line] = []
  private(set) var failing: [[UInt8]] = []

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let device = DeviceID(trusted: canonical.text(layout.device))
    lines.append(
      Line(
        id: FullEventID(
          device: device, sequence: layout.sequence, chain: layout.checksum.chain),
        bytes: line.copy(),
        seen: layout.seen.map {
          FullEventID(
            device: DeviceID(trusted: canonical.text($0.device)), sequence: $0.sequence,
            chain: $0.chain)
        },
        hasMore: layout.hasMore))
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    failing.append(line.copy())
  }
}
