/// Changes that are made atomically, unless another publisher has made changes since.
public struct DocumentCommit: Sendable, Hashable {
  /// The documents to write. Each replaces any earlier version.
  public var written: [PublishedDocument] = []
  /// The paths of the documents to delete, which needn't exist.
  public var deleted: [String] = []
  /// The texts to write, by name.
  public var texts: [String: String] = [:]
  /// The name of the text that must be unchanged. It is among `texts`.
  public var name: String
  /// The revision that this text must still have; `nil` if there must be none.
  public var revision: String?

  /// Creates a commit without changes.
  ///
  /// - Parameters:
  ///   - name: The name of the text that must be unchanged.
  ///   - revision: The revision that it must still have; `nil` if there must be none.
  public init(name: String, after revision: String?) {
    (self.name, self.revision) = (name, revision)
  }

  /// The number of documents and texts.
  var count: Int { written.count + deleted.count + texts.count }
}
