extension ImageScan {
  /// Scans a JPEG, and the images and videos after its end.
  mutating func scanJPEG(_ region: ByteRegion) {
    if let end = scanJPEG(region, at: 0, depth: 0, reportsStructure: true) {
      scanTrailer(region, from: end)
    }
  }

  /// Scans one JPEG, and returns the offset of its end; nil if it's cut off.
  ///
  /// - Parameter reportsStructure: False for a thumbnail and for bytes that only look like an
  ///   image. They are often cut off, or have no segments at all.
  mutating func scanJPEG(
    _ region: ByteRegion, at start: Int64, depth: Int, reportsStructure: Bool
  ) -> Int64? {
    guard depth < Self.depthMax else {
      report(.unreadable, region, at: start, "its images are nested too deep")
      return nil
    }
    var metadata = JPEGMetadata()
    let end = scanSegments(region, from: start + 2, reportsStructure, &metadata)
    scan(metadata, in: region, depth: depth)
    return end
  }

  /// Scans the segments up to the end of their image, and returns its offset.
  private mutating func scanSegments(
    _ region: ByteRegion, from start: Int64, _ reportsStructure: Bool,
    _ metadata: inout JPEGMetadata
  ) -> Int64? {
    var offset = start
    while visitPart(region, at: offset) {
      let head = prefix(region, at: offset, count: 4)
      guard head.count >= 2 else { return nil }
      guard head[0] == 0xFF else {
        guard reportsStructure else { return nil }
        report(.unreadable, region, at: offset, "it has no marker after a segment")
        guard let next = nextMarker(region, from: offset) else { return nil }
        offset = next
        continue
      }
      switch head[1] {
      case 0xFF: offset += 1
      case JPEG.endOfImage: return offset + 2
      case let marker where JPEG.isAlone(marker): offset += 2
      case let marker:
        let length = head.offset(at: 2, count: 2)
        guard length >= 2, region.range(at: offset + 2, count: length) != nil else {
          // Metadata that is cut off always matters.
          if reportsStructure || marker == JPEG.app1 && isMetadata(region, at: offset + 4) {
            report(.unreadable, region, at: offset, "a segment is longer than its image")
          }
          return nil
        }
        if marker == JPEG.app1 { scanAPP1(region, offset + 4..<offset + 2 + length, &metadata) }
        offset += 2 + length
        guard marker == JPEG.startOfScan else { continue }
        guard let next = nextMarker(region, from: offset) else { return nil }
        offset = next
      }
    }
    return nil
  }

  /// Returns the offset of the first marker from an offset on, after entropy-coded data.
  private mutating func nextMarker(_ region: ByteRegion, from start: Int64) -> Int64? {
    var offset = start
    while true {
      let block = prefix(region, at: offset, count: 64 << 10)
      if let index = JPEG.marker(in: block, from: 0) {
        return search(region, count: Int64(index)) ? offset + Int64(index) : nil
      }
      guard block.count > 1, search(region, count: Int64(block.count)) else { return nil }
      // The last byte may be the first of a marker.
      offset += Int64(block.count - 1)
    }
  }

  // MARK: - APP1

  private mutating func isMetadata(_ region: ByteRegion, at offset: Int64) -> Bool {
    let head = prefix(region, at: offset, count: 80)
    return [JPEG.exifSignature, JPEG.xmpSignature, JPEG.extendedXMPSignature].contains {
      head.starts(with: $0)
    }
  }

  private mutating func scanAPP1(
    _ region: ByteRegion, _ content: Range<Int64>, _ metadata: inout JPEGMetadata
  ) {
    let count = content.upperBound - content.lowerBound
    let head = prefix(region.part(content), count: 80)
    if head.starts(with: JPEG.exifSignature), count >= JPEG.exifSignatureCount {
      let tiff = content.lowerBound + JPEG.exifSignatureCount..<content.upperBound
      let isStart = ByteOrder(tiff: head.dropFirst(6)) != nil
      if !metadata.addExif(region.pieces(in: tiff), isStart: isStart) {
        report(.unreadable, region, at: content.lowerBound, "it has Exif that continues no other")
      }
    } else if head.starts(with: JPEG.xmpSignature) {
      scanXMP(region.part(content).part(from: Int64(JPEG.xmpSignature.count)))
    } else if head.starts(with: JPEG.extendedXMPSignature) {
      let fields = JPEG.extendedXMPSignature.count
      let header = fields + 40
      guard count >= header else {
        return report(.unreadable, region, at: content.lowerBound, "extended XMP is cut off")
      }
      let part = JPEGMetadata.ExtendedXMPPart(
        offset: head.offset(at: fields + 36),
        pieces: region.pieces(in: content.lowerBound + Int64(header)..<content.upperBound))
      if !metadata.addExtendedXMP(part, guid: Array(head[fields..<fields + 32])) {
        report(.unreadable, region, at: content.lowerBound, "it has too much extended XMP")
      }
    }
  }

  private mutating func scan(_ metadata: JPEGMetadata, in region: ByteRegion, depth: Int) {
    for pieces in metadata.exif { scanTIFF(ByteRegion(pieces), depth: depth + 1) }
    for guid in metadata.extendedXMP.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let parts = metadata.extendedXMP[guid, default: []].sorted { $0.offset < $1.offset }
      var offset: Int64 = 0
      for part in parts {
        let content = ByteRegion(part.pieces)
        if part.offset != offset {
          report(.unreadable, content, "a part of extended XMP is missing, or there twice")
        }
        offset = part.offset + content.count
      }
      scanXMP(ByteRegion(parts.flatMap(\.pieces)))
    }
  }
}
