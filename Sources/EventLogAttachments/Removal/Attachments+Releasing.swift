public import EventLog
import EventLogRemotes
import EventLogUndo
import Synchronization

extension Attachments {
  /// Removes the contents that nothing names any more, here and at the places.
  ///
  /// A content stays while a value names it, also of a deleted entity, which can be restored, or of
  /// a conflict. Otherwise, a `content.released` event states that it isn't needed. When each
  /// device has written an event since it has seen the statement, and still nothing names the
  /// content, it is removed: a device that names it again puts it again. A device that has written
  /// nothing for a year doesn't count, if an event of another one shows that the year has passed.
  ///
  /// Nothing is removed from a place that has, or lists, events which aren't here. While a place
  /// has some, or can't be read, nothing is removed here either, and never what was attached or
  /// fetched within the last day. Contents in fields that the store doesn't declare stay.
  ///
  /// Call `store.sync(with:)` before, and now and then: each call does what is possible by then.
  /// A call that was interrupted can be repeated. An undo of the change that replaced a removed
  /// content shows an attachment that is missing.
  ///
  /// - Parameter isDryRun: Whether only to report what would be done.
  /// - Returns: What was released and removed. Failures at places are in it.
  /// - Throws: `damaged` if the journal lacks events or has damaged ones; `invalidInput` while it
  ///   keeps what another device has erased; the errors of an append.
  /// - Complexity: O(*n*), where *n* is the size of the journal and of the events at the places.
  @discardableResult
  public func release(dryRun isDryRun: Bool = false) async throws(EventLogError) -> ReleaseReport {
    var report = ReleaseReport()
    do throws(EventLogError) { try await store.refresh() } catch {
      // Before its first event, a store has nothing to release.
      if error.code == .noJournal { return report }
      throw error
    }
    var plan = try await releasePlan()
    if isDryRun {
      report.released = plan.unreleased
    } else {
      (plan, report.released) = try await state(plan)
      try await store.refresh()
    }
    let removable = isDryRun ? plan.removableAfterStatements : plan.removable
    report.waiting = plan.waiting.filter { !removable.contains($0.key) }
      .mapValues { devices in devices.filter { !isDryRun || $0 != plan.own }.map(\.text) }
    for place in places {
      report.places.append(
        await remove(Set(removable), at: place.forOneRun(), plan.ledger, isDryRun))
    }
    // An event that only a place has may name what is here.
    if report.places.allSatisfy({ $0.error == nil }) {
      try await removeHere(removable, plan, isDryRun, &report)
    }
    feed.send()
    return report
  }

  private func releasePlan() async throws(EventLogError) -> ReleasePlan {
    let now = store.options.now
    return try await store.reading { (journal) throws(EventLogError) in
      try ReleasePlan(of: journal, now: now)
    }
  }

  /// The maximum number of statements in one append, about a quarter of its limit.
  private static let statementsMax = 1000

  /// Writes the statements of a plan, and returns a new plan with what was released.
  private func state(
    _ first: ReleasePlan
  ) async throws(EventLogError) -> (ReleasePlan, released: [String]) {
    var (released, hasStated) = ([String](), false)
    let plan = try await store.carryOut(first, meaning: "No more attachments were removed.") {
      plan in
      // One statement says that this device has seen everything, except in another history of it.
      if plan.unreleased.isEmpty, hasStated || plan.statements.isEmpty { return nil }
      let hashes = plan.statements.prefix(Self.statementsMax)
      let mark = UndoMark { _, isReversed in
        isReversed ? [] : hashes.map(ContentHashes.releasing)
      }
      return PlannedAppend([], at: plan.ledger.frontier, markedBy: mark)
    } next: { (earlier, receipt) throws(EventLogError) in
      if receipt != nil {
        hasStated = true
        released += earlier.statements.prefix(Self.statementsMax)
          .filter(earlier.unreleased.contains)
      }
      return try await releasePlan()
    }
    return (plan, released.sorted())
  }

  private var changedMeanwhile: EventLogError {
    EventLogError(
      .changedMeanwhile,
      "\"\(store.path)\" was changed meanwhile. No more attachments were removed.",
      hint: "Try again later.")
  }

  // MARK: - Here

  /// A file here is removed only if it is older than this, in nanoseconds.
  ///
  /// It may have been attached for an event that isn't written yet.
  private static let recentAge: Int64 = 24 * 3_600_000_000_000
  /// The number of files that are removed under the journal's lock at once.
  private static let filesMax = 64

  private func removeHere(
    _ hashes: [String], _ plan: ReleasePlan, _ isDryRun: Bool, _ report: inout ReleaseReport
  ) async throws(EventLogError) {
    let wanted = Set(hashes)
    let here = try await worker.perform { [folder] () throws(EventLogError) in
      try folder.contents().filter { wanted.contains($0.sha256) }
    }
    let limit = store.options.now.milliseconds * 1_000_000 - Self.recentAge
    var start = 0
    while start < here.count {
      try EventLogError.checkCancellation()
      let batch = Array(here[start..<min(start + Self.filesMax, here.count)])
      start += batch.count
      let results =
        isDryRun
        ? folder.results(of: batch.map(\.sha256)) { folder.isWritten($0, before: limit) }
        : try await remove(batch.map(\.sha256), writtenBefore: limit, at: plan.ledger.frontier)
      for ((hash, bytes), result) in zip(batch, results) {
        switch result {
        case .success(true):
          report.removed.append(hash)
          report.removedBytes += bytes
        case .success(false): report.recent.append(hash)
        case .failure(let error): report.problems.append(error)
        }
      }
    }
  }

  /// Removes files while the journal is locked, so that no event names them meanwhile.
  private func remove(
    _ hashes: [String], writtenBefore limit: Int64, at frontier: VectorClock
  ) async throws(EventLogError) -> [Result<Bool, EventLogError>] {
    let folder = folder
    let done = try await store.append(markedBy: .none, evenWithoutEvents: false) { _, ledger in
      guard ledger.frontier == frontier else {
        return Optional<(events: [EventDraft], value: [Result<Bool, EventLogError>])>.none
      }
      let results = folder.results(of: hashes) { (hash) throws(EventLogError) in
        try folder.remove(hash, writtenBefore: limit)
      }
      return (events: [], value: results)
    }
    return done?.value ?? hashes.map { _ in .failure(changedMeanwhile) }
  }

  // MARK: - At a place

  private func remove(
    _ hashes: Set<String>, at place: AttachmentPlace, _ ledger: Ledger, _ isDryRun: Bool
  ) async -> ReleaseReport.Place {
    var report = ReleaseReport.Place(place.address)
    if hashes.isEmpty { return report }
    do throws(EventLogError) {
      // A device puts events before contents, so the events of what is listed are there.
      let listing = try await AttachmentListing(of: place.storage)
      try await PlacedEvents.check(place.events, heldBy: ledger)
      if directions == .pull { return report }
      for hash in hashes.filter({ !listing.parts(of: $0).isEmpty }).sorted() {
        try EventLogError.checkCancellation()
        if !isDryRun {
          // An event that was written here meanwhile may name it.
          guard store.snapshot.ledger.frontier == ledger.frontier else { throw changedMeanwhile }
          // Without its first part, a content isn't whole.
          for part in listing.parts(of: hash) { try await place.storage.remove(part.name) }
          state.withLock { $0.listings[place.address]?.remove(hash) }
        }
        report.removed.append(hash)
      }
    } catch { report.error = error }
    return report
  }
}

extension AttachmentFolder {
  fileprivate func results(
    of hashes: [String], _ body: (String) throws(EventLogError) -> Bool
  ) -> [Result<Bool, EventLogError>] {
    hashes.map { hash in Result { () throws(EventLogError) in try body(hash) } }
  }

  fileprivate func isWritten(_ sha256: String, before limit: Int64) -> Bool {
    (try? fileSystem.status(at: file(of: sha256)))?.modified ?? .max < limit
  }
}
