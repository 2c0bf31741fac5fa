extension ImageScan {
  /// Scans the Exif, XMP and JPEG items of a HEIF file.
  ///
  /// - Parameters:
  ///   - infos: The content of `iinf`.
  ///   - locations: The content of `iloc`.
  ///   - data: The content of `idat`.
  ///   - file: The file whose offsets the items have.
  mutating func scanItems(
    _ infos: ByteRegion, _ locations: ByteRegion, data: ByteRegion?, file: ByteRegion
  ) {
    let items = items(infos)
    if items.isEmpty { return }
    guard let layout = HEIFLocationLayout(prefix(locations, count: 16)) else {
      return report(.unreadable, locations, "its item locations have an unknown form")
    }
    var offset = layout.start
    var located: Set<Int64> = []
    for _ in 0..<layout.itemCount {
      guard visitPart(locations, at: offset),
        let fields = bytes(locations, at: offset, count: layout.itemSize)
      else {
        return report(.unreadable, locations, at: offset, "its item locations are cut off")
      }
      let location = HEIFLocation(fields, layout)
      let extents = offset + Int64(layout.itemSize)
      offset = extents + Int64(location.extentCount * layout.extentSize)
      guard let item = items[location.id] else { continue }
      located.insert(item.id)
      let source = location.method == 0 ? file : location.method == 1 ? data : nil
      guard let source, location.dataReference == 0, !item.isEncoded else {
        report(.irremovable, locations, at: extents, "an item is encoded, or isn't in the file")
        continue
      }
      if let content = content(locations, at: extents, location, layout, in: source) {
        scan(item, content)
      }
    }
    if located.count < items.count {
      report(.unreadable, locations, "an item has no location")
    }
  }

  /// Returns the items that may contain a position, by ID.
  private mutating func items(_ infos: ByteRegion) -> [Int64: HEIFItem] {
    let version = prefix(infos, count: 1).first ?? 0
    var items: [Int64: HEIFItem] = [:]
    var offset: Int64 = version == 0 ? 6 : 8
    while let box = box(infos, at: offset) {
      offset = box.content.upperBound
      guard box.type == "infe" else { continue }
      if let item = HEIFItem(info: prefix(infos.part(box.content), count: 512)) {
        items[item.id] = item
      }
    }
    return items
  }

  /// Returns the extents of an item as one region.
  private mutating func content(
    _ locations: ByteRegion, at start: Int64, _ location: HEIFLocation,
    _ layout: HEIFLocationLayout, in source: ByteRegion
  ) -> ByteRegion? {
    guard let table = bytes(locations, at: start, count: location.extentCount * layout.extentSize)
    else {
      report(.unreadable, locations, at: start, "its item locations are cut off")
      return nil
    }
    var pieces: [Range<Int64>] = []
    for extent in 0..<location.extentCount {
      let index = extent * layout.extentSize + layout.indexSize
      let offset = table.unsigned(at: index, count: layout.offsetSize)
      var length = table.unsigned(at: index + layout.offsetSize, count: layout.lengthSize)
      let (sum, isTooLarge) = location.base.addingReportingOverflow(offset)
      // Without a length, an extent ends with its source.
      if length == 0, sum <= UInt64(source.count) { length = UInt64(source.count) - sum }
      guard !isTooLarge, let first = Int64(exactly: sum), let count = Int64(exactly: length),
        let range = source.range(at: first, count: count)
      else {
        report(.unreadable, locations, at: start, "an item is outside of the file")
        return nil
      }
      pieces += source.pieces(in: range)
    }
    return ByteRegion(pieces)
  }

  private mutating func scan(_ item: HEIFItem, _ content: ByteRegion) {
    switch item.content {
    case .exif: scanExifItem(content)
    case .xmp: scanXMP(content)
    case .jpeg: _ = scanJPEG(content, at: 0, depth: 1, reportsStructure: true)
    }
  }

  /// Scans an Exif item or box: the offset of the TIFF header after this field, and the content.
  mutating func scanExifItem(_ region: ByteRegion) {
    guard let head = bytes(region, at: 0, count: 4) else {
      return report(.unreadable, region, "an Exif item is cut off")
    }
    let stated = region.part(from: 4 + head.offset(at: 0))
    // Some writers state 0 although a signature is between.
    if ByteOrder(tiff: prefix(stated, count: 4)) == nil {
      scanProfile(region.part(from: 4))
    } else {
      scanTIFF(stated, depth: 0)
    }
  }
}
