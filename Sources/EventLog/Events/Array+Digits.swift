extension [UInt8] {
  /// Appends the decimal digits of a number, without its sign, at least `width` of them.
  package mutating func append(digitsOf number: some BinaryInteger, width: Int = 1) {
    let start = count
    var rest = number.magnitude
    while rest > 0 || count - start < width {
      append(0x30 + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    }
    self[start...].reverse()
  }
}
