/// Reads the lines of ranges from a journal's file, which it keeps open.
final class JournalLineSource: LineSource {
  private let file: JournalFile
  private let reader: Isolated<RangeReader>
  private let onChange: @Sendable () -> Void

  /// - Parameters:
  ///   - worker: The worker that reads the file.
  ///   - file: The file, which the source closes at its end.
  ///   - onChange: Called if the file no longer contains the lines that were read from it.
  init(
    _ reader: consuming sending RangeReader, of file: JournalFile, on worker: SerialWorker,
    onChange: @escaping @Sendable () -> Void
  ) {
    self.reader = Isolated(reader, on: worker)
    self.file = file
    self.onChange = onChange
  }

  deinit { file.close() }

  func next() async throws(EventLogError) -> LineBatch? {
    do throws(EventLogError) {
      return try await reader.perform { (reader) throws(EventLogError) in try reader.next() }
    } catch {
      onChange()
      throw error
    }
  }
}
