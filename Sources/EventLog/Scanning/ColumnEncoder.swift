/// Writes numbers, texts and columns of numbers, which ``ColumnDecoder`` reads on any machine.
///
/// Tables are written by column, not as they are in memory, so the output contains no padding, no
/// build-specific layout and no stray bytes. All numbers of a column have the smallest width that
/// holds their distances from the minimum.
package struct ColumnEncoder {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func write(_ number: Int64) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func write(_ number: Int) { write(Int64(number)) }

  package mutating func write(_ flag: Bool) { write(flag ? 1 : 0 as Int64) }

  /// Writes the number of bytes, then the bytes.
  package mutating func write(bytes: some Collection<UInt8>) {
    write(bytes.count)
    self.bytes.append(contentsOf: bytes)
  }

  package mutating func write(text: String) { write(bytes: text.utf8) }

  /// Writes the minimum, the width, and each number's distance from the minimum.
  ///
  /// The caller writes the count.
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

  /// Writes byte strings: their count, a column of their lengths, and all their bytes.
  mutating func write(strings: some Collection<ArraySlice<UInt8>>) {
    write(strings.count)
    write(column: strings.map { Int64($0.count) })
    write(bytes: Array(strings.joined()))
  }

  /// Everything written, after `mark`, which identifies its type, and a checksum.
  package consuming func sealed(_ mark: StaticString) -> [UInt8] {
    var seal = ColumnEncoder()
    seal.bytes = mark.withUTF8Buffer { Array($0) }
    seal.write(Int64(CRC32C.checksum(bytes)))
    // A large checkpoint isn't copied.
    bytes.insert(contentsOf: seal.bytes, at: 0)
    return bytes
  }
}
