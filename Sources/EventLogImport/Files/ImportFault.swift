import EventLog

extension EventLogError {
  /// Input that cannot be imported; nothing was written yet.
  static func cannotImport(
    _ message: String, hint: String? = nil, file: String? = nil, line: Int? = nil,
    byte: Int? = nil
  ) -> EventLogError {
    EventLogError(
      .invalidInput, "\(message) Nothing was written.", hint: hint,
      at: .init(file: file, line: line, byte: byte.map { Int64($0) }))
  }
}
