/// The first stage of reading: splits a file into lines, in chunks and in bounded memory.
///
/// The file is read with `pread`, not mapped, so that a file that shrinks causes a short read
/// instead of a signal. The memory is one buffer for the longest line and one chunk.
package struct LineReader: ~Copyable {
  /// Bytes per read; 64 KiB to 4 MiB perform alike.
  private static let chunkBytes = 256 * 1024

  private let buffer: UnsafeMutablePointer<UInt8>
  private let capacity: Int
  /// The unread bytes are `buffer[start..<filled]`.
  private var start = 0
  private var filled = 0
  /// The file offset of `buffer[start]`.
  private var offset: Int64
  private var number: Int
  /// The offset after the last line with an LF, where a later reading resumes.
  package var resumeOffset: Int64 { offset }
  /// The number of the line at ``resumeOffset``.
  package var resumeNumber: Int { number }
  /// The start of an oversized line, while the rest of it is skipped.
  private var longLine: LinePosition?
  /// Reads from `offset`, the start of line `number`.
  ///
  /// - Parameter end: The end offset of all reads, if known: a small file needs no large buffer.
  package init(from offset: Int64 = 0, lineNumber number: Int = 1, upTo end: Int64? = nil) {
    let most = LineLimits.lineBytesMax + 2 + Self.chunkBytes
    capacity = end.map { Int(min(Int64(most), max(0, $0 - offset) + 2)) } ?? most
    buffer = allocateZeros(capacity + CanonicalScanner.padding)
    self.offset = offset
    self.number = number
  }

  deinit { freeZeros(buffer) }

  /// Reads all lines up to file offset `end` (nil for the end of the file) into `sink`.
  ///
  /// A last line without LF is delivered, too, and marked as such. Blank lines are skipped.
  ///
  /// - Throws: `Errno` if the file can't be read.
  package mutating func readLines<Sink: LineSink>(
    of file: FileDescriptor, in fileSystem: any FileSystem, upTo end: Int64? = nil,
    scanner: inout LineScanner, into sink: inout Sink
  ) throws(Errno) {
    while true {
      let position = offset + Int64(filled - start)
      let wanted = min(Int64(min(Self.chunkBytes, capacity - filled)), (end ?? .max) - position)
      let count =
        wanted <= 0
        ? 0
        : try fileSystem.read(
          file, into: UnsafeMutableRawBufferPointer(start: buffer + filled, count: Int(wanted)),
          at: position)
      if count == 0 { break }
      filled += count
      let first = number
      takeLines(scanner: &scanner, into: &sink)
      (fileSystem as? CountingFileSystem)?.noteLines(number - first)
      if sink.isStopped { return }
      compact(into: &sink)
    }
    takeLastLine(scanner: &scanner, into: &sink)
  }

  /// Delivers the buffered lines that have an LF.
  private mutating func takeLines<Sink: LineSink>(
    scanner: inout LineScanner, into sink: inout Sink
  ) {
    while start < filled, !sink.isStopped {
      let length = indexOfByte(0x0A, in: buffer + start, count: filled - start)
      if start + length >= filled { return }
      take(length, terminated: true, scanner: &scanner, into: &sink)
    }
  }

  /// Delivers the line of `length` bytes at `start` and advances past it.
  @inline(__always)
  private mutating func take<Sink: LineSink>(
    _ length: Int, terminated: Bool, scanner: inout LineScanner, into sink: inout Sink
  ) {
    var length = length
    if offset == 0, length > 2, buffer[start] == 0xEF, buffer[start + 1] == 0xBB,
      buffer[start + 2] == 0xBF
    {
      // A byte-order mark before the first line is no part of it.
      (start, offset, length) = (start + 3, 3, length - 3)
    }
    let line = buffer + start
    var count = length
    if terminated {
      if count > 0, line[count - 1] == 0x0D { count -= 1 }
    } else {
      // Spaces at the end of the file aren't part of a line.
      while count > 0, line[count - 1] == 0x20 { count -= 1 }
    }
    var position = LinePosition(
      number: number, offset: offset, byteCount: count,
      endOffset: offset + Int64(length + (terminated ? 1 : 0)), isTerminated: terminated)
    start += length + (terminated ? 1 : 0)
    if terminated {
      offset = position.endOffset
      number += 1
    }
    if let longLine {
      position.offset = longLine.offset
      position.byteCount = Int(position.endOffset - longLine.offset) - (terminated ? 1 : 0)
      self.longLine = nil
      refuseLong(at: position, into: &sink)
    } else if count > LineLimits.lineBytesMax {
      refuseLong(at: position, into: &sink)
    } else if line[0] == UInt8(ascii: "{") || !Self.isBlank(line, count: count) {
      scanner.scan(UnsafePointer(line), at: position, into: &sink)
    }
  }

  private func refuseLong<Sink: LineSink>(at position: LinePosition, into sink: inout Sink) {
    sink.fault(
      LineFault(.lineTooLong, at: LineLimits.lineBytesMax),
      line: UnsafeBufferPointer(start: buffer, count: 0).span, at: position)
  }

  /// Moves an unfinished line to the front of the buffer, or skips an oversized one.
  private mutating func compact<Sink: LineSink>(into sink: inout Sink) {
    let rest = filled - start
    if rest > LineLimits.lineBytesMax + 1 {
      let began = longLine?.offset ?? offset
      longLine = LinePosition(
        number: number, offset: began, byteCount: 0, endOffset: 0, isTerminated: false)
      offset += Int64(rest)
      filled = 0
    } else {
      if rest > 0 { buffer.update(from: buffer + start, count: rest) }
      filled = rest
    }
    start = 0
  }

  private mutating func takeLastLine<Sink: LineSink>(
    scanner: inout LineScanner, into sink: inout Sink
  ) {
    if start < filled || longLine != nil {
      take(filled - start, terminated: false, scanner: &scanner, into: &sink)
    }
    start = 0
    filled = 0
  }

  /// Whether the line contains only spaces, tabs and CRs.
  static func isBlank(_ line: UnsafePointer<UInt8>, count: Int) -> Bool {
    for index in 0..<count where line[index] != 0x20 && line[index] != 0x09 && line[index] != 0x0D {
      return false
    }
    return true
  }
}
