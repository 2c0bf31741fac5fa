/// Reads again what was read before: the same lines, whatever was appended since.
package struct JournalRereading {
  private let reading: JournalReading
  private let endOffset: Int64

  package init(_ reading: JournalReading, upTo endOffset: Int64) {
    self.reading = reading
    self.endOffset = endOffset
  }

  /// - Throws: `inputOutput` where the file cannot be read any more.
  package func read<Sink: EventSink>(
    into sink: inout Sink
  ) throws(EventLogError) {
    var pass = JournalPass(sink: sink, trusting: true)
    var reader = LineReader()
    var scanner = LineScanner(trusting: true)
    do throws(Errno) {
      try reader.readLines(
        of: reading.file, in: reading.fileSystem, upTo: endOffset, scanner: &scanner, into: &pass)
    } catch {
      throw .inputOutput("read", reading.path, error, meaning: "Nothing was changed.")
    }
    sink = pass.sink
  }
}
