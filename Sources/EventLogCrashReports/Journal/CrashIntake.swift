/// The result of taking in what was recorded.
public struct CrashIntake: Sendable, Hashable {
  /// The new reports, in the order in which they were taken in.
  public internal(set) var reports: [CrashReport] = []
  /// Messages for the developer: about files that were left out, and reports that were removed.
  public internal(set) var notes: [String] = []
}
