public import EventLog

/// A database of documents that other clients read.
public protocol DocumentStore: Sendable {
  /// The address, as errors show it.
  var address: String { get }
  /// The user of the place: `{user}` in the paths of a layout.
  var user: String { get }
  /// The largest number of documents that one commit changes, and bytes that it has.
  var commitMax: (documents: Int, bytes: Int) { get }

  /// Returns what was last stored about publishing, or `nil` if nothing was.
  ///
  /// - Parameter name: The name of the layout.
  /// - Returns: The text, and its revision, which changes with each commit.
  /// - Throws: The errors of a remote.
  func published(
    _ name: String
  ) async throws(EventLogError) -> (text: String, revision: String)?

  /// Changes documents and stores the text, all of it or nothing, unless somebody else has.
  ///
  /// - Parameters:
  ///   - written: The documents to write, whole.
  ///   - deleted: The paths of the documents to delete. One that isn't there is no error.
  ///   - text: What to store about publishing.
  ///   - name: The name of the layout.
  ///   - revision: The revision that must still be there; `nil` if nothing may be stored yet.
  /// - Returns: The new revision, or `nil` if another one was there. Nothing was changed then.
  /// - Throws: The errors of a remote. It may have been carried out nevertheless.
  func commit(
    _ written: [PublishedDocument], deleting deleted: [String], publishing text: String,
    _ name: String, after revision: String?
  ) async throws(EventLogError) -> String?
}
