/// The blocks of 64 KiB in a journal's file that contain the events of each branch.
///
/// It allows a range of events to be read without the rest of the file. It is built while the file
/// is read, and needs 12 bytes for each block and branch with events in it. Each deferred line is
/// out of order, and has its own entry of 32 bytes.
package struct LineIndex: Sendable {
  /// The size of a block in bytes.
  ///
  /// A line belongs to the block that contains its first byte.
  static let blockBytes: Int64 = 1 << 16

  /// A line that was admitted out of file order.
  struct Stray: Sendable {
    var branch: Int32
    var sequence: Int64
    var offset: Int64
    /// The length of the line, with its line ending.
    var byteCount: Int32
    /// The end of the lines that had been read when this one was admitted.
    var readUpTo: Int64

    var byteRange: Range<Int64> { offset..<offset + Int64(byteCount) }
  }

  /// The first event of a branch in a block.
  struct Entry: Sendable {
    var block: Int32
    var sequence: Int64
  }

  /// The offset of the first line in each block that isn't empty, ascending.
  var starts: [Int64] = []
  /// For each branch, its first event in each block that has one, ascending.
  var entries: [[Entry]] = []
  /// The lines out of file order, in the order of their admission.
  private(set) var strays = PagedArray<Stray>()
  /// The end of the current block.
  private var limit: Int64 = 0

  package init() {}

  /// The end of the block that contains `offset`.
  static func limit(ofBlockAt offset: Int64) -> Int64 { (offset / blockBytes + 1) * blockBytes }

  /// Adds a branch's next event.
  @inline(__always)
  mutating func add(_ device: Int, _ sequence: Int64, at offset: Int64) {
    if offset >= limit {
      starts.append(offset)
      limit = Self.limit(ofBlockAt: offset)
    } else if device < entries.count, let last = entries[device].last,
      Int(last.block) == starts.count &- 1
    {
      return
    }
    addEntry(device, sequence)
  }

  /// Records the offset of a deferred line, which ends the previous block if it starts a new one.
  mutating func pass(_ offset: Int64) {
    guard offset >= limit else { return }
    starts.append(offset)
    limit = Self.limit(ofBlockAt: offset)
  }

  /// Adds an event whose line is out of file order.
  ///
  /// - Parameter readUpTo: The end of the lines that have been read.
  mutating func addStray(
    _ branch: Int, _ sequence: Int64, at position: LinePosition, readUpTo: Int64
  ) {
    // Spaces after a last line without LF may become other lines.
    let byteCount =
      position.isTerminated ? Int(position.endOffset - position.offset) : position.byteCount
    strays.append(
      Stray(
        branch: Int32(branch), sequence: sequence, offset: position.offset,
        byteCount: Int32(byteCount), readUpTo: readUpTo))
  }

  /// Records that the lines from `offset` on are cut: later lines begin there.
  mutating func limitReading(to offset: Int64) {
    for index in strays.indices where strays[index].readUpTo > offset {
      strays.update(index) { $0.readUpTo = offset }
    }
  }

  @inline(never)
  private mutating func addEntry(_ device: Int, _ sequence: Int64) {
    while entries.count <= device { entries.append([]) }
    entries[device].append(Entry(block: Int32(starts.count - 1), sequence: sequence))
  }

  /// The blocks of a file of `size` bytes that contain the given events of a branch, except strays.
  ///
  /// They consist of whole lines, including those of other branches.
  ///
  /// - Complexity: O(log blocks + parts).
  package func parts(
    of device: Int, _ sequences: Range<Int64>, size: Int64
  ) -> [Range<Int64>] {
    guard device < entries.count else { return [] }
    let entries = entries[device]
    // The last entry at or before the first event.
    let first = entries.partitioningIndex { $0.sequence > sequences.lowerBound } - 1
    return entries[max(0, first)...].prefix { $0.sequence < sequences.upperBound }.map { entry in
      let block = Int(entry.block)
      let end = block + 1 < starts.count ? starts[block + 1] : size
      return starts[block]..<max(end, starts[block])
    }
  }
}

extension LineIndex {
  /// Whether every block starts before `offset`, and every stray ends at or before it.
  func endsBefore(_ offset: Int64) -> Bool {
    (starts.last ?? -1) < offset
      && strays.indices.allSatisfy { strays[$0].byteRange.upperBound <= offset }
  }

  /// An entry with its branch.
  private struct StoredEntry {
    var entry = Entry(block: 0, sequence: 0)
    var branch: Int32 = 0
  }

  mutating func forEachTable(
    _ visitor: inout TableVisitor, branchCount: Int
  ) throws(ColumnFault) {
    try visitor.rows(&starts, 0, [Column(\.self, in: 0...(1 << 60))])
    var stored = entries.enumerated().flatMap { branch, entries in
      entries.map { StoredEntry(entry: $0, branch: Int32(branch)) }
    }
    try visitor.rows(
      &stored, StoredEntry(),
      [
        Column(\.branch, below: branchCount), Column(\.entry.block, below: starts.count),
        Column(\.entry.sequence, in: 1...LineLimits.sequenceMax),
      ])
    try visitor.table(
      &strays, Stray(branch: 0, sequence: 0, offset: 0, byteCount: 0, readUpTo: 0),
      [
        Column(\.branch, below: branchCount),
        Column(\.sequence, in: 1...LineLimits.sequenceMax),
        Column(\.offset, in: 0...(1 << 60)),
        Column(\.byteCount, in: 0...Int64(LineLimits.lineBytesMax + 2)),
        Column(\.readUpTo, in: 0...(1 << 60)),
      ])
    guard visitor.isReading else { return }
    guard zip(starts, starts.dropFirst()).allSatisfy(<) else { throw ColumnFault() }
    limit = starts.last.map(Self.limit(ofBlockAt:)) ?? 0
    for run in try stored.runs(by: \.branch) {
      let own = stored[run].map(\.entry)
      guard
        zip(own, own.dropFirst()).allSatisfy({ $0.block < $1.block && $0.sequence < $1.sequence })
      else { throw ColumnFault() }
      while entries.count < stored[run.lowerBound].branch { entries.append([]) }
      entries.append(own)
    }
  }
}
