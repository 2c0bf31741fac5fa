/// Hands out ranges of a journal's file, which it keeps open for itself.
final class JournalLineSource: LineSource {
  private let file: JournalFile
  private let reader: Confined<RangeReader>

  /// - Parameters:
  ///   - worker: reads the file.
  ///   - file: closed with the source.
  init(_ reader: consuming sending RangeReader, of file: JournalFile, on worker: SerialWorker) {
    self.reader = Confined(reader, on: worker)
    self.file = file
  }

  deinit { file.close() }

  func next() async throws(EventLogError) -> LineBatch? {
    try await reader.perform { (reader) throws(EventLogError) in try reader.next() }
  }
}
