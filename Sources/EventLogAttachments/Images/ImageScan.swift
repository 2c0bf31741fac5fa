/// A search for positions in the metadata of one file.
///
/// The parsers of the formats extend it. They continue after a fault, so that the edits remove as
/// much as possible. Two budgets bound a search of a hostile file, whose parts may overlap.
struct ImageScan {
  /// Reads up to `count` bytes; nil if reading fails.
  typealias Read = (_ offset: Int64, _ count: Int) -> [UInt8]?

  private let read: Read
  /// The whole file.
  let file: ByteRegion
  private(set) var edits: [ByteEdit] = []
  /// The first fault.
  private(set) var fault: ImageFault?

  /// The segments, chunks, boxes and directory entries that may still be visited.
  private var partsLeft = 1 << 18
  /// The bytes that may still be searched one by one.
  private var bytesLeft: Int64

  /// The bytes read last.
  private var page: [UInt8] = []
  private var pageStart: Int64 = 0

  private static let pageSize: Int64 = 16 << 10
  static let editsMax = 1 << 16
  /// The maximum nesting of boxes, and of images in metadata of images.
  static let depthMax = 8

  init(byteCount: Int64, read: @escaping Read) {
    self.read = read
    file = ByteRegion(0..<max(0, byteCount))
    let budget = max(0, byteCount).multipliedReportingOverflow(by: 4)
    bytesLeft = budget.overflow ? .max : max(1 << 20, budget.partialValue)
  }

  // MARK: - Results

  /// Reports a fault at an offset of a region.
  mutating func report(
    _ kind: ImageFault.Kind, _ region: ByteRegion, at offset: Int64 = 0, _ reason: String
  ) {
    if fault == nil {
      fault = ImageFault(kind: kind, offset: region.fileOffset(offset), reason: reason)
    }
  }

  /// Reports the fault of a part that is read apart from the file, at the start of `region`.
  mutating func report(_ inner: ImageFault?, in region: ByteRegion) {
    if let inner { report(inner.kind, region, inner.reason) }
  }

  /// Overwrites a part of a region with one byte.
  mutating func fill(_ region: ByteRegion, _ part: Range<Int64>, with byte: UInt8) {
    let pieces = region.pieces(in: part)
    guard search(region, count: Int64(pieces.count)) else { return }
    for piece in pieces { add(ByteEdit(piece, fill: byte)) }
  }

  /// Overwrites bytes of a region.
  mutating func overwrite(_ region: ByteRegion, at offset: Int64, _ bytes: [UInt8]) {
    var rest = bytes[...]
    for piece in region.pieces(in: offset..<offset + Int64(bytes.count)) {
      add(ByteEdit(at: piece.lowerBound, Array(rest.prefix(piece.count))))
      rest = rest.dropFirst(piece.count)
    }
  }

  private mutating func add(_ edit: ByteEdit) {
    if edits.count < Self.editsMax {
      edits.append(edit)
    } else {
      reportTooManyEdits(ByteRegion(edit.range))
    }
  }

  mutating func reportTooManyEdits(_ region: ByteRegion) {
    report(.irremovable, region, "its position has more than \(Self.editsMax) parts")
  }

  // MARK: - Budgets

  /// Counts a visited part, and returns false if the file has too many.
  mutating func visitPart(_ region: ByteRegion, at offset: Int64 = 0) -> Bool {
    if partsLeft == 0 {
      report(.unreadable, region, at: offset, "it has too many parts")
      return false
    }
    partsLeft -= 1
    return true
  }

  /// Counts searched bytes, and returns false if the file's parts overlap too often.
  mutating func search(_ region: ByteRegion, count: Int64) -> Bool {
    if count > bytesLeft {
      report(.unreadable, region, "its parts overlap")
      return false
    }
    bytesLeft -= count
    return true
  }

  // MARK: - Bytes

  /// Returns bytes of a region, or nil if they aren't inside of it or can't be read.
  mutating func bytes(_ region: ByteRegion, at offset: Int64, count: Int) -> [UInt8]? {
    guard let range = region.range(at: offset, count: Int64(count)) else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(count)
    for piece in region.pieces(in: range) {
      guard append(piece, to: &result) else { return nil }
    }
    return result
  }

  /// Returns up to `count` bytes: fewer at the end of the region.
  mutating func prefix(_ region: ByteRegion, at offset: Int64 = 0, count: Int) -> [UInt8] {
    let rest = max(0, region.count - max(0, offset))
    return bytes(region, at: offset, count: Int(min(Int64(count), rest))) ?? []
  }

  private mutating func append(_ piece: Range<Int64>, to result: inout [UInt8]) -> Bool {
    var offset = piece.lowerBound
    while offset < piece.upperBound {
      if !(pageStart..<pageStart + Int64(page.count)).contains(offset) {
        pageStart = offset / Self.pageSize * Self.pageSize
        let count = min(Self.pageSize, file.count - pageStart)
        page = count > 0 ? read(pageStart, Int(count)) ?? [] : []
      }
      let start = Int(offset - pageStart)
      // The file may have become shorter.
      guard start < page.count else {
        page = []
        return false
      }
      let end = min(page.count, start + Int(piece.upperBound - offset))
      result += page[start..<end]
      offset += Int64(end - start)
    }
    return true
  }
}
