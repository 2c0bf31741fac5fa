/// The changes that a publisher made, or would make.
public struct PublishReport: Sendable, Hashable {
  /// The paths of the documents that are new or differ, sorted by bytes.
  public private(set) var written: [String]
  /// The paths of the documents that are deleted, sorted by bytes.
  public private(set) var deleted: [String]
  /// The number of documents that the state has.
  public internal(set) var documentCount: Int

  init(written: [String] = [], deleted: [String] = [], documentCount: Int = 0) {
    self.written = written.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    self.deleted = deleted.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    self.documentCount = documentCount
  }

  /// A Boolean value that indicates whether there is nothing to change.
  public var isEmpty: Bool { written.isEmpty && deleted.isEmpty }

  /// Adds the changes of the run's next commit.
  mutating func add(_ commit: DocumentCommit) {
    let (now, gone) = (commit.written.map(\.path), commit.deleted)
    self = PublishReport(
      written: Array(Set(written).subtracting(gone).union(now)),
      deleted: Array(Set(deleted).subtracting(now).union(gone)), documentCount: documentCount)
  }
}
