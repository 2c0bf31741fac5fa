public import EventLog

/// Imports the data of another app, or of an earlier version of your own, into a journal.
///
/// A source is a device: its values are written under a device ID of their own, and merged like the
/// events of any other device. So importing again adds nothing, importing on two phones that then
/// sync doubles nothing, and a value that disagrees with another one is a conflict that names the
/// source.
public struct Importer: Sendable {
  let map: ImportMap
  let source: String
  let settings: ImportSettings
  let place: String?
  private let input: Input

  /// The origin of the data.
  private enum Input {
    case path(String, any FileSystem)
    case memory([UInt8], name: String)
  }

  /// Creates an importer of a file, or of the folder of an export.
  ///
  /// - Parameters:
  ///   - path: The path of the file, or of the folder of an export.
  ///   - map: The map from the data to collections.
  ///   - source: The name of the source, or `nil` for the one in the map. Give each store of the
  ///     same data its own name: a value that differs between two is then a conflict.
  ///   - zone: The zone in which points in time become days, and local times points in time.
  ///     Without a zone, an import that needs one is refused.
  ///   - zoneNamed: A closure that returns the zone of a name in a column, or `nil` if there is no
  ///     such zone. The default knows only offsets.
  ///   - dates: The order of dates such as `5/11/2026`, or `nil` for the one in the map. Without an
  ///     order, an import whose dates fit several orders is refused.
  ///   - decimalMark: The decimal mark of numbers such as `1,234`, or `nil` for the one in the map.
  ///     Without a mark, an import of numbers with two meanings is refused.
  ///   - place: The only place of the map whose keys are imported, such as `guest`, or `nil` for
  ///     all places.
  public init(
    path: String, map: ImportMap, source: String? = nil, zone: ImportZone? = nil,
    zoneNamed: @escaping @Sendable (String) -> ImportZone? = { ImportZone(offset: $0) },
    dates: DateOrder? = nil, decimalMark: DecimalMark? = nil, place: String? = nil
  ) {
    self.init(
      .path(path, SystemFileSystem()), map, source,
      ImportSettings(
        zone: zone, zoneNamed: zoneNamed, dates: dates ?? map.dates,
        decimalMark: decimalMark ?? map.decimalMark),
      place)
  }

  /// Creates an importer of a file that is in memory, such as a downloaded one.
  ///
  /// - Parameters:
  ///   - contents: The bytes of the file, such as `Data`; at most 64 MiB.
  ///   - name: The name of the file, by which the map finds it, and which errors mention.
  ///   - map: The map from the data to collections.
  ///   - source: The name of the source, or `nil` for the one in the map.
  ///   - zone: The zone in which points in time become days, and local times points in time.
  ///   - zoneNamed: A closure that returns the zone of a name in a column, or `nil` if there is no
  ///     such zone. The default knows only offsets.
  ///   - dates: The order of dates such as `5/11/2026`, or `nil` for the one in the map.
  ///   - decimalMark: The decimal mark of numbers such as `1,234`, or `nil` for the one in the map.
  ///   - place: The only place of the map whose keys are imported, or `nil` for all places.
  public init(
    contents: some Sequence<UInt8>, named name: String, map: ImportMap, source: String? = nil,
    zone: ImportZone? = nil,
    zoneNamed: @escaping @Sendable (String) -> ImportZone? = { ImportZone(offset: $0) },
    dates: DateOrder? = nil, decimalMark: DecimalMark? = nil, place: String? = nil
  ) {
    self.init(
      .memory(Array(contents), name: name), map, source,
      ImportSettings(
        zone: zone, zoneNamed: zoneNamed, dates: dates ?? map.dates,
        decimalMark: decimalMark ?? map.decimalMark),
      place)
  }

  package init(
    path: String, map: ImportMap, zone: ImportZone?, fileSystem: any FileSystem
  ) {
    self.init(
      .path(path, fileSystem), map, nil,
      ImportSettings(
        zone: zone, zoneNamed: { ImportZone(offset: $0) }, dates: map.dates,
        decimalMark: map.decimalMark),
      nil)
  }

  private init(
    _ input: Input, _ map: ImportMap, _ source: String?, _ settings: ImportSettings,
    _ place: String?
  ) {
    self.input = input
    self.map = map
    self.source = source ?? map.source
    self.settings = settings
    self.place = place
  }

  /// The path of the file or folder, or the name of a file in memory.
  private var path: String {
    switch input {
    case .path(let path, _): path
    case .memory(_, let name): name
    }
  }

  private func files() throws(EventLogError) -> SourceFiles {
    switch input {
    case .path(let path, let fileSystem): try SourceFiles(path, on: fileSystem)
    case .memory(let bytes, let name): try SourceFiles(bytes, named: name)
    }
  }

  /// Imports into a journal, durably.
  ///
  /// The file is only read. Nothing is written unless all of it can be imported. If the process
  /// ends during the import, events already written stay, and the next import continues.
  ///
  /// - Parameters:
  ///   - store: The open store of the journal. Only the values of its user are imported; those of
  ///     other users are counted and skipped.
  ///   - isDryRun: Whether to leave the journal unchanged, and only report what would happen.
  ///   - onProgress: Called after each step of writing, with the number of events written.
  /// - Returns: A report of the events, of new conflicts, and of the keys that the app may delete.
  /// - Throws: `invalidInput` for a map that writes to unknown collections or fields, or a file
  ///   that can't be imported; `userNeeded`; and the errors of a sync, such as `locked`,
  ///   `inputOutput` and `syncFailed`.
  /// - Complexity: O(*n*), where *n* is the size of the file and of the journal.
  public func run(
    into store: EventStore, dryRun isDryRun: Bool = false,
    onProgress: (@Sendable (SyncProgress) -> Void)? = nil
  ) async throws(EventLogError) -> ImportReport {
    guard DeviceID(source) != nil, source.utf8.count <= 32 else {
      throw .cannotImport(
        "The name of a source has 1 to 32 of the characters A-Z a-z 0-9 . _ -.")
    }
    guard let user = store.user else {
      throw EventLogError(.userNeeded, "A new journal needs a user. Nothing was written.")
    }
    if let place, !map.places.contains(where: { $0.name == place && !place.isEmpty }) {
      let names = map.places.map(\.name).filter { $0.count > 0 }
      throw .cannotImport(
        "The map has no place \"\(place)\".",
        hint: names.isEmpty
          ? "This map has no places." : "Its places are \(names.joined(separator: ", ")).")
    }
    let catalog = store.snapshot.catalog
    try map.check(against: catalog)
    // Another process may have imported the same source.
    do throws(EventLogError) { try await store.refresh() } catch {
      guard error.code == .noJournal else { throw error }
    }
    var content = try read(for: user, store.snapshot)
    try check(content, against: store.snapshot)
    var report = ImportReport(isDryRun: isDryRun, user: user)
    var (stores, restored) = ([SourceLines](), RestoredEntities())
    let storeCount = content.stores.count
    for index in 0..<storeCount {
      // If two stores disagree, the value of the one listed first in the map is shown.
      let time = SourceLines.timeOfOld.later(seconds: storeCount - 1 - index)
      // A large source has many statements, so release them before its lines are written.
      var statements: [Statement] = []
      swap(&statements, &content.stores[index].statements)
      let name = content.stores[index].name
      let lines = try await lines(
        of: name, consume statements, for: user, in: store, at: time, &restored, &report,
        &content.remarks)
      if let lines { stores.append(lines) }
    }
    stores += try await undoneLines(about: restored, for: user, in: store, &report)
    report.take(content)
    report.guestPlace = map.places.first(where: \.isGuest)?.name
    if stores.contains(where: { $0.count > 0 }) {
      FreedMemory.release()
      let remote = SourceRemote(address: "import:\(path)", user: user, stores: stores)
      report.sync = try await Self.sync(store, with: remote, isDryRun, onProgress)
      // The store may write a checkpoint next, which takes much memory, too.
      FreedMemory.release()
      if let refusal = report.sync.refused.first {
        throw EventLogError(.invalidInput, "The journal refused the import: \(refusal.message)")
      }
      report.noteSources(in: store.snapshot)
    }
    return report
  }

  private static func sync(
    _ store: EventStore, with remote: SourceRemote, _ isDryRun: Bool,
    _ onProgress: ((SyncProgress) -> Void)?
  ) async throws(EventLogError) -> SyncReport {
    var report = SyncReport()
    var stepCount = 0
    for try await step in store.replication(with: remote, .pull, dryRun: isDryRun) {
      onProgress?(step)
      stepCount += 1
      // The store has replaced tables by larger ones.
      if stepCount.isMultiple(of: FreedMemory.batchesPerRelease) { FreedMemory.release() }
      if case .finished(let finished) = step { report = finished }
    }
    return report
  }

  // MARK: - Reading

  private func read(
    for user: String, _ state: Snapshot
  ) throws(EventLogError) -> SourceContent {
    let (files, catalog) = (try files(), state.catalog)
    if map.tables.isEmpty {
      guard !files.isFolder else {
        throw .cannotImport(
          "\"\(path)\" is a folder; the map is for a property list or JSON.", file: path)
      }
      var reading = KeyReading(map, for: user, catalog, settings, only: place, title: path)
      return try reading.read(
        SourceDocument(try files.bytes(of: files.names[0]), title: path).tree)
    }
    var settings = settings
    settings.leavesOutEmpty = !hasStated(in: state, for: user)
    var reading = TableReading(map, catalog, settings, files)
    return try reading.read()
  }

  /// Whether a journal has an earlier import of the source.
  private func hasStated(in state: Snapshot, for user: String) -> Bool {
    Set(map.places.map(\.name) + [""]).contains { place in
      let device = MintedKey.device(of: source, place: place, for: user)
      return !state.tips(of: device).isEmpty
        || !state.ledger.tips(of: ImportSource(name: source, place: place)).isEmpty
    }
  }

  /// Refuses to write a set to a register or the reverse, which would silently replace the value.
  private func check(
    _ content: SourceContent, against state: Snapshot
  ) throws(EventLogError) {
    for statement in content.stores.lazy.flatMap(\.statements)
    where statement.target.entity == nil {
      let shown = state.singleton(statement.target.kind)
        .first { $0.name.hasBytes(of: statement.field) }
      switch (statement.value, shown?.value) {
      case (.write, .members), (.members, .json):
        guard shown?.shown != nil else { continue }
        throw .cannotImport(
          "\(statement.location) cannot be imported: \"\(statement.field)\" of"
            + " \(statement.target.kind) is a set in one place and a value in the other.")
      default: continue
      }
    }
  }

  // MARK: - Lines

  /// The entities that an import restores.
  private struct RestoredEntities {
    var entities: [EntityID] = []
    /// The statements of the import about them.
    var statements: [Statement] = []
    /// The marks of all undos, if there are such entities.
    var marks: SourceMarks?
    /// The places of the source that state anything.
    var origins: Set<ImportSource> = []
  }

  /// Returns the lines that a store adds, or nil if it has no statements.
  private func lines(
    of place: String, _ read: consuming [Statement], for user: String, in store: EventStore,
    at time: Timestamp, _ restored: inout RestoredEntities, _ report: inout ImportReport,
    _ remarks: inout [String]
  ) async throws(EventLogError) -> SourceLines? {
    if read.isEmpty { return nil }
    let name = place.isEmpty ? source : "\(source)-\(place)"
    let origin = ImportSource(name: source, place: place)
    restored.origins.insert(origin)
    let device = MintedKey.device(of: source, place: place, for: user)
    let state = store.snapshot
    let own = state.tips(of: device)
    let all = Set(own + state.ledger.tips(of: origin))
    var seen = state.ledger.tips(of: origin, unseenBy: own.max())
    var (stated, ownStated): (Snapshot?, Snapshot?)
    var (undone, afterUndo): (Snapshot?, ImportAfterUndo?)
    let hidden = Set(read.lazy.compactMap(\.target.entity).filter { state.isHidden($0) })
    let saidBefore =
      all.isEmpty && hidden.isEmpty
      ? nil : try await said(by: origin, device, after: own.max(), on: hidden, state, in: store)
    if let saidBefore {
      (stated, ownStated, undone) = (saidBefore.all, saidBefore.own, saidBefore.before)
      afterUndo = ImportAfterUndo(state, saidBefore)
    } else if !all.isEmpty {
      stated = try await store.snapshot(at: Cut(frontier: VectorClock(Array(all))))
      ownStated = stated
      if all != Set(own) {
        ownStated = own.isEmpty ? nil : try await store.snapshot(at: Cut(writer: device))
      }
    }
    var (equal, twins) = (
      EqualKeyMatching(stated, undone: undone), TwinMatching(stated, undone: undone)
    )
    var statements = twins.resolved(equal.resolved(consume read))
    statements = afterUndo?.allowed(statements) ?? statements
    if let saidBefore {
      let marks = saidBefore.marks(unseenBy: own.max(), ending: afterUndo?.ended ?? [])
      seen = Set(seen + marks).sorted()
    }
    let devices = Set(all.map(\.device))
    statements += EndedConflicts(state, stated: stated).statements(beside: statements) { conflict in
      conflict.candidates.allSatisfy { devices.contains($0.event.device) }
    }
    let erased = try await ErasedEntities(statements, state).found(in: store)
    if !erased.isEmpty {
      let entities = Set(erased)
      statements.removeAll { $0.target.entity.map(entities.contains) == true }
      remarks += erased.map { "\($0) was erased, so nothing of it was imported." }
    }
    remarks += twins.remarks + (afterUndo?.remarks ?? [])
    var events = SourceEvents(state.catalog, own: ownStated, all: stated, source: name)
    var writer = SourceLineWriter(
      of: device, named: name, user: user, from: origin, at: time, after: own.max(), seen: seen,
      random: store.options.random)
    for draft in try afterUndo?.restorations() ?? [] { try writer.add(draft) }
    if let entities = afterUndo?.restored, !entities.isEmpty {
      let known = Set(entities)
      restored.entities += entities.filter { !restored.entities.contains($0) }
      restored.statements += statements.filter { $0.target.entity.map(known.contains) ?? false }
      restored.marks = saidBefore?.marks
    }
    var deleted: [EntityID: Int] = [:]
    try events.forEach(for: consume statements) { (draft) throws(EventLogError) in
      if let entity = draft.entity, state.isHidden(entity) { deleted[entity, default: 0] += 1 }
      try writer.add(draft)
    }
    let lines = writer.finish()
    remarks += events.remarks
    report.note(deleted, restoring: afterUndo?.restored ?? [])
    report.sources.append(.init(name: name, device: device, eventCount: lines.count))
    return lines
  }

  /// Returns lines of other sources and places that were undone, which take back their statements
  /// about entities that an import restores.
  ///
  /// They are lines of these sources, so a later import of them replaces them without a conflict.
  private func undoneLines(
    about restored: RestoredEntities, for user: String, in store: EventStore,
    _ report: inout ImportReport
  ) async throws(EventLogError) -> [SourceLines] {
    guard let marks = restored.marks else { return [] }
    var found: [SourceLines] = []
    let state = store.snapshot
    let undone = Set(marks.open.map(\.source)).subtracting(restored.origins)
    for other in undone.sorted(by: { $0.text.precedes($1.text) }) {
      let device = MintedKey.device(of: other.name, place: other.place, for: user)
      let last = state.tips(of: device).max()
      guard let said = try await said(by: other, device, after: last, on: [], state, in: store)
      else { continue }
      let drafts = try ImportAfterUndo(state, said)
        .takenBack(restoring: restored.entities, beside: restored.statements)
      if drafts.isEmpty { continue }
      let seen = state.ledger.tips(of: other, unseenBy: last) + said.marks(unseenBy: last)
      var writer = SourceLineWriter(
        of: device, named: other.text, user: user, from: other, at: SourceLines.timeOfOld,
        after: last, seen: Set(seen).sorted(), random: store.options.random)
      for draft in drafts { try writer.add(draft) }
      let lines = writer.finish()
      report.sources.append(.init(name: other.text, device: device, eventCount: lines.count))
      found.append(lines)
    }
    return found
  }

  private func said(
    by origin: ImportSource, _ device: DeviceID, after last: FullEventID?,
    on hidden: Set<EntityID>, _ state: Snapshot, in store: EventStore
  ) async throws(EventLogError) -> SaidValues? {
    try await store.reading { (journal) throws(EventLogError) in
      try journal.saidValues(of: origin, by: device, after: last, on: hidden, in: state)
    }
  }
}
