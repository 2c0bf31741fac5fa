extension ImageScan {
  /// Boxes of a movie that contain boxes.
  private static let containers: Set<String> = ["trak", "mdia", "minf", "stbl", "udta"]
  /// Boxes of user data that contain a position: QuickTime's as text, 3GPP's as numbers.
  private static let positions: Set<String> = ["\u{A9}xyz", "loci"]
  /// Formats of tracks with a position over time.
  private static let positionTracks: Set<String> = ["gpmd", "camm"]

  /// Scans the boxes of a movie, a track, or their user data.
  mutating func scanMovie(_ region: ByteRegion, depth: Int, file: ByteRegion) {
    guard depth < Self.depthMax else {
      return report(.unreadable, region, "its boxes are nested too deep")
    }
    var offset: Int64 = 0
    while let box = box(region, at: offset) {
      offset = box.content.upperBound
      switch box.type {
      case let type where Self.positions.contains(type): blank(box, region)
      case let type where Self.containers.contains(type):
        scanMovie(region.part(box.content), depth: depth + 1, file: file)
      case "meta": scanMeta(region, box, file: file)
      case "XMP_": scanXMP(region.part(box.content))
      case "uuid": scanUserType(region, box)
      case "stsd": scanFormats(region.part(box.content))
      case "cmov": report(.irremovable, region, at: box.typeOffset, "its movie is compressed")
      default: break
      }
    }
  }

  /// Reports tracks with a position over time.
  private mutating func scanFormats(_ region: ByteRegion) {
    var offset: Int64 = 8
    while let box = box(region, at: offset) {
      offset = box.content.upperBound
      var hasPosition = Self.positionTracks.contains(box.type)
      if box.type == "mebx" {
        let keys = prefix(region.part(box.content), count: 64 << 10)
        hasPosition = MediaKey.isPosition(keys.ascii(at: 0, count: keys.count))
      }
      if hasPosition {
        report(.irremovable, region, at: box.typeOffset, "a track has a position over time")
      }
    }
  }

  // MARK: - Keys and values

  /// Blanks the values of a position; their keys stay.
  mutating func scanValues(_ values: ByteRegion, keys: ByteRegion?) {
    let numbers = keys.map { positionKeys($0) } ?? []
    var offset: Int64 = 0
    while let item = box(values, at: offset) {
      offset = item.content.upperBound
      if Self.positions.contains(item.type) || numbers.contains(item.number) {
        blank(item, values)
      }
    }
  }

  /// Returns the numbers of the keys of a position, which begin at 1.
  private mutating func positionKeys(_ region: ByteRegion) -> Set<Int64> {
    var numbers: Set<Int64> = []
    var number: Int64 = 0
    var offset: Int64 = 8
    while let box = box(region, at: offset) {
      offset = box.content.upperBound
      number += 1
      let name = prefix(region.part(box.content), count: 256)
      if MediaKey.isPosition(name.ascii(at: 0, count: name.count)) {
        numbers.insert(number)
      }
    }
    return numbers
  }
}

/// The names of QuickTime's metadata.
enum MediaKey {
  /// Whether a name is that of a position: `com.apple.quicktime.location.ISO6709` and similar.
  static func isPosition(_ name: String) -> Bool {
    let lower = name.lowercased()
    return ["quicktime.location", "iso6709", "gps", "latitude", "longitude"].contains(
      where: lower.contains)
  }
}
