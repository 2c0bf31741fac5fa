// Two files, byte by byte, without keeping more of them than a buffer each.

/// Compares two files from their first bytes on, piece by piece.
package struct FileComparison: ~Copyable {
  /// One of the files.
  package struct Side: Sendable {
    let file: FileDescriptor
    let fileSystem: any FileSystem

    package init(_ file: FileDescriptor, _ fileSystem: any FileSystem) {
      self.file = file
      self.fileSystem = fileSystem
    }
  }

  private static let chunkBytes = 1 << 18

  private let left: Side
  private let right: Side
  private let buffers: UnsafeMutablePointer<UInt8>
  /// Up to where they were compared.
  private var offset: Int64 = 0
  private var isOver = false

  package init(_ left: Side, _ right: Side) {
    self.left = left
    self.right = right
    buffers = allocateZeros(2 * Self.chunkBytes)
  }

  deinit { freeZeros(buffers) }

  /// Compares on; up to which byte, behind an LF, the files are the same as far as is known. Nil
  /// where that was said already, and nothing is left to compare.
  ///
  /// - Complexity: O(1); all calls together O(what they have in common).
  package mutating func next() throws(Errno) -> Int64? {
    while !isOver {
      let (here, there) = (buffers, buffers + Self.chunkBytes)
      let leftCount = try Self.fill(here, from: left, at: offset)
      let rightCount = try Self.fill(there, from: right, at: offset)
      var common = min(leftCount, rightCount)
      if compareBytes(here, there, count: common) != 0 {
        common = (0..<common).first { here[$0] != there[$0] } ?? common
      }
      isOver = common < Self.chunkBytes
      var end = common
      while end > 0, here[end - 1] != 0x0A { end -= 1 }
      defer { offset += Int64(common) }
      if end > 0 { return offset + Int64(end) }
    }
    return nil
  }

  private static func fill(
    _ buffer: UnsafeMutablePointer<UInt8>, from side: Side, at offset: Int64
  ) throws(Errno) -> Int {
    var filled = 0
    while filled < chunkBytes {
      let rest = UnsafeMutableRawBufferPointer(start: buffer + filled, count: chunkBytes - filled)
      let count = try side.fileSystem.read(side.file, into: rest, at: offset + Int64(filled))
      if count == 0 { break }
      filled += count
    }
    return filled
  }
}
