/// Hands out lines in batches, on demand.
///
/// It may be abandoned at any time.
package protocol LineSource: Sendable {
  /// The next lines; nil behind the last.
  ///
  /// - Throws: `inputOutput`, or what else keeps the source from being read.
  func next() async throws(EventLogError) -> LineBatch?
}
