/// The lines of an object that holds a range, checked to be what its name says.
struct RangeContent: Sendable {
  let bytes: [UInt8]
  let history: RangeHistory
  private let lines: [Line]

  /// One event.
  struct Line: Sendable {
    /// Where it stands, without its LF.
    var place: Range<Int>
    var seen: [FullEventID]
    /// Whether the next event belongs with it.
    var hasMore: Bool
    /// The user whom the event lets in, by `user.adopted`.
    var adopts: String?
  }

  /// Nil for bytes that are less, more or something else than the range: what is not all there is
  /// not there yet.
  init?(_ name: RangeName, _ bytes: [UInt8]) {
    var collector = RangeContentCollector(name.range)
    var scanner = LineScanner()
    scanner.scanLines(bytes, into: &collector)
    guard collector.isSound, Int64(collector.lines.count) == name.range.count,
      collector.last == name.checksum, bytes.last == 0x0A
    else { return nil }
    self.bytes = bytes
    lines = collector.lines
    history = RangeHistory(
      first: name.range.first, chains: collector.chains, user: collector.user)
  }

  /// The event with that sequence, which the range has to hold.
  subscript(sequence: Int64) -> Line { lines[Int(sequence - history.first)] }
}

/// How an object that was found is not what its name says.
enum RangeFault: Sendable, CaseIterable {
  /// Something made a place for it, and brings what it holds later.
  case empty
  /// It ends too early, and all of it up to there is as it should be.
  case cutOff
  case damaged

  /// - Parameter bytes: those of which ``RangeContent`` makes nothing.
  init(_ name: RangeName, _ bytes: [UInt8]) {
    if bytes.isEmpty {
      self = .empty
      return
    }
    let whole = bytes.lastIndex(of: 0x0A).map { Array(bytes[...$0]) } ?? []
    var collector = RangeContentCollector(name.range)
    var scanner = LineScanner()
    scanner.scanLines(whole, into: &collector)
    let isBeginning =
      collector.isSound && Int64(collector.lines.count) < name.range.count
      && (bytes.count == whole.count || bytes[whole.count] == UInt8(ascii: "{"))
    self = isBeginning ? .cutOff : .damaged
  }
}

/// The chains of the events that an object holds: they tell which history it is a part of.
struct RangeHistory: Sendable {
  let first: Int64
  /// From the event before the first one on.
  fileprivate let chains: [UInt32]
  /// Whom the device joined as, where the range begins with that.
  let user: String?

  var last: Int64 { first + Int64(chains.count) - 2 }

  /// The chain of an event of the range, or of the event before it.
  func chain(at sequence: Int64) -> UInt32 { chains[Int(sequence - first + 1)] }

  fileprivate init(first: Int64, chains: [UInt32], user: String?) {
    self.first = first
    self.chains = chains
    self.user = user
  }
}

/// Collects lines as long as each goes on from the one before.
private struct RangeContentCollector: LineSink {
  private let range: EventRange
  var lines: [RangeContent.Line] = []
  var chains: [UInt32] = []
  var last: LineChecksum?
  var user: String?
  var isSound = true
  var isStopped: Bool { !isSound }

  init(_ range: EventRange) { self.range = range }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    guard layout.sequence == range.first + Int64(lines.count), layout.sequence <= range.last,
      canonical.text(layout.device).utf8.elementsEqual(range.device.text.utf8),
      last.map({ layout.checksum.before == $0.chain }) ?? true
    else {
      isSound = false
      return
    }
    if last == nil {
      chains.append(layout.checksum.before)
      if layout.sequence == 1 {
        user = Joining(layout, canonical).map { String(decoding: $0.user, as: UTF8.self) }
      }
    }
    chains.append(layout.checksum.chain)
    last = layout.checksum
    let start = Int(position.offset)
    let seen = layout.seen.map { entry in
      FullEventID(
        device: DeviceID(trusted: canonical.text(entry.device)), sequence: entry.sequence,
        chain: entry.chain)
    }
    lines.append(
      .init(
        place: start..<(start + position.byteCount), seen: seen, hasMore: layout.hasMore,
        adopts: adopted(by: layout, canonical)))
  }

  private func adopted(by layout: LineLayout, _ canonical: Span<UInt8>) -> String? {
    guard layout.version == 1, canonical.matches(layout.type, "user.adopted") else { return nil }
    return Ledger.text("from", of: layout, in: canonical)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    isSound = false
  }
}
