package import EventLog
package import EventLogRemotes

/// A remote of a journal, and its status as known without contacting it.
package struct RemoteStatus: Sendable {
  package let address: String
  /// The last complete run, or nil if none was recorded on this machine.
  package let success: RemoteRecord.Success?
  package let failure: RemoteRecord.Failure?
  /// The time of a replicator's next attempt, or nil if none waits for one.
  package let nextAttempt: Timestamp?
  /// The journal's events that the remote isn't known to have: all if no run was recorded.
  package let waiting: [EventRange]
  /// The time of the oldest of these.
  package let oldest: Timestamp?

  package var waitingCount: Int { Int(clamping: waiting.saturatingCount) }
  /// Whether no events are sent there.
  package var takesNothing: Bool { success?.oneWay?.direction == .pull }

  /// The status as a replicator would report it.
  package var status: Replicator.Status {
    var status = Replicator.Status(id: address)
    status.lastSynced = success?.syncedAt
    status.failingSince = failure?.since
    if let failure {
      status.phase =
        Replicator.isFinal(failure.error.code)
        ? .stopped(because: failure.error)
        : .retrying(at: nextAttempt ?? failure.at, because: failure.error)
    } else if let success, let oneWay = success.oneWay {
      status.phase = .oneWay(at: success.at, because: .oneWay(address, oneWay))
    } else if let success {
      status.phase =
        waiting.isEmpty
        ? .synced(at: success.at) : .pending(waitingCount, since: oldest ?? success.at)
    }
    return status
  }
}

extension Journal {
  /// The remotes of the journal, with their status.
  ///
  /// - Parameters:
  ///   - noted: The records from before the journal was read. A later sync may have recorded events
  ///     that the reading doesn't contain.
  ///   - oldest: Returns the time of the oldest event in some ranges.
  func remoteStatuses(
    _ noted: [NotedRemote], _ ledger: Ledger,
    oldest: ([EventRange]) throws(EventLogError) -> Timestamp?
  ) throws(EventLogError) -> [RemoteStatus] {
    var statuses: [RemoteStatus] = []
    for (address, record, nextAttempt) in noted {
      let waiting = ledger.waiting(record?.success)
      statuses.append(
        RemoteStatus(
          address: address, success: record?.success, failure: record?.failure,
          nextAttempt: nextAttempt, waiting: waiting,
          oldest: record?.success == nil ? nil : try oldest(waiting)))
    }
    return statuses
  }

  /// The time of the oldest event in some ranges, among the first events of the ranges.
  func oldest(
    of ranges: [EventRange], _ ledger: Ledger, _ file: JournalFile, upTo size: Int64
  ) throws(EventLogError) -> Timestamp? {
    let firsts = ranges.compactMap { range -> EventRange? in
      guard let end = ledger.locate(range.end),
        let first = ledger.event(at: range.first, inHistoryOf: end)
      else { return nil }
      return EventRange(from: range.first, to: ledger.fullID(first))
    }
    if firsts.isEmpty { return nil }
    var reader = RangeReader(
      firsts, path: path, file: file.descriptor, fileSystem: fileSystem, ledger: ledger,
      size: size)
    var scanner = LineScanner()
    var sink = OldestLine()
    while let batch = try reader.next() { scanner.scanLines(batch.bytes, into: &sink) }
    return sink.milliseconds.map { Timestamp(trusted: $0) }
  }
}

/// Finds the oldest of some events.
private struct OldestLine: LineSink {
  var milliseconds: Int64?

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    guard layout.version == 1 else { return }
    milliseconds = min(milliseconds ?? layout.atMilliseconds, layout.atMilliseconds)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}

extension StateReading {
  /// The journal's remotes, and the status of each.
  ///
  /// - Parameter noted: What was recorded of them before the journal was read.
  func remoteStatuses(_ noted: [NotedRemote]) throws(EventLogError) -> [RemoteStatus] {
    try journal.remoteStatuses(noted, ledger) { (ranges) throws(EventLogError) in
      try journal.oldest(of: ranges, ledger, file, upTo: size)
    }
  }
}
