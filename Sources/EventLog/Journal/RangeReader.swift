/// Reads the lines of some ranges from a journal's file, each behind all that it needs and that is
/// among them, and little else of the file.
package struct RangeReader {
  private let path: String
  private let file: FileDescriptor
  private let fileSystem: any FileSystem
  /// Whose names and places were read from that file.
  private let ledger: Ledger
  private var wanted: WantedEvents
  /// Where in the file it stands, as far as it is not read.
  private var parts: ArraySlice<Range<Int64>>
  /// The lines in their order, where that of the file is another.
  private var ordered: ArraySlice<(point: Ledger.Point, position: LinePosition)>?
  /// One that was read before and is not there any more.
  private var lost: Ledger.Point?
  private var fetcher: LineFetcher
  @Boxed private var scanner = LineScanner()
  /// Why there is nothing behind what was handed out last.
  @Boxed private var failure: EventLogError?

  /// - Parameters:
  ///   - ranges: what is wanted; what of it is not held is left out.
  ///   - size: up to where `ledger` was read.
  package init(
    _ ranges: [EventRange], path: String, file: FileDescriptor, fileSystem: any FileSystem,
    ledger: Ledger, size: Int64
  ) {
    self.path = path
    self.file = file
    self.fileSystem = fileSystem
    self.ledger = ledger
    fetcher = LineFetcher(of: file, in: fileSystem)
    wanted = WantedEvents(ranges, ledger)
    parts = wanted.parts(in: ledger.index, size: size)[...]
  }

  /// The next lines; nil behind the last. A batch of events is never cut in two.
  ///
  /// - Throws: `inputOutput`, also where the file no longer holds what `ledger` tells.
  package mutating func next() throws(EventLogError) -> LineBatch? {
    if let failure { throw failure }
    let batch: LineBatch
    do throws(Errno) {
      if ordered == nil, mustSort { try sort() }
      batch = try ordered == nil ? nextInFileOrder() : nextOrdered()
    } catch {
      throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
    }
    let lost = ordered == nil ? (parts.isEmpty ? wanted.first : nil) : self.lost
    if let lost, ordered?.isEmpty ?? true {
      // What stood before is as good as ever.
      failure = changedMeanwhile(lost)
      if batch.isEmpty, let failure { throw failure }
    }
    return batch.isEmpty ? nil : batch
  }

  /// Whether the order of the file is another than that in which whoever lacks the lines can take
  /// them: some had to wait for others, or come before what lets their user in.
  private var mustSort: Bool {
    wanted.holdsStray(of: ledger.index)
      || !ledger.users.adopted.isEmpty && wanted.holdsSeveralUsers(of: ledger)
  }

  private mutating func nextInFileOrder() throws(Errno) -> LineBatch {
    var collector = RangeCollector(wanted: wanted, ledger: ledger)
    while let part = parts.first, !collector.wanted.isEmpty, !collector.isStopped {
      var reader = LineReader(from: part.lowerBound, upTo: part.upperBound)
      try reader.readLines(
        of: file, in: fileSystem, upTo: part.upperBound, scanner: &scanner, into: &collector)
      parts.removeFirst()
      if collector.isStopped, reader.resumeOffset < part.upperBound {
        parts = [reader.resumeOffset..<part.upperBound] + parts
      }
    }
    wanted = collector.wanted
    return collector.batch
  }

  private mutating func nextOrdered() throws(Errno) -> LineBatch {
    var batch = LineBatch()
    var hasMore = false
    while let (point, position) = ordered?.first, !batch.isFull || hasMore, !batch.isOverfull {
      ordered?.removeFirst()
      var line = OneLine()
      scanner.scan(
        try fetcher.bytes(at: position), at: position.offset, number: position.number, into: &line)
      guard let bytes = line.bytes else {
        // What needs it is no use.
        (lost, ordered) = (point, [])
        break
      }
      hasMore = line.hasMore
      batch.add(bytes.span)
    }
    return batch
  }

  /// Finds the order where lines stand in the file behind others that need them.
  private mutating func sort() throws(Errno) {
    var sorter = RangeSorter(wanted: wanted, ledger: ledger)
    for part in parts {
      var reader = LineReader(from: part.lowerBound, upTo: part.upperBound)
      try reader.readLines(
        of: file, in: fileSystem, upTo: part.upperBound, scanner: &scanner, into: &sorter)
    }
    for stray in wanted.strays(in: ledger.index) {
      let position = LinePosition(
        number: 0, offset: stray.offset, byteCount: Int(stray.byteCount),
        endOffset: stray.offset + Int64(stray.byteCount) + 1, isTerminated: true)
      scanner.scan(
        try fetcher.bytes(at: position), at: position.offset, number: 0, into: &sorter)
    }
    ordered = sorter.sorted[...]
    lost = wanted.first(besides: sorter.known)
  }

  private func changedMeanwhile(_ missing: Ledger.Point) -> EventLogError {
    EventLogError(
      .inputOutput,
      "\"\(path)\" no longer contains \(ledger.fullID(missing).shortID), which was read from it"
        + " before: the file has been changed. Events received so far are kept.",
      hint: "Run it again.", at: .init(file: path))
  }

  /// Where an event's line stands; nil where the file does not hold it.
  package static func position(
    of point: Ledger.Point, path: String, file: FileDescriptor, fileSystem: any FileSystem,
    ledger: Ledger, size: Int64
  ) throws(EventLogError) -> LinePosition? {
    let event = ledger.fullID(point)
    let wanted = WantedEvents([EventRange(from: event.sequence, to: event)], ledger)
    var sorter = RangeSorter(wanted: wanted, ledger: ledger)
    var scanner = LineScanner()
    do throws(Errno) {
      for part in wanted.parts(in: ledger.index, size: size) {
        var reader = LineReader(from: part.lowerBound, upTo: part.upperBound)
        try reader.readLines(
          of: file, in: fileSystem, upTo: part.upperBound, scanner: &scanner, into: &sorter)
      }
    } catch {
      throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
    }
    return sorter.lines.first?.position
  }
}

/// The events that are wanted and not yet read.
struct WantedEvents: Sendable {
  /// Per branch runs of sequences, ascending; no two of them touch.
  private var runs: [Int32: [ClosedRange<Int64>]] = [:]

  init(_ ranges: [EventRange], _ ledger: Ledger) {
    for range in ranges {
      var point = ledger.locate(range.end)
      while let at = point, at.sequence >= range.first {
        let branch = ledger.branches[Int(at.branch)]
        let first = max(range.first, branch.first + (branch.isMissing ? 1 : 0))
        if first <= at.sequence { insert(first...at.sequence, of: at.branch) }
        point =
          branch.parent < 0 ? nil : Ledger.Point(branch: branch.parent, sequence: branch.after)
      }
    }
  }

  private mutating func insert(_ run: ClosedRange<Int64>, of branch: Int32) {
    var merged = run
    runs[branch, default: []].removeAll { other in
      guard other.lowerBound <= merged.upperBound + 1, merged.lowerBound <= other.upperBound + 1
      else { return false }
      merged = min(merged.lowerBound, other.lowerBound)...max(merged.upperBound, other.upperBound)
      return true
    }
    runs[branch]!.append(merged)
    runs[branch]!.sort { $0.lowerBound < $1.lowerBound }
  }

  var isEmpty: Bool { runs.isEmpty }
  /// One of them.
  var first: Ledger.Point? {
    runs.first.map { Ledger.Point(branch: $0.key, sequence: $0.value[0].lowerBound) }
  }

  /// Whether their devices joined as several users.
  func holdsSeveralUsers(of ledger: Ledger) -> Bool {
    Set(
      runs.keys.map { branch in
        ledger.users.joining(of: Int(ledger.branches[Int(branch)].device))?.user ?? []
      }
    ).count > 1
  }

  /// One that is not among some.
  func first(besides known: Set<Ledger.Point>) -> Ledger.Point? {
    for (branch, runs) in runs {
      for sequence in runs.joined() {
        let point = Ledger.Point(branch: branch, sequence: sequence)
        if !known.contains(point) { return point }
      }
    }
    return nil
  }

  func contains(_ point: Ledger.Point) -> Bool {
    runs[point.branch]?.contains { $0.contains(point.sequence) } ?? false
  }

  /// Takes the next event of a run away; false for one that is not the first of any.
  mutating func take(_ point: Ledger.Point) -> Bool {
    guard let place = runs[point.branch]?.firstIndex(where: { $0.lowerBound == point.sequence })
    else { return false }
    let run = runs[point.branch]![place]
    if run.lowerBound < run.upperBound {
      runs[point.branch]![place] = (run.lowerBound + 1)...run.upperBound
    } else {
      runs[point.branch]!.remove(at: place)
      if runs[point.branch]!.isEmpty { runs[point.branch] = nil }
    }
    return true
  }

  /// Where they stand in a file of `size` bytes, in its order; without those out of their order.
  func parts(in index: LineIndex, size: Int64) -> [Range<Int64>] {
    let all = runs.flatMap { branch, runs in
      runs.flatMap { index.parts(of: Int(branch), $0, size: size) }
    }
    var merged: [Range<Int64>] = []
    for part in all.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, part.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, part.upperBound)
      } else {
        merged.append(part)
      }
    }
    return merged
  }

  func strays(in index: LineIndex) -> [LineIndex.Stray] {
    index.strays.indices.map { index.strays[$0] }
      .filter { contains(Ledger.Point(branch: $0.branch, sequence: $0.sequence)) }
  }

  func holdsStray(of index: LineIndex) -> Bool {
    index.strays.indices.contains { place in
      let stray = index.strays[place]
      return contains(Ledger.Point(branch: stray.branch, sequence: stray.sequence))
    }
  }
}

extension Ledger {
  /// The event that a line is, as it was admitted.
  func point(of layout: LineLayout, _ canonical: Span<UInt8>) -> Point? {
    guard let device = names.find(canonical, layout.device), device < devices.count else {
      return nil
    }
    return locate(device, layout.sequence, layout.checksum.chain)
  }
}

/// Keeps the lines that are wanted.
private struct RangeCollector: LineSink {
  var wanted: WantedEvents
  let ledger: Ledger
  var batch = LineBatch()
  private var hasMore = false

  var isStopped: Bool { batch.isFull && !hasMore || batch.isOverfull || wanted.isEmpty }

  init(wanted: WantedEvents, ledger: Ledger) {
    self.wanted = wanted
    self.ledger = ledger
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    guard let point = ledger.point(of: layout, canonical), wanted.take(point) else { return }
    batch.add(line)
    hasMore = layout.hasMore
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}

/// Finds where wanted lines stand, and what of one another they need.
private struct RangeSorter: LineSink {
  struct Line {
    var point: Ledger.Point
    var position: LinePosition
    var before: Ledger.Point?
    var seen: [Ledger.Point]
    var hasMore: Bool
    /// The user whom the event lets in, by `user.adopted`.
    var adopts: [UInt8]?
  }

  let wanted: WantedEvents
  let ledger: Ledger
  private(set) var lines: [Line] = []
  private(set) var known: Set<Ledger.Point> = []

  init(wanted: WantedEvents, ledger: Ledger) {
    self.wanted = wanted
    self.ledger = ledger
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    guard let point = ledger.point(of: layout, canonical), wanted.contains(point),
      known.insert(point).inserted
    else { return }
    let seen = layout.seen.compactMap { entry -> Ledger.Point? in
      guard let device = ledger.names.find(canonical, entry.device) else { return nil }
      return ledger.locate(device, entry.sequence, entry.chain)
    }
    lines.append(
      Line(
        point: point, position: position, before: ledger.before(point), seen: seen,
        hasMore: layout.hasMore, adopts: Self.adopted(by: layout, canonical)))
  }

  private static func adopted(by layout: LineLayout, _ canonical: Span<UInt8>) -> [UInt8]? {
    guard layout.version == 1, canonical.matches(layout.type, "user.adopted") else { return nil }
    return Ledger.text("from", of: layout, in: canonical).map { Array($0.utf8) }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}

  /// The lines, each behind what it needs, and those of one batch of events behind one another;
  /// those of the journal's own user as early as can be, which let in the others.
  var sorted: [(point: Ledger.Point, position: LinePosition)] {
    let lines = lines.sorted { $0.position.offset < $1.position.offset }
    let ranks = ledger.user.map(ledger.users.distances) ?? [:]
    var nodes: [Ledger.Point: Int] = [:]
    for (index, line) in lines.enumerated() { nodes[line.point] = index }
    var batches: [Int: [Int]] = [:]
    let firsts = firstsOfBatches(lines, nodes)
    var order = CausalOrder(count: lines.count)
    var entryCount = 0
    let adoptions = firstAdoptions(lines)
    for (index, line) in lines.enumerated() {
      let batch = firsts[index]
      batches[batch, default: []].append(index)
      order.add(batch, rank: rank(lines[batch].point, by: ranks))
      if let before = line.before.flatMap({ nodes[$0] }), firsts[before] != batch {
        order.need(firsts[before], for: batch)
      }
      for needed in line.seen.compactMap({ nodes[$0] }) + adoption(of: line, lines, adoptions) {
        entryCount += 1
        if firsts[needed] != batch { order.need(firsts[needed], for: batch, entry: entryCount) }
      }
    }
    return order.sorted().flatMap { batch, _ in
      batches[batch]!.sorted { lines[$0].point.sequence < lines[$1].point.sequence }
        .map { (lines[$0].point, lines[$0].position) }
    }
  }

  /// Per user who was adopted, a line that says so and has seen no other that does: a later one may
  /// have seen events of that user.
  private func firstAdoptions(_ lines: [Line]) -> [[UInt8]: Int] {
    var adoptions: [[UInt8]: Int] = [:]
    for (index, line) in lines.enumerated() {
      guard let user = line.adopts else { continue }
      let first = adoptions[user]
      if first.map({ ledger.hasSeen(lines[$0].point, line.point) }) ?? true {
        adoptions[user] = index
      }
    }
    return adoptions
  }

  /// What lets in the user as whom the device of a line joins with it; nothing for other lines, or
  /// where the adoption has seen the line: then another one, which is not wanted, came before it.
  private func adoption(of line: Line, _ lines: [Line], _ adoptions: [[UInt8]: Int]) -> [Int] {
    guard line.point.sequence == 1, !adoptions.isEmpty else { return [] }
    let device = Int(ledger.branches[Int(line.point.branch)].device)
    guard let place = ledger.users.joining(of: device).flatMap({ adoptions[$0.user] }),
      !ledger.hasSeen(lines[place].point, line.point)
    else { return [] }
    return [place]
  }

  /// Per line the first one of its batch; itself for one that stands alone.
  private func firstsOfBatches(_ lines: [Line], _ nodes: [Ledger.Point: Int]) -> [Int] {
    var firsts = Array(lines.indices)
    guard lines.contains(where: \.hasMore) else { return firsts }
    for index in lines.indices.sorted(by: { lines[$0].point.sequence < lines[$1].point.sequence }) {
      guard let before = lines[index].before.flatMap({ nodes[$0] }), lines[before].hasMore else {
        continue
      }
      firsts[index] = firsts[before]
    }
    return firsts
  }

  /// Over how many adoptions an event belongs to the journal's user.
  private func rank(_ point: Ledger.Point, by ranks: [[UInt8]: Int]) -> Int {
    let device = Int(ledger.branches[Int(point.branch)].device)
    return ledger.users.joining(of: device).flatMap { ranks[$0.user] } ?? 0
  }
}

/// One line.
private struct OneLine: LineSink {
  var bytes: [UInt8]?
  var hasMore = false

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    bytes = line.copy()
    hasMore = layout.hasMore
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
