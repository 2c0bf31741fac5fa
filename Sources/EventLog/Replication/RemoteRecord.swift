/// The record of the last runs with a remote: the journal's events that it holds, and the error of
/// later failed runs.
///
/// It is stored in the cache of the side folder. If it is lost, the status of the remote is unknown
/// until the next run.
package struct RemoteRecord: Sendable, Hashable {
  /// A completed run.
  package struct Success: Sendable, Hashable {
    package var at: Timestamp
    /// The last event of each run of the journal that was compared with the remote.
    package var ends: [FullEventID]
    /// The events up to ``ends`` that the remote lacked at the end of the run.
    package var lacking: [EventRange]
    /// The events missing in the journal itself. The remote may have them or not.
    package var missing: [EventRange]
    /// The reason why events go in one direction only, or nil if they go in both.
    package var oneWay: SyncReport.OneWay?
    /// Whether the remote contained events at the end of the run.
    var holdsEvents = true
    /// The time at which both sides had the same events, or nil if events go in one direction only.
    package var syncedAt: Timestamp? { oneWay == nil ? at : nil }
  }

  /// The failed runs since the last success.
  package struct Failure: Sendable, Hashable {
    /// The time of the last failed run.
    package var at: Timestamp
    /// The time of the first failed run.
    package var since: Timestamp
    package var error: EventLogError

    package static func == (one: Failure, other: Failure) -> Bool {
      one.at == other.at && one.since == other.since && one.error.code == other.error.code
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(at) }
  }

  package var success: Success?
  package var failure: Failure?

  package init() {}

  /// Records a failed run.
  package mutating func note(_ error: EventLogError, at time: Timestamp) {
    failure = Failure(at: time, since: failure?.since ?? time, error: error)
  }
}
