/// A part of a file that is read as one run of bytes, though its pieces may lie apart.
///
/// The segments of extended XMP and the extents of a HEIF item are such pieces.
struct ByteRegion {
  /// Offsets in the file, none of them empty.
  private(set) var pieces: [Range<Int64>]
  /// The offset in the region of the end of each piece.
  private var ends: [Int64]

  var count: Int64 { ends.last ?? 0 }

  /// The offset in the file of the first byte.
  var start: Int64 { pieces.first?.lowerBound ?? 0 }

  init(_ pieces: [Range<Int64>]) {
    self.pieces = pieces.filter { !$0.isEmpty }
    var end: Int64 = 0
    ends = []
    ends.reserveCapacity(self.pieces.count)
    for piece in self.pieces {
      end += piece.upperBound - piece.lowerBound
      ends.append(end)
    }
  }

  init(_ range: Range<Int64>) { self.init([range]) }

  /// The offset in the file of a byte of the region, or of its end.
  func fileOffset(_ offset: Int64) -> Int64 {
    guard let index = pieceIndex(offset) else { return pieces.last?.upperBound ?? 0 }
    return pieces[index].upperBound - (ends[index] - offset)
  }

  /// The pieces of a part of the region; the part outside of it has none.
  func pieces(in part: Range<Int64>) -> [Range<Int64>] {
    let part = part.clamped(to: 0..<count)
    guard !part.isEmpty, var index = pieceIndex(part.lowerBound) else { return [] }
    var found: [Range<Int64>] = []
    var offset = part.lowerBound
    while offset < part.upperBound {
      let start = pieces[index].upperBound - (ends[index] - offset)
      let end = min(part.upperBound, ends[index])
      found.append(start..<start + (end - offset))
      offset = end
      index += 1
    }
    return found
  }

  /// A part as a region, without what is outside of this one.
  func part(_ part: Range<Int64>) -> ByteRegion { ByteRegion(pieces(in: part)) }

  /// The part from an offset to the end.
  func part(from offset: Int64) -> ByteRegion {
    offset < count ? part(max(0, offset)..<count) : ByteRegion([])
  }

  /// The range of a start and a length, or nil if it isn't inside of the region.
  func range(at start: Int64, count length: Int64) -> Range<Int64>? {
    guard start >= 0, length >= 0, length <= count, start <= count - length else { return nil }
    return start..<start + length
  }

  /// The first piece that ends after an offset, found by bisection.
  private func pieceIndex(_ offset: Int64) -> Int? {
    var low = 0
    var high = ends.count
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > offset { high = middle } else { low = middle + 1 }
    }
    return low < ends.count ? low : nil
  }
}
