import EventLog

extension EventLogError {
  /// Returns the error for input that can't be imported, before anything was written.
  static func cannotImport(
    _ message: String, hint: String? = nil, file: String? = nil, line: Int? = nil,
    byte: Int? = nil
  ) -> EventLogError {
    EventLogError(
      .invalidInput, "\(message) Nothing was written.",
      hint: hint
        ?? (file == nil
          ? nil : "Check that the file is whole, and of the kind that the map is for."),
      at: .init(file: file, line: line, byte: byte.map { Int64($0) }))
  }
}
