import EventLog

extension EventLogError {
  /// Returns the error for another command whose sync was interrupted.
  func interrupting(_ command: String, keeping meaning: String) -> EventLogError {
    guard code == .canceled else { return self }
    let rest = message.contains("Nothing was changed") ? "Nothing was changed." : meaning
    return EventLogError(.canceled, "The \(command) was interrupted. \(rest)", hint: hint)
  }
}
