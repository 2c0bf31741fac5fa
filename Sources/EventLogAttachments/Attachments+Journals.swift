import EventLog

extension Attachments {
  /// Copies contents to and from the folder of another journal.
  func transfer(
    with journal: JournalPlace, _ report: inout AttachmentReport
  ) async throws(EventLogError) {
    try await store.refresh()
    let named = named(in: store.snapshot)
    if named.isEmpty { return }
    var budget = try await worker.perform { [self] () throws(EventLogError) in
      folder.removeRemains()
      return try FetchBudget(options, folder)
    }
    report.isReached = true
    let result: Result<Void, EventLogError>
    do throws(EventLogError) {
      for attachment in named {
        try EventLogError.checkCancellation()
        do throws(EventLogError) {
          try await copy(attachment, to: journal, or: &budget, &report)
        } catch {
          guard error.isAboutOneAttachment else { throw error }
          report.problems.append(error)
        }
      }
      result = .success(())
    } catch { result = .failure(error) }
    let there = await worker.perform { PlaceContents(named.filter(journal.contains)) }
    await remember(there, at: journal.address)
    try result.get()
  }

  /// Copies one content to the journal that lacks it.
  private func copy(
    _ attachment: Attachment, to journal: JournalPlace, or budget: inout FetchBudget,
    _ report: inout AttachmentReport
  ) async throws(EventLogError) {
    let (isHere, isThere) = await worker.perform { [folder] in
      (folder.contains(attachment), journal.contains(attachment))
    }
    switch (isHere, isThere) {
    case (true, true): return
    case (false, false): report.missing.append(attachment)
    case (true, false) where directions == .pull, (false, true) where directions == .push:
      report.left.append(attachment)
    case (true, false):
      try await worker.perform { [folder] () throws(EventLogError) in
        try journal.send(attachment, from: folder)
      }
      report.sent.append(attachment)
    case (false, true):
      guard budget.take(attachment) else { return report.left.append(attachment) }
      try await worker.perform { [folder] () throws(EventLogError) in
        try journal.fetch(attachment, into: folder)
      }
      report.received.append(attachment)
    }
  }
}
