import EventLog
import EventLogPipe

extension PipeLimits {
  /// Returns the limits for a pipe, with the timeout from the environment.
  static func ofEnvironment(_ verb: String) throws(EventLogError) -> PipeLimits {
    let text = Terminal.environment("EVENTLOG_PATIENCE") ?? ""
    if text.isEmpty { return PipeLimits() }
    guard let seconds = Int64(text), (1...86_400).contains(seconds) else {
      throw .usage(
        "EVENTLOG_PATIENCE is \"\(Visible.text(text))\", which is not a valid number of seconds.",
        verb,
        hint: "Set it to a number of seconds from 1 to 86400.")
    }
    return PipeLimits(patience: seconds * 1000)
  }
}
