/// The consecutive first lines of a batch until its last one is read.
package struct OpenBatch: Sendable {
  /// The maximum number of events of a batch.
  package static let countMax = 4096
  /// The maximum number of bytes of a batch, which is also that of a single event.
  package static let bytesMax = 1 << 20

  private var lines = ScannedBlock()
  private var count = 0
  private var byteCount = 0
  private var device = ""
  private var sequence: Int64 = 0
  private var chain: UInt32 = 0

  var isOpen: Bool { count > 0 }
  /// Whether it exceeds the limits of a batch.
  ///
  /// Such lines wait in the file, not in memory.
  var isFull: Bool { count >= Self.countMax || byteCount > 2 * Self.bytesMax }

  /// Whether a line is the next one of the batch.
  func continues(with layout: LineLayout, _ canonical: Span<UInt8>) -> Bool {
    layout.sequence == sequence + 1 && layout.checksum.before == chain
      && canonical.text(layout.device).hasBytes(of: device)
  }

  mutating func add(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    if count == 0 { device = canonical.text(layout.device) }
    lines.add(layout, canonical: canonical, line: line, at: position)
    count += 1
    byteCount += line.count
    (sequence, chain) = (layout.sequence, layout.checksum.chain)
  }

  /// Returns and removes the lines.
  mutating func take() -> ScannedBlock {
    defer { self = OpenBatch() }
    return lines
  }
}

extension Ledger {
  /// Whether a line would be admitted now as a new event.
  mutating func isReady(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Bool {
    let device = self.device(of: layout, canonical)
    if devices[device].isForeign || layout.sequence == 1 { return false }
    if layout.sequence <= devices[device].greatestMissing.sequence { return false }
    guard locate(device, layout.sequence, layout.checksum.chain) == nil,
      locate(device, layout.sequence - 1, layout.checksum.before) != nil
    else { return false }
    return hasResolved(layout, canonical)
  }

  /// Whether all entries of a line's `seen` are known.
  mutating func hasResolved(_ layout: LineLayout, _ canonical: Span<UInt8>) -> Bool {
    layout.seen.allSatisfy { entry in
      let other = device(of: entry, in: layout, canonical)
      return locate(other, entry.sequence, entry.chain) != nil
    }
  }
}
