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
    /// Where in it the next reading begins: behind an LF.
    package var offset: Int64
    /// Where the last good line ends, without its LF.
    package var lastLineEnd: Int64
    /// The last bytes of that line, with its checksums.
    package var lastLineTail: [UInt8]
  }

  package let origin: Origin
  /// What belongs to the state, by name. A part that is not there has to be found in another way.
  package internal(set) var parts: [String: ArraySlice<UInt8>] = [:]

  private static let mark: StaticString = "eventlog checkpoint 5\n"

  package init(origin: Origin) { self.origin = origin }

  /// Adds what `encode` writes, under a name that has no part yet.
  package mutating func add(_ name: String, _ encode: (inout ColumnEncoder) -> Void) {
    var encoder = ColumnEncoder()
    encode(&encoder)
    parts[name] = encoder.bytes[...]
  }

  /// Reads a part, all of it.
  ///
  /// - Throws: `ColumnFault` also where there is no such part.
  package func read<Part>(
    _ name: String, _ decode: (inout ColumnDecoder) throws(ColumnFault) -> Part
  ) throws(ColumnFault) -> Part {
    guard let bytes = parts[name] else { throw ColumnFault() }
    var decoder = ColumnDecoder(bytes)
    let part = try decode(&decoder)
    guard decoder.isAtEnd else { throw ColumnFault() }
    return part
  }

  // MARK: - Bytes

  /// The content of its file.
  package var sealed: [UInt8] {
    var encoder = ColumnEncoder()
    encoder.write(bytes: origin.definition)
    encoder.write(Int64(bitPattern: origin.file.inode))
    encoder.write(origin.file.birth != nil)
    encoder.write(origin.file.birth ?? 0)
    encoder.write(origin.offset)
    encoder.write(origin.lastLineEnd)
    encoder.write(bytes: origin.lastLineTail)
    encoder.write(parts.count)
    for (name, bytes) in parts.sorted(by: { $0.key < $1.key }) {
      encoder.write(text: name)
      encoder.write(bytes: bytes)
    }
    return encoder.sealed(Self.mark)
  }

  /// - Throws: `ColumnFault` for bytes that are none of this format, or damaged.
  package init(sealed bytes: [UInt8]) throws(ColumnFault) {
    var decoder = try ColumnDecoder(sealed: bytes, Self.mark)
    let definition = Array(try decoder.string())
    let inode = UInt64(bitPattern: try decoder.number(in: .min ... .max))
    let hasBirth = try decoder.flag()
    let birth = try decoder.number(in: .min ... .max)
    origin = Origin(
      definition: definition,
      file: .init(inode: inode, birth: hasBirth ? birth : nil),
      offset: Int64(try decoder.count()), lastLineEnd: Int64(try decoder.count()),
      lastLineTail: Array(try decoder.string()))
    for _ in 0..<(try decoder.count()) {
      let name = try decoder.text()
      guard parts.updateValue(try decoder.string(), forKey: name) == nil else {
        throw ColumnFault()
      }
    }
    guard decoder.isAtEnd, origin.lastLineEnd < origin.offset,
      origin.lastLineTail.count == LineLimits.checksumTailBytes,
      origin.lastLineEnd >= Int64(LineLimits.checksumTailBytes)
    else { throw ColumnFault() }
  }
}

extension Checkpoint.Origin {
  /// Whether the journal is still the file that it was, and what was read of it stands there by its
  /// last line. More of it is not looked at: `verify` does, and uses no checkpoint.
  package func stands(in file: JournalFile, _ fileSystem: any FileSystem) -> Bool {
    guard let status = try? file.status, DeviceRecord.FileIdentity(status) == self.file,
      status.size >= offset
    else { return false }
    let count = lastLineTail.count
    return
      (try? fileSystem.readBytes(
        file.descriptor, at: lastLineEnd - Int64(count), count: count)) == lastLineTail
      && (try? fileSystem.readBytes(file.descriptor, at: offset - 1, count: 1)) == [0x0A]
  }
}
