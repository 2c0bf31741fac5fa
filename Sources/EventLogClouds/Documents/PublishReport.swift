/// What a run of a publisher changed, or would change.
public struct PublishReport: Sendable, Hashable {
  /// The paths of the documents that are new or differ, sorted by bytes.
  public let written: [String]
  /// The paths of the documents that are deleted, sorted by bytes.
  public let deleted: [String]
  /// The number of documents that the state has.
  public let documentCount: Int
  /// A Boolean value that indicates whether all documents are written, changed or not.
  ///
  /// That happens the first time, and after the layout or the schemas have changed.
  public let isWhole: Bool

  /// A Boolean value that indicates whether there is nothing to change.
  public var isEmpty: Bool { written.isEmpty && deleted.isEmpty }
}
