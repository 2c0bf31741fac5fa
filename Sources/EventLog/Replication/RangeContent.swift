/// The verified lines of an object with a range.
struct RangeContent: Sendable {
  let bytes: [UInt8]
  let history: RangeHistory
  private let lines: [Line]

  /// One event.
  struct Line: Sendable {
    /// The position in the object, without the LF.
    var byteRange: Range<Int>
    var seen: [FullEventID]
    /// Whether the next event is in the same batch.
    var hasMore: Bool
  }

  /// Returns nil if the bytes aren't exactly the lines of the range.
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

  /// The event with this sequence, which must be in the range.
  subscript(sequence: Int64) -> Line { lines[Int(sequence - history.first)] }
}

/// The way in which an object doesn't match its name.
enum RangeFault: Sendable, CaseIterable {
  /// The object is a placeholder, whose content may arrive later.
  case empty
  /// The object ends too early, and matches up to there.
  case cutOff
  case damaged

  /// - Parameter bytes: The content, which isn't a valid ``RangeContent``.
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

/// The chains of an object's events, which identify the history that they are part of.
struct RangeHistory: Sendable {
  let first: Int64
  /// The chains, starting with that of the event before the first one.
  fileprivate let chains: [UInt32]
  /// The user that the device joined as, if the range begins with the joining.
  let user: String?

  var last: Int64 { first + Int64(chains.count) - 2 }

  /// The chain of an event in the range or the one before it.
  func chain(at sequence: Int64) -> UInt32 { chains[Int(sequence - first + 1)] }

  fileprivate init(first: Int64, chains: [UInt32], user: String?) {
    self.first = first
    self.chains = chains
    self.user = user
  }
}

/// Collects lines as long as each continues the previous one.
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
        byteRange: start..<(start + position.byteCount), seen: seen, hasMore: layout.hasMore))
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    isSound = false
  }
}
