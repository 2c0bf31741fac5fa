/// Thrown for bytes that ``ColumnEncoder`` didn't write, or that contain an invalid value.
package struct ColumnFault: Error, Hashable {
  package init() {}
}

/// Reads the output of ``ColumnEncoder`` from untrusted bytes.
///
/// Every number is checked against its valid range, and no more memory is allocated than the length
/// of the bytes justifies.
package struct ColumnDecoder {
  private let bytes: ArraySlice<UInt8>
  private var index: Int

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  /// Decodes the columns after `mark` and a checksum.
  ///
  /// - Throws: `ColumnFault` if the mark or the checksum doesn't match.
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

  /// A count, at most 2^53 − 1.
  package mutating func count() throws(ColumnFault) -> Int {
    Int(try number(in: 0...LineLimits.sequenceMax))
  }

  package mutating func flag() throws(ColumnFault) -> Bool { try number(in: 0...1) == 1 }

  // MARK: - Bytes

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

  /// An array of byte strings.
  mutating func strings() throws(ColumnFault) -> [ArraySlice<UInt8>] {
    let lengths = try lengths(try rowCount(), in: 0...Int64(Int32.max))
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

  /// The number of rows of a table, at most one per remaining byte.
  mutating func rowCount() throws(ColumnFault) -> Int {
    Int(try number(in: 0...Int64(restCount)))
  }

  /// A column of `count` numbers, at least one, all in `range`.
  mutating func column(
    _ count: Int, in range: ClosedRange<Int64>
  ) throws(ColumnFault) -> PackedColumn {
    let base = try number(in: .min ... .max)
    guard restCount > 0 else { throw ColumnFault() }
    let width = Int(bytes[index])
    index += 1
    guard [1, 2, 4, 8].contains(width), count <= restCount / width else { throw ColumnFault() }
    defer { index += count * width }
    return try PackedColumn(bytes[index..<(index + count * width)], base, width: width, in: range)
  }

  /// The numbers of a column, all in `range`, which must fit 32 bits.
  mutating func lengths(
    _ count: Int, in range: ClosedRange<Int64>
  ) throws(ColumnFault) -> [Int32] {
    if count == 0 { return [] }
    let column = try column(count, in: range)
    return [Int32](unsafeUninitializedCapacity: count) { lengths, filled in
      column.copy(0..<count, to: lengths.baseAddress!, stride: 4, memberWidth: 4)
      filled = count
    }
  }
}
