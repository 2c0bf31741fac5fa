/// Which of a journal's remotes are known to hold an event, or all events of an entity.
package struct Whereabouts: Sendable {
  /// How much of it a remote is known to hold.
  package struct Place: Sendable {
    package let place: KnownPlace
    /// The events that it isn't known to hold.
    package let lacking: [FullEventID]
    /// The time of the oldest of these.
    package let oldest: Timestamp?
  }

  /// The event's ID, or the entity's full name.
  package let name: String
  package let eventCount: Int
  /// The last of the events, by time.
  package let last: (id: EventID, at: Timestamp?)?
  package let places: [Place]
  package let firstDamage: JournalProblem?
  package let damageCount: Int
  package let warnings: [JournalProblem]
}

extension Whereabouts.Place {
  /// The status of these events alone. A failure of the place stays with the place.
  fileprivate var status: Replicator.Status {
    var status = Replicator.Status(id: place.address)
    status.lastSynced = place.success?.at
    status.failingSince = place.failure?.since
    if let success = place.success {
      status.phase =
        lacking.isEmpty
        ? .synced(at: success.at) : .pending(lacking.count, since: oldest ?? success.at)
    }
    return status
  }
}

extension Journal {
  /// Returns which places have an event, or all events of an entity, as far as this device knows.
  ///
  /// Like ``JournalStatus/places``, this lists the remembered remotes and those of an app's
  /// replicators, and contacts none of them. `synced` means that the place held every event of the
  /// entity when the last sync with it ended, and that none was added since. `pending` counts the
  /// entity's events that the place isn't known to hold. `waiting` means that no sync with the
  /// place was noted on this device. There are no other phases: whether the place can be reached is
  /// a matter of ``JournalStatus/places``.
  ///
  /// - Parameter name: An event ID, or an entity as ``why(_:_:at:)`` takes it, without a day.
  /// - Returns: The status of each place.
  /// - Throws: `noEvent`, `noDevice`, `noEntity`; the errors of ``status()``.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  public func places(of name: String) throws(EventLogError) -> [Replicator.Status] {
    try whereabouts(of: name).places.map(\.status)
  }

  /// Says which remotes are known to hold an event, or all events of an entity.
  ///
  /// Nothing is reached: a remote is known to hold what it held when the last sync with it from
  /// this journal had ended.
  ///
  /// - Parameter text: an event ID, or an entity as ``why(_:_:at:)`` takes it, without a day.
  /// - Throws: `noEvent`, `noDevice`, `noEntity`; the errors of ``status()``.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  package func whereabouts(of text: String) throws(EventLogError) -> Whereabouts {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let (pass, end) = try read(file, into: Fold(catalog))
    let ledger = pass.ledger
    let size = end.lacksLineFeed ? end.size : pass.endOffset
    var sink = EntityEvents(fold: pass.sink)
    if let event = EventID(text) {
      sink.wanted = .event(ledger.fullID(try point(of: event, ledger)))
    } else {
      let search = PlaceSearch(
        fold: pass.sink, path: path, isPart: false, isDamaged: pass.report.firstDamage != nil)
      sink.wanted = .row(pass.sink.rows[Int(try search.row(named: text))].entity, text)
      if case .row(let entity, _) = sink.wanted, entity >= 0 {
        sink.wanted = .row(entity, pass.sink.entityNames.text(Int(entity)))
      }
    }
    try JournalRereading(
      JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor), upTo: size,
      after: pass
    ).read(into: &sink)
    let found = sink.found
    let places = try places(ledger) { (ranges) throws(EventLogError) in
      try oldest(of: ranges, ledger, file, upTo: size)
    }
    let last = found.max { ($0.at, $0.id) < ($1.at, $1.id) }
    return Whereabouts(
      name: sink.name, eventCount: found.count,
      last: last.map { (ledger.shownID(of: $0.id), Timestamp(milliseconds: $0.at)) },
      places: places.map { place in
        let lacking = found.filter { ledger.contains($0.id, in: place.waiting) }
        return Whereabouts.Place(
          place: place, lacking: lacking.map(\.id),
          oldest: lacking.map(\.at).min().flatMap { Timestamp(milliseconds: $0) })
      },
      firstDamage: pass.report.firstDamage, damageCount: pass.report.problemCount,
      warnings: tailProblems(end))
  }
}

/// Collects the events of an entity.
private struct EntityEvents: EventSink {
  enum Wanted {
    case event(FullEventID)
    /// An entity by its number, with its name; of a singleton −1, with its kind.
    case row(Int32, String)
  }

  let fold: Fold
  var wanted = Wanted.row(-1, "")
  private(set) var found: [(id: FullEventID, at: Int64)] = []

  init(fold: Fold) { self.fold = fold }

  var name: String {
    switch wanted {
    case .event(let event): event.shortID.description
    case .row(_, let name): name
    }
  }

  mutating func restart(_ blank: EntityEvents) { found = [] }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    guard isWanted(layout, canonical, branch, ledger) else { return }
    let event = ledger.fullID(Ledger.Point(branch: Int32(branch), sequence: layout.sequence))
    found.append((event, layout.version == 1 ? layout.atMilliseconds : .min))
  }

  private func isWanted(
    _ layout: LineLayout, _ canonical: Span<UInt8>, _ branch: Int, _ ledger: Ledger
  ) -> Bool {
    switch wanted {
    case .event(let event):
      return layout.sequence == event.sequence
        && ledger.fullID(Ledger.Point(branch: Int32(branch), sequence: layout.sequence)) == event
    case .row(let entity, let kind):
      guard layout.version == 1 else { return false }
      if entity >= 0 {
        guard !layout.entity.isEmpty else { return false }
        return fold.entityNames.find(canonical, layout.entity) == Int(entity)
      }
      guard layout.entity.isEmpty, let name = fold.typeNames.find(canonical, layout.type),
        let type = fold.compiled.type(named: name)
      else { return false }
      return fold.catalog.collections[fold.compiled.types[type].collection].kind == kind
    }
  }
}
