import Synchronization

/// Numbers the names in the lines of one reading, on the thread that scans them: whoever takes the
/// lines finds what belongs to a name under its number, and compares no bytes.
///
/// Names beyond ``namesMax`` of a kind have no number: memory is bounded, whatever a journal names.
struct NameNumbers {
  /// Numbers of one reading mean nothing in another.
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

  /// The numbers of the names in an envelope.
  @inline(__always)
  mutating func numbers(of layout: LineLayout, _ canonical: Span<UInt8>) -> LineLayout.Names {
    var names = LineLayout.Names()
    names.reading = reading
    names.device = device(canonical, layout.device)
    names.type = typeMemo.number(canonical, layout.type, in: &types)
    if !layout.entity.isEmpty { names.entity = entities.number(canonical, layout.entity) }
    return names
  }

  /// The number of the device that an entry of `seen` names.
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
  /// The number of a name, given now if it has none; −1 where there are too many.
  fileprivate mutating func number(_ bytes: Span<UInt8>, _ range: ByteRange) -> Int32 {
    if count < NameNumbers.namesMax { return Int32(truncatingIfNeeded: intern(bytes, range)) }
    return find(bytes, range).map { Int32(truncatingIfNeeded: $0) } ?? -1
  }
}

/// The numbers of few names that come again and again, found without a look at all their bytes.
private struct NameMemo {
  /// A name's first and last eight bytes, which are all of it up to 16 bytes, and its length.
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
    let place = Int(truncatingIfNeeded: mixed >> 57)
    let slot = slots[place]
    if slot.ends == ends, slot.count == range.count, slot.number >= 0,
      range.count <= 16 || names.isEntry(Int(slot.number), bytes, range)
    {
      return slot.number
    }
    return findNumber(bytes, range, ends, place, in: &names)
  }

  @inline(never)
  private mutating func findNumber(
    _ bytes: Span<UInt8>, _ range: ByteRange, _ ends: (first: UInt64, last: UInt64), _ place: Int,
    in names: inout ByteInterner
  ) -> Int32 {
    let number = names.number(bytes, range)
    slots[place] = Slot(ends: ends, count: range.count, number: number)
    return number
  }
}

/// What a taker of lines has under the names that their reading numbers.
package struct NumberedNames: Sendable {
  private var reading: UInt32 = 0
  private var values: [Int32] = []

  package init() {}

  /// What was noted under a name; −1 where nothing was, or the name has no number.
  @inline(__always)
  package func value(_ name: Int32, of reading: UInt32) -> Int {
    guard reading == self.reading, UInt32(bitPattern: name) < UInt32(values.count) else {
      return -1
    }
    return Int(values[Int(name)])
  }

  /// Notes a value, not −1, under a name, if that has a number. Forgets other readings.
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
