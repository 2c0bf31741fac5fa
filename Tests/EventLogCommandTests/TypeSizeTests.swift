import Testing

/// Limits the sizes of copyable types.
///
/// Each copy, move or destruction of a large value compiles to code for each member. This code once
/// took most of the time and size of a release build.
@Suite(.enabled(if: ValueWitnesses.areReadable)) struct TypeSizeTests {
  /// Types that may be larger, by mangled name, each with its reason.
  private static let exceptions: [String: String] = [:]

  private static func tables() throws -> [ValueWitnesses.Table] {
    let path = try #require(BuiltProduct.path)
    return try #require(try ValueWitnesses(of: path), "\(path) is no ELF file.").tables
  }

  @Test func `a copyable type of the command's modules takes at most 512 bytes`() throws {
    let tables = try Self.tables()
    #expect(tables.count > 500, "The tables are found.")
    for table in tables
    where table.isCopyable && table.size > 512 && Self.exceptions[table.type] == nil {
      Issue.record(
        """
        \(table.type) takes \(table.size) bytes (`swift demangle` prints its name). Give its large \
        members @Boxed, or make it a class or ~Copyable.
        """)
    }
  }

  @Test func `every exception is a type that still exceeds the limit`() throws {
    let tables = try Self.tables()
    let large = Set(tables.filter { $0.isCopyable && $0.size > 512 }.map(\.type))
    #expect(large.isSuperset(of: Self.exceptions.keys))
  }
}
