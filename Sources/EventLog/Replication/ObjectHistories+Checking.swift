extension ObjectHistories {
  /// An object up to this size may be checked again by any run; a larger one by fewer of them.
  private static let checkedBytes: UInt64 = 256 << 10

  /// Looks whether the objects that hold what the visitor holds too are whole: else it is not
  /// there, and has to be put again.
  ///
  /// Names alone would hide a bad object for ever from those who hold its events, and only they can
  /// replace it.
  ///
  /// - Parameter known: the keys of objects that were found whole before; what is found is added.
  mutating func leaveOutWhatIsNotWhole(_ known: inout Set<String>) async throws(EventLogError) {
    for device in catalog.ranges.keys.sorted() {
      guard let own = visitor.points[device] else { continue }
      var end: Int64 = 0
      while end < own.sequence, let next = catalog.objects(of: device, behind: end).first {
        if !known.contains(next.key) {
          guard try await checksums(of: next) != nil else {
            catalog.leaveOut(next)
            continue
          }
          known.insert(next.key)
        }
        end = next.range.last
      }
    }
  }

  /// One of the objects that were found whole, to be looked at again: a disk may have lost a bit of
  /// it since.
  ///
  /// Which one follows from what the visitor holds: so a rehearsal takes the same one as the run
  /// after it, and runs that have something to say take one after the other.
  func objectToCheckAgain(_ known: Set<String>) -> ObjectCatalog.RangeObject? {
    let objects = catalog.ranges.keys.sorted().flatMap { catalog.ranges[$0]! }
      .filter { known.contains($0.key) }
    if objects.isEmpty { return nil }
    let state = visitor.points.values.reduce(0) { (state: UInt64, point) in
      state ^ (UInt64(point.checksum.line) << 32 | UInt64(point.checksum.chain))
    }
    let object = objects[Int(state % UInt64(objects.count))]
    let turns = UInt64(clamping: object.byteCount) / Self.checkedBytes + 1
    return state / UInt64(objects.count) % turns == 0 ? object : nil
  }
}
