/// The entities that some events are about, and when those events were.
struct TouchedPlaces: LineSink {
  private(set) var entities: Set<EntityID> = []
  private var times: [DeviceID: ClosedRange<Timestamp>] = [:]

  /// Adds what some ranges are about and returns their times.
  mutating func collect(
    _ ranges: consuming RangeReader
  ) throws(EventLogError) -> [DeviceID: ClosedRange<Timestamp>] {
    times = [:]
    var scanner = LineScanner()
    while let batch = try ranges.next() { scanner.scanLines(batch.bytes, into: &self) }
    return times
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    // Of a line of a later version only the ID is known.
    guard layout.version == 1 else { return }
    let device = DeviceID(trusted: canonical.text(layout.device))
    let at = Timestamp(trusted: layout.atMilliseconds)
    let known = times[device] ?? at...at
    times[device] = min(known.lowerBound, at)...max(known.upperBound, at)
    if !layout.entity.isEmpty, let entity = EntityID(canonical.text(layout.entity)) {
      entities.insert(entity)
    }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
