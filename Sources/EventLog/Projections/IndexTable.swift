/// A hash table from pairs of integers to nonnegative integers.
package struct IndexTable: Sendable, Paginated {
  private struct Slot: Sendable {
    var key: UInt64
    var value: Int32
  }

  /// Random for each process, so that untrusted bytes, which are half of some keys, can't be chosen
  /// to collide.
  private static let processSeed = UInt64.random(in: .min ... .max)
  private let seed = IndexTable.processSeed
  private var slots = PagedArray<Slot>(repeating: Slot(key: 0, value: -1), count: 16)
  private var count = 0

  package init() {}

  @inline(__always)
  private static func key(_ first: Int32, _ second: Int32) -> UInt64 {
    UInt64(UInt32(bitPattern: first)) << 32 | UInt64(UInt32(bitPattern: second))
  }

  @inline(__always)
  private func hash(_ key: UInt64) -> Int {
    let mixed = ((key ^ seed) ^ (key >> 29)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 32)
  }

  /// The value of a pair, or −1.
  @inline(__always)
  package func find(_ first: Int32, _ second: Int32) -> Int32 {
    let key = Self.key(first, second)
    let mask = slots.count &- 1
    var slotIndex = hash(key) & mask
    while slots[slotIndex].value >= 0 {
      if slots[slotIndex].key == key { return slots[slotIndex].value }
      slotIndex = (slotIndex &+ 1) & mask
    }
    return -1
  }

  /// Inserts a nonnegative value for a pair that has none yet.
  package mutating func insert(_ first: Int32, _ second: Int32, _ value: Int32) {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    insert(Slot(key: Self.key(first, second), value: value))
    count += 1
  }

  /// Inserts a nonnegative value for a pair, unless it has one.
  ///
  /// - Returns: Whether it was inserted.
  mutating func insertIfNew(_ first: Int32, _ second: Int32, _ value: Int32) -> Bool {
    guard find(first, second) < 0 else { return false }
    insert(first, second, value)
    return true
  }

  /// Reserves capacity for `count` more pairs.
  mutating func reserve(_ count: Int) {
    var slotCount = slots.count
    while (self.count + count) * 4 > slotCount * 3 { slotCount *= 2 }
    if slotCount > slots.count { grow(to: slotCount) }
  }

  /// Divides the table into pages that copies share until they change them.
  package mutating func paginate() { slots.paginate() }

  private mutating func insert(_ slot: Slot) {
    let mask = slots.count - 1
    var slotIndex = hash(slot.key) & mask
    while slots[slotIndex].value >= 0 { slotIndex = (slotIndex + 1) & mask }
    slots[slotIndex] = slot
  }

  private mutating func grow(to slotCount: Int? = nil) {
    let old = slots
    slots = PagedArray(
      repeating: Slot(key: 0, value: -1), count: slotCount ?? old.count * 2,
      isPaginated: old.isPaginated)
    for index in old.indices where old[index].value >= 0 { insert(old[index]) }
  }
}
