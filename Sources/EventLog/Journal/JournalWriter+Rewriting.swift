/// What a rewriting of a journal's file did.
package struct RewriteOutcome: Sendable {
  /// Events that were missing and came from elsewhere.
  package var refilled = EventRanges()
  /// Events that had stood in the file behind what was missing.
  package var stranded = EventRanges()
  /// Events that were written again: under which IDs, and under which they are now.
  package var moves: [(from: EventRange, to: EventRange)] = []
  /// How many lines stood behind their place, or a second time.
  package var reorderedCount = 0
  /// Files with what was taken out.
  package var quarantined: [String] = []
}

extension JournalWriter {
  /// Gives the journal a new file with other content, whole or not at all: what is taken out of it
  /// is in quarantine first, and the old file stays locked until the new one, its name and
  /// `device.json` are durable.
  ///
  /// After a crash the path leads to the old file or the new one; where `device.json` is not of the
  /// new one yet, the next append takes a fresh device ID.
  ///
  /// - Parameter prepare: says what is to change, with the journal read to its end and locked; nil
  ///   for nothing.
  /// - Complexity: O(size of the file).
  func rewrite(
    _ prepare: (JournalWriter) throws(EventLogError) -> JournalRewrite.Request?
  ) throws(EventLogError) -> RewriteOutcome {
    var outcome = RewriteOutcome()
    try whileLocked { (writer) throws(EventLogError) in
      guard var request = try prepare(writer), let old = writer.file else { return }
      request.tail = writer.end.doubtfulTail?.offset
      try writer.rewrite(old, request, &outcome)
    }
    return outcome
  }

  private func rewrite(
    _ old: JournalFile, _ request: JournalRewrite.Request, _ outcome: inout RewriteOutcome
  ) throws(EventLogError) {
    let path = try side.rewritePath()
    do throws(EventLogError) {
      let new = try make(path)
      defer { fileSystem.close(new) }
      let rewrite = try fill(new, request, from: old)
      outcome.refilled = rewrite.refilled
      outcome.stranded = rewrite.waitingEvents
      outcome.moves = rewrite.moves
      outcome.reorderedCount = rewrite.reorderedCount
      if !rewrite.removed.isEmpty {
        outcome.quarantined = [
          try side.quarantine(
            rewrite.removed.map { $0.offset..<$0.endOffset }, of: old.descriptor,
            at: Timestamp(milliseconds: options.clock.now()) ?? Timestamp(trusted: 0))
        ]
      }
      try put(new, path, rewrite, request, old)
    } catch {
      try? fileSystem.remove(path)
      throw error
    }
  }

  private func make(_ path: String) throws(EventLogError) -> FileDescriptor {
    do throws(Errno) { return try fileSystem.open(path, .createNew) } catch {
      throw .inputOutput("write", path, error, meaning: "The journal is as it was.")
    }
  }

  private func fill(
    _ new: FileDescriptor, _ request: JournalRewrite.Request, from old: JournalFile
  ) throws(EventLogError) -> JournalRewrite {
    let size = try old.status.size
    func run(_ dropsDamaged: Bool) throws(EventLogError) -> JournalRewrite {
      let rewrite = JournalRewrite(
        request, of: old.descriptor, path: path, in: fileSystem, pass.ledger, to: new,
        droppingDamaged: dropsDamaged)
      try rewrite.run(upTo: size)
      return rewrite
    }
    let rewrite = try run(false)
    guard rewrite.damagedCount > 0, rewrite.isWhole else { return rewrite }
    // Nothing is missing any more: the damaged lines held what came from elsewhere.
    do throws(Errno) { try fileSystem.truncate(new, to: 0) } catch {
      throw .inputOutput(
        "write a new file beside", path, error, meaning: "The journal is as it was.")
    }
    return try run(true)
  }

  /// Renames the new file into the old one's place.
  private func put(
    _ new: FileDescriptor, _ newPath: String, _ rewrite: JournalRewrite,
    _ request: JournalRewrite.Request, _ old: JournalFile
  ) throws(EventLogError) {
    let identity: DeviceRecord.FileIdentity
    // What a cache was made from is told by the end of the file, which may come to stand the same.
    side.removeReadings()
    mustReload = true
    do throws(Errno) {
      // Whoever opens the new file waits until `device.json` speaks of it.
      guard try fileSystem.tryLock(new, exclusive: true) else { throw Errno.wouldBlock }
      try fileSystem.sync(new)
      identity = .init(try fileSystem.status(of: new))
      try fileSystem.rename(newPath, to: path)
      try fileSystem.syncFolder(Path.folder(of: path))
    } catch {
      throw .inputOutput(
        "put a new file in the place of", path, error,
        meaning: "The journal is as it was, or the new one, and either is whole.",
        hint: "Run it again.")
    }
    if var record, decision.trustsRecord || request.tail != nil {
      record.file = identity
      record.retirement = retirement(of: record, rewrite, request) ?? record.retirement
      try side.replaceRecord(record)
      self.record = record
    }
  }

  /// Whether the own device goes on.
  private func retirement(
    of record: DeviceRecord, _ rewrite: JournalRewrite, _ request: JournalRewrite.Request
  ) -> DeviceRecord.Retirement? {
    if request.forks[record.device] != nil { return .continuedElsewhere }
    if request.reissued[record.device] != nil { return .reissued }
    if decision == .fresh(.doubtfulTail) { return .doubtfulEnd }
    let before = pass.ledger.find(record.device).map { pass.ledger.devices[$0].last } ?? 0
    let ledger = rewrite.pass.ledger
    let after = ledger.find(record.device).map { ledger.devices[$0].last } ?? 0
    return after > max(before, record.sequence) ? .continuedElsewhere : nil
  }

  // MARK: - Refilling

  /// Whether events are missing or damaged here, or such as have seen them.
  var hasHole: Bool {
    pass.problems.damageCount > 0 || pass.ledger.devices.contains { $0.isStopped }
  }

  /// Takes down lines that are to fill holes.
  ///
  /// - Parameters:
  ///   - isRehearsal: whether they are only looked at.
  ///   - givenUp: per device the first event that is going to be given up.
  func spool(
    rehearsing isRehearsal: Bool = false, without givenUp: [DeviceID: Int64] = [:]
  ) throws(EventLogError) -> RefillSpool {
    var filled = JournalPass(sink: LedgerSink())
    // What would be known without what stands behind a hole.
    filled.ledger = try pass.ledger.cutToFrontier(before: givenUp) {
      (event) throws(EventLogError) in try checksum(of: event)
    }
    return try RefillSpool(
      in: isRehearsal ? nil : side,
      JournalBatch(pass: filled, device: nil, options: options, start: 0, startLine: 1))
  }

  /// Puts what was taken down in its place.
  func refill(_ spool: RefillSpool) throws(EventLogError) -> RewriteOutcome {
    try rewrite { (writer) throws(EventLogError) in
      var request = JournalRewrite.Request()
      request.further = spool
      request.lacksOwner = writer.lacksOwner
      return request
    }
  }

  // MARK: - Without another copy

  /// Puts in order what can be without another copy: lines that stand twice or behind their place,
  /// forks of which both branches stand here.
  ///
  /// - Parameter givesUp: whether holes are given up: damaged lines are put aside, and what stands
  ///   behind them is written again under fresh IDs.
  func tidy(givingUp givesUp: Bool) throws(EventLogError) -> RewriteOutcome {
    try rewrite { (writer) throws(EventLogError) in
      let pass = writer.pass
      guard pass.problems.count > 0 || writer.end.doubtfulTail != nil else { return nil }
      var request = JournalRewrite.Request()
      request.givesUp = givesUp
      if givesUp, pass.ledger.user == nil { request.user = try writer.namedOwner() }
      request.forks = try writer.forksInFile()
      var first = request.forks.mapValues(\.first)
      if givesUp {
        for range in pass.ledger.stranded where first[range.device] == nil {
          first[range.device] = range.first
        }
      }
      request.reissued = first.merging(pass.ledger.firstSeeing(first)) { min($0, $1) }
      return request
    }
  }

  /// Whose journal it is, where nothing in it says so.
  private func namedOwner() throws(EventLogError) -> String {
    guard let user = options.user else {
      throw EventLogError(
        .userNeeded,
        "\"\(path)\" holds events, but the line that says whose they are is damaged or missing."
          + " Nothing was changed.",
        hint: "Repair it from a copy, or name its owner exactly: --user NAME.")
    }
    guard Ledger.isValid(user: user) else { throw .invalidUser }
    return user
  }

  /// Writes again, under fresh IDs, what other copies have as something else.
  ///
  /// - Parameters:
  ///   - lost: per device the first event that is given up, and its checksum: one that the journal
  ///     does not hold any more is left alone.
  ///   - further: lines from elsewhere that come first; what of them was written again already is
  ///     not written once more.
  func giveUp(
    _ lost: [EventID: LineChecksum], taking further: RefillSpool? = nil
  ) throws(EventLogError) -> RewriteOutcome {
    try rewrite { (writer) throws(EventLogError) in
      let first = try writer.firstGivenUp(lost)
      if first.isEmpty || writer.isIncomplete(first) { return nil }
      var request = JournalRewrite.Request()
      request.reissued = first
      request.further = further
      return request
    }
  }

  /// Per device the first event that is given up with some: they, and what has seen them.
  func firstGivenUp(
    _ lost: [EventID: LineChecksum]
  ) throws(EventLogError) -> [DeviceID: Int64] {
    var first: [DeviceID: Int64] = [:]
    for (event, checksum) in lost where try self.checksum(of: event) == checksum {
      first[event.device] = min(event.sequence, first[event.device] ?? .max)
    }
    return first.merging(pass.ledger.firstSeeing(first)) { min($0, $1) }
  }

  /// Whether events are missing among some that are to be written again: then it would look as if
  /// there had never been any.
  func isIncomplete(_ first: [DeviceID: Int64]) -> Bool {
    first.keys.contains { device in
      pass.ledger.find(device).map { pass.ledger.devices[$0].isStopped } ?? false
    }
  }

  /// The forks of which both branches stand in the file.
  private func forksInFile() throws(EventLogError) -> [DeviceID: (
    first: Int64, winner: LineChecksum
  )] {
    var finder = ForkedLines()
    let ledger = pass.ledger
    for device in ledger.devices.indices {
      if let fork = ledger.devices[device].fork { finder.wanted[ledger.name(device)] = fork }
    }
    guard !finder.wanted.isEmpty, let file else { return [:] }
    var reader = LineReader()
    var scanner = LineScanner()
    do throws(Errno) {
      try reader.readLines(
        of: file.descriptor, in: fileSystem, upTo: pass.endOffset, scanner: &scanner, into: &finder)
    } catch {
      throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
    }
    var forks: [DeviceID: (first: Int64, winner: LineChecksum)] = [:]
    for (device, winner) in finder.least {
      forks[DeviceID(trusted: device)] = (finder.wanted[device]!, winner)
    }
    return forks
  }
}

/// Looks for the lines under some IDs, and of each the one with the smaller checksum.
private struct ForkedLines: LineSink {
  var wanted: [String: Int64] = [:]
  private(set) var least: [String: LineChecksum] = [:]

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let device = canonical.text(layout.device)
    guard wanted[device] == layout.sequence else { return }
    let checksum = layout.checksum
    if checksum < least[device] ?? checksum || least[device] == nil { least[device] = checksum }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
