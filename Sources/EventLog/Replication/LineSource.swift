/// A source of lines in batches, on demand.
///
/// It may be abandoned at any time.
package protocol LineSource: Sendable {
  /// Returns the next lines, or nil after the last.
  ///
  /// - Throws: `inputOutput`, or another error that prevents reading.
  func next() async throws(EventLogError) -> LineBatch?
}
