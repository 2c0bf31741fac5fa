/// Makes the new content of a journal's file from the old one: with events from elsewhere where
/// some were missing, with others written again under fresh IDs, and without what is put aside.
///
/// What is kept stays in the order of the file, line for line. Behind it come the events from
/// elsewhere, then those that had waited for them, then those written again.
final class JournalRewrite {
  /// What is to change.
  struct Request {
    /// Per device its first event that is written again under a fresh ID.
    var reissued: [DeviceID: Int64] = [:]
    /// Forks of which both branches stand in the file: per device, where they part, and the first
    /// event of the one that stays. Who has seen which of them cannot be told.
    var forks: [DeviceID: (first: Int64, winner: LineChecksum)] = [:]
    /// Lines from elsewhere, in an order that respects causality.
    var further: RefillSpool?
    /// Whose events they are, where nothing in the file says so.
    var user: String?
    /// Whether nothing in the file says whose it is: then what comes from elsewhere must be what
    /// something in it goes on from.
    var lacksOwner = false
    /// Whether damaged lines are put aside although their events are missing.
    var givesUp = false
    /// Where the doubtful end of the file begins; it is put aside.
    var tail: Int64?
  }

  /// One side of a fork in the file.
  private struct ForkBranch {
    var last: Int64
    var checksum: LineChecksum
  }

  /// What becomes of a line of the old file.
  private enum Fate {
    case stays, waits, isReissued, isDropped
  }

  /// A line of the old file.
  struct Place {
    var offset: Int64
    /// With its LF.
    var endOffset: Int64
  }

  private let path: String
  private let fileSystem: any FileSystem
  private let old: FileDescriptor
  private let oldLedger: Ledger
  private let request: Request
  private let output: FileDescriptor
  /// What the new file holds.
  private(set) var pass = JournalPass(sink: LedgerSink())
  /// Bytes that are not written yet.
  private var buffer: [UInt8] = []
  private var bufferOffset: Int64 = 0
  /// Lines that have to wait for others.
  private var waiting = WaitingLines()
  /// Which events they are: where they come from elsewhere too, they were not missing.
  private(set) var waitingEvents = EventRanges()
  /// Lines of the old file that did not stand in their place, or a second time.
  private(set) var reorderedCount = 0
  private var losers = ReissueOrder()
  /// Of each fork in the file, how far either branch was read.
  private var branches: [DeviceID: [ForkBranch]] = [:]
  /// What the new file leaves out and nothing else holds.
  private(set) var removed: [Place] = []
  /// Damaged lines that stay.
  private(set) var damagedCount = 0
  /// Whether damaged lines are put aside.
  private let dropsDamaged: Bool
  private(set) var refilled = EventRanges()
  /// Events of the new file that were written again, by their `was`.
  private var carried: [String: Reissuer.Carried] = [:]
  private(set) var moves: [(from: EventRange, to: EventRange)] = []

  /// - Parameter output: the new file, empty.
  init(
    _ request: Request, of old: FileDescriptor, path: String, in fileSystem: any FileSystem,
    _ ledger: Ledger, to output: FileDescriptor, droppingDamaged dropsDamaged: Bool
  ) {
    self.request = request
    self.old = old
    self.path = path
    self.fileSystem = fileSystem
    oldLedger = ledger
    self.output = output
    self.dropsDamaged = dropsDamaged
  }

  /// Whether nothing waits for what is missing.
  var isWhole: Bool { waiting.isEmpty && pass.ledger.devices.allSatisfy { !$0.isStopped } }

  /// - Parameter size: up to where the old file was read.
  func run(upTo size: Int64) throws(EventLogError) {
    try keepLines(upTo: request.tail ?? size)
    if let tail = request.tail { removed.append(Place(offset: tail, endOffset: size)) }
    let events = waiting.lines.map(\.event)
    // Runs grow at their end.
    for event in events.sorted(by: { $0.sequence < $1.sequence }) { waitingEvents.insert(event) }
    try request.further?.readBatches { (batch) throws(EventLogError) in try take(batch) }
    let strandedCount = waiting.count
    try wake()
    if request.lacksOwner, waiting.count == strandedCount { throw JournalRewrite.ownerless(path) }
    try reissue()
    for line in waiting.lines {
      try checkRoom()
      copy(try bytes(of: line.place))
    }
    try flush()
  }

  private static func ownerless(_ path: String) -> EventLogError {
    EventLogError(
      .damaged,
      "The line of \"\(path)\" that says whose events it holds is damaged or missing, and nothing"
        + " in it goes on from what the other side holds. Nothing was changed.",
      hint: "eventlog verify lists the damage. Where there is no other copy, eventlog repair"
        + " --abandon keeps what is left, or move the file away.",
      at: .init(file: path))
  }

  // MARK: - The old lines

  private func keepLines(upTo end: Int64) throws(EventLogError) {
    var sink = Sorting(rewrite: self)
    var reader = LineReader()
    var scanner = LineScanner()
    // Pieces, so that what is kept can be written in between.
    while reader.resumeOffset < end {
      do throws(Errno) {
        sink.isStopped = false
        try reader.readLines(of: old, in: fileSystem, upTo: end, scanner: &scanner, into: &sink)
      } catch {
        throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
      }
      if let error = sink.error { throw error }
      try flush()
      guard sink.isStopped else { break }
      reader = LineReader(from: reader.resumeOffset)
    }
  }

  /// Decides about each line of the old file.
  private struct Sorting: LineSink {
    let rewrite: JournalRewrite
    var isStopped = false
    var error: EventLogError?

    mutating func event(
      _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
    ) {
      let place = Place(offset: position.offset, endOffset: position.endOffset)
      switch rewrite.fate(layout, canonical) {
      case .isReissued:
        // A line that stands twice is written again once.
        rewrite.losers.insert(JournalRewrite.id(layout, canonical), at: place)
        rewrite.removed.append(place)
      case .isDropped: rewrite.removed.append(place)
      case .waits: rewrite.wait(place, layout, canonical)
      case .stays:
        let before = rewrite.pass.lineCount
        do throws(EventLogError) {
          if try !rewrite.place(layout, canonical, line) {
            rewrite.wait(place, layout, canonical)
          } else if rewrite.pass.lineCount == before {
            rewrite.reorderedCount += 1
          }
        } catch {
          self.error = error
        }
      }
      isStopped = error != nil || rewrite.buffer.count >= 1 << 20
    }

    mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
      let place = Place(offset: position.offset, endOffset: position.endOffset)
      if rewrite.dropsDamaged || rewrite.request.givesUp {
        rewrite.removed.append(place)
        return
      }
      rewrite.damagedCount += 1
      do throws(EventLogError) {
        rewrite.copy(try rewrite.bytes(of: place))
      } catch {
        self.error = error
      }
      isStopped = error != nil || rewrite.buffer.count >= 1 << 20
    }
  }

  private func wait(_ place: Place, _ layout: LineLayout, _ canonical: Span<UInt8>) {
    var seen: [EventID] = []
    for entry in layout.seen {
      seen.append(
        EventID(
          device: DeviceID(trusted: canonical.text(entry.device)), sequence: entry.sequence))
    }
    waiting.append(.init(place: place, event: Self.id(layout, canonical), seen: seen))
  }

  private static func id(_ layout: LineLayout, _ canonical: Span<UInt8>) -> EventID {
    EventID(
      device: DeviceID(trusted: canonical.text(layout.device)), sequence: layout.sequence)
  }

  private func fate(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Fate {
    if request.reissued.isEmpty { return .stays }
    let device = DeviceID(trusted: canonical.text(layout.device))
    guard let first = request.reissued[device], layout.sequence >= first else { return .stays }
    if let fork = request.forks[device] { return fate(layout, of: device, fork.winner, fork.first) }
    return .isReissued
  }

  /// Of a device with both branches in the file: the first one stays, another is written again, and
  /// a third waits for the next time.
  private func fate(
    _ layout: LineLayout, of device: DeviceID, _ winner: LineChecksum, _ first: Int64
  ) -> Fate {
    var known = branches[device] ?? []
    defer { branches[device] = known }
    let (sequence, checksum) = (layout.sequence, layout.checksum)
    for index in known.indices {
      let fate: Fate = index == 0 ? .stays : .isReissued
      if sequence == known[index].last, checksum == known[index].checksum { return .isDropped }
      if sequence == known[index].last + 1, checksum.continues(known[index].checksum) {
        known[index] = ForkBranch(last: sequence, checksum: checksum)
        return fate
      }
    }
    guard sequence == first else { return .waits }
    let branch = ForkBranch(last: sequence, checksum: checksum)
    if checksum == winner {
      if known.isEmpty { known = [branch] } else { known[0] = branch }
      return .stays
    }
    // The place of the one that stays is kept free until it comes.
    if known.isEmpty { known = [ForkBranch(last: -1, checksum: LineChecksum(line: 0, chain: 0))] }
    guard known.count < 2 else { return .waits }
    known.append(branch)
    return .isReissued
  }

  /// Takes a line if it is in its place here, or held.
  ///
  /// - Returns: false where it has to wait.
  private func place(
    _ layout: LineLayout, _ canonical: Span<UInt8>, _ line: Span<UInt8>
  ) throws(EventLogError) -> Bool {
    switch pass.ledger.fit(layout, canonical: canonical) {
    case .next:
      add(layout, canonical, line)
      return true
    case .held:
      // A line that stands twice adds nothing; another one under its ID is not ours to drop.
      return try checksum(of: Self.id(layout, canonical)) == layout.checksum
    case .refused: return false
    }
  }

  private func add(
    _ layout: LineLayout, _ canonical: Span<UInt8>, _ line: Span<UInt8>
  ) {
    let offset = bufferOffset + Int64(buffer.count)
    pass.event(
      layout, canonical: canonical, line: line,
      at: LinePosition(
        number: pass.nextLineNumber, offset: offset, byteCount: line.count,
        endOffset: offset + Int64(line.count) + 1, isTerminated: true))
    pass.nextLineNumber += 1
    line.append(to: &buffer)
    buffer.append(0x0A)
    if layout.was.isEmpty || request.reissued.isEmpty { return }
    carried[canonical.text(layout.was)] = Reissuer.Carried(
      event: Self.id(layout, canonical),
      content: ReissuedEvents.checksum(ofContent: layout, canonical))
  }

  // MARK: - Lines from elsewhere, and those that waited

  private func take(_ batch: LineBatch) throws(EventLogError) {
    var sink = Placing(rewrite: self)
    var scanner = LineScanner()
    scanner.scanLines(batch.bytes, into: &sink)
    if let error = sink.error { throw error }
    try flush()
  }

  /// Offers lines a place.
  private struct Placing: LineSink {
    let rewrite: JournalRewrite
    var wasPlaced = false
    var isNew = true
    var error: EventLogError?

    var isStopped: Bool { error != nil }

    init(rewrite: JournalRewrite) { self.rewrite = rewrite }

    mutating func event(
      _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
    ) {
      let before = rewrite.pass.lineCount
      do throws(EventLogError) {
        wasPlaced = try rewrite.place(layout, canonical, line)
      } catch {
        self.error = error
      }
      guard isNew, rewrite.pass.lineCount > before else { return }
      let event = JournalRewrite.id(layout, canonical)
      if !rewrite.waitingEvents.contains(event) { rewrite.refilled.insert(event) }
    }

    mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
  }

  /// Offers the lines that wait a place, until none finds one.
  private func wake() throws(EventLogError) {
    var lines = waiting
    try lines.wake { (device) in
      self.pass.ledger.find(device).map { self.pass.ledger.devices[$0].last } ?? 0
    } offer: { (line) throws(EventLogError) in
      try self.checkRoom()
      return try self.offer(self.bytes(of: line.place), asNew: false)
    }
    if request.further == nil { reorderedCount += waiting.count - lines.count }
    waiting = lines
  }

  private func offer(
    _ line: [UInt8], asNew isNew: Bool
  ) throws(EventLogError) -> Bool {
    var sink = Placing(rewrite: self)
    sink.isNew = isNew
    var scanner = LineScanner()
    scanner.scan(line, at: 0, number: 1, into: &sink)
    if let error = sink.error { throw error }
    let wasPlaced = sink.wasPlaced
    return wasPlaced
  }

  // MARK: - Lines written again

  private func reissue() throws(EventLogError) {
    var reissuer = Reissuer(
      from: request.reissued, oldLedger, keeping: pass.ledger,
      of: oldLedger.user ?? request.user ?? "",
      doubtful: Set(request.forks.keys))
    let sequences = losers.sort()
    let isWhole = try losers.run { (place) throws(EventLogError) in
      try self.loser(at: place)
    } missing: { loser in
      loser.firstMissing { reissuer.isReady($0.device, $0.sequence, seeing: $1, among: sequences) }
    } write: { (loser) throws(EventLogError) in
      let lines = try reissuer.reissue(loser.line, saying: loser.content, carried: self.carried) {
        (id) throws(EventLogError) in try self.checksum(of: id)
      }
      for line in lines { try self.addReissued(line) }
      try self.checkRoom()
    }
    guard isWhole else {
      throw EventLogError(
        .damaged,
        "\"\(path)\" holds events in an order in which they cannot be written again. Nothing was"
          + " changed.", hint: "eventlog verify tells which.", at: .init(file: path))
    }
    moves = reissuer.moves
  }

  private func addReissued(_ line: Reissuer.Line) throws(EventLogError) {
    guard try offer(line.bytes, asNew: false) else {
      throw EventLogError(
        .damaged,
        "\"\(path)\": an event could not be written again as \(line.id). Nothing was changed.",
        hint: "eventlog verify tells what stands in the way.", at: .init(file: path))
    }
  }

  private func loser(at place: Place) throws(EventLogError) -> ReissueOrder.Loser? {
    var reader = LoserReader()
    var scanner = LineScanner()
    let line = try bytes(of: place)
    scanner.scan(line, at: 0, number: 1, into: &reader)
    reader.loser?.line = Array(line.dropLast())
    return reader.loser
  }

  /// Reads what a line has seen.
  private struct LoserReader: LineSink {
    var loser: ReissueOrder.Loser?

    mutating func event(
      _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
    ) {
      var seen: [(device: DeviceID, sequence: Int64)] = []
      for entry in layout.seen {
        seen.append((DeviceID(trusted: canonical.text(entry.device)), entry.sequence))
      }
      loser = ReissueOrder.Loser(
        event: JournalRewrite.id(layout, canonical), seen: seen,
        content: ReissuedEvents.checksum(ofContent: layout, canonical))
    }

    mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
  }

  // MARK: - Bytes

  /// The checksum of an event that the new file holds.
  private func checksum(of event: EventID) throws(EventLogError) -> LineChecksum? {
    let ledger = pass.ledger
    guard let device = ledger.find(event.device), device < ledger.devices.count,
      event.sequence <= ledger.devices[device].last
    else { return nil }
    if event.sequence == ledger.devices[device].last { return ledger.devices[device].checksum }
    var finder = ChecksumSearch(event: event)
    var scanner = LineScanner()
    let size = bufferOffset + Int64(buffer.count)
    for part in ledger.index.parts(of: device, event.sequence...event.sequence, size: size) {
      scanner.scanLines(try written(part), into: &finder)
    }
    return finder.found
  }

  /// What the new file holds there, written or not.
  private func written(_ range: Range<Int64>) throws(EventLogError) -> [UInt8] {
    var bytes: [UInt8] = []
    if range.lowerBound < bufferOffset {
      let end = min(range.upperBound, bufferOffset)
      bytes = try read(output, Place(offset: range.lowerBound, endOffset: end))
    }
    if range.upperBound > bufferOffset {
      let start = Int(max(range.lowerBound, bufferOffset) - bufferOffset)
      bytes += buffer[start..<Int(range.upperBound - bufferOffset)]
    }
    return bytes
  }

  private func bytes(of place: Place) throws(EventLogError) -> [UInt8] {
    var bytes = try read(old, place)
    if bytes.last != 0x0A { bytes.append(0x0A) }
    return bytes
  }

  private func read(_ file: FileDescriptor, _ place: Place) throws(EventLogError) -> [UInt8] {
    do throws(Errno) {
      return try fileSystem.readBytes(
        file, at: place.offset, count: Int(place.endOffset - place.offset))
    } catch {
      throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
    }
  }

  private func copy(_ bytes: [UInt8]) {
    buffer += bytes
    pass.nextLineNumber += 1
  }

  private func checkRoom() throws(EventLogError) {
    if buffer.count >= 1 << 20 { try flush() }
  }

  private func flush() throws(EventLogError) {
    guard !buffer.isEmpty else { return }
    do throws(Errno) {
      try fileSystem.writeAll(output, buffer, at: bufferOffset)
    } catch {
      throw .inputOutput(
        "write a new file beside", path, error, meaning: "The journal is as it was.",
        hint: error == .noSpace || error == .quotaExceeded
          ? "Make room for another copy of it on the disk, then run it again." : nil)
    }
    bufferOffset += Int64(buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }
}

/// Looks for a line of one event.
private struct ChecksumSearch: LineSink {
  let event: EventID
  var found: LineChecksum?
  var isStopped: Bool { found != nil }

  init(event: EventID) { self.event = event }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    if layout.sequence == event.sequence, canonical.text(layout.device) == event.device.text {
      found = layout.checksum
    }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
