/// Thrown for bytes that ``ColumnEncoder`` did not write, or that hold what cannot be.
package struct ColumnFault: Error, Hashable {
  package init() {}
}

/// Reads what ``ColumnEncoder`` wrote, from bytes that anybody may have changed.
///
/// Every number is asked for with the range that it must be in, and no memory is taken for more
/// than the bytes can hold.
package struct ColumnDecoder {
  private let bytes: ArraySlice<UInt8>
  private var index: Int

  /// The columns in `bytes`, from its beginning.
  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  /// Reads what stands in `bytes`, all of it.
  ///
  /// - Throws: `ColumnFault` also where some bytes are left.
  package static func read<Part>(
    _ bytes: ArraySlice<UInt8>, _ decode: (inout ColumnDecoder) throws(ColumnFault) -> Part
  ) throws(ColumnFault) -> Part {
    var decoder = ColumnDecoder(bytes)
    let part = try decode(&decoder)
    guard decoder.isAtEnd else { throw ColumnFault() }
    return part
  }

  /// What stands behind `mark` and its checksum.
  ///
  /// - Throws: `ColumnFault` if the mark is another or the checksum does not fit.
  /// - Complexity: O(length).
  package init(sealed bytes: [UInt8], _ mark: StaticString) throws(ColumnFault) {
    let isMarked = mark.withUTF8Buffer { bytes.starts(with: $0) }
    guard isMarked else { throw ColumnFault() }
    self.init(bytes[mark.utf8CodeUnitCount...])
    let checksum = try number(in: 0...Int64(UInt32.max))
    let found = bytes.withUnsafeBufferPointer { buffer -> UInt32 in
      guard let base = buffer.baseAddress else { return 0 }
      return CRC32C.checksum(
        base + index, count: buffer.count - index, hardware: CRC32C.hasHardware)
    }
    guard checksum == Int64(found) else { throw ColumnFault() }
  }

  private var restCount: Int { bytes.endIndex - index }

  /// Whether all was read.
  package var isAtEnd: Bool { restCount == 0 }

  // MARK: - Numbers

  package mutating func number(in range: ClosedRange<Int64>) throws(ColumnFault) -> Int64 {
    guard restCount >= 8 else { throw ColumnFault() }
    var value: UInt64 = 0
    for offset in (0..<8).reversed() { value = value << 8 | UInt64(bytes[index + offset]) }
    index += 8
    let number = Int64(bitPattern: value)
    guard range.contains(number) else { throw ColumnFault() }
    return number
  }

  /// A number that counts something, of which nobody has more than 2^53.
  package mutating func count() throws(ColumnFault) -> Int {
    Int(try number(in: 0...LineLimits.sequenceMax))
  }

  package mutating func flag() throws(ColumnFault) -> Bool { try number(in: 0...1) == 1 }

  // MARK: - Bytes

  /// The bytes of one string.
  package mutating func string() throws(ColumnFault) -> ArraySlice<UInt8> {
    let count = Int(try number(in: 0...Int64(restCount)))
    guard count <= restCount else { throw ColumnFault() }
    defer { index += count }
    return bytes[index..<(index + count)]
  }

  package mutating func text() throws(ColumnFault) -> String {
    guard let text = String(validating: try string(), as: UTF8.self) else { throw ColumnFault() }
    return text
  }

  package mutating func optionalText() throws(ColumnFault) -> String? {
    try flag() ? try text() : nil
  }

  /// Byte strings: all their bytes, and where each ends.
  package mutating func strings() throws(ColumnFault) -> [ArraySlice<UInt8>] {
    let lengths: [Int32] = try column(in: 0...Int64(Int32.max))
    let all = try string()
    var strings: [ArraySlice<UInt8>] = []
    strings.reserveCapacity(lengths.count)
    var start = all.startIndex
    for length in lengths {
      guard Int(length) <= all.endIndex - start else { throw ColumnFault() }
      strings.append(all[start..<(start + Int(length))])
      start += Int(length)
    }
    guard start == all.endIndex else { throw ColumnFault() }
    return strings
  }

  // MARK: - Columns

  /// A column whose numbers are all in `range`; of `count` numbers, if that is given.
  package mutating func column<Number: FixedWidthInteger & Sendable>(
    _ count: Int? = nil, in range: ClosedRange<Int64>
  ) throws(ColumnFault) -> [Number] {
    var column: PackedColumn<Number> = try packed(count, in: range)
    return column.take(column.count)
  }

  /// A column whose numbers are all in `range`, to be read number by number.
  package mutating func packed<Number: FixedWidthInteger & Sendable>(
    _ count: Int? = nil, in range: ClosedRange<Int64>
  ) throws(ColumnFault) -> PackedColumn<Number> {
    let found = Int(try number(in: 0...Int64(restCount)))
    if let count, count != found { throw ColumnFault() }
    if found == 0 { return PackedColumn() }
    let base = try number(in: .min ... .max)
    guard restCount > 0 else { throw ColumnFault() }
    let width = Int(bytes[index])
    index += 1
    // Every number has at least a byte, so that memory follows the bytes there are.
    guard [1, 2, 4, 8].contains(width), found <= restCount / width else { throw ColumnFault() }
    defer { index += found * width }
    return try PackedColumn(bytes[index..<(index + found * width)], base, width: width, in: range)
  }

  /// A column of places in something that has `bound` of them.
  package mutating func column<Number: FixedWidthInteger & Sendable>(
    _ count: Int? = nil, below bound: Int, orNone: Bool = false
  ) throws(ColumnFault) -> [Number] {
    var column: PackedColumn<Number> = try packed(count, below: bound, orNone: orNone)
    return column.take(column.count)
  }

  /// A column of places in something that has `bound` of them, to be read number by number.
  package mutating func packed<Number: FixedWidthInteger & Sendable>(
    _ count: Int? = nil, below bound: Int, orNone: Bool = false
  ) throws(ColumnFault) -> PackedColumn<Number> {
    let least: Int64 = orNone ? -1 : 0
    let column: PackedColumn<Number> = try packed(
      count, in: least...max(least, Int64(bound) - 1))
    guard column.count == 0 || bound > 0 || orNone else { throw ColumnFault() }
    return column
  }

  /// A column of how many things belong to each of `count`; all of them together are `total`.
  package mutating func counts(
    _ count: Int, from least: Int64 = 0, total: Int
  ) throws(ColumnFault) -> [Int32] {
    let counts: [Int32] = try column(count, in: least...Int64(Int32.max))
    guard counts.reduce(0, { $0 + Int($1) }) == total else { throw ColumnFault() }
    return counts
  }
}
