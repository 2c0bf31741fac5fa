/// Where in a journal's file the events of each branch stand, to a block of 64 KiB.
///
/// So a range of events is read without the rest of the file. It is made while the file is read;
/// memory: 12 bytes for each block and branch that has events in it. A line that had to wait for
/// others stands out of its order, and has an entry of its own: 24 bytes.
package struct LineIndex: Sendable {
  /// Lines that begin in the same stretch of so many bytes belong to one block.
  static let blockBytes: Int64 = 1 << 16

  /// A line that stands out of its order.
  struct Stray: Sendable {
    var branch: Int32
    var sequence: Int64
    var offset: Int64
    /// Without its LF.
    var byteCount: Int32
  }

  /// The first event of a branch in a block.
  struct Entry: Sendable {
    var block: Int32
    var sequence: Int64
  }

  /// Where the first event of each block begins; ascending.
  var starts: [Int64] = []
  /// Per branch its first event in each block where it has one; ascending.
  var entries: [[Entry]] = []
  /// In the order in which they were admitted.
  private(set) var strays = PagedArray<Stray>()
  /// Where the block ends that is being filled.
  private var limit: Int64 = 0

  package init() {}

  /// Where the block ends to which a line at `offset` belongs.
  static func limit(ofBlockAt offset: Int64) -> Int64 { (offset / blockBytes + 1) * blockBytes }

  /// Takes note of a branch's next event.
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

  /// Takes note of a line that has to wait: where it begins a block, what stood before ends there.
  mutating func pass(_ offset: Int64) {
    guard offset >= limit else { return }
    starts.append(offset)
    limit = Self.limit(ofBlockAt: offset)
  }

  /// Takes note of an event whose line stands out of its order.
  mutating func addStray(_ branch: Int, _ sequence: Int64, at position: LinePosition) {
    strays.append(
      Stray(
        branch: Int32(branch), sequence: sequence, offset: position.offset,
        byteCount: Int32(position.byteCount)))
  }

  @inline(never)
  private mutating func addEntry(_ device: Int, _ sequence: Int64) {
    while entries.count <= device { entries.append([]) }
    entries[device].append(Entry(block: Int32(starts.count - 1), sequence: sequence))
  }

  /// The parts of a file of `size` bytes in which the given events of a branch stand: whole lines,
  /// of other branches too; without those that stand out of their order.
  ///
  /// - Complexity: O(log blocks) and the parts.
  package func parts(
    of device: Int, _ sequences: ClosedRange<Int64>, size: Int64
  ) -> [Range<Int64>] {
    guard device < entries.count else { return [] }
    let entries = entries[device]
    // The last entry that begins at or before the first event.
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].sequence <= sequences.lowerBound {
        low = middle + 1
      } else {
        high = middle
      }
    }
    var parts: [Range<Int64>] = []
    for entry in entries[max(0, low - 1)...] {
      if entry.sequence > sequences.upperBound { break }
      let block = Int(entry.block)
      let end = block + 1 < starts.count ? starts[block + 1] : size
      if let last = parts.last, last.upperBound == starts[block] {
        parts[parts.count - 1] = last.lowerBound..<max(end, last.upperBound)
      } else {
        parts.append(starts[block]..<max(end, starts[block]))
      }
    }
    return parts
  }

  /// The parts of several branches' events, in the order of the file; no two of them touch.
  package func parts(of ranges: [Int: ClosedRange<Int64>], size: Int64) -> [Range<Int64>] {
    let all = ranges.flatMap { parts(of: $0.key, $0.value, size: size) }
    var merged: [Range<Int64>] = []
    for part in all.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, part.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, part.upperBound)
      } else {
        merged.append(part)
      }
    }
    return merged
  }
}

extension LineIndex {
  /// Whether all that it tells of stands before a byte of the file.
  func endsBefore(_ offset: Int64) -> Bool {
    (starts.last ?? -1) < offset
      && strays.indices.allSatisfy { strays[$0].offset + Int64(strays[$0].byteCount) < offset }
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
      &strays, Stray(branch: 0, sequence: 0, offset: 0, byteCount: 0),
      [
        Column(\.branch, below: branchCount),
        Column(\.sequence, in: 1...LineLimits.sequenceMax),
        Column(\.offset, in: 0...(1 << 60)),
        Column(\.byteCount, in: 0...Int64(LineLimits.lineBytesMax)),
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
