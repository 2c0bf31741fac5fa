/// A hash table from two small numbers to a third.
package struct IndexTable: Sendable, Paginated {
  private struct Slot: Sendable {
    var key: UInt64
    var value: Int32
  }

  /// New in each process: half of some keys comes from foreign bytes, which are not to collide on
  /// purpose.
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

  /// The number under the two, or −1.
  @inline(__always)
  package func find(_ first: Int32, _ second: Int32) -> Int32 {
    let key = Self.key(first, second)
    let mask = slots.count &- 1
    var place = hash(key) & mask
    while slots[place].value >= 0 {
      if slots[place].key == key { return slots[place].value }
      place = (place &+ 1) & mask
    }
    return -1
  }

  /// Puts `value`, not negative, under two numbers that have none yet.
  package mutating func insert(_ first: Int32, _ second: Int32, _ value: Int32) {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    place(Slot(key: Self.key(first, second), value: value))
    count += 1
  }

  /// Puts `value`, not negative, under two numbers, unless they have one.
  mutating func insertIfNew(_ first: Int32, _ second: Int32, _ value: Int32) -> Bool {
    guard find(first, second) < 0 else { return false }
    insert(first, second, value)
    return true
  }

  /// Makes room for `count` further numbers at once.
  mutating func reserve(_ count: Int) {
    var slotCount = slots.count
    while (self.count + count) * 4 > slotCount * 3 { slotCount *= 2 }
    if slotCount > slots.count { grow(to: slotCount) }
  }

  /// Lets copies share what neither changes.
  package mutating func paginate() { slots.paginate() }

  private mutating func place(_ slot: Slot) {
    let mask = slots.count - 1
    var place = hash(slot.key) & mask
    while slots[place].value >= 0 { place = (place + 1) & mask }
    slots[place] = slot
  }

  private mutating func grow(to slotCount: Int? = nil) {
    let old = slots
    slots = PagedArray(
      repeating: Slot(key: 0, value: -1), count: slotCount ?? old.count * 2,
      isPaginated: old.isPaginated)
    for index in old.indices where old[index].value >= 0 { place(old[index]) }
  }
}
