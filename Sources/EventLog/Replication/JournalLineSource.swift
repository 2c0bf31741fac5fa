/// Hands out ranges of a journal's file, which it keeps open for itself.
final class JournalLineSource: LineSource {
  private let file: JournalFile
  private let reader: Confined<RangeReader>
  private let onChange: @Sendable () -> Void

  /// - Parameters:
  ///   - worker: reads the file.
  ///   - file: closed with the source.
  ///   - onChange: called where the file no longer holds what was read from it.
  init(
    _ reader: consuming sending RangeReader, of file: JournalFile, on worker: SerialWorker,
    onChange: @escaping @Sendable () -> Void
  ) {
    self.reader = Confined(reader, on: worker)
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
