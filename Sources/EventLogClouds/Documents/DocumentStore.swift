public import EventLog

/// A database of documents that other clients read.
///
/// A ``Publisher`` also keeps its publishing state there, in a few texts.
public protocol DocumentStore: Sendable {
  /// The address for error messages.
  var address: String { get }
  /// The user of the store: `{user}` in the paths of a layout.
  var user: String { get }
  /// The maximum number of documents and texts in a commit, and the maximum number of bytes.
  var commitMax: (count: Int, bytes: Int) { get }

  /// Returns the number of bytes that a document takes up in a commit.
  ///
  /// - Parameter document: The document.
  /// - Throws: `invalidSchema` for a document that the database can't hold.
  func byteCount(of document: PublishedDocument) throws(EventLogError) -> Int

  /// Returns the texts that exist, by name.
  ///
  /// - Parameter names: The names: letters, digits, hyphens and dots.
  /// - Returns: Each text, and its revision, which changes whenever it is written.
  /// - Throws: The errors of a remote.
  func texts(
    _ names: [String]
  ) async throws(EventLogError) -> [String: (text: String, revision: String)]

  /// Changes documents and texts atomically.
  ///
  /// - Parameter commit: The changes, and their condition.
  /// - Returns: The new revision of `commit.name`, or `nil` if its revision wasn't the required
  ///   one. Nothing was changed then.
  /// - Throws: The errors of a remote. The commit may have succeeded nevertheless.
  func commit(_ commit: DocumentCommit) async throws(EventLogError) -> String?
}
