/// Remembers where a reading ended, so that a later one can go on there.
///
/// A journal only grows, save where a doubtful end is cut or a file is restored in place. So what
/// was read still stands if the last line of it does.
package struct ReadingMark: Sendable {
  /// How many bytes at the end of a line are compared: those that hold its checksums, which tell
  /// the device's whole history before it.
  private static let tailBytes = LineLimits.checksumTailBytes

  /// The first byte behind the last line with an LF.
  private let endOffset: Int64
  /// The end of the last good line, without its LF, and the bytes before it; nil if there is none.
  private let last: (end: Int64, tail: [UInt8])?
  /// Whether the mark is of no use: that line could not be read again.
  private let isBlind: Bool

  /// Remembers where `pass` ended in `file`.
  package init<Sink: EventSink>(
    after pass: JournalPass<Sink>, of file: FileDescriptor, in fileSystem: any FileSystem
  ) {
    endOffset = pass.endOffset
    let end = pass.lastGood.map { $0.offset + Int64($0.byteCount) }
    last = end.flatMap { end in
      Self.tail(before: end, of: file, in: fileSystem).map { (end, $0) }
    }
    isBlind = end != nil && last == nil
  }

  /// Whether what was read still stands in `file`, whose size is `size`.
  package func stands(
    in file: FileDescriptor, of fileSystem: any FileSystem, size: Int64
  ) -> Bool {
    guard size >= endOffset, !isBlind else { return false }
    // Without a good line there is nothing to compare, and little to read again.
    guard let last else { return endOffset == 0 }
    return Self.tail(before: last.end, of: file, in: fileSystem) == last.tail
  }

  private static func tail(
    before end: Int64, of file: FileDescriptor, in fileSystem: any FileSystem
  ) -> [UInt8]? {
    let start = max(0, end - Int64(tailBytes))
    return try? fileSystem.readBytes(file, at: start, count: Int(end - start))
  }
}
