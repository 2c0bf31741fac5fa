extension ByteInterner {
  package func encode(into encoder: inout ColumnEncoder) {
    encoder.write(strings: (0..<count).map { bytes($0) })
  }

  /// Reads an interner, in pages.
  ///
  /// The hash is another in each process, so that every entry is placed anew: one that stands twice
  /// is found out.
  package init(from decoder: inout ColumnDecoder) throws(ColumnFault) {
    self.init()
    let strings = try decoder.strings()
    for (index, string) in strings.enumerated() {
      guard intern(string) == index else { throw ColumnFault() }
    }
    paginate()
  }
}
