package import EventLog

extension EventLogError {
  /// The error for a remote that doesn't keep devices in sync, although syncs with it succeed.
  package static func oneWay(_ address: String, _ oneWay: SyncReport.OneWay) -> EventLogError {
    guard let user = oneWay.adopted else {
      return EventLogError(
        .usage,
        "The last sync with \"\(address)\" was asked to send only: events that are only there were"
          + " not received.",
        hint: "Sync in both directions.")
    }
    return oneWay.direction == .pull
      ? EventLogError(
        .wrongAddress,
        "\"\(address)\" is the journal of \(user), who was adopted: its events are received, and"
          + " nothing is sent there.",
        hint: "Sync with another place, too.")
      : EventLogError(
        .wrongAddress,
        "\"\(address)\" belongs to a user who has adopted \(user): events are sent there, and none"
          + " are received.",
        hint: "Open the journal of the user who has adopted \(user).")
  }
}

extension Replicator {
  /// Whether the next sync would fail the same way.
  package static func isFinal(_ code: EventLogError.Code) -> Bool {
    let final: Set<EventLogError.Code> = [
      .otherUser, .userNeeded, .tooManyDevices, .notAJournal, .syncFailed, .remoteCommandMissing,
      .invalidInput, .usage, .signInNeeded, .accessDenied, .quotaExceeded, .wrongAddress,
      .untrustedServer, .journalReplaced,
    ]
    return final.contains(code)
  }
}

extension EventLogError {
  /// The error of a replication whose store was released.
  static func released(_ path: String) -> EventLogError {
    EventLogError(
      .usage, "The store of \"\(path)\" was released, so it syncs no longer. Nothing was lost.",
      hint: "Keep the store for as long as it should sync. To end a replication, call stop().")
  }
}
