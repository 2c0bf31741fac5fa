extension Span<UInt8> {
  /// The bytes of `range`, copied.
  package func copy(_ range: ByteRange) -> [UInt8] {
    withUnsafeBufferPointer { Array($0[range.range]) }
  }

  /// All bytes, copied.
  package func copy() -> [UInt8] { withUnsafeBufferPointer { Array($0) } }

  /// The bytes of `range` as text.
  package func text(_ range: ByteRange) -> String {
    withUnsafeBufferPointer { String(decoding: $0[range.range], as: UTF8.self) }
  }

  /// Appends all bytes to `output`.
  @inline(__always)
  package func append(to output: inout [UInt8]) {
    withUnsafeBufferPointer { output.append(contentsOf: $0) }
  }

  /// Appends the bytes of `range` to `output`.
  @inline(__always)
  package func append(_ range: ByteRange, to output: inout [UInt8]) {
    withUnsafeBufferPointer { output.append(contentsOf: $0[range.range]) }
  }

  /// Whether the bytes of `range` are exactly `text`.
  package func matches(_ range: ByteRange, _ text: StaticString) -> Bool {
    guard Int(range.count) == text.utf8CodeUnitCount else { return false }
    return withUnsafeBufferPointer { buffer in
      range.count == 0
        || compareBytes(buffer.baseAddress! + range.start, text.utf8Start, count: Int(range.count))
          == 0
    }
  }
}
