public import EventLog

/// Publishes a user's state as documents, for clients that read documents.
///
/// The documents are a projection: nothing reads them back. Only differences from the last
/// published state are written. The document store keeps the frontier of the documents, and a
/// commit changes both together, so several devices can publish at the same time: a device that
/// doesn't have all of these events yet changes nothing.
public struct Publisher: Sendable {
  private static let attemptsMax = 6

  private let layout: DocumentLayout
  private let store: any DocumentStore
  private let computed: [String: DocumentLayout.Rows]

  /// Creates a publisher.
  ///
  /// - Parameters:
  ///   - layout: The documents to publish.
  ///   - store: The database to write them to.
  ///   - computed: Closures that compute rows, by the name that the layout uses as a section, such
  ///     as the points of each day. They must depend on the snapshot alone.
  public init(
    _ layout: DocumentLayout, to store: any DocumentStore,
    computing computed: [String: DocumentLayout.Rows] = [:]
  ) {
    (self.layout, self.store, self.computed) = (layout, store, computed)
  }

  /// Publishes the state of a store.
  ///
  /// After a crash, some documents can be from the previous state. The next run, on any device,
  /// corrects them.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - remote: A remote to sync with, before and after, so that the next publisher can get the
  ///     events of this state.
  /// - Returns: The changes.
  /// - Throws: `invalidSchema` if the layout doesn't fit the state; `behind` if the documents
  ///   contain events that this journal doesn't contain yet, if it lacks events that others refer
  ///   to, or if a later version of the layout was published; `remoteFailed` and the other errors
  ///   of a remote; the errors of `EventStore.sync(with:_:)` and
  ///   `EventStore.snapshot(at:includingDeleted:)`.
  /// - Complexity: O(*n*), where *n* is the size of the journal.
  @discardableResult
  public func publish(
    _ store: EventStore, syncingWith remote: (any Remote)? = nil
  ) async throws(EventLogError) -> PublishReport {
    var report = PublishReport()
    for attempt in 1...Self.attemptsMax {
      if attempt > 1 { try await pause(attempt) }
      if let remote { try await store.sync(with: remote) }
      let found = try await storedState()
      do throws(EventLogError) {
        let outcome = try await publish(Journal(store), over: found, into: &report)
        if outcome == .overtaken { continue }
        // Sync again, because events appended since the first sync were published, too.
        if outcome == .written, let remote { try await store.sync(with: remote) }
        return report
      } catch {
        // Another device has uploaded events and published them since the sync.
        guard error.code == .behind, remote != nil, attempt < Self.attemptsMax else { throw error }
      }
    }
    throw tooBusy("Some documents may be of the state before.")
  }

  /// Returns the changes that publishing would make, without making them.
  ///
  /// - Parameter store: The store. It isn't synced.
  /// - Throws: The errors of `publish(_:syncingWith:)`.
  public func dryRun(_ store: EventStore) async throws(EventLogError) -> PublishReport {
    for attempt in 1...Self.attemptsMax {
      if attempt > 1 { try await pause(attempt) }
      if let plan = try await plan(Journal(store), over: try await storedState()) {
        return plan.report
      }
    }
    throw tooBusy("Nothing was changed.")
  }

  /// Waits for a random time, so that two devices don't collide repeatedly.
  private func pause(_ attempt: Int) async throws(EventLogError) {
    try? await Task.sleep(for: .milliseconds(Int.random(in: 0...(20 << attempt))))
    try EventLogError.checkCancellation()
  }

  private enum Outcome {
    case unchanged, written
    /// Another publisher has committed in the meantime.
    case overtaken
  }

  private func publish(
    _ journal: Journal, over found: StoredState, into report: inout PublishReport
  ) async throws(EventLogError) -> Outcome {
    guard let plan = try await plan(journal, over: found) else { return .overtaken }
    report.documentCount = plan.report.documentCount
    if plan.isDone { return .unchanged }
    var revision = found.revision
    for var commit in try plan.commits(for: store) {
      commit.revision = revision
      guard let next = try await self.commit(commit) else { return .overtaken }
      revision = next
      report.add(commit)
    }
    return .written
  }

  /// - Returns: The new revision, or nil if another publisher's commit came first. If the response
  ///   to this commit was lost, its revision is looked up.
  private func commit(_ commit: DocumentCommit) async throws(EventLogError) -> String? {
    if let revision = try await store.commit(commit) { return revision }
    guard let found = try await text(commit.name), found.text == commit.texts[commit.name]
    else { return nil }
    return found.revision
  }

  private func text(
    _ name: String
  ) async throws(EventLogError) -> (text: String, revision: String)? {
    try await store.texts([name])[name]
  }

  // MARK: - Differences

  /// A publishing state, and its revision.
  private typealias StoredState = (state: PublishedState?, revision: String?)

  private func storedState() async throws(EventLogError) -> StoredState {
    guard let (text, revision) = try await text(layout.name) else { return (nil, nil) }
    guard let state = PublishedState(text) else { throw unreadable() }
    guard state.version <= layout.version else { throw laterVersion(state.version) }
    return (state, revision)
  }

  /// - Returns: The plan, or nil if another publisher has committed in the meantime.
  private func plan(
    _ journal: Journal, over found: StoredState
  ) async throws(EventLogError) -> PublishPlan? {
    let state = try await state(of: journal, after: found.state)
    let digests = found.state?.digests
    let differing = state.digests.indices.filter { digests?[$0] != state.digests[$0] }
    let (buckets, areIntact) = try await self.buckets(differing, digests)
    if !areIntact, try await text(layout.name)?.revision != found.revision { return nil }
    return PublishPlan(layout, state, over: found.state, buckets)
  }

  /// Reads buckets by number.
  ///
  /// `areIntact` is true if all match the expected digests.
  ///
  /// If a bucket doesn't match, only its paths are used, so all its documents are written again.
  private func buckets(
    _ numbers: [Int], _ digests: [String]?
  ) async throws(EventLogError) -> (buckets: [Int: PublishedBucket], areIntact: Bool) {
    if numbers.isEmpty { return ([:], true) }
    let names = numbers.map { PublishedBucket.name($0, of: layout.name) }
    let texts = try await store.texts(names)
    var (buckets, areIntact): ([Int: PublishedBucket], Bool) = ([:], true)
    for (number, name) in zip(numbers, names) {
      var bucket = PublishedBucket()
      if let text = texts[name]?.text {
        guard let read = PublishedBucket(text) else { throw unreadable() }
        bucket = read
      }
      if bucket.digest != digests?[number] ?? "" {
        areIntact = false
        for path in bucket.documents.keys { bucket.documents[path] = "" }
      }
      buckets[number] = bucket
    }
    return (buckets, areIntact)
  }

  private func state(
    of journal: Journal, after published: PublishedState?
  ) async throws(EventLogError) -> PublishableState {
    let (layout, user, address, computed) = (layout, store.user, store.address, computed)
    let result: Result<PublishableState, EventLogError> = await withCheckedContinuation {
      continuation in
      SerialWorker(label: "eventlog.publish").run {
        continuation.resume(
          returning: Result { () throws(EventLogError) in
            try PublishableState(
              journal, layout, user: user, address: address, computed, after: published)
          })
      }
    }
    return try result.get()
  }

  private func tooBusy(_ consequence: String) -> EventLogError {
    EventLogError(
      .remoteFailed,
      "\"\(store.address)\" failed: other devices publish there again and again. \(consequence)",
      hint: "Publish again later.")
  }

  private func laterVersion(_ version: Int) -> EventLogError {
    EventLogError(
      .behind,
      "\"\(store.address)\" has documents of version \(version) of the layout \"\(layout.name)\","
        + " and this is version \(layout.version). Nothing was published.",
      hint: "Use the later layout: update the app, or the file.")
  }

  private func unreadable() -> EventLogError {
    EventLogError(
      .remoteFailed,
      "\"\(store.address)\" remembers something unreadable about the layout \"\(layout.name)\"."
        + " Nothing was changed.",
      hint: "Update Eventlog. If it is the latest, delete the documents whose names begin with"
        + " published/\(layout.name) there: the next run then writes all documents. It doesn't"
        + " delete those that the state no longer has.")
  }
}
