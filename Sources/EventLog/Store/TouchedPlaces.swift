/// The places that some events are about, and when those events were.
package struct TouchedPlaces: LineSink {
  /// Per entity the days that were written to, by number, and `Fold.Row.noDay` where the entity
  /// itself was.
  package private(set) var entities: [EntityID: Set<Int32>] = [:]
  /// A copy whose names and rules tell what an event writes; it is never written to.
  private var fold: Fold
  private var times: [DeviceID: ClosedRange<Timestamp>] = [:]

  package init(by catalog: SchemaCatalog) { fold = Fold(catalog) }

  /// Adds what some ranges are about and returns their times.
  ///
  /// - Parameter fold: the state of the journal that holds them.
  package mutating func collect(
    _ ranges: consuming RangeReader, of fold: Fold
  ) throws(EventLogError) -> [DeviceID: ClosedRange<Timestamp>] {
    self.fold = fold
    times = [:]
    var scanner = LineScanner()
    while let batch = try ranges.next() { scanner.scanLines(batch.bytes, into: &self) }
    return times
  }

  package mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    // Of a line of a later version only the ID is known.
    guard layout.version == 1 else { return }
    let device = DeviceID(trusted: canonical.text(layout.device))
    let at = Timestamp(trusted: layout.atMilliseconds)
    let known = times[device] ?? at...at
    times[device] = min(known.lowerBound, at)...max(known.upperBound, at)
    guard let index = fold.entityNames.find(canonical, layout.entity),
      let entity = EntityID(canonical.text(layout.entity))
    else { return }
    // What changes no field may change whether the entity is there.
    let type = fold.plan(layout, canonical, entity: Int32(index))
    let row = type.map { fold.plannedRow($0, entity: Int32(index)) } ?? -1
    if row >= 0 {
      entities[entity, default: []].insert(fold.rows[Int(row)].day)
    } else {
      entities[entity, default: []].formUnion([])
    }
  }

  package mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
