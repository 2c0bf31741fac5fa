/// Keeps byte strings of any length in one array, in rooms of 16 bytes that are used again.
package struct ByteArena: Sendable {
  /// Where a string is kept.
  package struct Slot: Sendable, Hashable {
    /// Of the first room.
    fileprivate var room: UInt32
    package fileprivate(set) var count: UInt32

    package static let empty = Slot(room: 0, count: 0)
  }

  private static let roomBytes = 16
  private var bytes: [UInt8] = []
  /// Free runs of rooms, by the binary logarithm of their length.
  private var free: [[UInt32]] = Array(repeating: [], count: 32)

  package init() {}

  /// Keeps a copy of `range` of `source`.
  package mutating func store(_ source: Span<UInt8>, _ range: ByteRange) -> Slot {
    let slot = allocate(Int(range.count))
    write(source, range, to: slot)
    return slot
  }

  package mutating func store(_ text: [UInt8]) -> Slot {
    store(text.span, ByteRange(0, text.count))
  }

  /// Keeps a copy of `range` of `source` in the place of `slot`, which is given up.
  @inline(__always)
  package mutating func replace(
    _ slot: Slot, with source: Span<UInt8>, _ range: ByteRange
  ) -> Slot {
    if Self.order(Int(slot.count)) == Self.order(Int(range.count)), slot.count > 0 {
      let same = Slot(room: slot.room, count: UInt32(range.count))
      write(source, range, to: same)
      return same
    }
    release(slot)
    return store(source, range)
  }

  package mutating func release(_ slot: Slot) {
    if slot.count > 0 { free[Self.order(Int(slot.count))].append(slot.room) }
  }

  package func bytes(_ slot: Slot) -> ArraySlice<UInt8> {
    let start = Int(slot.room) * Self.roomBytes
    return bytes[start..<(start + Int(slot.count))]
  }

  /// The smallest power of two of rooms that holds `count` bytes.
  @inline(__always)
  private static func order(_ count: Int) -> Int {
    let rooms = (count &+ roomBytes &- 1) / roomBytes
    return rooms <= 1 ? 0 : Int.bitWidth - (rooms - 1).leadingZeroBitCount
  }

  private mutating func allocate(_ count: Int) -> Slot {
    if count == 0 { return .empty }
    let order = Self.order(count)
    if let room = free[order].popLast() { return Slot(room: room, count: UInt32(count)) }
    let room = bytes.count / Self.roomBytes
    bytes.append(contentsOf: repeatElement(0, count: Self.roomBytes << order))
    return Slot(room: UInt32(room), count: UInt32(count))
  }

  @inline(__always)
  private mutating func write(_ source: Span<UInt8>, _ range: ByteRange, to slot: Slot) {
    let start = Int(slot.room) * Self.roomBytes
    source.withUnsafeBufferPointer { source in
      bytes.withUnsafeMutableBufferPointer { target in
        guard range.count > 0 else { return }
        UnsafeMutableRawPointer(target.baseAddress! + start).copyMemory(
          from: source.baseAddress! + range.start, byteCount: Int(range.count))
      }
    }
  }
}
