extension Span<UInt8> {
  /// A copy of the bytes of `range`.
  package func copy(_ range: ByteRange) -> [UInt8] {
    withUnsafeBufferPointer { Array(UnsafeBufferPointer(rebasing: $0[range.range])) }
  }

  /// A copy of all bytes.
  package func copy() -> [UInt8] { withUnsafeBufferPointer { Array($0) } }

  /// The bytes of `range` as text.
  package func text(_ range: ByteRange) -> String {
    withUnsafeBufferPointer {
      String(decoding: UnsafeBufferPointer(rebasing: $0[range.range]), as: UTF8.self)
    }
  }

  /// Appends all bytes to `output`.
  @inline(__always)
  package func append(to output: inout [UInt8]) {
    withUnsafeBufferPointer { output.append(contentsOf: $0) }
  }

  /// Appends the bytes of `range` to `output`.
  @inline(__always)
  package func append(_ range: ByteRange, to output: inout [UInt8]) {
    withUnsafeBufferPointer {
      output.append(contentsOf: UnsafeBufferPointer(rebasing: $0[range.range]))
    }
  }

  /// The first and the last eight bytes of `range`, or all bytes and zeros if it is shorter.
  ///
  /// Nil if the range is empty, or fewer than eight bytes of the span follow its start.
  @inline(__always)
  func ends(of range: ByteRange) -> (first: UInt64, last: UInt64)? {
    let length = Int(range.count)
    guard range.start >= 0, length > 0, range.start &+ Swift.max(length, 8) <= count else {
      return nil
    }
    return withUnsafeBufferPointer { buffer in
      let base = UnsafeRawPointer(buffer.baseAddress! + range.start)
      let first = base.loadUnaligned(as: UInt64.self).littleEndian
      if length < 8 { return (first & ((1 << UInt64(length &* 8)) &- 1), 0) }
      let last = base.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self)
      return (first, last.littleEndian)
    }
  }

  /// Whether the bytes of `range` are exactly `text`.
  package func matches(_ range: ByteRange, _ text: StaticString) -> Bool {
    guard Int(range.count) == text.utf8CodeUnitCount else { return false }
    return withUnsafeBufferPointer { buffer in
      range.count == 0
        || areEqual(buffer.baseAddress! + range.start, text.utf8Start, count: Int(range.count))
    }
  }

  /// Whether the bytes of `range` are exactly `bytes`.
  package func matches(_ range: ByteRange, _ bytes: [UInt8]) -> Bool {
    Int(range.count) == bytes.count && begins(range, with: bytes)
  }

  /// Whether the bytes of `range` begin with `bytes`.
  package func begins(_ range: ByteRange, with bytes: [UInt8]) -> Bool {
    withUnsafeBufferPointer { $0[range.range].starts(with: bytes) }
  }

  /// Whether the bytes of `range` end with `bytes`.
  package func ends(_ range: ByteRange, with bytes: [UInt8]) -> Bool {
    withUnsafeBufferPointer { $0[range.range].suffix(bytes.count).elementsEqual(bytes) }
  }

  /// Whether each byte of `range` is a printable ASCII character other than a backslash.
  package func isPlainASCII(_ range: ByteRange) -> Bool {
    withUnsafeBufferPointer { buffer in
      var specialCount = 0
      // No early exit, so that the loop is vectorized.
      for byte in UnsafeBufferPointer(rebasing: buffer[range.range])
      where byte &- 0x20 > 0x5E || byte == 0x5C { specialCount &+= 1 }
      return specialCount == 0
    }
  }
}
