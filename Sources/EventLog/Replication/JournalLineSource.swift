import Synchronization

/// Hands out ranges of a journal's file, which it keeps open for itself.
final class JournalLineSource: LineSource {
  private let worker: SerialWorker
  private let file: JournalFile
  private let reader: Mutex<RangeReader>

  /// - Parameters:
  ///   - worker: reads the file.
  ///   - file: closed with the source.
  init(_ reader: consuming sending RangeReader, of file: JournalFile, on worker: SerialWorker) {
    self.reader = Mutex(reader)
    self.file = file
    self.worker = worker
  }

  deinit { file.close() }

  func next() async throws(EventLogError) -> LineBatch? {
    try await worker.perform { () throws(EventLogError) in
      try self.reader.withLock { (reader) throws(EventLogError) in try reader.next() }
    }
  }
}
