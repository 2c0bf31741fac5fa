/// A column of numbers as ``ColumnEncoder`` wrote it: each one's distance from the minimum.
///
/// All numbers are in the requested range.
struct PackedColumn {
  private let bytes: ArraySlice<UInt8>
  private let base: Int64
  private let width: Int

  /// - Parameter width: The size of a number in bytes: 1, 2, 4 or 8.
  /// - Throws: `ColumnFault` if a number isn't in `range`.
  /// - Complexity: O(length).
  init(
    _ bytes: ArraySlice<UInt8>, _ base: Int64, width: Int, in range: ClosedRange<Int64>
  ) throws(ColumnFault) {
    (self.bytes, self.base, self.width) = (bytes, base, width)
    let isInRange =
      switch width {
      case 1: isAll(in: range, as: UInt8.self)
      case 2: isAll(in: range, as: UInt16.self)
      case 4: isAll(in: range, as: UInt32.self)
      default: isAll(in: range, as: UInt64.self)
      }
    guard isInRange else { throw ColumnFault() }
  }

  /// Copies the numbers at `indexes` to a member of consecutive rows.
  ///
  /// - Parameters:
  ///   - target: The member of the first row. All rows must be within its allocation.
  ///   - memberWidth: The size of the member in bytes: 1, 2, 4 or 8.
  func copy(
    _ indexes: Range<Int>, to target: UnsafeMutableRawPointer, stride: Int, memberWidth: Int
  ) {
    precondition(indexes.lowerBound >= 0 && indexes.upperBound * width <= bytes.count)
    switch width {
    case 1: copy(indexes, as: UInt8.self, to: target, stride, memberWidth)
    case 2: copy(indexes, as: UInt16.self, to: target, stride, memberWidth)
    case 4: copy(indexes, as: UInt32.self, to: target, stride, memberWidth)
    default: copy(indexes, as: UInt64.self, to: target, stride, memberWidth)
    }
  }

  @inline(__always)
  private func copy<Packed: FixedWidthInteger>(
    _ indexes: Range<Int>, as type: Packed.Type, to target: UnsafeMutableRawPointer, _ stride: Int,
    _ memberWidth: Int
  ) {
    switch memberWidth {
    case 1: copy(indexes, as: type, to: target, stride, as: UInt8.self)
    case 2: copy(indexes, as: type, to: target, stride, as: UInt16.self)
    case 4: copy(indexes, as: type, to: target, stride, as: UInt32.self)
    default: copy(indexes, as: type, to: target, stride, as: UInt64.self)
    }
  }

  @inline(__always)
  private func copy<Packed: FixedWidthInteger, Number: FixedWidthInteger & BitwiseCopyable>(
    _ indexes: Range<Int>, as type: Packed.Type, to target: UnsafeMutableRawPointer, _ stride: Int,
    as numberType: Number.Type
  ) {
    bytes.withUnsafeBytes { source in
      var member = target
      for index in indexes {
        member.storeBytes(
          of: Number(truncatingIfNeeded: number(index, of: source, as: type)), as: Number.self)
        member += stride
      }
    }
  }

  private func isAll<Packed: FixedWidthInteger>(
    in range: ClosedRange<Int64>, as type: Packed.Type
  ) -> Bool {
    bytes.withUnsafeBytes { source in
      var (least, greatest) = (Int64.max, Int64.min)
      for index in 0..<(bytes.count / width) {
        let number = number(index, of: source, as: type)
        least = min(least, number)
        greatest = max(greatest, number)
      }
      return bytes.isEmpty || least >= range.lowerBound && greatest <= range.upperBound
    }
  }

  /// The number at `index`, which must be in the column.
  @inline(__always)
  private func number<Packed: FixedWidthInteger>(
    _ index: Int, of source: UnsafeRawBufferPointer, as type: Packed.Type
  ) -> Int64 {
    let packed = source.loadUnaligned(
      fromByteOffset: index &* MemoryLayout<Packed>.size, as: Packed.self)
    return base &+ Int64(truncatingIfNeeded: UInt64(truncatingIfNeeded: packed.littleEndian))
  }
}
