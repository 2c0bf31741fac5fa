/// Bytes of a file to overwrite with as many others, so that no offset in the file changes.
package struct ByteEdit: Equatable, Sendable {
  package enum Replacement: Equatable, Sendable {
    case bytes([UInt8])
    /// One byte, repeated. It takes no memory for a long range.
    case fill(UInt8)
  }

  /// Offsets in the file.
  package private(set) var range: Range<Int64>
  package private(set) var replacement: Replacement

  package init(_ range: Range<Int64>, fill byte: UInt8) {
    (self.range, replacement) = (range, .fill(byte))
  }

  package init(at offset: Int64, _ bytes: [UInt8]) {
    range = offset..<offset + Int64(bytes.count)
    replacement = .bytes(bytes)
  }

  /// The part of the edit in `part`, which is inside of its range.
  func clamped(to part: Range<Int64>) -> ByteEdit {
    switch replacement {
    case .fill(let byte): return ByteEdit(part, fill: byte)
    case .bytes(let bytes):
      let start = Int(part.lowerBound - range.lowerBound)
      return ByteEdit(at: part.lowerBound, Array(bytes[start..<start + part.count]))
    }
  }

  /// The replacement of the byte at `offset`, which is in the range.
  subscript(offset: Int64) -> UInt8 {
    switch replacement {
    case .fill(let byte): byte
    case .bytes(let bytes): bytes[Int(offset - range.lowerBound)]
    }
  }
}

extension [ByteEdit] {
  /// The edits in the order of their offsets, without overlaps.
  ///
  /// If two edits overlap, the first in the list wins.
  func disjoint() -> [ByteEdit] {
    let sorted = enumerated().sorted {
      ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
    }
    var result: [ByteEdit] = []
    for (_, edit) in sorted {
      let start = Swift.max(edit.range.lowerBound, result.last?.range.upperBound ?? 0)
      if start >= edit.range.upperBound { continue }
      result.append(edit.clamped(to: start..<edit.range.upperBound))
    }
    return result
  }
}
