import EventLog

/// The documents of a journal's state, and its frontier.
struct PublishableState: Sendable {
  let frontier: VectorClock
  let documents: [String: PublishedDocument]
  /// The digests of the documents in each bucket.
  let buckets: [PublishedBucket]
  let digests: [String]

  /// Computes the documents.
  ///
  /// - Parameter published: The current publishing state. The journal must contain its events and
  ///   have no gaps. Otherwise, documents would revert to an earlier state.
  init(
    _ journal: Journal, _ layout: DocumentLayout, user: String, address: String,
    _ computed: [String: DocumentLayout.Rows], after published: PublishedState?
  ) throws(EventLogError) {
    try Self.check(try journal.knownEvents(), published, journal, address)
    let snapshot = try journal.snapshot().snapshot
    frontier = snapshot.frontier
    documents = try layout.documents(of: snapshot, for: user, computing: computed)
    var buckets = [PublishedBucket](repeating: .init(), count: PublishedState.bucketCount)
    for (path, document) in documents {
      buckets[PublishedBucket.number(of: path)].documents[path] = document.digest
    }
    self.buckets = buckets
    digests = buckets.map(\.digest)
  }

  private static func check(
    _ known: KnownEvents, _ published: PublishedState?, _ journal: Journal, _ address: String
  ) throws(EventLogError) {
    let ahead = published?.frontier.tips.first { !known.holds($0) }
    guard let missing = ahead ?? known.lacking.first?.end else { return }
    throw EventLogError(
      .behind,
      ahead == nil
        ? "\(journal.path) lacks events that others refer to, such as \(missing.shortID). Nothing"
          + " was published."
        : "\"\(address)\" was published from newer events: \(journal.path) doesn't contain"
          + " \(missing.shortID). Nothing was published.",
      hint: "Sync first, with a place that has these events.", at: .init(file: journal.path))
  }
}
