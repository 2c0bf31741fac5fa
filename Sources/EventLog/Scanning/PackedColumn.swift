/// A column of numbers as ``ColumnEncoder`` wrote it.
///
/// Numbers are unpacked one by one or piece by piece, so that a long column takes no memory but for
/// what is made of it. All of them were found to be in the range that was asked for.
package struct PackedColumn<Number: FixedWidthInteger & Sendable>: Sendable {
  /// How many there are, read or not.
  package let count: Int
  private var bytes: ArraySlice<UInt8>
  private let base: Int64
  private let width: Int
  /// How many were unpacked.
  private var unpackedCount = 0
  /// The piece at hand, and where in it the next number stands.
  private var piece: [Number] = []
  private var place = 0

  private static var pieceCount: Int { 512 }

  /// No numbers.
  init() {
    (count, bytes, base, width) = (0, [], 0, 1)
  }

  /// - Parameter width: of a number, in bytes: 1, 2, 4 or 8.
  /// - Throws: `ColumnFault` if one of the numbers is not in `range`.
  /// - Complexity: O(length).
  init(
    _ bytes: ArraySlice<UInt8>, _ base: Int64, width: Int, in range: ClosedRange<Int64>
  ) throws(ColumnFault) {
    count = bytes.count / width
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

  /// The number at a place, read or not.
  package subscript(place: Int) -> Number {
    precondition(place >= 0 && place < count, "There are no more numbers.")
    return bytes.withUnsafeBytes { source in
      let found =
        switch width {
        case 1: number(place, of: source, as: UInt8.self)
        case 2: number(place, of: source, as: UInt16.self)
        case 4: number(place, of: source, as: UInt32.self)
        default: number(place, of: source, as: UInt64.self)
        }
      return Number(truncatingIfNeeded: found)
    }
  }

  /// The same column on its own, which keeps no other bytes in memory. O(length).
  package var detached: Self {
    var column = self
    column.bytes = ArraySlice(Array(bytes))
    return column
  }

  /// The next number, of which there must be one.
  @inline(__always)
  package mutating func take() -> Number {
    if _slowPath(place == piece.count) { takePiece() }
    defer { place &+= 1 }
    return piece[place]
  }

  /// The next numbers, of which there must be so many.
  package mutating func take(_ count: Int) -> [Number] {
    let kept = piece[place..<min(place + count, piece.count)]
    place += kept.count
    return kept.isEmpty ? unpack(count) : kept + unpack(count - kept.count)
  }

  @inline(never)
  private mutating func takePiece() {
    piece = unpack(min(Self.pieceCount, count - unpackedCount))
    place = 0
  }

  private mutating func unpack(_ count: Int) -> [Number] {
    precondition(count <= self.count - unpackedCount, "There are no more numbers.")
    defer { unpackedCount += count }
    return switch width {
    case 1: unpack(count, as: UInt8.self)
    case 2: unpack(count, as: UInt16.self)
    case 4: unpack(count, as: UInt32.self)
    default: unpack(count, as: UInt64.self)
    }
  }

  private func unpack<Packed: FixedWidthInteger>(
    _ count: Int, as type: Packed.Type
  ) -> [Number] {
    bytes.withUnsafeBytes { source in
      [Number](unsafeUninitializedCapacity: count) { target, filled in
        for place in 0..<count {
          target[place] = Number(
            truncatingIfNeeded: number(unpackedCount &+ place, of: source, as: type))
        }
        filled = count
      }
    }
  }

  private func isAll<Packed: FixedWidthInteger>(
    in range: ClosedRange<Int64>, as type: Packed.Type
  ) -> Bool {
    bytes.withUnsafeBytes { source in
      var (least, greatest) = (Int64.max, Int64.min)
      for place in 0..<count {
        let number = number(place, of: source, as: type)
        least = min(least, number)
        greatest = max(greatest, number)
      }
      return count == 0 || least >= range.lowerBound && greatest <= range.upperBound
    }
  }

  /// The number at `place`, which is below ``count``.
  @inline(__always)
  private func number<Packed: FixedWidthInteger>(
    _ place: Int, of source: UnsafeRawBufferPointer, as type: Packed.Type
  ) -> Int64 {
    let packed = source.loadUnaligned(
      fromByteOffset: place &* MemoryLayout<Packed>.size, as: Packed.self)
    return base &+ Int64(truncatingIfNeeded: UInt64(truncatingIfNeeded: packed.littleEndian))
  }
}
