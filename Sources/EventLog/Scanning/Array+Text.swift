extension [UInt8] {
  /// Appends the UTF-8 of a text.
  ///
  /// A line consists of many short texts, and appending each as a sequence is several times slower.
  @inline(__always)
  package mutating func append(text: String) {
    var text = text
    text.withUTF8 { append(contentsOf: $0) }
  }

  /// Appends the UTF-8 of a literal.
  @inline(__always)
  package mutating func append(literal: StaticString) {
    append(
      contentsOf: UnsafeBufferPointer(
        start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  /// Appends eight lower-case hex digits.
  @inline(__always)
  package mutating func append(digitsOf chain: UInt32) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 8) { digits in
      ChainDigits.write(chain, into: digits.baseAddress!)
      append(contentsOf: UnsafeBufferPointer(start: digits.baseAddress!, count: 8))
    }
  }
}

extension String {
  /// The text whose UTF-8 `write` appends.
  init(writing write: (inout [UInt8]) -> Void) {
    var bytes: [UInt8] = []
    write(&bytes)
    self.init(decoding: bytes, as: UTF8.self)
  }
}
