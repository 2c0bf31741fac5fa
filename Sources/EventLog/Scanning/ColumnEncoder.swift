/// Writes numbers, texts and columns of numbers as bytes that ``ColumnDecoder`` reads back, on
/// whatever machine.
///
/// A table is written column by column, never as it lies in memory: so there is no padding, no
/// layout that another build could take for its own, and no byte that was not meant. All numbers of
/// a column have one width, the least that holds how far they are from the smallest.
package struct ColumnEncoder {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func write(_ number: Int64) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func write(_ number: Int) { write(Int64(number)) }

  package mutating func write(_ flag: Bool) { write(flag ? 1 : 0 as Int64) }

  /// Writes how many bytes there are, and the bytes.
  package mutating func write(bytes: some Collection<UInt8>) {
    write(bytes.count)
    self.bytes.append(contentsOf: bytes)
  }

  package mutating func write(text: String) { write(bytes: text.utf8) }

  /// Writes the smallest number, the width, and the distance of each from the smallest. How many
  /// there are is written by the caller.
  mutating func write(column numbers: [Int64]) {
    guard let base = numbers.min(), let greatest = numbers.max() else { return }
    write(base)
    switch UInt64(bitPattern: greatest &- base) {
    case 0...0xFF: pack(numbers, base, as: UInt8.self)
    case 0...0xFFFF: pack(numbers, base, as: UInt16.self)
    case 0...0xFFFF_FFFF: pack(numbers, base, as: UInt32.self)
    default: pack(numbers, base, as: UInt64.self)
    }
  }

  private mutating func pack<Packed: FixedWidthInteger>(
    _ numbers: [Int64], _ base: Int64, as type: Packed.Type
  ) {
    let width = MemoryLayout<Packed>.size
    bytes.append(UInt8(width))
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: numbers.count * width))
    bytes.withUnsafeMutableBytes { target in
      var offset = start
      for number in numbers {
        let packed = Packed(truncatingIfNeeded: number &- base)
        target.storeBytes(of: packed.littleEndian, toByteOffset: offset, as: Packed.self)
        offset &+= width
      }
    }
  }

  /// Writes byte strings: how many there are, a column of their lengths, and all their bytes.
  mutating func write(strings: some Collection<ArraySlice<UInt8>>) {
    write(strings.count)
    write(column: strings.map { Int64($0.count) })
    write(bytes: Array(strings.joined()))
  }

  /// All that was written behind `mark`, which says what it is, and a checksum of it.
  package func sealed(_ mark: StaticString) -> [UInt8] {
    var seal = ColumnEncoder()
    seal.bytes = mark.withUTF8Buffer { Array($0) }
    seal.write(Int64(CRC32C.checksum(bytes)))
    return seal.bytes + bytes
  }
}
