/// A storage that repeats requests, within limits for each run.
package protocol RetryingStorage: ObjectStorage {
  /// Returns the same storage with the limits of a new run.
  func forOneRun() -> any ObjectStorage
}
