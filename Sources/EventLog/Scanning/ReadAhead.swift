import Synchronization

/// Reads the lines of a file into a sink.
///
/// A large file is scanned on a second thread while the sink processes earlier lines.
package struct ReadAhead {
  /// The end of a reading.
  package struct End: Sendable {
    /// The offset after the last line with an LF.
    package var offset: Int64
    /// The number of the line at `offset`.
    package var number: Int
    package var slowLineCount: Int
  }

  /// Below this many bytes, a second thread costs more than it saves.
  private static let bytesMin: Int64 = 4 << 20

  private let file: FileDescriptor
  private let fileSystem: any FileSystem
  private let isTrusting: Bool

  package init(
    of file: FileDescriptor, in fileSystem: any FileSystem, trusting isTrusting: Bool = false
  ) {
    self.file = file
    self.fileSystem = fileSystem
    self.isTrusting = isTrusting
  }

  /// Reads from `offset`, the start of line `number`, up to byte `end`.
  ///
  /// - Throws: `Errno` if the file can't be read.
  package func readLines<Sink: LineSink>(
    from offset: Int64 = 0, lineNumber number: Int = 1, upTo end: Int64, into sink: inout Sink
  ) throws(Errno) -> End {
    if end - offset >= Self.bytesMin, processorCount() > 1 {
      return try readInParallel(from: offset, number, upTo: end, into: &sink)
    }
    return try read(from: offset, number, upTo: end, into: &sink)
  }

  func read<Sink: LineSink>(
    from offset: Int64, _ number: Int, upTo end: Int64, into sink: inout Sink
  ) throws(Errno) -> End {
    var reader = LineReader(from: offset, lineNumber: number, upTo: end)
    var scanner = LineScanner(trusting: isTrusting)
    try reader.readLines(of: file, in: fileSystem, upTo: end, scanner: &scanner, into: &sink)
    return End(
      offset: reader.resumeOffset, number: reader.resumeNumber,
      slowLineCount: scanner.slowLineCount)
  }

  /// The scanning thread fills blocks, and this thread drains them; a few blocks circulate.
  func readInParallel<Sink: LineSink>(
    from offset: Int64, _ number: Int, upTo end: Int64, into sink: inout Sink
  ) throws(Errno) -> End {
    let circle = BlockCircle()
    SerialWorker(label: "eventlog.scan").run {
      var blocks = BlockSink(circle: circle)
      let result: Result<End, Errno>
      do throws(Errno) {
        result = .success(try read(from: offset, number, upTo: end, into: &blocks))
      } catch {
        result = .failure(error)
      }
      blocks.finish()
      circle.full.put(.end(result))
    }
    while true {
      switch circle.full.take() {
      case .block(let box):
        if !sink.isStopped { box.block.deliver(into: &sink) }
        if sink.isStopped { circle.stop() }
        circle.empty.put(box)
      case .end(let result):
        return try result.get()
      }
    }
  }
}

/// Carries one block between the threads. It has one owner at a time: one of the two queues, or the
/// thread that took it.
private final class BlockBox: @unchecked Sendable {
  var block = ScannedBlock()
}

private final class BlockCircle: Sendable {
  enum Message: Sendable {
    case block(BlockBox)
    case end(Result<ReadAhead.End, Errno>)
  }

  private static let boxCount = 3
  let full = BoundedQueue<Message>(capacity: BlockCircle.boxCount + 1)
  let empty = BoundedQueue<BlockBox>(capacity: BlockCircle.boxCount)
  private let stopped = Mutex(false)

  init() { for _ in 0..<Self.boxCount { empty.put(BlockBox()) } }

  func stop() { stopped.withLock { $0 = true } }
  var isStopped: Bool { stopped.withLock { $0 } }
}

/// Collects lines in blocks on the scanning thread.
private struct BlockSink: LineSink {
  private let circle: BlockCircle
  private var box: BlockBox
  private var block = ScannedBlock()
  private var names = NameNumbers()
  private(set) var isStopped = false

  init(circle: BlockCircle) {
    self.circle = circle
    box = circle.empty.take()
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    block.add(layout, canonical: canonical, line: line, at: position, names: &names)
    if block.isFull { handOver() }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    block.add(fault, line: line, at: position)
    if block.isFull { handOver() }
  }

  private mutating func handOver() {
    swap(&box.block, &block)
    circle.full.put(.block(box))
    box = circle.empty.take()
    // Reuse the arrays of a drained block.
    swap(&box.block, &block)
    block.clear()
    isStopped = circle.isStopped
  }

  /// Passes on the last block.
  mutating func finish() {
    swap(&box.block, &block)
    circle.full.put(.block(box))
  }
}
