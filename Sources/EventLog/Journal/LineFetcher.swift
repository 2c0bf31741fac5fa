/// Rereads single lines of a file in any order.
struct LineFetcher {
  private static let windowBytes: Int64 = 1 << 16

  private let file: FileDescriptor
  private let fileSystem: any FileSystem
  private var window: [UInt8] = []
  private var start: Int64 = 0

  init(of file: FileDescriptor, in fileSystem: any FileSystem) {
    self.file = file
    self.fileSystem = fileSystem
  }

  /// Returns the bytes of a line with an LF.
  ///
  /// Adjacent lines are read together, in either direction.
  mutating func bytes(at position: LinePosition) throws(Errno) -> [UInt8] {
    let end = position.offset + Int64(position.byteCount)
    if position.offset < start || end > start + Int64(window.count) {
      let isBefore = position.offset < start
      start = isBefore ? max(0, min(position.offset, end - Self.windowBytes)) : position.offset
      let count = max(Self.windowBytes, end - start)
      window = try fileSystem.readBytes(file, at: start, count: Int(count))
    }
    let first = Int(position.offset - start)
    let last = min(window.count, first + position.byteCount)
    return (first < last ? Array(window[first..<last]) : []) + [0x0A]
  }
}
