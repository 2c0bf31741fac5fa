extension ImageScan {
  /// Scans a file of boxes: a HEIF or AVIF image, JPEG XL, a QuickTime or MP4 movie.
  mutating func scanMedia(_ region: ByteRegion) {
    var offset: Int64 = 0
    while let box = box(region, at: offset) {
      offset = box.content.upperBound
      switch box.type {
      case "meta": scanMeta(region, box, file: region)
      case "moov", "moof": scanMovie(region.part(box.content), depth: 1, file: region)
      case "uuid": scanUserType(region, box)
      // JPEG XL has them here.
      case "Exif": scanExifItem(region.part(box.content))
      case "xml ": scanXMP(region.part(box.content))
      case "brob": scanCompressed(region, box)
      default: break
      }
    }
  }

  mutating func scanUserType(_ region: ByteRegion, _ box: MediaBox) {
    let content = region.part(box.content)
    let count = MediaBox.xmpUserType.count
    if prefix(content, count: count) == MediaBox.xmpUserType {
      scanXMP(content.part(from: Int64(count)))
    }
  }

  /// Removes compressed metadata of JPEG XL as a whole; its pixels have the orientation.
  private mutating func scanCompressed(_ region: ByteRegion, _ box: MediaBox) {
    let type = prefix(region.part(box.content), count: 4)
    if ["Exif", "xml "].contains(type.ascii(at: 0, count: type.count)) { blank(box, region) }
  }

  /// Scans a `meta` box, of HEIF items or of QuickTime's keys and values.
  ///
  /// - Parameter file: The file whose offsets the items have.
  mutating func scanMeta(_ region: ByteRegion, _ box: MediaBox, file: ByteRegion) {
    let content = region.part(box.content)
    // In QuickTime it has no version and flags.
    let isQuickTime = prefix(content, count: 8).hasASCII("hdlr", at: 4)
    var parts: [String: ByteRegion] = [:]
    var offset: Int64 = isQuickTime ? 0 : 4
    while let box = self.box(content, at: offset) {
      offset = box.content.upperBound
      if box.type == "uuid" { scanUserType(content, box) }
      guard Self.metaParts.contains(box.type) else { continue }
      if parts.updateValue(content.part(box.content), forKey: box.type) != nil {
        report(.unreadable, content, at: box.typeOffset, "a box is there twice")
      }
    }
    if let items = parts["iinf"], let locations = parts["iloc"] {
      scanItems(items, locations, data: parts["idat"], file: file)
    }
    if let values = parts["ilst"] { scanValues(values, keys: parts["keys"]) }
    if let xml = parts["xml "] { scanXMP(xml.part(from: 4)) }
  }

  private static let metaParts: Set<String> = ["iinf", "iloc", "idat", "ilst", "keys", "xml "]
}
