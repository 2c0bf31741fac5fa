/// A cache of what a reading of a journal came to, so that the next one begins behind it.
///
/// It may be deleted at any time. Whatever does not fit, a bit of it or what it was made from, and
/// the journal is read from its first line: the state is the same, and comes later.
package struct Checkpoint: Sendable {
  /// What a checkpoint was made from: all of it must hold where a reading begins with it.
  package struct Origin: Sendable, Equatable {
    /// What the parts mean: the rules of the fold, and the catalog.
    package var definition: [UInt8]
    /// The journal's file.
    package var file: DeviceRecord.FileIdentity
    /// Where in it the next reading begins.
    package var mark: ReadingMark
    /// CRC-32C of all bytes before that.
    package var contents: UInt32
    package var offset: Int64 { mark.endOffset }
  }

  package let origin: Origin
  /// What belongs to the state, by name. A part that is not there has to be found in another way.
  package var parts: [String: ArraySlice<UInt8>] = [:]

  private static let seal: StaticString = "eventlog checkpoint 9\n"

  package init(origin: Origin) { self.origin = origin }

  /// The bytes of a part.
  ///
  /// - Throws: `ColumnFault` if there is no such part.
  package func part(_ name: String) throws(ColumnFault) -> ArraySlice<UInt8> {
    guard let bytes = parts[name] else { throw ColumnFault() }
    return bytes
  }

  // MARK: - Bytes

  /// The content of its file.
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

  /// - Throws: `ColumnFault` for bytes that are none of this format, or damaged.
  package init(sealed bytes: [UInt8]) throws(ColumnFault) {
    var decoder = try ColumnDecoder(sealed: bytes, Self.seal)
    let definition = Array(try decoder.string())
    let inode = UInt64(bitPattern: try decoder.number(in: .min ... .max))
    let hasBirth = try decoder.flag()
    let birth = try decoder.number(in: .min ... .max)
    origin = Origin(
      definition: definition,
      file: .init(inode: inode, birth: hasBirth ? birth : nil),
      mark: ReadingMark(
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
  /// Whether the checkpoint was made of this file.
  package func isOf(_ file: JournalFile) -> Bool {
    (try? file.status).map(DeviceRecord.FileIdentity.init) == self.file
  }

  /// Whether every byte of what was read is still the same.
  ///
  /// - Complexity: O(bytes): some 5 GB/s of what the system holds in memory.
  package func isWhole(in file: JournalFile, _ fileSystem: any FileSystem) -> Bool {
    let found = try? Self.contents(of: file, fileSystem, upTo: offset)
    return found == contents
  }

  /// CRC-32C of a file's bytes up to `end`; of those before `start` it is `before`.
  package static func contents(
    of file: JournalFile, _ fileSystem: any FileSystem, from start: Int64 = 0,
    after before: UInt32 = 0, upTo end: Int64
  ) throws(Errno) -> UInt32 {
    var (offset, checksum) = (start, before)
    while offset < end {
      let bytes = try fileSystem.readBytes(
        file.descriptor, at: offset, count: Int(min(Self.chunkBytes, end - offset)))
      // It is shorter than it was.
      if bytes.isEmpty { throw .inputOutput }
      checksum = CRC32C.checksum(bytes, after: checksum)
      offset += Int64(bytes.count)
    }
    return checksum
  }

  private static let chunkBytes: Int64 = 256 << 10
}
