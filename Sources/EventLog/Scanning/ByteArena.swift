/// Stores byte strings of any length in 16-byte cells and reuses released ones.
///
/// A string of up to 16 KiB occupies a run of cells within one chunk; a longer one has an array of
/// its own. Copies of a paginated arena share each chunk until one of them writes to it.
package struct ByteArena: Sendable, Paginated {
  /// The location of a string.
  package struct Slot: Sendable, Hashable, BitwiseCopyable {
    /// The first cell; for a long string, the index of its array.
    package fileprivate(set) var cell: UInt32
    package fileprivate(set) var count: UInt32

    package static let empty = Slot(cell: 0, count: 0)

    package init(cell: UInt32, count: UInt32) {
      self.cell = cell
      self.count = count
    }
  }

  private static let cellBytes = 16
  private static let chunkBytes = 1 << 14
  /// All chunks, contiguous, until pagination. Afterwards it is immutable and backs the chunks
  /// whose array in `chunks` is empty.
  private var flat: [UInt8] = []
  private var chunks = PagedArray<[UInt8]>()
  private var isPaginated = false
  /// Strings longer than a chunk.
  private var long = PagedArray<[UInt8]>()
  private var freeLong = PagedArray<UInt32>()
  /// Free runs of cells, by the binary logarithm of their length.
  private var free = Array(repeating: PagedArray<UInt32>(), count: 11)
  private var byteCount = 0

  package init() {}

  /// Reserves capacity for `strings`, unless the arena is paginated.
  package mutating func reserve(_ strings: [ByteRange]) {
    if isPaginated { return }
    let byteCounts = strings.lazy.map { Int($0.count) }
      .filter { (1...Self.chunkBytes).contains($0) }
    let cellCount = byteCounts.reduce(0) { $0 + Self.cellBytes << Self.order($1) }
    // Add an eighth for unused chunk tails and later strings.
    flat.reserveCapacity(flat.count + cellCount + cellCount / 8)
  }

  /// Splits the arena into chunks that copies share; a chunk is moved only when it changes.
  package mutating func paginate() {
    guard !isPaginated else { return }
    isPaginated = true
    for _ in stride(from: 0, to: byteCount, by: Self.chunkBytes) { chunks.append([]) }
    chunks.paginate()
    long.paginate()
    freeLong.paginate()
    for order in free.indices { free[order].paginate() }
  }

  /// Stores a copy of `range` of `source`.
  package mutating func store(_ source: Span<UInt8>, _ range: ByteRange) -> Slot {
    if range.count > Self.chunkBytes { return storeLong(source, range) }
    let slot = allocate(Int(range.count))
    write(source, range, to: slot)
    return slot
  }

  package mutating func store(_ text: [UInt8]) -> Slot {
    store(text.span, ByteRange(0, text.count))
  }

  /// Releases `slot` and stores a copy of `range` of `source`, in the same cells if it fits.
  @inline(__always)
  package mutating func replace(
    _ slot: Slot, with source: Span<UInt8>, _ range: ByteRange
  ) -> Slot {
    if Self.order(Int(slot.count)) == Self.order(Int(range.count)), slot.count > 0,
      range.count > 0, slot.count <= Self.chunkBytes, range.count <= Self.chunkBytes
    {
      let same = Slot(cell: slot.cell, count: UInt32(range.count))
      write(source, range, to: same)
      return same
    }
    release(slot)
    return store(source, range)
  }

  package mutating func release(_ slot: Slot) {
    if slot.count > Self.chunkBytes {
      long[Int(slot.cell)] = []
      freeLong.append(slot.cell)
    } else if slot.count > 0 {
      free[Self.order(Int(slot.count))].append(slot.cell)
    }
  }

  package func bytes(_ slot: Slot) -> ArraySlice<UInt8> {
    if slot.count > Self.chunkBytes { return long[Int(slot.cell)][...] }
    let start = Int(slot.cell) * Self.cellBytes
    if !isPaginated { return flat[start..<(start + Int(slot.count))] }
    if slot.count == 0 { return [] }
    let chunk = chunks[start / Self.chunkBytes]
    if chunk.isEmpty { return flat[start..<(start + Int(slot.count))] }
    let offset = start % Self.chunkBytes
    return chunk[offset..<(offset + Int(slot.count))]
  }

  /// The smallest size class for `count` bytes.
  @inline(__always)
  private static func order(_ count: Int) -> Int {
    let cellCount = (count &+ cellBytes &- 1) / cellBytes
    return cellCount <= 1 ? 0 : Int.bitWidth - (cellCount - 1).leadingZeroBitCount
  }

  private mutating func storeLong(_ source: Span<UInt8>, _ range: ByteRange) -> Slot {
    let bytes = source.copy(range)
    if let cell = freeLong.popLast() {
      long[Int(cell)] = bytes
      return Slot(cell: cell, count: UInt32(range.count))
    }
    long.append(bytes)
    return Slot(cell: UInt32(long.count - 1), count: UInt32(range.count))
  }

  private mutating func allocate(_ count: Int) -> Slot {
    if count == 0 { return .empty }
    let order = Self.order(count)
    if let cell = free[order].popLast() { return Slot(cell: cell, count: UInt32(count)) }
    let length = Self.cellBytes << order
    // A run lies within one chunk. The rest of the last chunk serves shorter strings.
    while byteCount % Self.chunkBytes + length > Self.chunkBytes { freeRun() }
    let cell = byteCount / Self.cellBytes
    extend(by: length)
    return Slot(cell: UInt32(cell), count: UInt32(count))
  }

  /// Frees the largest run that fits at the end of the last chunk.
  private mutating func freeRun() {
    let cellCount = (Self.chunkBytes - byteCount % Self.chunkBytes) / Self.cellBytes
    let order = Int.bitWidth - 1 - cellCount.leadingZeroBitCount
    free[order].append(UInt32(byteCount / Self.cellBytes))
    extend(by: Self.cellBytes << order)
  }

  private mutating func extend(by length: Int) {
    let zeros = repeatElement(UInt8(0), count: length)
    if !isPaginated {
      // A chunk at a time: each append has a fixed cost that exceeds that of its bytes.
      if byteCount + length > flat.count {
        flat.append(contentsOf: repeatElement(0, count: Self.chunkBytes))
      }
    } else if byteCount % Self.chunkBytes == 0 {
      chunks.append(Array(zeros))
    } else {
      changeChunk(of: byteCount - 1) { $0.append(contentsOf: zeros) }
    }
    byteCount += length
  }

  /// Changes the chunk that contains `byte` in place, after copying it out of `flat`.
  @inline(__always)
  private mutating func changeChunk(of byte: Int, _ body: (inout [UInt8]) -> Void) {
    let start = byte & ~(Self.chunkBytes - 1)
    let (flat, byteCount) = (flat, byteCount)
    chunks.update(byte / Self.chunkBytes) { chunk in
      if chunk.isEmpty { chunk = Array(flat[start..<min(start + Self.chunkBytes, byteCount)]) }
      body(&chunk)
    }
  }

  @inline(__always)
  private mutating func write(_ source: Span<UInt8>, _ range: ByteRange, to slot: Slot) {
    let start = Int(slot.cell) * Self.cellBytes
    guard range.count > 0 else { return }
    if _fastPath(!isPaginated) {
      Self.copy(source, range, to: &flat, at: start)
    } else {
      changeChunk(of: start) {
        Self.copy(source, range, to: &$0, at: start % Self.chunkBytes)
      }
    }
  }

  @inline(__always)
  private static func copy(
    _ source: Span<UInt8>, _ range: ByteRange, to target: inout [UInt8], at start: Int
  ) {
    precondition(start >= 0 && start + Int(range.count) <= target.count)
    source.withUnsafeBufferPointer { source in
      target.withUnsafeMutableBufferPointer { target in
        UnsafeMutableRawPointer(target.baseAddress! + start).copyMemory(
          from: source.baseAddress! + range.start, byteCount: Int(range.count))
      }
    }
  }
}
