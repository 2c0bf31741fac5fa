extension ImageScan {
  /// Scans the images and videos after the end of an image: the other pictures of a multi-picture
  /// file (MPF), a gain map, the video of a motion photo.
  ///
  /// They are found by their first bytes, not by an index: an index may be stale.
  mutating func scanTrailer(_ region: ByteRegion, from start: Int64) {
    var offset = start
    while let found = nextSignature(region, from: offset), visitPart(region, at: found) {
      let head = prefix(region, at: found, count: 8)
      if head.hasASCII("ftyp", at: 4) {
        return scanMedia(region.part(from: found))
      }
      // Bytes without an end only look like an image, and may contain the start of a real one.
      offset =
        scanJPEG(region, at: found, depth: 1, reportsStructure: false) ?? found + 2
    }
  }

  /// Returns the offset of the next bytes that begin a JPEG or a file of boxes.
  private mutating func nextSignature(_ region: ByteRegion, from start: Int64) -> Int64? {
    var offset = start
    while true {
      let block = prefix(region, at: offset, count: 64 << 10)
      var index = 0
      while index + 8 <= block.count {
        if Self.isSignature(block, at: index) {
          return search(region, count: Int64(index)) ? offset + Int64(index) : nil
        }
        index += 1
      }
      guard index > 0, search(region, count: Int64(index)) else { return nil }
      offset += Int64(index)
    }
  }

  private static func isSignature(_ block: [UInt8], at index: Int) -> Bool {
    if block[index] == 0xFF {
      guard block[index + 1] == JPEG.startOfImage, block[index + 2] == 0xFF else { return false }
      let marker = block[index + 3]
      return (0xE0...0xEF).contains(marker) || [0xC4, 0xDB, 0xFE].contains(marker)
    }
    return block[index] == 0 && block[index + 4] == UInt8(ascii: "f")
      && block.hasASCII("ftyp", at: index + 4)
  }
}
