import EventLog

/// Collects the hashes of the contents that any event of a journal releases.
struct ReleasedContents: EventSink {
  private(set) var hashes: Set<String> = []

  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool {
    canonical.matches(layout.type, "content.released")
  }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    guard canonical.matches(layout.type, "content.released") else { return }
    for run in ContentHashes.runs(in: canonical, layout.data) {
      if let hash = ContentHashes.hash(run, in: canonical) { hashes.insert(hash) }
    }
  }
}

extension ReleasedContents {
  /// Reads a journal.
  ///
  /// - Throws: `damaged` if it lacks events or has damaged ones, which may release contents;
  ///   `noJournal`, `notAJournal`, `inputOutput`.
  init(of journal: Journal) throws(EventLogError) {
    let file = try JournalFile.open(journal.path, .read, fileSystem: journal.fileSystem)
    defer { file.close() }
    let (pass, end) = try journal.read(file, into: ReleasedContents())
    guard pass.report.problemCount == 0, end.doubtfulTail == nil else {
      throw EventLogError(
        .damaged,
        "\"\(journal.path)\" lacks events or has damaged ones, so the limit removes no attachments"
          + " here.", hint: "Sync, or repair the journal.", at: .init(file: journal.path))
    }
    self = pass.sink
  }
}
