extension LineScanner {
  /// Scans the last line of `bytes`, including its LF, in place.
  ///
  /// - Parameters:
  ///   - bytes: The lines. They are unchanged when this returns.
  ///   - start: The start of the line in `bytes`.
  ///   - offset: The start of the line in its file.
  mutating func scanLast<Sink: LineSink>(
    of bytes: inout [UInt8], from start: Int, at offset: Int64, number: Int, into sink: inout Sink
  ) {
    let count = bytes.count
    let position = LinePosition(
      number: number, offset: offset, byteCount: count - start - 1,
      endOffset: offset + Int64(count - start), isTerminated: true)
    bytes.append(contentsOf: repeatElement(0, count: CanonicalScanner.padding))
    bytes.withUnsafeBufferPointer { scan($0.baseAddress! + start, at: position, into: &sink) }
    bytes.removeLast(CanonicalScanner.padding)
  }
}

extension LineChecksum {
  /// The checksums of an event whose covered bytes are `bytes[start...]`.
  static func of(lastOf bytes: [UInt8], from start: Int, after before: UInt32) -> LineChecksum {
    let chain = bytes.withUnsafeBufferPointer { buffer in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 8) { digits in
        ChainDigits.write(before, into: digits.baseAddress!)
        return CRC32C.checksum(
          buffer.baseAddress! + start, count: buffer.count - start, then: digits.baseAddress!,
          tailCount: 8, hardware: CRC32C.hasHardware)
      }
    }
    return LineChecksum(before: before, chain: chain)
  }
}
