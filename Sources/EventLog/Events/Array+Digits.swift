extension [UInt8] {
  /// Appends the decimal digits of a number, without its sign, at least `width` of them.
  package mutating func append(digitsOf number: some BinaryInteger, width: Int = 1) {
    append(digits: UInt64(number.magnitude), width)
  }

  private mutating func append(digits rest: UInt64, _ width: Int) {
    if rest >= 100 || width > 2 { append(digits: rest / 100, width - 2) }
    if rest >= 10 || width > 1 { append(0x30 + UInt8(truncatingIfNeeded: rest / 10 % 10)) }
    append(0x30 + UInt8(truncatingIfNeeded: rest % 10))
  }
}
