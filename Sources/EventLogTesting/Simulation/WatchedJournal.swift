import EventLog

/// What stands in a journal's file, followed from step to step: a journal only grows.
struct WatchedJournal {
  /// Without the free space at its end.
  private(set) var bytes: [UInt8] = []
  /// The good lines, without their LF.
  private(set) var lines: [FullEventID: [UInt8]] = [:]
  /// The lines that are no events, and which events they held, as far as somebody knows.
  private(set) var failing: [[UInt8]: Set<FullEventID>] = [:]
  /// Whether a line that failed before was damaged again: nothing that it still says is sure.
  private var wasDamagedTwice = false
  /// What was in an end that fails and has lost its LF: it is a line again once one follows.
  private var goneWithEnd: Set<FullEventID> = []
  /// Where the last line that ends with an LF ends.
  private var endOffset = 0
  /// Per device the greatest sequence that a line names.
  private var greatest: [DeviceID: Int64] = [:]

  /// What became of a file since it was looked at last.
  struct Change {
    /// The events that came, in the order of their lines.
    var fresh: [Line] = []
    /// Whether a doubtful end was put aside.
    var wasCut = false
    /// What is wrong with it.
    var failure: String?
  }

  /// A line that came.
  struct Line {
    let id: FullEventID
    let bytes: [UInt8]
    /// Whether no line before had named an event of its device with that sequence, or a later one.
    let isNew: Bool
  }

  /// Takes what the file holds now.
  ///
  /// - Parameter quarantined: the files in quarantine: the only place where anything may go.
  mutating func follow(_ file: [UInt8], quarantined: () -> [[UInt8]]) -> Change {
    let now = Self.withoutFreeSpace(file)
    var change = Change()
    let common = Self.commonCount(bytes, now)
    if common < bytes.count {
      goneWithEnd = []
      // Of a line without LF nothing was kept, if it was cut off by the one who wrote it.
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

  /// Takes what the simulator has made of the file.
  mutating func restart(_ file: [UInt8]) {
    let before = self
    self = WatchedJournal()
    bytes = Self.withoutFreeSpace(file)
    var change = Change()
    read(into: &change)
    // What is gone was in one of the lines that fail now.
    var gone = Set(before.lines.keys).subtracting(lines.keys)
    if hasEnd {
      goneWithEnd = before.hasEnd ? before.goneWithEnd : gone
    } else {
      gone.formUnion(before.goneWithEnd)
    }
    for (line, held) in before.failing where failing[line] == nil { gone.formUnion(held) }
    for line in Array(failing.keys) { failing[line] = before.failing[line] ?? gone }
    wasDamagedTwice =
      before.wasDamagedTwice || before.failing.keys.contains { failing[$0] == nil }
  }

  private var hasEnd: Bool { bytes.count > endOffset }

  /// Whether more may be said to be lost than is: of a line that was damaged twice, and of one in
  /// whose zeros whole lines may have stood.
  var hasUnclearDamage: Bool {
    wasDamagedTwice || failing.keys.contains { line in line.count { $0 == 0 } > 90 }
  }

  private static func withoutFreeSpace(_ file: [UInt8]) -> [UInt8] {
    Array(file[..<((file.lastIndex { $0 != 0x20 } ?? -1) + 1)])
  }

  /// How many bytes two files have in common at their beginning.
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

  /// What is wrong with an end that was put aside: it has to begin with what fails, or with a batch
  /// that was cut off, and to be in quarantine.
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

  private mutating func forget(from offset: Int) {
    let kept = Array(bytes[..<offset])
    let (known, wasDamagedTwice) = (failing, wasDamagedTwice)
    self = WatchedJournal()
    self.wasDamagedTwice = wasDamagedTwice
    bytes = kept
    var change = Change()
    read(into: &change)
    for line in Array(failing.keys) { failing[line] = known[line] ?? [] }
  }

  private mutating func read(into change: inout Change) {
    let end = (bytes.lastIndex(of: 0x0A) ?? -1) + 1
    guard end > endOffset else { return }
    var reader = LineCollector()
    var scanner = LineScanner()
    scanner.scanLines(Array(bytes[endOffset..<end]), into: &reader)
    endOffset = end
    for line in reader.lines {
      if lines.updateValue(line.bytes, forKey: line.id) == nil {
        let isNew = line.id.sequence > greatest[line.id.device] ?? 0
        change.fresh.append(Line(id: line.id, bytes: line.bytes, isNew: isNew))
      }
      for named in [line.id] + line.seen {
        greatest[named.device] = max(named.sequence, greatest[named.device] ?? 0)
      }
    }
    for line in reader.failing { failing[line] = failing[line] ?? goneWithEnd }
    goneWithEnd = []
  }
}

/// Collects lines, good and bad.
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
