extension ObjectHistories {
  /// A run reads about so many bytes to check what is there.
  private static let checkedBytes: UInt64 = 256 << 10
  /// What an object counts beside its bytes: asking for one costs, however small it is.
  private static let objectCost: UInt64 = 8 << 10

  /// Leaves out objects that are not what their names say, so that the visitor puts the events in
  /// them again.
  ///
  /// Names alone would hide a bad object for ever from those who hold its events, and only they can
  /// replace it. Each run checks some objects, of a small place all; which ones follows from what
  /// the visitor holds, so that a rehearsal checks the same ones as the run after it.
  mutating func leaveOutWhatIsDamaged() async throws(EventLogError) {
    let held = catalog.ranges.values.joined().filter { object in
      catalog.isThere(object)
        && (visitor.points[object.range.device]?.sequence ?? 0) >= object.range.last
    }
    let cost = held.reduce(0) { $0 &+ UInt64(clamping: $1.byteCount) &+ Self.objectCost }
    let turns = cost / Self.checkedBytes + 1
    let state = visitor.points.values.reduce(0) { $0 ^ Self.digest($1.checksum) }
    for object in held {
      var choice = SplitMix64(seed: state ^ Self.digest(object.name.checksum))
      guard choice.next() % turns == 0 else { continue }
      if try await checksums(of: object) == nil { catalog.leaveOut(object) }
    }
  }

  private static func digest(_ checksum: LineChecksum) -> UInt64 {
    UInt64(checksum.line) << 32 | UInt64(checksum.chain)
  }
}
