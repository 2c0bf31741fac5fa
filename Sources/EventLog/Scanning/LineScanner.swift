/// The second stage of reading: turns the bytes of one line into a layout.
///
/// A canonical line with a correct checksum is read in place. Any other line is rewritten first, or
/// rejected with the most informative fault.
package struct LineScanner {
  private var layout = LineLayout()
  private var memo = ScanMemo()
  private var normalizer = LineNormalizer()
  private let hardware = CRC32C.hasHardware
  private let classes = CharacterClass.table
  private let isTrusting: Bool
  /// The scanner after the envelope, to read `data` only if the sink wants it.
  private var rest: CanonicalScanner?
  /// The number of lines that weren't canonical, including faults.
  package private(set) var slowLineCount = 0

  /// Creates a scanner.
  ///
  /// - Parameter isTrusting: Whether the lines were just verified. Then checksums and UTF-8 aren't
  ///   checked again, and `data` is read only if the sink wants it.
  package init(trusting isTrusting: Bool = false) { self.isTrusting = isTrusting }

  /// Scans the line at `base`, after which ``CanonicalScanner/padding`` bytes must be readable.
  @inline(__always)
  mutating func scan<Sink: LineSink>(
    _ base: UnsafePointer<UInt8>, at position: LinePosition, into sink: inout Sink
  ) {
    let line = UnsafeBufferPointer(start: base, count: position.byteCount)
    if readInPlace(line),
      !isTrusting || !sink.wantsData(layout, canonical: line.span) || readData()
    {
      sink.event(layout, canonical: line.span, line: line.span, at: position)
    } else {
      scanSlowly(line, at: position, into: &sink)
    }
  }

  /// Reads a canonical line into `layout`, or a trusted line only up to its `data`.
  ///
  /// It isn't generic, so that all sinks share its code.
  @inline(never)
  private mutating func readInPlace(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = line.baseAddress, let checksum = Self.tail(of: base, count: line.count) else {
      return false
    }
    let covered = line.count &- LineLimits.checksumTailBytes
    guard isTrusting || isFitting(checksum, base, covered) else { return false }
    var scanner = CanonicalScanner(
      base: base, end: covered, namesAreDistinct: false, classes: classes)
    guard scanner.scanEnvelope(into: &layout, memo: &memo),
      checksum.before == 0 || layout.sequence > 1
    else { return false }
    layout.checksum = checksum
    if isTrusting {
      rest = scanner
      return true
    }
    return scanner.scanData(into: &layout)
      && (UTF8Validation.isASCII(base, count: covered)
        || UTF8Validation.firstFault(base, count: covered) == nil)
  }

  /// Reads the `data` after the last envelope.
  @inline(never)
  private mutating func readData() -> Bool { rest?.scanData(into: &layout) ?? false }

  /// Scans one line of an array, including its LF, as if it were at `offset` of a file.
  ///
  /// - Parameter generally: Whether to use the slow path even for a canonical line. The result must
  ///   be the same.
  package mutating func scan<Sink: LineSink>(
    _ bytes: [UInt8], at offset: Int64, number: Int, generally: Bool = false, into sink: inout Sink
  ) {
    let position = LinePosition(
      number: number, offset: offset, byteCount: bytes.count - 1,
      endOffset: offset + Int64(bytes.count), isTerminated: true)
    scan(bytes, at: position, generally: generally, into: &sink)
  }

  /// Scans one line of an array, including its LF, that a file contains at `position`.
  mutating func scan<Sink: LineSink>(
    _ bytes: [UInt8], at position: LinePosition, generally: Bool = false, into sink: inout Sink
  ) {
    let padded = bytes + [UInt8](repeating: 0, count: CanonicalScanner.padding)
    padded.withUnsafeBufferPointer { buffer in
      let base = buffer.baseAddress!
      if generally {
        let line = UnsafeBufferPointer(start: base, count: position.byteCount)
        scanSlowly(line, at: position, into: &sink)
      } else {
        scan(base, at: position, into: &sink)
      }
    }
  }

  /// Scans all lines of an array, as if it were a file; the last one may lack its LF.
  ///
  /// As in a file, blank lines and a CR before an LF are skipped, and oversized lines are
  /// rejected.
  package mutating func scanLines<Sink: LineSink>(_ bytes: [UInt8], into sink: inout Sink) {
    let padded = bytes + [UInt8](repeating: 0, count: CanonicalScanner.padding)
    padded.withUnsafeBufferPointer { buffer in
      var start = 0
      var number = 1
      while start < bytes.count, !sink.isStopped {
        let line = buffer.baseAddress! + start
        let length = indexOfByte(0x0A, in: line, count: bytes.count - start)
        let isTerminated = start + length < bytes.count
        let hasReturn = isTerminated && length > 0 && line[length - 1] == 0x0D
        let position = LinePosition(
          number: number, offset: Int64(start), byteCount: hasReturn ? length - 1 : length,
          endOffset: Int64(start + length + (isTerminated ? 1 : 0)), isTerminated: isTerminated)
        if position.byteCount > LineLimits.lineBytesMax {
          sink.fault(
            LineFault(.lineTooLong, at: LineLimits.lineBytesMax),
            line: UnsafeBufferPointer(start: line, count: 0).span, at: position)
        } else if !LineReader.isBlank(line, count: position.byteCount) {
          scan(line, at: position, into: &sink)
        }
        start += length + 1
        number += 1
      }
    }
  }

  @inline(never)
  private mutating func scanSlowly<Sink: LineSink>(
    _ line: UnsafeBufferPointer<UInt8>, at position: LinePosition, into sink: inout Sink
  ) {
    do throws(LineFault) {
      try normalize(line)
      normalizer.canonical.withUnsafeBufferPointer { canonical in
        sink.event(layout, canonical: canonical.span, line: line.span, at: position)
      }
    } catch {
      sink.fault(error, line: line.span, at: position)
    }
  }

  private mutating func normalize(_ line: UnsafeBufferPointer<UInt8>) throws(LineFault) {
    slowLineCount += 1
    let checksum = line.baseAddress.flatMap { Self.tail(of: $0, count: line.count) }
    var tail = LineNormalizer.Tail.missing
    if let checksum, let base = line.baseAddress {
      let covered = line.count - LineLimits.checksumTailBytes
      tail = isFitting(checksum, base, covered) ? .fitting : .mismatched
    }
    try normalizer.normalize(line, tail: tail, into: &layout, memo: &memo)
    guard let checksum, checksum.before == 0 || layout.sequence > 1 else {
      throw LineFault(.invalidChain, at: line.count - 18, member: "crc")
    }
    layout.checksum = checksum
  }

  @inline(__always)
  private func isFitting(
    _ checksum: LineChecksum, _ base: UnsafePointer<UInt8>, _ covered: Int
  ) -> Bool {
    CRC32C.checksum(
      base, count: covered, then: base + covered + 8, tailCount: 8, hardware: hardware)
      == checksum.chain
  }

  /// The digits of `,"crc":"<16 digits>"}` at the line's end.
  @inline(__always)
  private static func tail(of base: UnsafePointer<UInt8>, count: Int) -> LineChecksum? {
    // The shortest object before the tail is `{`.
    guard count > LineLimits.checksumTailBytes else { return nil }
    let tail = base + (count &- LineLimits.checksumTailBytes)
    // ,"crc":"
    let opening = UnsafeRawPointer(tail).loadUnaligned(as: UInt64.self).littleEndian
    guard opening == 0x223A_2263_7263_222C, tail[24] == UInt8(ascii: "\""),
      tail[25] == UInt8(ascii: "}"), let before = ChainDigits.read(tail + 8),
      let chain = ChainDigits.read(tail + 16)
    else { return nil }
    return LineChecksum(before: before, chain: chain)
  }
}
