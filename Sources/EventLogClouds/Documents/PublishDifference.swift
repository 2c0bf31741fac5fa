import EventLog

/// What has to be written so that the documents of a place are those of a journal's state.
struct PublishDifference: Sendable {
  let base: PublishedState.Base
  let written: [PublishedDocument]
  let deleted: [String]
  let report: PublishReport

  /// Compares the journal's state with the states that the documents can be from.
  ///
  /// Those are computed from the journal: what was published is never read.
  init(
    _ journal: Journal, _ layout: DocumentLayout, user: String, address: String,
    _ computed: ComputedRows, since state: PublishedState?
  ) throws(EventLogError) {
    let known = try journal.knownEvents()
    try Self.check(known, state, journal, address, layout.name)
    let snapshot = try journal.snapshot().snapshot
    let basis = Self.basis(snapshot.catalog, computed)
    let now = try layout.documents(of: snapshot, for: user, computing: computed.rows)
    base = .init(frontier: snapshot.frontier, layout: layout, basis: basis)
    let bases = state?.bases ?? []
    let isWhole =
      bases.isEmpty || bases.contains { $0.layout != layout || $0.basis != basis }
      || bases.count > PublishedState.basesMax
    var (changed, gone): (Set<String>, Set<String>) = (isWhole ? Set(now.keys) : [], [])
    for base in bases where base.frontier != snapshot.frontier || base.layout != layout {
      let past = try journal.snapshot(at: Cut(frontier: base.frontier)).snapshot
      // A layout that no longer fits the schemas is no reason to stop; its documents stay.
      guard
        let before = try? base.layout.documents(of: past, for: user, computing: computed.rows)
      else { continue }
      for (path, document) in now where before[path] != document { changed.insert(path) }
      for path in before.keys where now[path] == nil { gone.insert(path) }
    }
    written = changed.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { now[$0]! }
    deleted = gone.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    report = PublishReport(
      written: written.map(\.path), deleted: deleted, documentCount: now.count, isWhole: isWhole)
  }

  /// The journal has to contain what was published, and what its events refer to: else documents
  /// would go back.
  private static func check(
    _ known: KnownEvents, _ state: PublishedState?, _ journal: Journal, _ address: String,
    _ name: String
  ) throws(EventLogError) {
    let ahead = (state?.bases ?? []).flatMap(\.frontier.tips).filter { !known.holds($0) }
    guard let first = ahead.first ?? known.lacking.first?.end else { return }
    throw EventLogError(
      .behind,
      ahead.isEmpty
        ? "\(journal.path) lacks events that others refer to, such as \(first.shortID). Nothing was"
          + " published."
        : "\"\(address)\" shows a later state: \(journal.path) doesn't contain \(first.shortID)."
          + " Nothing was published.",
      hint: ahead.isEmpty
        ? "Sync first, with the place that contains it."
        : "Sync first, with the place that contains it. If none does any more, delete the document"
          + " published/\(name) there: the next run then writes all documents.",
      at: .init(file: journal.path))
  }

  /// What the documents of one frontier and layout can differ by.
  private static func basis(_ catalog: SchemaCatalog, _ computed: ComputedRows) -> String {
    var bytes: [UInt8] = Array(
      "\(rulesVersion) \(computed.version) \(computed.rows.keys.sorted())".utf8)
    for collection in catalog.collections { collection.json.write(to: &bytes) }
    return SHA256.digest(bytes).map {
      $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16)
    }
    .joined()
  }

  /// Increased when a later version of this package makes other documents of the same state.
  private static let rulesVersion = 1
}

/// Rows that a publisher computes, and the version of how it does.
struct ComputedRows: Sendable {
  let rows: [String: DocumentLayout.Rows]
  let version: Int
}
