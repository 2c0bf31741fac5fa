extension [UInt8] {
  /// Whether the array contains the UTF-8 of `text` as a contiguous run.
  package func containsBytes(of text: String) -> Bool { containsBytes(of: Array(text.utf8)) }

  /// Whether the array contains `wanted` as a contiguous run.
  package func containsBytes(of wanted: [UInt8]) -> Bool {
    guard let first = wanted.first else { return true }
    return withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return false }
      var index = 0
      while index + wanted.count <= bytes.count {
        let placeCount = bytes.count - wanted.count + 1 - index
        let step = indexOfByte(first, in: base + index, count: placeCount)
        if step == placeCount { return false }
        index += step
        if areEqual(base + index, wanted, count: wanted.count) { return true }
        index += 1
      }
      return false
    }
  }
}
