import EventLog

/// Searches a file that is read piece by piece for what is erased, and for texts.
struct ContentSearch {
  private let erasures: Erasures
  private var texts: TextSearch?
  private var lines: ErasedContents
  /// The bytes after the last LF, or all bytes of a checkpoint.
  private var rest: [UInt8] = []
  private var isFirst = true
  private var isCheckpoint = false

  init(_ erasures: Erasures, _ texts: SearchedTexts) {
    self.erasures = erasures
    self.texts = texts.isEmpty ? nil : TextSearch(texts)
    lines = ErasedContents(erasures: erasures)
  }

  var looksForTexts: Bool { texts != nil }

  mutating func read(_ piece: [UInt8]) {
    texts?.read(piece)
    if isFirst {
      isFirst = false
      isCheckpoint = piece.starts(with: "eventlog checkpoint ".utf8)
    }
    guard !isCheckpoint, let end = piece.lastIndex(of: 0x0A) else {
      rest += piece
      if !isCheckpoint, rest.count > LineLimits.lineBytesMax {
        // Such a long line is no event, and is passed over.
        rest = Array(rest.prefix(LineLimits.lineBytesMax + 1))
      }
      return
    }
    var scanner = LineScanner()
    scanner.scanLines(rest + piece[...end], into: &lines)
    rest = Array(piece[(end + 1)...])
  }

  /// Returns the numbers of the texts that were found, and the events of which something is left,
  /// nil for a checkpoint from before an erasure.
  mutating func finish() -> (texts: [Int], events: [EventID?]) {
    let found = texts?.found.sorted() ?? []
    if isCheckpoint, let checkpoint = try? Checkpoint(sealed: rest) {
      let known = (try? CheckpointReading(checkpoint))?.ledger.erasures.extents
      return (found, known == erasures.extents ? [] : [nil])
    }
    var scanner = LineScanner()
    scanner.scanLines(rest, into: &lines)
    return (found, lines.found)
  }
}

/// Finds lines with something that is erased.
private struct ErasedContents: LineSink {
  let erasures: Erasures
  private(set) var found: [EventID] = []
  /// The starts of lines of erased events.
  private let starts: [[UInt8]: EventID]

  init(erasures: Erasures) {
    self.erasures = erasures
    starts = Dictionary(
      erasures.extents.keys.map { (Array("{\"id\":\"\($0.shortID)\"".utf8), $0.shortID) },
      uniquingKeysWith: { first, _ in first })
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let event = FullEventID(layout, canonical)
    guard let extent = erasures.extents[event],
      ErasedLine.bytes(of: layout, canonical, byteCount: line.count, extent: extent) != nil
    else { return }
    found.append(event.shortID)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    // A damaged line may still contain what its event contained.
    let bytes = line.copy()
    let start = Array(bytes.prefix { $0 != UInt8(ascii: ",") })
    let tail = bytes.suffix(LineLimits.checksumTailBytes)
    let hasChecksum =
      tail.starts(with: ",\"crc\":\"".utf8) && tail.suffix(2).elementsEqual("\"}".utf8)
    let rest = bytes.dropFirst(start.count + 1).dropLast(hasChecksum ? tail.count : 0)
    if !rest.isEmpty, rest.allSatisfy({ $0 == UInt8(ascii: "-") }) { return }
    if let event = starts[start] { found.append(event) }
  }
}
