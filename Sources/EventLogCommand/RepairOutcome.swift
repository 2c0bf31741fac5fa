import EventLog
import EventLogInspection

/// The result of a repair from one remote.
struct RepairOutcome {
  /// The remote as the user spelled it.
  let remote: String
  var report = RepairReport()
  var error: EventLogError?
}
