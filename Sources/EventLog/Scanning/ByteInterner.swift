/// Numbers distinct byte strings in the order of first appearance.
///
/// Open addressing over one arena. Each process seeds the hash differently, so that a foreign
/// journal can't cause collisions on purpose; no output depends on it. Entries never change: a
/// paginated interner keeps existing entries in one array shared by all copies, and adds new ones
/// to chunks.
package struct ByteInterner: Sendable, Paginated {
  private struct Slot: Sendable {
    var hash: UInt32
    /// The entry's index plus one; 0 marks a free slot.
    var entry: UInt32
  }

  /// The location of an entry's bytes.
  private struct Entry: Sendable {
    /// 0 for `arena`, otherwise a chunk number from 1.
    var chunk: UInt32
    var start: UInt32
    var count: UInt32
  }

  private static let chunkBytes = 1 << 12
  private static let processSeed = UInt64.random(in: .min ... .max) | 1
  private let seed = ByteInterner.processSeed

  private var slots = PagedArray<Slot>(repeating: Slot(hash: 0, entry: 0), count: 16)
  private var entries = PagedArray<Entry>()
  private var arena: [UInt8] = []
  private var chunks = PagedArray<[UInt8]>()

  package init() {}

  package var count: Int { entries.count }

  package mutating func paginate() {
    slots.paginate()
    entries.paginate()
    chunks.paginate()
  }

  package func bytes(_ index: Int) -> ArraySlice<UInt8> {
    let entry = entries[index]
    let range = Int(entry.start)..<Int(entry.start + entry.count)
    return entry.chunk == 0 ? arena[range] : chunks[Int(entry.chunk) - 1][range]
  }

  /// Whether the first entries equal those of `other`.
  func begins(with other: ByteInterner) -> Bool {
    count >= other.count && (0..<other.count).allSatisfy { bytes($0) == other.bytes($0) }
  }

  package func text(_ index: Int) -> String { String(decoding: bytes(index), as: UTF8.self) }

  /// The number of `range` of `bytes`, which is added if it is new. Amortized O(length).
  @inline(__always)
  package mutating func intern(_ bytes: Span<UInt8>, _ range: ByteRange) -> Int {
    bytes.withUnsafeBufferPointer { buffer in
      let key = UnsafeBufferPointer(rebasing: buffer[range.range])
      return intern(key)
    }
  }

  /// Like ``intern(_:_:)``, but tries entry `likely` first, unless it is negative.
  @inline(__always)
  mutating func intern(_ bytes: Span<UInt8>, _ range: ByteRange, likely: Int) -> Int {
    likely >= 0 && isEntry(likely, bytes, range) ? likely : intern(bytes, range)
  }

  package mutating func intern(_ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBufferPointer { intern($0) }
  }

  package mutating func intern(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.withUnsafeBufferPointer { intern($0) }
  }

  package mutating func intern(_ text: String) -> Int { intern(Array(text.utf8)) }

  /// The number of `range` of `bytes`, or nil if it is unknown.
  package func find(_ bytes: Span<UInt8>, _ range: ByteRange) -> Int? {
    bytes.withUnsafeBufferPointer { buffer in
      find(UnsafeBufferPointer(rebasing: buffer[range.range]))
    }
  }

  package func find(_ bytes: [UInt8]) -> Int? { bytes.withUnsafeBufferPointer { find($0) } }

  package func find(_ text: String) -> Int? { find(Array(text.utf8)) }

  /// Whether entry `index` is exactly `range` of `bytes`.
  @inline(__always)
  package func isEntry(_ index: Int, _ bytes: Span<UInt8>, _ range: ByteRange) -> Bool {
    bytes.withUnsafeBufferPointer { isEqual(index, UnsafeBufferPointer(rebasing: $0[range.range])) }
  }

  private func find(_ key: UnsafeBufferPointer<UInt8>) -> Int? {
    slot(of: key, Self.hash(key, seed)).entry
  }

  /// The slot of `key` and its entry, or the free slot for it.
  @inline(__always)
  private func slot(
    of key: UnsafeBufferPointer<UInt8>, _ hash: UInt32
  ) -> (index: Int, entry: Int?) {
    let mask = slots.count &- 1
    var index = Int(hash) & mask
    var slot = slots[index]
    while slot.entry != 0 {
      let entry = Int(slot.entry) - 1
      if slot.hash == hash, isEqual(entry, key) { return (index, entry) }
      index = (index + 1) & mask
      slot = slots[index]
    }
    return (index, nil)
  }

  private mutating func intern(_ key: UnsafeBufferPointer<UInt8>) -> Int {
    let hash = Self.hash(key, seed)
    let (slotIndex, known) = slot(of: key, hash)
    if let known { return known }
    let index = entries.count
    add(key)
    slots[slotIndex] = Slot(hash: hash, entry: UInt32(index + 1))
    if entries.count * 4 > slots.count * 3 { grow() }
    return index
  }

  private mutating func add(_ key: UnsafeBufferPointer<UInt8>) {
    let count = UInt32(key.count)
    if !entries.isPaginated, arena.count < 1 << 31 {
      entries.append(Entry(chunk: 0, start: UInt32(arena.count), count: count))
      return arena.append(contentsOf: key)
    }
    if chunks.last.map({ $0.count + key.count > Self.chunkBytes }) ?? true { chunks.append([]) }
    let start = chunks.last?.count ?? 0
    chunks.update(chunks.count - 1) { $0.append(contentsOf: key) }
    entries.append(Entry(chunk: UInt32(chunks.count), start: UInt32(start), count: count))
  }

  private mutating func grow() {
    let old = slots
    slots = PagedArray(
      repeating: Slot(hash: 0, entry: 0), count: old.count * 2, isPaginated: old.isPaginated)
    let mask = slots.count &- 1
    for index in old.indices where old[index].entry != 0 {
      let slot = old[index]
      var slotIndex = Int(slot.hash) & mask
      while slots[slotIndex].entry != 0 { slotIndex = (slotIndex + 1) & mask }
      slots[slotIndex] = slot
    }
  }

  @inline(__always)
  private func isEqual(_ index: Int, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
    let entry = entries[index]
    guard Int(entry.count) == key.count else { return false }
    guard let base = key.baseAddress, key.count > 0 else { return true }
    if entry.chunk != 0 {
      return chunks[Int(entry.chunk) - 1].withUnsafeBufferPointer { chunk in
        areEqual(chunk.baseAddress! + Int(entry.start), base, count: key.count)
      }
    }
    return arena.withUnsafeBufferPointer { arena in
      areEqual(arena.baseAddress! + Int(entry.start), base, count: key.count)
    }
  }

  /// Multiplies and folds, eight bytes per step.
  @inline(__always)
  private static func hash(_ key: UnsafeBufferPointer<UInt8>, _ seed: UInt64) -> UInt32 {
    var state = seed ^ UInt64(truncatingIfNeeded: key.count) &* 0x9E37_79B9_7F4A_7C15
    guard let base = key.baseAddress else { return UInt32(truncatingIfNeeded: state) }
    var index = 0
    while index &+ 8 <= key.count {
      let word = UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
      state = mix(state ^ word, seed)
      index &+= 8
    }
    var rest: UInt64 = 0
    if key.count >= 8 {
      // Load the last eight bytes, overlapping the previous ones: cheaper than a loop, and as good.
      rest = UnsafeRawPointer(base + (key.count &- 8)).loadUnaligned(as: UInt64.self)
    } else {
      while index < key.count {
        rest = rest << 8 | UInt64(base[index])
        index &+= 1
      }
    }
    state = mix(state ^ rest, seed)
    return UInt32(truncatingIfNeeded: state ^ (state >> 32))
  }

  @inline(__always)
  private static func mix(_ value: UInt64, _ seed: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: seed ^ 0xA076_1D64_78BD_642F)
    return product.high ^ product.low
  }
}
