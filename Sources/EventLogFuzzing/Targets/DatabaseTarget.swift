import EventLog
import EventLogImport
import EventLogTesting

/// A SQLite file is read the same each time, or refused with its name, and stays as it was.
///
/// All of its rows are imported, or none.
///
/// Input: a SQLite file.
enum DatabaseTarget {
  private static let path = "/Export.db"
  /// Maps of the tables and the columns that the seeds have: a table, and a query.
  private static let maps = [
    """
    {"source":"x","ignored":["*"],"tables":[{"table":"t","kind":"habit","key":"x-{n}",
    "several":"each","fields":{"name":{"column":"n","as":"text","lenient":true}}}]}
    """,
    """
    {"source":"x","tables":[{"query":"SELECT n, d, p FROM t","kind":"habit","key":"x-{n}",
    "fields":{"name":{"column":"n","as":"text"}},"day":"d",
    "days":{"progress":{"column":"p","lenient":true,"several":"sum","decimal":"."}}}]}
    """,
  ]

  static func check(_ input: [UInt8]) async throws {
    let (first, second) = (try tables(of: input), try tables(of: input))
    try Finding.require(first == second, "Read twice, it has other tables.")
    for map in maps {
      try await ForeignImport(input, named: path).check(by: try ImportMap(parsing: map.utf8))
    }
  }

  /// Returns the tables with the number of their rows, or nil for a refused file or table.
  private static func tables(of input: [UInt8]) throws -> [String: Int?]? {
    guard
      let (database, names) = try unlessRefused({ () throws(EventLogError) in
        let database = try SourceDatabase(input, title: path)
        return (database, try database.tables())
      })
    else { return nil }
    var counts: [String: Int?] = [:]
    for name in names {
      let rows = try unlessRefused { () throws(EventLogError) in
        try database.rowCount(ofTable: name)
      }
      counts.updateValue(rows, forKey: name)
    }
    return counts
  }

  private static func unlessRefused<Value>(
    _ read: () throws(EventLogError) -> Value
  ) throws -> Value? {
    do throws(EventLogError) { return try read() } catch {
      try Finding.require(
        error.code == .invalidInput && error.location.file == path
          && error.message.contains(path), "Unexpected: \(error)")
      return nil
    }
  }
}
