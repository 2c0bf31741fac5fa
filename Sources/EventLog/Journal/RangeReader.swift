/// Reads the lines of some ranges from a journal's file, in the order of their admission.
///
/// So each line follows those that it needs. Only the blocks that contain the events are read.
package struct RangeReader {
  private let path: String
  private let file: FileDescriptor
  private let fileSystem: any FileSystem
  /// The ledger of the file's reading.
  private let ledger: Ledger
  private var wanted: WantedEvents
  /// The unread parts of the file that contain the wanted events.
  private var parts: ArraySlice<Range<Int64>>
  @Boxed private var scanner = LineScanner()
  /// The error for the next call, after a batch with the lines before it.
  @Boxed private var failure: EventLogError?

  /// - Parameters:
  ///   - ranges: The ranges to read. Events that aren't held are skipped.
  ///   - size: The number of bytes that `ledger` has read.
  package init(
    _ ranges: [EventRange], path: String, file: FileDescriptor, fileSystem: any FileSystem,
    ledger: Ledger, size: Int64
  ) {
    self.path = path
    self.file = file
    self.fileSystem = fileSystem
    self.ledger = ledger
    wanted = WantedEvents(ranges, ledger)
    parts = wanted.parts(in: ledger.index, size: size)[...]
  }

  /// Returns the next lines, or nil after the last.
  ///
  /// A batch of events is split only if it exceeds the limits of a batch.
  ///
  /// - Throws: `inputOutput`, also if the file no longer holds what `ledger` contains.
  package mutating func next() throws(EventLogError) -> LineBatch? {
    if let failure { throw failure }
    let batch = try read()
    if parts.isEmpty, let lost = wanted.first {
      // The lines read so far are still valid.
      failure = changedMeanwhile(lost)
      if batch.isEmpty, let failure { throw failure }
    }
    return batch.isEmpty ? nil : batch
  }

  private mutating func read() throws(EventLogError) -> LineBatch {
    var collector = RangeCollector(wanted: wanted, ledger: ledger)
    do throws(Errno) {
      while let part = parts.first, !collector.isStopped {
        var reader = LineReader(from: part.lowerBound, upTo: part.upperBound)
        try reader.readLines(
          of: file, in: fileSystem, upTo: part.upperBound, scanner: &scanner, into: &collector)
        if collector.isStopped, reader.resumeOffset < part.upperBound {
          parts[parts.startIndex] = reader.resumeOffset..<part.upperBound
        } else {
          parts.removeFirst()
        }
      }
    } catch {
      throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
    }
    wanted = collector.wanted
    return collector.batch
  }

  private func changedMeanwhile(_ missing: Ledger.Point) -> EventLogError {
    EventLogError(
      .inputOutput,
      "\"\(path)\" no longer contains \(ledger.fullID(missing).shortID), which was read from it"
        + " before: the file has been changed. Events received so far are kept.",
      hint: "Run it again.", at: .init(file: path))
  }
}

/// The wanted events that aren't read yet.
struct WantedEvents: Sendable {
  /// For each branch, ascending runs of sequences, none of which touch.
  private var runs: [Int32: [Range<Int64>]] = [:]

  init(_ ranges: [EventRange], _ ledger: Ledger) {
    for range in ranges {
      var point = ledger.locate(range.end)
      while let at = point, at.sequence >= range.first {
        let branch = ledger.branches[Int(at.branch)]
        let first = max(range.first, branch.first + (branch.isMissing ? 1 : 0))
        if first <= at.sequence { runs[at.branch, default: []].append(first..<at.sequence + 1) }
        point =
          branch.parent < 0 ? nil : Ledger.Point(branch: branch.parent, sequence: branch.after)
      }
    }
    runs = runs.mapValues(\.joined)
  }

  var isEmpty: Bool { runs.isEmpty }
  /// All events.
  var points: [Ledger.Point] {
    runs.flatMap { branch, runs in
      runs.joined().map { Ledger.Point(branch: branch, sequence: $0) }
    }
  }
  /// Any of the events.
  var first: Ledger.Point? {
    runs.first.map { Ledger.Point(branch: $0.key, sequence: $0.value[0].lowerBound) }
  }

  func contains(_ point: Ledger.Point) -> Bool {
    runs[point.branch]?.contains { $0.contains(point.sequence) } ?? false
  }

  /// Removes an event if it is the first of a run.
  ///
  /// Returns false if it isn't.
  mutating func take(_ point: Ledger.Point) -> Bool {
    guard let index = runs[point.branch]?.firstIndex(where: { $0.lowerBound == point.sequence })
    else { return false }
    let end = runs[point.branch]![index].upperBound
    if point.sequence + 1 < end {
      runs[point.branch]![index] = point.sequence + 1..<end
    } else {
      runs[point.branch]!.remove(at: index)
      if runs[point.branch]!.isEmpty { runs[point.branch] = nil }
    }
    return true
  }

  /// The parts of a file of `size` bytes that contain the events, in the order of admission.
  func parts(in index: LineIndex, size: Int64) -> [Range<Int64>] {
    let strays = index.strays.indices.map { index.strays[$0] }
      .filter { contains(Ledger.Point(branch: $0.branch, sequence: $0.sequence)) }
    var rest = Self.cut(strays.map(\.byteRange), outOf: blocks(in: index, size: size))[...]
    var parts: [Range<Int64>] = []
    for stray in strays {
      // The lines after this offset were admitted after the stray, and may need it.
      while let part = rest.first, part.lowerBound < stray.readUpTo {
        parts.append(part.clamped(to: 0..<stray.readUpTo))
        if part.upperBound <= stray.readUpTo {
          rest.removeFirst()
        } else {
          rest[rest.startIndex] = stray.readUpTo..<part.upperBound
        }
      }
      if let last = parts.last, last.upperBound == stray.offset {
        parts[parts.count - 1] = last.lowerBound..<stray.byteRange.upperBound
      } else {
        parts.append(stray.byteRange)
      }
    }
    return parts + rest
  }

  /// The blocks of the file that contain the events, except strays.
  private func blocks(in index: LineIndex, size: Int64) -> [Range<Int64>] {
    runs.flatMap { branch, runs in
      runs.flatMap { index.parts(of: Int(branch), $0, size: size) }
    }.joined
  }

  private static func cut(
    _ excluded: [Range<Int64>], outOf parts: [Range<Int64>]
  ) -> [Range<Int64>] {
    var excluded = excluded.sorted { $0.lowerBound < $1.lowerBound }[...]
    var left: [Range<Int64>] = []
    for part in parts {
      var start = part.lowerBound
      while let range = excluded.first, range.lowerBound < part.upperBound {
        if start < range.lowerBound { left.append(start..<range.lowerBound) }
        start = max(start, range.upperBound)
        excluded.removeFirst()
      }
      if start < part.upperBound { left.append(start..<part.upperBound) }
    }
    return left
  }
}

extension Ledger {
  /// The location of a line's event, or nil if the ledger doesn't contain it.
  func point(of layout: LineLayout, _ canonical: Span<UInt8>) -> Point? {
    guard let device = names.find(canonical, layout.device), device < devices.count else {
      return nil
    }
    return locate(device, layout.sequence, layout.checksum.chain)
  }
}

/// Collects the wanted lines.
private struct RangeCollector: LineSink {
  var wanted: WantedEvents
  let ledger: Ledger
  var batch = LineBatch()
  /// The last events read of unfinished batches.
  private var open: Set<Ledger.Point> = []

  var isStopped: Bool { batch.isFull && open.isEmpty || batch.isOverfull || wanted.isEmpty }

  init(wanted: WantedEvents, ledger: Ledger) {
    self.wanted = wanted
    self.ledger = ledger
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    guard let point = ledger.point(of: layout, canonical), wanted.take(point) else { return }
    batch.add(line)
    if !open.isEmpty, let before = ledger.before(point) { open.remove(before) }
    if layout.hasMore { open.insert(point) }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
