extension ImageScan {
  /// Scans the chunks of a WebP.
  mutating func scanWebP(_ region: ByteRegion) {
    var offset: Int64 = 12
    while offset < region.count, visitPart(region, at: offset) {
      let head = prefix(region, at: offset, count: 8)
      let length = head.offset(at: 4, .littleEndian)
      guard head.count == 8, let range = region.range(at: offset + 8, count: length) else {
        return report(.unreadable, region, at: offset, "a chunk is longer than the file")
      }
      switch head.ascii(at: 0, count: 4) {
      case "EXIF": scanProfile(region.part(range))
      case "XMP ": scanXMP(region.part(range))
      default: break
      }
      // Chunks begin at even offsets.
      offset = range.upperBound + length % 2
    }
  }
}
