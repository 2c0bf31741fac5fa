import Synchronization

/// Numbers the names in the lines of one reading, on the scanning thread.
///
/// A sink then finds the data of a name by its number, without comparing bytes. Names beyond
/// ``namesMax`` of a kind have no number, to bound the memory for any journal.
struct NameNumbers {
  /// Counts readings, because numbers are valid only within one.
  private static let readings = Atomic<UInt32>(0)
  fileprivate static let namesMax = 1 << 18

  private let reading: UInt32
  private var devices = ByteInterner()
  private var types = ByteInterner()
  private var entities = ByteInterner()
  private var fields = ByteInterner()
  private var deviceMemo = NameMemo()
  private var typeMemo = NameMemo()
  private var fieldMemo = NameMemo()

  init() { reading = Self.readings.add(1, ordering: .relaxed).newValue }

  @inline(__always)
  mutating func numbers(of layout: LineLayout, _ canonical: Span<UInt8>) -> LineLayout.Names {
    var names = LineLayout.Names()
    names.reading = reading
    names.device = device(canonical, layout.device)
    names.type = typeMemo.number(canonical, layout.type, in: &types)
    if !layout.entity.isEmpty { names.entity = entities.number(canonical, layout.entity) }
    return names
  }

  /// The number of a device in an entry of `seen`.
  @inline(__always)
  mutating func device(_ canonical: Span<UInt8>, _ range: ByteRange) -> Int32 {
    deviceMemo.number(canonical, range, in: &devices)
  }

  /// The number of a member's name.
  @inline(__always)
  mutating func field(_ canonical: Span<UInt8>, _ range: ByteRange) -> Int32 {
    fieldMemo.number(canonical, range, in: &fields)
  }
}

extension ByteInterner {
  /// The number of a name, assigned if it is new; −1 if there are too many.
  fileprivate mutating func number(_ bytes: Span<UInt8>, _ range: ByteRange) -> Int32 {
    if count < NameNumbers.namesMax { return Int32(truncatingIfNeeded: intern(bytes, range)) }
    return find(bytes, range).map { Int32(truncatingIfNeeded: $0) } ?? -1
  }
}

/// Caches the numbers of frequent names: up to 16 bytes, a hit compares two words.
private struct NameMemo {
  /// The length of a name and its first and last eight bytes, which cover up to 16 bytes.
  private struct Slot {
    var ends: (first: UInt64, last: UInt64) = (0, 0)
    var count: Int32 = 0
    var number: Int32 = -1
  }

  private var slots = Array(repeating: Slot(), count: 128)

  @inline(__always)
  mutating func number(
    _ bytes: Span<UInt8>, _ range: ByteRange, in names: inout ByteInterner
  ) -> Int32 {
    guard let ends = bytes.ends(of: range) else { return names.number(bytes, range) }
    let mixed = (ends.first ^ ends.last.byteSwapped) &* 0x9E37_79B9_7F4A_7C15
    let slotIndex = Int(truncatingIfNeeded: mixed >> 57)
    let slot = slots[slotIndex]
    if slot.ends == ends, slot.count == range.count, slot.number >= 0,
      range.count <= 16 || names.isEntry(Int(slot.number), bytes, range)
    {
      return slot.number
    }
    return findNumber(bytes, range, ends, slotIndex, in: &names)
  }

  @inline(never)
  private mutating func findNumber(
    _ bytes: Span<UInt8>, _ range: ByteRange, _ ends: (first: UInt64, last: UInt64),
    _ slotIndex: Int, in names: inout ByteInterner
  ) -> Int32 {
    let number = names.number(bytes, range)
    slots[slotIndex] = Slot(ends: ends, count: range.count, number: number)
    return number
  }
}

/// A sink's values for names, by the numbers that the reading assigns.
package struct NumberedNames: Sendable {
  private var reading: UInt32 = 0
  private var values: [Int32] = []

  package init() {}

  /// The value stored for a name; −1 if there is none or the name has no number.
  @inline(__always)
  package func value(_ name: Int32, of reading: UInt32) -> Int {
    guard reading == self.reading, UInt32(bitPattern: name) < UInt32(values.count) else {
      return -1
    }
    return Int(values[Int(name)])
  }

  /// Stores a value other than −1 for a name with a number; discards those of other readings.
  @inline(never)
  package mutating func note(_ value: Int, under name: Int32, of reading: UInt32) {
    guard name >= 0 else { return }
    if reading != self.reading {
      self.reading = reading
      values = []
    }
    while values.count <= Int(name) { values.append(-1) }
    values[Int(name)] = Int32(truncatingIfNeeded: value)
  }
}
