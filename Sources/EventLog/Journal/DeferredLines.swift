/// The lines of a reading that need an event which was not read yet, or belong to an unfinished
/// batch.
///
/// Their positions and needs are stored, not their bytes: about 70 bytes for each, and 16 for each
/// entry of `seen`.
struct DeferredLines: Sendable {
  /// An event by its device's number, held or not.
  struct Key: Sendable, Hashable {
    var device: Int32
    var sequence: Int64
    var chain: UInt32
  }

  /// A deferred line.
  struct Line: Sendable {
    var key: Key
    /// The chain of the previous event.
    var before: UInt32
    var hasMore: Bool
    var position: LinePosition
    /// The range of its entries in ``DeferredLines/seen``.
    var seen: Range<Int>
    /// The event that it continues, or nil for a device's first event.
    var previous: Key? {
      key.sequence == 1
        ? nil : Key(device: key.device, sequence: key.sequence - 1, chain: before)
    }
  }

  private(set) var lines: [Line] = []
  private(set) var seen: [Key] = []

  var isEmpty: Bool { lines.isEmpty }

  mutating func add(
    _ layout: LineLayout, _ canonical: Span<UInt8>, at position: LinePosition,
    in ledger: inout Ledger
  ) {
    let device = ledger.device(of: layout, canonical)
    let start = seen.count
    for entry in layout.seen {
      let other = ledger.device(of: entry, in: layout, canonical)
      seen.append(Key(device: Int32(other), sequence: entry.sequence, chain: entry.chain))
    }
    lines.append(
      Line(
        key: Key(
          device: Int32(device), sequence: layout.sequence, chain: layout.checksum.chain),
        before: layout.checksum.before, hasMore: layout.hasMore, position: position,
        seen: start..<seen.count))
  }

  /// Keeps only the given lines.
  mutating func keep(_ kept: [Line]) {
    var rest = DeferredLines()
    for var line in kept {
      let start = rest.seen.count
      rest.seen += seen[line.seen]
      line.seen = start..<rest.seen.count
      rest.lines.append(line)
    }
    self = rest
  }
}
