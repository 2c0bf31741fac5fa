/// JSON values in canonical spelling, stored contiguously.
///
/// A journal's lines are already checked. Values decoded from anywhere else are checked here,
/// because readers of canonical JSON make no checks of their own.
struct CanonicalValues {
  /// All values, each followed by LF, which no canonical spelling contains.
  let bytes: [UInt8]
  private(set) var ranges: [ByteRange] = []

  /// Reads `count` values; `orNone` also allows empty ones.
  init(_ count: Int, orNone: Bool, from decoder: inout ColumnDecoder) throws(ColumnFault) {
    let lengths = try decoder.lengths(count, in: (orNone ? 0 : 1)...Int64(Int32.max - 1))
    let all = try decoder.string()
    guard all.count < Int(Int32.max) else { throw ColumnFault() }
    bytes = all + [UInt8](repeating: 0, count: CanonicalScanner.padding)
    ranges.reserveCapacity(count)
    var start = 0
    for length in lengths {
      guard start + Int(length) < all.count else { throw ColumnFault() }
      ranges.append(ByteRange(start, start + Int(length)))
      start += Int(length) + 1
    }
    guard start == all.count, areCanonical(all.count) else { throw ColumnFault() }
  }

  private func areCanonical(_ count: Int) -> Bool {
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress, UTF8Validation.firstFault(base, count: count) == nil
      else { return false }
      return ranges.allSatisfy { range in
        // Check the LF first: it stops the scanner from reading on into the next value.
        base[range.end] == 0x0A
          && (range.isEmpty || CanonicalScanner.isValue(base, range)
            || Self.isNormal(UnsafeBufferPointer(rebasing: buffer[range.range])))
      }
    }
  }

  /// Uses the complete reader, because the fast one rejects objects with many members.
  private static func isNormal(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
    let value = Array(value)
    return (try? JSONNormalizer.canonical(value)) == value
  }
}

extension ColumnEncoder {
  /// Writes canonical JSON values, each followed by LF.
  mutating func write(values: [ArraySlice<UInt8>]) {
    write(column: values.map { Int64($0.count) })
    var all: [UInt8] = []
    for value in values {
      all.append(contentsOf: value)
      all.append(0x0A)
    }
    write(bytes: all)
  }
}

extension CanonicalScanner {
  /// Whether `range` is one canonical value for `data`.
  ///
  /// ``padding`` bytes after it must be readable.
  fileprivate static func isValue(_ base: UnsafePointer<UInt8>, _ range: ByteRange) -> Bool {
    var scanner = CanonicalScanner(
      base: base + range.start, end: Int(range.count), namesAreDistinct: false)
    return scanner.scanValue(depth: 3) != nil && scanner.index == scanner.end
  }
}
