/// Records where a reading ended, so that a later one can resume there.
///
/// A journal only grows, unless a doubtful end is cut or a file is restored in place. So only the
/// last line is compared: if it is unchanged, the earlier ones are taken to be unchanged, too.
package struct ResumePoint: Sendable, Equatable {
  /// The offset after the last line with an LF.
  package let endOffset: Int64
  /// The end of the last valid line, without its LF.
  package let lastLineEnd: Int64
  /// The last bytes of that line with its checksums, which cover the device's whole history before
  /// it.
  ///
  /// Empty if there is no valid line.
  package let lastLineTail: [UInt8]

  package init(endOffset: Int64, lastLineEnd: Int64, lastLineTail: [UInt8]) {
    self.endOffset = endOffset
    self.lastLineEnd = lastLineEnd
    self.lastLineTail = lastLineTail
  }

  /// Creates the resume point after reading `file`, or nil if its last valid line can't be reread.
  package init?(
    after lastGood: LinePosition?, endingAt endOffset: Int64, of file: FileDescriptor,
    in fileSystem: any FileSystem
  ) {
    self.endOffset = endOffset
    guard let last = lastGood else {
      (lastLineEnd, lastLineTail) = (0, [])
      return
    }
    lastLineEnd = last.offset + Int64(last.byteCount)
    let count = Int(min(lastLineEnd, Int64(LineLimits.checksumTailBytes)))
    guard
      let tail = try? fileSystem.readBytes(file, at: lastLineEnd - Int64(count), count: count),
      tail.count == count
    else { return nil }
    lastLineTail = tail
  }

  /// Creates the resume point after lines that were just written, or nil if the last valid line
  /// isn't the last of them.
  init?(after lastGood: LinePosition?, endingAt endOffset: Int64, with lines: [UInt8]) {
    let count = LineLimits.checksumTailBytes
    guard let lastGood, lines.last == 0x0A, lines.count > lastGood.byteCount,
      lastGood.byteCount >= count,
      lastGood.offset + Int64(lastGood.byteCount) + 1 == endOffset
    else { return nil }
    self.init(
      endOffset: endOffset, lastLineEnd: endOffset - 1,
      lastLineTail: Array(lines.suffix(count + 1).dropLast()))
  }

  /// Whether a valid line was read and the reading ended after its LF.
  package var isOfGoodLine: Bool {
    lastLineTail.count == LineLimits.checksumTailBytes && lastLineEnd >= Int64(lastLineTail.count)
      && lastLineEnd < endOffset
  }

  /// Whether the lines read are unchanged in `file`, which has this size.
  package func stands(
    in file: FileDescriptor, of fileSystem: any FileSystem, size: Int64
  ) -> Bool {
    guard size >= endOffset else { return false }
    func holds(_ bytes: [UInt8], upTo end: Int64) -> Bool {
      (try? fileSystem.readBytes(file, at: end - Int64(bytes.count), count: bytes.count)) == bytes
    }
    // Without a valid line, there is nothing to compare and little to reread.
    if lastLineTail.isEmpty { return endOffset == 0 }
    if endOffset == lastLineEnd + 1 { return holds(lastLineTail + [0x0A], upTo: endOffset) }
    // Without the LF before it, the next line would become part of the last one.
    return holds(lastLineTail, upTo: lastLineEnd)
      && (endOffset == 0 || holds([0x0A], upTo: endOffset))
  }
}
