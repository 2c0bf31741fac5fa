enum ByteOrder {
  case bigEndian
  case littleEndian

  /// The order of a TIFF header, or nil if the bytes don't begin with one.
  init?(tiff head: some Collection<UInt8>) {
    if head.starts(with: [0x49, 0x49, 0x2A, 0]) {
      self = .littleEndian
    } else if head.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
      self = .bigEndian
    } else {
      return nil
    }
  }

  /// The bytes of a number of 16 bits.
  func bytes(_ value: UInt16) -> [UInt8] {
    let bytes = [UInt8(value >> 8), UInt8(value & 0xFF)]
    return self == .bigEndian ? bytes : bytes.reversed()
  }

  /// The bytes of a number of 32 bits.
  func bytes(_ value: UInt32) -> [UInt8] {
    let high = UInt16(value >> 16)
    let low = UInt16(value & 0xFFFF)
    return self == .bigEndian ? bytes(high) + bytes(low) : bytes(low) + bytes(high)
  }
}

extension [UInt8] {
  /// An unsigned number of up to 8 bytes.
  ///
  /// Returns 0 if it isn't inside of the array.
  func unsigned(at start: Int, count: Int, _ order: ByteOrder = .bigEndian) -> UInt64 {
    guard start >= 0, count <= 8, start <= self.count - count else { return 0 }
    let bytes = self[start..<start + count]
    return order == .bigEndian
      ? bytes.reduce(0) { $0 << 8 | UInt64($1) }
      : bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A number of at most 32 bits, as an offset or a length.
  func offset(at start: Int, count: Int = 4, _ order: ByteOrder = .bigEndian) -> Int64 {
    Int64(UInt32(truncatingIfNeeded: unsigned(at: start, count: count, order)))
  }

  func hasASCII(_ text: String, at start: Int) -> Bool {
    let wanted = text.utf8
    return start >= 0 && start <= count - wanted.count
      && self[start..<start + wanted.count].elementsEqual(wanted)
  }

  /// The text of bytes inside of the array, each as one scalar.
  func ascii(at start: Int, count: Int) -> String {
    guard start >= 0, count >= 0, start <= self.count - count else { return "" }
    var text = ""
    for byte in self[start..<start + count] { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }
}
