/// Reads the lines of some ranges from a journal's file, in the order of the file, and little else
/// of it.
package struct RangeReader {
  private let path: String
  private let file: FileDescriptor
  private let fileSystem: any FileSystem
  /// Whose names and places were read from that file.
  private let ledger: Ledger
  /// By device index what is wanted and not yet read.
  private var wanted: [Int: ClosedRange<Int64>]
  /// Where in the file it stands, as far as it is not read.
  private var parts: ArraySlice<Range<Int64>>
  private var scanner = LineScanner()
  /// Why there is nothing behind what was handed out last.
  private var failure: EventLogError?

  /// - Parameters:
  ///   - size: up to where `ledger` was read.
  package init(
    _ ranges: [EventRange], path: String, file: FileDescriptor, fileSystem: any FileSystem,
    ledger: Ledger, size: Int64
  ) {
    self.path = path
    self.file = file
    self.fileSystem = fileSystem
    self.ledger = ledger
    var wanted: [Int: ClosedRange<Int64>] = [:]
    for range in ranges {
      if let device = ledger.find(range.device) { wanted[device] = range.first...range.last }
    }
    self.wanted = wanted
    parts = ledger.index.parts(of: wanted, size: size)[...]
  }

  /// The next lines; nil behind the last.
  ///
  /// - Throws: `inputOutput`, also where the file no longer holds what `ledger` tells.
  package mutating func next() throws(EventLogError) -> LineBatch? {
    if let failure { throw failure }
    var collector = RangeCollector(wanted: wanted, ledger: ledger)
    do throws(Errno) {
      while let part = parts.first, !collector.wanted.isEmpty, !collector.isStopped {
        var reader = LineReader(from: part.lowerBound)
        try reader.readLines(
          of: file, in: fileSystem, upTo: part.upperBound, scanner: &scanner, into: &collector)
        parts.removeFirst()
        if collector.isStopped, reader.resumeOffset < part.upperBound {
          parts = [reader.resumeOffset..<part.upperBound] + parts
        }
      }
    } catch {
      throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
    }
    wanted = collector.wanted
    if parts.isEmpty || collector.isOutOfStep, let missing = wanted.first {
      let failure = EventLogError(
        .inputOutput,
        "\"\(path)\" no longer holds \(ledger.name(missing.key)):\(missing.value.lowerBound), which"
          + " was read from it before: it was changed meanwhile. What was taken until then stays.",
        hint: "Run it again.", at: .init(file: path))
      // What stood before is as good as ever.
      if collector.batch.isEmpty { throw failure }
      self.failure = failure
    }
    return collector.batch.isEmpty ? nil : collector.batch
  }

  /// The checksum of one event; nil where the file does not hold it.
  package static func checksum(
    of event: EventID, path: String, file: FileDescriptor, fileSystem: any FileSystem,
    ledger: Ledger, size: Int64
  ) throws(EventLogError) -> LineChecksum? {
    guard let device = ledger.find(event.device), event.sequence <= ledger.devices[device].last
    else { return nil }
    if event.sequence == ledger.devices[device].last { return ledger.devices[device].checksum }
    var finder = ChecksumFinder(event: event, device: device, ledger: ledger)
    var scanner = LineScanner()
    do throws(Errno) {
      for part in ledger.index.parts(of: device, event.sequence...event.sequence, size: size) {
        var reader = LineReader(from: part.lowerBound)
        try reader.readLines(
          of: file, in: fileSystem, upTo: part.upperBound, scanner: &scanner, into: &finder)
      }
    } catch {
      throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
    }
    return finder.found
  }
}

/// Keeps the lines that are wanted.
private struct RangeCollector: LineSink {
  var wanted: [Int: ClosedRange<Int64>]
  let ledger: Ledger
  var batch = LineBatch()
  /// Whether an event stands where one before it was expected.
  var isOutOfStep = false

  var isStopped: Bool { batch.isFull || wanted.isEmpty || isOutOfStep }

  init(wanted: [Int: ClosedRange<Int64>], ledger: Ledger) {
    self.wanted = wanted
    self.ledger = ledger
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    guard let device = ledger.names.find(canonical, layout.device), let range = wanted[device],
      layout.sequence >= range.lowerBound
    else { return }
    // The same line may stand twice; an event behind the next one may not.
    guard layout.sequence == range.lowerBound else {
      isOutOfStep = true
      return
    }
    batch.add(line)
    wanted[device] =
      layout.sequence < range.upperBound ? (layout.sequence + 1)...range.upperBound : nil
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}

/// Looks for the first line of one event.
private struct ChecksumFinder: LineSink {
  let event: EventID
  let device: Int
  let ledger: Ledger
  var found: LineChecksum?

  var isStopped: Bool { found != nil }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    if layout.sequence == event.sequence, ledger.names.find(canonical, layout.device) == device {
      found = layout.checksum
    }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
