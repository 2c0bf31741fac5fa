public import EventLog

/// Publishes a user's state as documents, for clients that read documents.
///
/// The documents are a projection: nothing reads them back. Only what differs from what was
/// published last is written. The place remembers of which events the documents are the state, and
/// a commit changes documents and that together, so several devices can publish at the same time:
/// a device that doesn't know all of these events yet changes nothing.
public struct Publisher: Sendable {
  private static let attemptsMax = 6

  private let layout: DocumentLayout
  private let store: any DocumentStore
  private let computed: [String: DocumentLayout.Rows]

  /// Creates a publisher.
  ///
  /// - Parameters:
  ///   - layout: Which documents the state has.
  ///   - store: Where they are written.
  ///   - computed: Rows by the name under which the layout uses them as a section, such as the
  ///     points of each day. They need to depend on the snapshot alone.
  public init(
    _ layout: DocumentLayout, to store: any DocumentStore,
    computing computed: [String: DocumentLayout.Rows] = [:]
  ) {
    (self.layout, self.store, self.computed) = (layout, store, computed)
  }

  /// Publishes the state of a store.
  ///
  /// After a crash, some documents can be from the state before. The next run, of any device,
  /// corrects them.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - remote: A place to sync with, before and after, so that whoever publishes next can get the
  ///     events that the documents are the state of.
  /// - Returns: What was changed.
  /// - Throws: `invalidSchema` if the layout doesn't fit the state; `behind` if the documents are
  ///   the state of events that this journal doesn't contain yet, if it lacks events that others
  ///   refer to, or if a later version of the layout was published; `remoteFailed` and the other
  ///   errors of a remote; the errors of `EventStore.sync(with:_:)` and
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
      let found = try await remembered()
      do throws(EventLogError) {
        let outcome = try await publish(Journal(store), over: found, into: &report)
        if outcome == .overtaken { continue }
        // What was appended meanwhile is published, too.
        if outcome == .written, let remote { try await store.sync(with: remote) }
        return report
      } catch {
        // Another device has put its events there, and published, since the sync.
        guard error.code == .behind, remote != nil, attempt < Self.attemptsMax else { throw error }
      }
    }
    throw tooBusy("Some documents may be of the state before.")
  }

  /// Returns what publishing would change, without changing anything.
  ///
  /// - Parameter store: The store. It isn't synced.
  /// - Throws: The errors of `publish(_:syncingWith:)`.
  public func dryRun(_ store: EventStore) async throws(EventLogError) -> PublishReport {
    for attempt in 1...Self.attemptsMax {
      if attempt > 1 { try await pause(attempt) }
      if let plan = try await plan(Journal(store), over: try await remembered()) {
        return plan.report
      }
    }
    throw tooBusy("Nothing was changed.")
  }

  /// So that two devices don't meet again and again.
  private func pause(_ attempt: Int) async throws(EventLogError) {
    try? await Task.sleep(for: .milliseconds(Int.random(in: 0...(20 << attempt))))
    try EventLogError.checkCancellation()
  }

  private enum Outcome {
    case unchanged, written
    /// Somebody else has published meanwhile.
    case overtaken
  }

  private func publish(
    _ journal: Journal, over found: Remembered, into report: inout PublishReport
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

  /// - Returns: nil if another revision is there, and not because the answer to this commit was
  ///   lost.
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

  // MARK: - What differs

  /// What the place remembers, and in which revision.
  private typealias Remembered = (state: PublishedState?, revision: String?)

  private func remembered() async throws(EventLogError) -> Remembered {
    guard let (text, revision) = try await text(layout.name) else { return (nil, nil) }
    guard let state = PublishedState(text) else { throw unreadable() }
    guard state.version <= layout.version else { throw laterVersion(state.version) }
    return (state, revision)
  }

  /// - Returns: nil if somebody else has published meanwhile.
  private func plan(
    _ journal: Journal, over found: Remembered
  ) async throws(EventLogError) -> PublishPlan? {
    let state = try await state(of: journal, after: found.state)
    let digests = found.state?.digests
    let differing = state.digests.indices.filter { digests?[$0] != state.digests[$0] }
    let (buckets, areSound) = try await self.buckets(differing, digests)
    if !areSound, try await text(layout.name)?.revision != found.revision { return nil }
    return PublishPlan(layout, state, over: found.state, buckets)
  }

  /// The buckets of some numbers, and whether they are those whose digests are remembered.
  ///
  /// Of another one, only the paths are believed: its documents will be written anew.
  private func buckets(
    _ numbers: [Int], _ digests: [String]?
  ) async throws(EventLogError) -> (buckets: [Int: PublishedBucket], areSound: Bool) {
    if numbers.isEmpty { return ([:], true) }
    let names = numbers.map { PublishedBucket.name($0, of: layout.name) }
    let texts = try await store.texts(names)
    var (buckets, areSound): ([Int: PublishedBucket], Bool) = ([:], true)
    for (number, name) in zip(numbers, names) {
      var bucket = PublishedBucket()
      if let text = texts[name]?.text {
        guard let read = PublishedBucket(text) else { throw unreadable() }
        bucket = read
      }
      if bucket.digest != digests?[number] ?? "" {
        areSound = false
        for path in bucket.documents.keys { bucket.documents[path] = "" }
      }
      buckets[number] = bucket
    }
    return (buckets, areSound)
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
