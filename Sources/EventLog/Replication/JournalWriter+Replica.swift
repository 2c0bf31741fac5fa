extension JournalWriter {
  /// Reads on, and sees to it that all that was read is durable, whoever wrote it: nothing is
  /// shipped before.
  ///
  /// - Throws: `noJournal` where there is none; `notAJournal`, `locked`, `inputOutput`,
  ///   `syncFailed`.
  func secure() throws(EventLogError) {
    guard try isThere else {
      reset()
      throw EventLogError(
        .noJournal, "There is no journal at \"\(path)\".", hint: "Check the path.",
        at: .init(file: path))
    }
    do throws(EventLogError) {
      // Under the lock, what a failed sync may have lost is written again.
      note(try commit { (_) throws(EventLogError) in })
    } catch {
      // One that can only be read is still a source.
      guard error.isForReadersOnly else { throw error }
      _ = try refresh()
    }
    guard syncedOffset < pass.endOffset, let file else { return }
    do throws(Errno) { try fileSystem.sync(file.descriptor) } catch {
      throw .inputOutput(
        "sync", path, error,
        meaning: "Lines at its end may not be on the disk yet; nothing was sent.")
    }
    syncedOffset = pass.endOffset
  }

  private var isThere: Bool {
    get throws(EventLogError) {
      do throws(Errno) { _ = try fileSystem.status(at: path) } catch {
        if error == .noSuchFile { return false }
        throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
      }
      return true
    }
  }

  /// Whose journal it is, by its first line alone where nothing was read yet; nil where that does
  /// not tell.
  var owner: String? {
    get throws(EventLogError) {
      if let user = pass.ledger.user { return user }
      guard try isThere else { return nil }
      let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
      defer { file.close() }
      var finder = OwnerFinder()
      var reader = LineReader()
      var scanner = LineScanner()
      do throws(Errno) {
        try reader.readLines(
          of: file.descriptor, in: fileSystem, scanner: &scanner, into: &finder)
      } catch {
        throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
      }
      return finder.user
    }
  }

  /// What the journal holds, as far as it was read.
  func statement() throws(EventLogError) -> FrontierStatement {
    let ledger = pass.ledger
    var frontier: [DeviceID: HistoryPoint] = [:]
    for device in ledger.devices.indices {
      let state = ledger.devices[device]
      guard state.frontier > 0 else { continue }
      let id = DeviceID(trusted: ledger.name(device))
      let event = EventID(device: id, sequence: state.frontier)
      if let checksum = try checksum(of: event) {
        frontier[id] = HistoryPoint(sequence: state.frontier, checksum: checksum)
      }
    }
    var statement = FrontierStatement(
      user: ledger.user,
      adoptedUsers: ledger.adoptedUsers.sorted { $0.lexicographicallyPrecedes($1) }
        .map { String(decoding: $0, as: UTF8.self) },
      frontier: frontier, stranded: ledger.stranded, reissues: ledger.reissues)
    // What stands behind a hole is not given, but its numbers are used.
    let stranded = ledger.devices.indices.filter {
      ledger.devices[$0].last > ledger.devices[$0].frontier
    }.map { index in
      let state = ledger.devices[index]
      return (
        DeviceID(trusted: ledger.name(index)),
        HistoryPoint(sequence: state.last, checksum: state.checksum)
      )
    }
    if !stranded.isEmpty { statement.hearsay = [Dictionary(uniqueKeysWithValues: stranded)] }
    return statement
  }

  /// The lines of some ranges, read from a descriptor of their own on `worker`.
  func source(
    _ ranges: [EventRange], on worker: SerialWorker
  ) throws(EventLogError) -> any LineSource {
    let source = try JournalFile.open(path, .read, fileSystem: fileSystem)
    guard let file, file.isCurrent, let here = try? file.status, let there = try? source.status,
      here.inode == there.inode
    else {
      source.close()
      throw EventLogError(
        .inputOutput, "\"\(path)\" was replaced while it was being read. Nothing was changed.",
        hint: "Run it again.", at: .init(file: path))
    }
    return JournalLineSource(
      RangeReader(
        ranges, path: path, file: source.descriptor, fileSystem: fileSystem, ledger: pass.ledger,
        size: pass.endOffset),
      of: source, on: worker)
  }

  /// Takes lines from elsewhere, durably; where events are missing, into `spool`, for
  /// ``completeReception(_:)``.
  ///
  /// - Returns: nil where it is a rehearsal and nothing is missing: a batch tells more then.
  func receive(
    _ lines: LineBatch, on terms: ReceivingTerms, _ spool: inout RefillSpool?,
    rehearsing isRehearsal: Bool
  ) throws(EventLogError) -> Reception? {
    if spool == nil, hasHole { spool = try self.spool(rehearsing: isRehearsal) }
    if let spool { return try spool.receive(lines, on: terms) }
    return isRehearsal ? nil : try append(lines, on: terms)
  }

  /// Puts what was spooled in its place: at the end, if it fits there, else by writing the journal
  /// anew.
  ///
  /// - Returns: nil where nothing had been spooled.
  func completeReception(
    _ spool: inout RefillSpool?
  ) throws(EventLogError) -> RewriteOutcome? {
    guard let taken = spool, !taken.isEmpty, !taken.isRehearsal else { return nil }
    spool = nil
    if lacksOwner { return try refill(taken) }
    var appended: Int64 = 0
    try taken.readBatches { (lines) throws(EventLogError) in
      appended += try append(lines, on: ReceivingTerms()).received.count
    }
    return appended == taken.count ? RewriteOutcome() : try refill(taken)
  }

  private func append(
    _ lines: LineBatch, on terms: ReceivingTerms
  ) throws(EventLogError) -> Reception {
    var reception = Reception()
    let outcome = try commit { (batch) throws(EventLogError) in
      reception = batch.receive(lines.bytes, on: terms)
    }
    note(outcome)
    return reception
  }
}

extension EventLogError {
  /// Whether the file may be read and not be written.
  var isForReadersOnly: Bool { cause == .permissionDenied || cause == .readOnlyFileSystem }
}

/// Looks at one line: whose journal it begins.
private struct OwnerFinder: LineSink {
  var user: String?
  var isStopped = false

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    user = Ledger.Joining(layout, canonical)?.user
    isStopped = true
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    isStopped = true
  }
}
