import CEventLogSQLite
import EventLog

/// Reads rows of a SQLite file in memory, with the system's SQLite.
///
/// It copies the bytes and writes nothing, neither to them nor to a file beside them.
final class DatabaseReader {
  /// A clause that says why a query failed.
  struct Failure: Error {
    var reason: String
  }

  private let database: OpaquePointer

  /// The reason why SQLite is unavailable, or nil.
  static var unavailable: String? { eventlog_database_unavailable().map { String(cString: $0) } }

  /// Returns nil if SQLite is unavailable or memory runs out.
  init?(_ image: [UInt8]) {
    let opened = image.withUnsafeBufferPointer {
      eventlog_database_open($0.baseAddress, $0.count)
    }
    guard let opened else { return nil }
    database = opened
  }

  deinit { eventlog_database_close(database) }

  /// Passes the rows of a query, as pairs of column names and values, to a closure.
  ///
  /// - Throws: `Failure`, also if the statement does more than read, or takes too long.
  func forEachRow(
    of query: String, _ body: ([(name: String, value: SourceTree)]) throws(EventLogError) -> Void
  ) throws(Failure) -> EventLogError? {
    guard eventlog_database_query(database, query) == 0 else { throw failure }
    let names = (0..<eventlog_database_column_count(database)).map {
      String(cString: eventlog_database_column_name(database, $0))
    }
    while true {
      switch eventlog_database_next(database) {
      case 0: return nil
      case 1: break
      default: throw failure
      }
      var values: [(name: String, value: SourceTree)] = []
      for (index, name) in names.enumerated() {
        values.append((name, try value(of: Int32(index), name)))
      }
      do throws(EventLogError) { try body(values) } catch { return error }
    }
  }

  private var failure: Failure {
    Failure(reason: String(cString: eventlog_database_message(database)))
  }

  private func value(of column: Int32, _ name: String) throws(Failure) -> SourceTree {
    switch eventlog_database_type(database, column) {
    case Int32(EVENTLOG_DATABASE_INTEGER.rawValue):
      return .json(.number(JSONNumber(eventlog_database_integer(database, column))))
    case Int32(EVENTLOG_DATABASE_REAL.rawValue):
      let value = eventlog_database_real(database, column)
      guard value.isFinite else { throw Failure(reason: "\"\(name)\" has an infinite number") }
      return .json(.number(JSONNumber(trusted: value.description)))
    case Int32(EVENTLOG_DATABASE_TEXT.rawValue):
      guard let text = String(validating: bytes(of: column), as: UTF8.self) else {
        throw Failure(reason: "\"\(name)\" has text that is not UTF-8")
      }
      return .json(.string(text))
    case Int32(EVENTLOG_DATABASE_BLOB.rawValue): return .bytes(bytes(of: column)[...])
    default: return .json(.null)
    }
  }

  private func bytes(of column: Int32) -> [UInt8] {
    var count = 0
    let start = eventlog_database_bytes(database, column, &count)
    return Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}
