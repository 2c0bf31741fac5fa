import EventLog

/// The result of syncing with one remote.
struct SyncOutcome {
  let address: String
  var report = SyncReport()
  var error: EventLogError?
  /// Whether the remote didn't exist before this sync.
  var isRemoteNew = false
  var isFolder = false
  /// Unrelated files in a folder that isn't shared yet.
  var unknownFiles: [String] = []

  /// Whether the sync succeeded, with nothing to transfer and nothing pending.
  var isEmpty: Bool {
    report.pulled.isEmpty && report.pushed.isEmpty && report.pending.isEmpty && error == nil
  }

  /// Whether both sides contain the same events.
  var isSame: Bool {
    isEmpty && report.notPulled.isEmpty && report.notPushed.isEmpty && report.refused.isEmpty
  }
}
