/// Writes a HEIF file whose items are in extents of `mdat`, and of `idat`.
struct HEIFBuilder {
  struct Item {
    var id: Int
    var type: String
    var mediaType = ""
    var encoding = ""
    var content: PlantedBytes
    /// Whether the content is in `idat`.
    var isInMeta = false
    var extentCount = 1
    var method: Int?
    var protection = 0
  }

  var items: [Item] = []
  var infoVersion = 2
  var locationVersion = 1
  var offsetSize = 4
  var lengthSize = 4
  var baseSize = 0
  var indexSize = 0
  var isMetaLast = false

  /// - Parameter random: Divides the items into extents.
  func file(_ random: inout SeededRandom) -> PlantedBytes {
    var media = PlantedBytes("pixels")
    var inner = PlantedBytes("grid")
    var extents: [[Range<Int>]] = []
    for item in items {
      var ranges: [Range<Int>] = []
      var parts = item.content.divided(into: item.extentCount, &random)
      // An extent of no length would mean the rest of the file.
      parts.removeAll { $0.count == 0 }
      for part in parts {
        let start = item.isInMeta ? inner.count : media.count
        ranges.append(start..<start + part.count)
        if item.isInMeta { inner += part } else { media += part }
        // Extents aren't beside each other.
        if item.isInMeta { inner += [0xEE] } else { media += [0xEE] }
      }
      extents.append(ranges)
    }
    let head = BoxBuilder.fileType
    let data = BoxBuilder.box("mdat", media)
    if isMetaLast { return head + data + meta(extents, inner, mediaStart: head.count + 8) }
    let size = meta(extents, inner, mediaStart: 0).count
    return head + meta(extents, inner, mediaStart: head.count + size + 8) + data
  }

  private func meta(
    _ extents: [[Range<Int>]], _ inner: PlantedBytes, mediaStart: Int
  ) -> PlantedBytes {
    let infos = BoxBuilder.join(items.map(info))
    let count = big(items.count, infoVersion == 3 ? 4 : 2)
    let list = PlantedBytes([infoVersion == 3 ? 1 : 0, 0, 0, 0] + count) + infos
    return BoxBuilder.box(
      "meta",
      PlantedBytes([0, 0, 0, 0])
        + BoxBuilder.join([
          BoxBuilder.box("hdlr", PlantedBytes("\0\0\0\0\0\0\0\0pict")),
          BoxBuilder.box("pitm", PlantedBytes([0, 0, 0, 0, 0, 1])),
          BoxBuilder.box("iinf", list),
          BoxBuilder.box("iloc", PlantedBytes(locations(extents, mediaStart))),
          BoxBuilder.box("idat", inner),
        ]))
  }

  private func info(_ item: Item) -> PlantedBytes {
    var bytes: [UInt8] = [UInt8(infoVersion), 0, 0, 0]
    bytes += big(item.id, infoVersion == 3 ? 4 : 2) + big(item.protection, 2)
    if infoVersion >= 2 { bytes += Array(item.type.utf8) }
    bytes += Array("name\0".utf8)
    if item.type == "mime" { bytes += Array("\(item.mediaType)\0\(item.encoding)\0".utf8) }
    return BoxBuilder.box("infe", PlantedBytes(bytes))
  }

  private func locations(_ extents: [[Range<Int>]], _ mediaStart: Int) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(locationVersion), 0, 0, 0]
    bytes += [UInt8(offsetSize << 4 | lengthSize), UInt8(baseSize << 4 | indexSize)]
    bytes += big(items.count, locationVersion == 2 ? 4 : 2)
    for (item, ranges) in zip(items, extents) {
      bytes += big(item.id, locationVersion == 2 ? 4 : 2)
      if locationVersion > 0 { bytes += big(item.method ?? (item.isInMeta ? 1 : 0), 2) }
      let start = item.isInMeta ? 0 : mediaStart
      let base = baseSize > 0 ? start + (ranges.first?.lowerBound ?? 0) : 0
      bytes += big(0, 2) + big(base, baseSize) + big(ranges.count, 2)
      for range in ranges {
        bytes += big(1, indexSize) + big(start + range.lowerBound - base, offsetSize)
        bytes += big(range.count, lengthSize)
      }
    }
    return bytes
  }
}
