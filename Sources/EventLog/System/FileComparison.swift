// Two files, byte by byte, without keeping more of them than a buffer each.

/// Compares two files from their first bytes on.
package enum FileComparison {
  private static let chunkBytes = 1 << 18

  /// Up to which byte, behind an LF, two files are the same.
  ///
  /// - Complexity: O(what they have in common).
  package static func commonLines(
    of left: FileDescriptor, _ leftSystem: any FileSystem, _ right: FileDescriptor,
    _ rightSystem: any FileSystem
  ) throws(Errno) -> Int64 {
    let buffers = allocateZeros(2 * chunkBytes)
    defer { freeZeros(buffers) }
    let (here, there) = (buffers, buffers + chunkBytes)
    var offset: Int64 = 0
    var behindLineFeed: Int64 = 0
    while true {
      let leftCount = try fill(here, from: left, leftSystem, at: offset)
      let rightCount = try fill(there, from: right, rightSystem, at: offset)
      var common = min(leftCount, rightCount)
      let isSame = compareBytes(here, there, count: common) == 0
      if !isSame { common = (0..<common).first { here[$0] != there[$0] } ?? common }
      var end = common
      while end > 0, here[end - 1] != 0x0A { end -= 1 }
      if end > 0 { behindLineFeed = offset + Int64(end) }
      offset += Int64(common)
      if !isSame || common < chunkBytes { return behindLineFeed }
    }
  }

  private static func fill(
    _ buffer: UnsafeMutablePointer<UInt8>, from file: FileDescriptor,
    _ fileSystem: any FileSystem, at offset: Int64
  ) throws(Errno) -> Int {
    var filled = 0
    while filled < chunkBytes {
      let rest = UnsafeMutableRawBufferPointer(start: buffer + filled, count: chunkBytes - filled)
      let count = try fileSystem.read(file, into: rest, at: offset + Int64(filled))
      if count == 0 { break }
      filled += count
    }
    return filled
  }
}
