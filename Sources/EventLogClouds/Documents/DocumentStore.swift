public import EventLog

/// A database of documents that other clients read.
///
/// A ``Publisher`` also keeps its publishing state there, in a few texts.
public protocol DocumentStore: Sendable {
  /// The address for error messages.
  var address: String { get }
  /// The user of the store: `{user}` in the paths of a layout.
  var user: String { get }
  /// The largest number of documents and texts in one commit, and of bytes.
  var commitMax: (count: Int, bytes: Int) { get }

  /// Returns how many bytes of a commit a document needs.
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
  /// - Throws: The errors of a remote. The commit may have been carried out nevertheless.
  func commit(_ commit: DocumentCommit) async throws(EventLogError) -> String?
}

/// Changes that are made together, if no other publisher has made any since.
public struct DocumentCommit: Sendable, Hashable {
  /// The documents to write, whole.
  public var written: [PublishedDocument] = []
  /// The paths of the documents to delete, which needn't exist.
  public var deleted: [String] = []
  /// The texts to write, by name.
  public var texts: [String: String] = [:]
  /// The name of the text that has to be unchanged; it is among `texts`.
  public var name: String
  /// The revision that this text must still have; `nil` if there must be none.
  public var revision: String?

  /// Creates a commit without changes.
  ///
  /// - Parameters:
  ///   - name: The name of the text that has to be unchanged.
  ///   - revision: The revision that it must still have; `nil` if there must be none.
  public init(name: String, after revision: String?) {
    (self.name, self.revision) = (name, revision)
  }

  /// The number of documents and texts.
  var count: Int { written.count + deleted.count + texts.count }
}
