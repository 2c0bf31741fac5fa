package import EventLog

/// A remote that keeps contents, such as photos, beside a journal of its own.
package protocol ContentRemote: Remote {
  /// Connects to the contents. The caller ends the session with ``ContentSession/leave()``.
  ///
  /// - Throws: `remoteFailed` also if the other side keeps no contents.
  func connectToContents() async throws(EventLogError) -> any ContentSession
}

/// A content, by the SHA-256 and the number of its bytes.
package struct ContentID: Sendable, Hashable {
  package let sha256: String
  package let byteCount: Int64

  package init(sha256: String, byteCount: Int64) {
    (self.sha256, self.byteCount) = (sha256, byteCount)
  }

  /// The maximum number of bytes that are transferred at once.
  package static let partBytes = 1 << 20
}

/// The contents beside a journal, for one caller, which makes one call at a time.
package protocol ContentSession: Sendable {
  /// Returns the next contents in the order of their hashes; empty after the last.
  func contents(after sha256: String?) async throws(EventLogError) -> [ContentID]

  /// Returns bytes of a content, or nil if it isn't there.
  ///
  /// - Parameter count: At most ``ContentID/partBytes``.
  func read(
    _ content: ContentID, at offset: Int64, count: Int
  ) async throws(EventLogError) -> [UInt8]?

  /// Begins to write a content, or continues after an interrupted call.
  ///
  /// - Returns: The number of bytes that are there, or nil if another caller is writing it.
  func begin(_ content: ContentID) async throws(EventLogError) -> Int64?

  /// Writes the next bytes of the content that was begun.
  ///
  /// The content becomes visible with its last bytes, after its hash was checked.
  ///
  /// - Parameter bytes: At most ``ContentID/partBytes``.
  /// - Returns: The number of bytes that are there now; 0 after a wrong hash, and nothing is kept.
  func write(_ bytes: [UInt8]) async throws(EventLogError) -> Int64

  /// Whether a failure has ended the session.
  var hasEnded: Bool { get async }

  func leave() async
}
