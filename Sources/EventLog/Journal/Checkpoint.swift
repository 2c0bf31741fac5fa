/// Caches the result of reading a journal, so that the next reading starts after it.
///
/// A checkpoint may be deleted at any time. If it is damaged or its origin doesn't match, the
/// journal is read from its first line, which takes longer and yields the same state.
package struct Checkpoint: Sendable {
  /// The origin of a checkpoint: a reading may start from it only if all of this matches.
  package struct Origin: Sendable, Equatable {
    /// The definition of the parts: the rules of the fold and the catalog.
    package var definition: [UInt8]
    /// The identity of the journal file.
    package var file: DeviceRecord.FileIdentity
    /// The resume point in the file.
    package var mark: ResumePoint
    /// The CRC-32C of all bytes before the resume point.
    package var contents: UInt32
    package var offset: Int64 { mark.endOffset }
  }

  package let origin: Origin
  /// The parts of the state, by name.
  ///
  /// A missing part has to be computed in another way.
  package var parts: [String: ArraySlice<UInt8>] = [:]

  private static let seal: StaticString = "eventlog checkpoint 9\n"

  package init(origin: Origin) { self.origin = origin }

  /// Returns the bytes of a part.
  ///
  /// - Throws: `ColumnFault` if there is no such part.
  package func part(_ name: String) throws(ColumnFault) -> ArraySlice<UInt8> {
    guard let bytes = parts[name] else { throw ColumnFault() }
    return bytes
  }

  // MARK: - Bytes

  /// The content of the checkpoint's file.
  package var sealed: [UInt8] {
    var encoder = ColumnEncoder()
    encoder.write(bytes: origin.definition)
    encoder.write(Int64(bitPattern: origin.file.inode))
    encoder.write(origin.file.birth != nil)
    encoder.write(origin.file.birth ?? 0)
    encoder.write(origin.mark.endOffset)
    encoder.write(origin.mark.lastLineEnd)
    encoder.write(bytes: origin.mark.lastLineTail)
    encoder.write(Int64(origin.contents))
    encoder.write(parts.count)
    for (name, bytes) in parts.sorted(by: { $0.key < $1.key }) {
      encoder.write(text: name)
      encoder.write(bytes: bytes)
    }
    return encoder.sealed(Self.seal)
  }

  /// - Throws: `ColumnFault` if the bytes are damaged or in another format.
  package init(sealed bytes: [UInt8]) throws(ColumnFault) {
    var decoder = try ColumnDecoder(sealed: bytes, Self.seal)
    let definition = Array(try decoder.string())
    let inode = UInt64(bitPattern: try decoder.number(in: .min ... .max))
    let hasBirth = try decoder.flag()
    let birth = try decoder.number(in: .min ... .max)
    origin = Origin(
      definition: definition,
      file: .init(inode: inode, birth: hasBirth ? birth : nil),
      mark: ResumePoint(
        endOffset: Int64(try decoder.count()), lastLineEnd: Int64(try decoder.count()),
        lastLineTail: Array(try decoder.string())),
      contents: UInt32(try decoder.number(in: 0...Int64(UInt32.max))))
    for _ in 0..<(try decoder.count()) {
      let name = try decoder.text()
      guard parts.updateValue(try decoder.string(), forKey: name) == nil else {
        throw ColumnFault()
      }
    }
    guard decoder.isAtEnd, origin.mark.isOfGoodLine else { throw ColumnFault() }
  }
}

extension Checkpoint.Origin {
  /// Whether the checkpoint was made from this file.
  package func isOf(_ file: JournalFile) -> Bool {
    (try? file.status).map(DeviceRecord.FileIdentity.init) == self.file
  }

  /// Whether all bytes that were read are unchanged.
  ///
  /// - Complexity: O(bytes), at about 5 GB/s from the page cache.
  package func isWhole(in file: JournalFile, _ fileSystem: any FileSystem) -> Bool {
    let found = try? Self.contents(of: file, fileSystem, upTo: offset)
    return found == contents
  }

  /// Returns the CRC-32C of a file's bytes up to `end`, given that of the bytes before `start`.
  package static func contents(
    of file: JournalFile, _ fileSystem: any FileSystem, from start: Int64 = 0,
    after before: UInt32 = 0, upTo end: Int64
  ) throws(Errno) -> UInt32 {
    var (offset, checksum) = (start, before)
    while offset < end {
      let bytes = try fileSystem.readBytes(
        file.descriptor, at: offset, count: Int(min(Self.chunkBytes, end - offset)))
      // The file is shorter than expected.
      if bytes.isEmpty { throw .inputOutput }
      checksum = CRC32C.checksum(bytes, after: checksum)
      offset += Int64(bytes.count)
    }
    return checksum
  }

  private static let chunkBytes: Int64 = 256 << 10
}
