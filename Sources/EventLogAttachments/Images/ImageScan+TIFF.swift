/// The tags of TIFF 6.0 and Exif 3.0 that lead to a position.
private enum Tag {
  static let subIFDs: UInt64 = 0x014A
  static let thumbnailOffset: UInt64 = 0x0201
  static let thumbnailLength: UInt64 = 0x0202
  static let xmp: UInt64 = 0x02BC
  static let exifIFD: UInt64 = 0x8769
  static let gpsIFD: UInt64 = 0x8825
  static let interoperabilityIFD: UInt64 = 0xA005
}

/// A TIFF structure whose directories are being visited.
struct TIFFWalk {
  let region: ByteRegion
  let order: ByteOrder
  let depth: Int
  /// Directories to visit.
  private var pending: [(offset: Int64, isMain: Bool)] = []
  /// Directories with a position.
  private(set) var positions: [Int64] = []
  private var directoryCount = 0
  /// Whether directories are ignored because there are too many.
  private(set) var isTruncated = false
  /// The header and the visited directories, which no edit may overwrite.
  var tables: [Range<Int64>] = [0..<8]
  private var visited: Set<Int64> = []

  private static let directoriesMax = 512

  init(_ region: ByteRegion, _ order: ByteOrder, depth: Int) {
    (self.region, self.order, self.depth) = (region, order, depth)
  }

  private mutating func count() -> Bool {
    directoryCount += 1
    isTruncated = directoryCount > Self.directoriesMax
    return !isTruncated
  }

  mutating func add(_ offset: Int64, isMain: Bool = false) {
    if count() { pending.append((offset, isMain)) }
  }

  mutating func addPosition(_ offset: Int64) {
    if count() { positions.append(offset) }
  }

  mutating func next() -> (offset: Int64, isMain: Bool)? { pending.popLast() }

  /// Returns false if a directory has been visited before.
  mutating func visit(_ offset: Int64) -> Bool { visited.insert(offset).inserted }
}

/// An entry of a directory.
struct TIFFEntry {
  let tag: UInt64
  let type: UInt64
  let count: Int64
  /// The value field as a number of the type SHORT or LONG.
  let value: Int64
  /// The value field of 4 bytes, in the structure.
  let field: Range<Int64>

  static let size = 12

  /// The bytes of one value of each type, by the number of the type; 0 for an unknown type.
  private static let sizes: [Int64] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

  init(_ table: [UInt8], at index: Int, _ order: ByteOrder, offset: Int64) {
    tag = table.unsigned(at: index, count: 2, order)
    type = table.unsigned(at: index + 2, count: 2, order)
    count = table.offset(at: index + 4, order)
    value = table.offset(at: index + 8, count: type == 3 ? 2 : 4, order)
    field = offset + 8..<offset + 12
  }

  /// The length of the values; nil for an unknown type.
  var byteCount: Int64? {
    guard type > 0, type < Self.sizes.count else { return nil }
    return Self.sizes[Int(type)] * count
  }

  /// The offset and the length of the values; nil for an unknown type.
  var values: (offset: Int64, count: Int64)? {
    guard let byteCount else { return nil }
    return byteCount <= 4 ? (field.lowerBound, byteCount) : (value, byteCount)
  }
}

extension ImageScan {
  /// Scans a TIFF structure: a file, or the content of Exif.
  mutating func scanTIFF(_ region: ByteRegion, depth: Int) {
    guard depth < Self.depthMax else {
      return report(.unreadable, region, "its images are nested too deep")
    }
    guard let head = bytes(region, at: 0, count: 8), let order = ByteOrder(tiff: head) else {
      return report(.unreadable, region, "it has Exif without a TIFF header")
    }
    var walk = TIFFWalk(region, order, depth: depth)
    let first = head.offset(at: 4, order)
    if first != 0 { walk.add(first, isMain: true) }
    while let next = walk.next() {
      guard walk.visit(next.offset) else { continue }
      visitDirectory(next.offset, isMain: next.isMain, &walk)
    }
    // Last, when all tables are known that no edit may overwrite.
    for offset in Set(walk.positions).sorted() { emptyDirectory(offset, walk) }
    if walk.isTruncated { report(.unreadable, region, "it has too many directories") }
  }

  /// Returns the entries of a directory, as far as they are inside of the structure.
  private mutating func entries(
    at offset: Int64, _ walk: TIFFWalk
  ) -> (table: [UInt8], count: Int)? {
    guard let head = bytes(walk.region, at: offset, count: 2) else {
      report(.unreadable, walk.region, at: offset, "a directory is outside of its Exif")
      return nil
    }
    let count = Int(head.unsigned(at: 0, count: 2, walk.order))
    let table = prefix(walk.region, at: offset + 2, count: count * TIFFEntry.size)
    let inside = table.count / TIFFEntry.size
    if inside < count {
      report(.unreadable, walk.region, at: offset, "a directory is longer than its Exif")
    }
    return (table, inside)
  }

  private mutating func visitDirectory(_ offset: Int64, isMain: Bool, _ walk: inout TIFFWalk) {
    guard let (table, count) = entries(at: offset, walk) else { return }
    var thumbnail: (offset: Int64, length: Int64) = (0, 0)
    let end = offset + 2 + Int64(count * TIFFEntry.size)
    walk.tables.append(offset..<end)
    for index in 0..<count {
      let start = index * TIFFEntry.size
      let entry = TIFFEntry(table, at: start, walk.order, offset: offset + 2 + Int64(start))
      guard visitPart(walk.region, at: offset) else { return }
      switch entry.tag {
      case Tag.gpsIFD: walk.addPosition(entry.value)
      case Tag.exifIFD, Tag.interoperabilityIFD: walk.add(entry.value)
      case Tag.subIFDs: addSubdirectories(entry, &walk)
      case Tag.thumbnailOffset: thumbnail.offset = entry.value
      case Tag.thumbnailLength: thumbnail.length = entry.value
      case Tag.xmp:
        guard let (offset, count) = entry.values,
          let range = walk.region.range(at: offset, count: count)
        else {
          report(.unreadable, walk.region, at: entry.field.lowerBound, "XMP is outside of its TIFF")
          continue
        }
        scanXMP(walk.region.part(range))
      default: break
      }
    }
    if thumbnail.length > 0 { scanThumbnail(thumbnail.offset, thumbnail.length, walk) }
    // Writers often leave out the offset of the next directory, or write garbage, except in the
    // chain of the main ones.
    if isMain, let next = bytes(walk.region, at: end, count: 4)?.offset(at: 0, walk.order),
      next != 0
    {
      walk.add(next, isMain: true)
    }
  }

  private mutating func addSubdirectories(_ entry: TIFFEntry, _ walk: inout TIFFWalk) {
    if entry.count == 1 { return walk.add(entry.value) }
    // No format has more than a few.
    guard entry.count <= 256,
      let offsets = bytes(walk.region, at: entry.value, count: Int(entry.count) * 4)
    else {
      return report(
        .unreadable, walk.region, at: entry.field.lowerBound, "a directory is outside of its Exif")
    }
    for index in 0..<Int(entry.count) {
      walk.add(offsets.offset(at: index * 4, walk.order))
    }
  }

  /// Scans a thumbnail, which may be cut off or no JPEG.
  private mutating func scanThumbnail(_ offset: Int64, _ length: Int64, _ walk: TIFFWalk) {
    let image = walk.region.part(offset..<offset + length)
    guard prefix(image, count: 2) == [0xFF, JPEG.startOfImage] else { return }
    _ = scanJPEG(image, at: 0, depth: walk.depth + 1, reportsStructure: false)
  }

  // MARK: - GPS

  private static var versionTag: UInt64 { 0 }
  private static var lastPositionTag: UInt64 { 0x1F }

  /// Leaves a GPS directory with only its version, which Exif requires, and blanks all values.
  private mutating func emptyDirectory(_ offset: Int64, _ walk: TIFFWalk) {
    guard let (table, count) = entries(at: offset, walk), count > 0 else { return }
    let all = (0..<count).map { index in
      let start = index * TIFFEntry.size
      return TIFFEntry(table, at: start, walk.order, offset: offset + 2 + Int64(start))
    }
    if all.count == 1, all[0].tag == Self.versionTag { return }
    let range = offset..<offset + 2 + Int64(table.count)
    // A wrong offset must not blank pixels.
    guard all.contains(where: { $0.tag <= Self.lastPositionTag }),
      !walk.tables.contains(where: { $0.overlaps(range) })
    else {
      return report(.unreadable, walk.region, at: offset, "its GPS directory isn't one")
    }
    for entry in all {
      guard visitPart(walk.region, at: offset) else { break }
      blankValues(of: entry, walk)
    }
    let version = all.first { $0.tag == Self.versionTag && $0.byteCount == 4 }
    let number =
      version.flatMap { bytes(walk.region, at: $0.field.lowerBound, count: 4) } ?? [2, 3, 0, 0]
    let order = walk.order
    let head =
      order.bytes(UInt16(1)) + order.bytes(UInt16(Self.versionTag)) + order.bytes(UInt16(1))
      + order.bytes(UInt32(4)) + number
    overwrite(walk.region, at: offset, head)
    fill(walk.region, offset + Int64(head.count)..<range.upperBound, with: 0)
  }

  /// Blanks values that aren't in the directory itself.
  private mutating func blankValues(of entry: TIFFEntry, _ walk: TIFFWalk) {
    guard let (offset, count) = entry.values else {
      if entry.tag <= Self.lastPositionTag {
        report(.unreadable, walk.region, at: entry.field.lowerBound, "a GPS value has no type")
      }
      return
    }
    if count <= 4 { return }
    guard let range = walk.region.range(at: offset, count: count),
      !walk.tables.contains(where: { $0.overlaps(range) })
    else {
      return report(
        .unreadable, walk.region, at: entry.field.lowerBound, "a GPS value is outside of its Exif")
    }
    fill(walk.region, range, with: 0)
  }
}
