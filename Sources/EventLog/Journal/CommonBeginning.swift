/// Compares two files from their first bytes on.
package enum CommonBeginning {
  private static let chunkBytes = 1 << 20

  /// Up to which byte, behind an LF, two files are the same; at most `limit`.
  ///
  /// - Complexity: O(what they have in common).
  package static func length(
    of left: FileDescriptor, _ leftSystem: any FileSystem, _ right: FileDescriptor,
    _ rightSystem: any FileSystem, upTo limit: Int64 = .max
  ) throws(Errno) -> Int64 {
    var offset: Int64 = 0
    var behindLineFeed: Int64 = 0
    while offset < limit {
      let count = Int(min(Int64(chunkBytes), limit - offset))
      let here = try leftSystem.readBytes(left, at: offset, count: count)
      let there = try rightSystem.readBytes(right, at: offset, count: count)
      let isSame = here == there
      let common = isSame ? here.count : commonCount(here, there)
      if let last = here[..<common].lastIndex(of: 0x0A) {
        behindLineFeed = offset + Int64(last) + 1
      }
      offset += Int64(common)
      if !isSame || here.count < count { break }
    }
    return behindLineFeed
  }

  private static func commonCount(_ left: [UInt8], _ right: [UInt8]) -> Int {
    zip(left, right).prefix { $0 == $1 }.count
  }
}
