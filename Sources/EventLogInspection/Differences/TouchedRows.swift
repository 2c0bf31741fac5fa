import EventLog

/// The entities and days that some events are about, and the times of these events.
struct TouchedRows: LineSink {
  /// For each entity, the days that were written to, by number, and `Fold.Row.noDay` if the entity
  /// itself was.
  private(set) var entities: [EntityID: Set<Int32>] = [:]
  /// A copy of the fold, used only for its names and for planning events.
  private var fold: Fold
  private var times: [DeviceID: ClosedRange<Timestamp>] = [:]

  init(by catalog: SchemaCatalog) { fold = Fold(catalog) }

  /// Adds the entities and days of some ranges and returns the times of each device's events.
  ///
  /// - Parameter fold: The state of the journal that contains the ranges.
  mutating func collect(
    _ ranges: consuming RangeReader, of fold: Fold
  ) throws(EventLogError) -> [DeviceID: ClosedRange<Timestamp>] {
    self.fold = fold
    times = [:]
    var scanner = LineScanner()
    while let batch = try ranges.next() { scanner.scanLines(batch.bytes, into: &self) }
    return times
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    // A line of a later version has only a known ID.
    guard layout.version == 1 else { return }
    let device = DeviceID(trusted: canonical.text(layout.device))
    let at = Timestamp(trusted: layout.atMilliseconds)
    let known = times[device] ?? at...at
    times[device] = min(known.lowerBound, at)...max(known.upperBound, at)
    guard let index = fold.entityNames.find(canonical, layout.entity),
      let entity = EntityID(canonical.text(layout.entity))
    else { return }
    // An event that changes no field may still contest a deletion.
    let type = fold.plan(layout, canonical, entity: Int32(index))
    let row = type.map { fold.plannedRow($0, entity: Int32(index)) } ?? -1
    if row >= 0 {
      entities[entity, default: []].insert(fold.rows[Int(row)].day)
    } else {
      entities[entity, default: []].formUnion([])
    }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
