extension String {
  /// Whether two strings have the same bytes: by `==`, different spellings of one text are equal.
  @inline(__always)
  package func hasBytes(of other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}
