import EventLog

/// The changes that bring a document store up to date.
struct PublishPlan: Sendable {
  private let layout: DocumentLayout
  private let state: PublishableState
  private let published: PublishedState?
  /// The published buckets that differ from the state, by number.
  private let buckets: [Int: PublishedBucket]
  let report: PublishReport

  init(
    _ layout: DocumentLayout, _ state: PublishableState, over published: PublishedState?,
    _ buckets: [Int: PublishedBucket]
  ) {
    (self.layout, self.state, self.published) = (layout, state, published)
    self.buckets = buckets
    var (written, deleted): ([String], [String]) = ([], [])
    for (number, bucket) in buckets {
      let new = state.buckets[number].documents
      written += new.filter { bucket.documents[$0.key] != $0.value }.keys
      deleted += bucket.documents.keys.filter { new[$0] == nil }
    }
    report = PublishReport(
      written: written, deleted: deleted, documentCount: state.documents.count)
  }

  /// Whether nothing has to be written, not even the publishing state.
  var isDone: Bool { published == finalState }

  /// The publishing state after the last commit.
  private var finalState: PublishedState {
    PublishedState(
      frontier: state.frontier, version: layout.version, digests: state.digests)
  }

  /// Returns the changes as commits, which must be made in order.
  ///
  /// - Throws: `invalidSchema` for a document that the store can't hold.
  func commits(for store: some DocumentStore) throws(EventLogError) -> [DocumentCommit] {
    var writer = CommitWriter(layout.name, finalState, over: published, limits: store.commitMax)
    for (number, bucket) in buckets.sorted(by: { $0.key < $1.key }) {
      let new = state.buckets[number].documents
      let changed = Set(bucket.documents.keys).union(new.keys)
        .filter { bucket.documents[$0] != new[$0] }
      writer.open(bucket, number)
      for path in changed.sorted(by: { $0.precedes($1) }) {
        // `documents` also finds a canonically equivalent path, which may be in another bucket.
        if new[path] != nil, let document = state.documents[path] {
          writer.write(document, try store.byteCount(of: document))
        } else {
          writer.delete(path)
        }
      }
      writer.closeBucket()
    }
    return writer.finish()
  }
}
