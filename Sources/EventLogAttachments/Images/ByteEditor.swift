/// Applies edits to a file while it's copied, chunk by chunk.
package struct ByteEditor: Sendable {
  private let edits: [ByteEdit]
  /// The first edit that ends after `offset`.
  private var next = 0
  private var offset: Int64 = 0

  /// - Parameter edits: Disjoint edits in the order of their offsets.
  package init(_ edits: [ByteEdit]) { self.edits = edits }

  /// Edits the next bytes of the file.
  ///
  /// The first chunk begins at offset 0, and each other where the one before it ended.
  package mutating func apply(to chunk: inout [UInt8]) {
    let end = offset + Int64(chunk.count)
    while next < edits.count, edits[next].range.lowerBound < end {
      let edit = edits[next]
      edit.apply(to: &chunk, at: offset)
      if edit.range.upperBound > end { break }
      next += 1
    }
    offset = end
  }
}

extension ByteEdit {
  /// Overwrites the part of the range that is in `chunk`, whose first byte is at `start` in the
  /// file.
  func apply(to chunk: inout [UInt8], at start: Int64) {
    let part = range.clamped(to: start..<start + Int64(chunk.count))
    for position in part { chunk[Int(position - start)] = self[position] }
  }
}
