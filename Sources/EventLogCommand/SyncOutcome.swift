import EventLog

/// What came of one remote.
struct SyncOutcome {
  let address: String
  var report = SyncReport()
  var error: EventLogError?
  /// Whether there was nothing at its place before.
  var isRemoteNew = false
  /// Whether it is a folder.
  var isFolder = false
  /// What a folder contained that nobody had shared before.
  var strangers: [String] = []

  /// Whether nothing had to be done, and nothing is to come.
  var isEmpty: Bool {
    report.pulled.isEmpty && report.pushed.isEmpty && report.pending.isEmpty && error == nil
  }

  /// Whether both sides hold the same events.
  var isSame: Bool {
    isEmpty && report.notPulled.isEmpty && report.notPushed.isEmpty && report.refused.isEmpty
  }
}
