import EventLog
import Synchronization

/// The statuses of all remotes, which the loops write.
final class ReplicatorBoard: Sendable {
  let feed: LatestFeed<[Replicator.Status]>
  let reports = ReportFeed()

  init(_ addresses: [String]) {
    feed = LatestFeed(addresses.map { Replicator.Status(id: $0) })
  }

  /// Changes the status of one remote.
  func update(_ address: String, _ change: (inout Replicator.Status) -> Void) {
    feed.update { statuses in
      guard let index = statuses.firstIndex(where: { $0.id == address }) else { return }
      change(&statuses[index])
    }
  }

  /// Adds the report of a sync to the status of its remote.
  func report(_ report: SyncReport, of address: String, at time: Timestamp) {
    update(address) { status in
      (status.failingSince, status.hasAnswered, status.lastReport) = (nil, true, report)
      if let oneWay = report.oneWay {
        status.phase = .oneWay(at: time, because: .oneWay(address, oneWay))
      } else {
        (status.phase, status.lastSynced) = (.synced(at: time), time)
      }
    }
    reports.send((address, report))
  }

  /// Stops all remotes for the same reason.
  func end(because error: EventLogError) {
    feed.update { statuses in
      for index in statuses.indices { statuses[index].phase = .stopped(because: error) }
    }
  }

  func finish() {
    feed.finish()
    reports.finish()
  }
}

/// Passes each report to every reader. A slow reader misses none, unlike with ``LatestFeed``.
final class ReportFeed: Sendable {
  typealias Element = (remote: String, report: SyncReport)

  /// Nil after the end.
  private let readers = Mutex<[AsyncStream<Element>.Continuation]?>([])

  /// The reports sent from now on.
  var values: AsyncStream<Element> {
    AsyncStream { reader in
      let isOpen = readers.withLock { readers in
        readers?.append(reader)
        return readers != nil
      }
      if !isOpen { reader.finish() }
    }
  }

  func send(_ element: Element) {
    readers.withLock { readers in
      readers?.removeAll { reader in
        if case .terminated = reader.yield(element) { true } else { false }
      }
    }
  }

  func finish() {
    let last = readers.withLock { readers in
      defer { readers = nil }
      return readers ?? []
    }
    for reader in last { reader.finish() }
  }
}
