public import EventLog

/// Publishes a user's state as documents, for clients that read documents.
///
/// The documents are a projection: nothing reads them back. Only what differs from what was
/// published last is written. The place remembers of which events the documents are the state, and
/// a commit changes documents and that together, so several devices can publish at the same time:
/// a device that doesn't know all of these events yet changes nothing.
public struct Publisher: Sendable {
  private static let attemptsMax = 8

  private let layout: DocumentLayout
  private let store: any DocumentStore
  private let computed: ComputedRows

  /// Creates a publisher.
  ///
  /// - Parameters:
  ///   - layout: Which documents the state has.
  ///   - store: Where they are written.
  ///   - computed: Rows by the name under which the layout uses them as a section, such as the
  ///     points of each day. They need to depend on the snapshot alone.
  ///   - version: The version of how these are computed. After a change, all documents are written.
  public init(
    _ layout: DocumentLayout, to store: any DocumentStore,
    computing computed: [String: DocumentLayout.Rows] = [:], version: Int = 1
  ) {
    (self.layout, self.store) = (layout, store)
    self.computed = ComputedRows(rows: computed, version: version)
  }

  /// Publishes the state of a store.
  ///
  /// After a crash, some documents can be from the state before. The next run, of any device,
  /// corrects them.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - remote: A place to sync with first, so that whoever publishes next can get the events that
  ///     the documents are the state of.
  /// - Returns: What was changed.
  /// - Throws: `invalidSchema` if the layout doesn't fit the state; `behind` if the documents are
  ///   the state of events that this journal doesn't contain yet, or if it lacks events that others
  ///   refer to; `remoteFailed` and the other errors of a remote; the errors of
  ///   `EventStore.sync(with:_:)` and `EventStore.snapshot(at:includingDeleted:)`.
  /// - Complexity: O(*n*), where *n* is the size of the journal.
  @discardableResult
  public func publish(
    _ store: EventStore, syncingWith remote: (any Remote)? = nil
  ) async throws(EventLogError) -> PublishReport {
    for attempt in 1...Self.attemptsMax {
      if let remote { try await store.sync(with: remote) }
      do throws(EventLogError) {
        if let report = try await publishOnce(Journal(store)) { return report }
      } catch {
        // Another device has put its events there, and published, since the sync.
        guard error.code == .behind, remote != nil, attempt < Self.attemptsMax else { throw error }
      }
    }
    throw EventLogError(
      .remoteFailed,
      "\"\(self.store.address)\" failed: other devices publish there again and again. Some"
        + " documents may be of the state before.", hint: "Publish again later.")
  }

  /// - Returns: nil if somebody else has published meanwhile.
  private func publishOnce(
    _ journal: Journal
  ) async throws(EventLogError) -> PublishReport? {
    let (state, revision) = try await published()
    let difference = try await difference(journal, state)
    let report = difference.report
    if report.isEmpty, state != nil, !report.isWhole { return report }
    return try await write(difference, after: revision, over: state) ? report : nil
  }

  /// Returns what publishing would change, without changing anything.
  ///
  /// - Parameter store: The store. It isn't synced.
  /// - Throws: The errors of `publish(_:syncingWith:)`.
  public func dryRun(_ store: EventStore) async throws(EventLogError) -> PublishReport {
    let (state, _) = try await published()
    return try await difference(Journal(store), state).report
  }

  private func published() async throws(EventLogError) -> (PublishedState?, String?) {
    guard let (text, revision) = try await store.published(layout.name) else { return (nil, nil) }
    guard let state = PublishedState(text) else {
      throw EventLogError(
        .remoteFailed,
        "\"\(store.address)\" remembers something unreadable about the layout"
          + " \"\(layout.name)\". Nothing was changed.",
        hint: "Update Eventlog, or delete the document published/\(layout.name) there: the next run"
          + " writes all documents.")
    }
    return (state, revision)
  }

  // MARK: - What differs

  private func difference(
    _ journal: Journal, _ state: PublishedState?
  ) async throws(EventLogError) -> PublishDifference {
    let (layout, user, address, computed) = (layout, store.user, store.address, computed)
    let result: Result<PublishDifference, EventLogError> = await withCheckedContinuation {
      continuation in
      SerialWorker(label: "eventlog.publish").run {
        continuation.resume(
          returning: Result { () throws(EventLogError) in
            try PublishDifference(
              journal, layout, user: user, address: address, computed, since: state)
          })
      }
    }
    return try result.get()
  }

  // MARK: - Writing

  /// Writes in as many commits as it takes.
  ///
  /// - Returns: whether it is done; not if somebody else has published meanwhile.
  private func write(
    _ difference: PublishDifference, after revision: String?, over state: PublishedState?
  ) async throws(EventLogError) -> Bool {
    let commits = PublishCommit.split(difference, max: store.commitMax)
    // Until the last commit, a document may be from either.
    var bases = state?.bases ?? []
    if !bases.contains(difference.base) { bases.append(difference.base) }
    if difference.report.isWhole {
      // Until then, documents that do not differ may be missing: the next run writes all again.
      var incomplete = difference.base
      incomplete.basis = ""
      if !bases.contains(incomplete) { bases.append(incomplete) }
    }
    var revision = revision
    for (index, commit) in commits.enumerated() {
      let isLast = index == commits.count - 1
      let text = PublishedState(isLast ? [difference.base] : bases).text
      guard
        let next = try await store.commit(
          commit.written, deleting: commit.deleted, publishing: text, layout.name, after: revision)
      else { return false }
      revision = next
    }
    return true
  }
}
