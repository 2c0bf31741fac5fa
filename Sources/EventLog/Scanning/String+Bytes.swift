extension String {
  /// Whether two strings have the same bytes; `==` also accepts other spellings of a text.
  package func hasBytes(of other: String) -> Bool {
    utf8.count == other.utf8.count && order(to: other) == 0
  }

  /// Whether this string sorts first by its bytes.
  package func precedes(_ other: String) -> Bool { order(to: other) < 0 }

  /// Compares the bytes: negative if this string sorts first, 0 if they are equal.
  private func order(to other: String) -> Int {
    let order = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { compare(left, $0) }
    }
    if let order, let order { return order }
    // Only strings from Objective-C aren't contiguous.
    let (left, right) = (Array(utf8), Array(other.utf8))
    return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }
}

extension ArraySlice<UInt8> {
  /// Whether these bytes sort first, compared as unsigned numbers.
  package func precedes(_ other: ArraySlice<UInt8>) -> Bool {
    withUnsafeBufferPointer { left in
      other.withUnsafeBufferPointer { right in compare(left, right) < 0 }
    }
  }
}

extension [UInt8] {
  /// Whether these bytes sort first, compared as unsigned numbers.
  package func precedes(_ other: [UInt8]) -> Bool {
    withUnsafeBufferPointer { left in
      other.withUnsafeBufferPointer { right in compare(left, right) < 0 }
    }
  }
}
