/// Writes a TIFF structure as a camera would, in either byte order.
struct TIFFBuilder {
  enum Value {
    case bytes([UInt8])
    case directory([Entry])
    /// An image, at whose offset the entry points.
    case image(PlantedBytes)
  }

  struct Entry {
    var tag: Int
    var type: Int
    var count: Int
    var value: Value
  }

  let isBigEndian: Bool
  private(set) var output = PlantedBytes()

  init(bigEndian: Bool) {
    isBigEndian = bigEndian
    output += Array((bigEndian ? "MM" : "II").utf8)
    output += number(42, 2) + number(0, 4)
  }

  func number(_ value: Int, _ count: Int) -> [UInt8] {
    let bytes = big(value, count)
    return isBigEndian ? bytes : bytes.reversed()
  }

  /// Writes the values of entries, then their directory, and returns its offset.
  mutating func write(_ entries: [Entry], next: Int = 0, isPosition: Bool = false) -> Int {
    var table = PlantedBytes(number(entries.count, 2), isPosition: isPosition)
    for entry in entries.sorted(by: { $0.tag < $1.tag }) {
      var field: [UInt8]
      switch entry.value {
      case .bytes(let bytes) where bytes.count <= 4:
        field = bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
      case .bytes(let bytes):
        field = number(output.count, 4)
        output += PlantedBytes(bytes, isPosition: isPosition)
        if bytes.count % 2 == 1 { output += [0] }
      case .directory(let entries):
        field = number(write(entries, isPosition: entry.tag == 0x8825), 4)
      case .image(let image):
        field = number(output.count, 4)
        output += image
      }
      table += PlantedBytes(
        number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4) + field,
        isPosition: isPosition)
    }
    let offset = output.count
    output += table
    output += number(next, 4)
    return offset
  }

  mutating func finish(first: Int) -> PlantedBytes {
    output.patch(at: 4, number(first, 4))
    return output
  }

  // MARK: - Entries

  func short(_ tag: Int, _ value: Int) -> Entry {
    Entry(tag: tag, type: 3, count: 1, value: .bytes(number(value, 2)))
  }

  func long(_ tag: Int, _ value: Int) -> Entry {
    Entry(tag: tag, type: 4, count: 1, value: .bytes(number(value, 4)))
  }

  func text(_ tag: Int, _ text: String) -> Entry {
    Entry(tag: tag, type: 2, count: text.utf8.count + 1, value: .bytes(Array(text.utf8) + [0]))
  }

  func raw(_ tag: Int, type: Int = 7, _ bytes: [UInt8]) -> Entry {
    Entry(tag: tag, type: type, count: bytes.count, value: .bytes(bytes))
  }

  func rationals(_ tag: Int, _ bytes: [UInt8]) -> Entry {
    Entry(tag: tag, type: 5, count: bytes.count / 8, value: .bytes(bytes))
  }

  func directory(_ tag: Int, _ entries: [Entry]) -> Entry {
    Entry(tag: tag, type: 4, count: 1, value: .directory(entries))
  }

  /// The entries of a GPS directory.
  func position(_ secret: Secret, hasVersion: Bool = true) -> [Entry] {
    let latitude = secret.rationals(secret.latitude, bigEndian: isBigEndian)
    let longitude = secret.rationals(secret.longitude, bigEndian: isBigEndian)
    return (hasVersion ? [raw(0, type: 1, [2, 2, 0, 0])] : []) + [
      text(1, "N"), rationals(2, latitude), text(3, "E"), rationals(4, longitude),
      raw(5, type: 1, [0]), rationals(6, Array(latitude.prefix(8))),
      raw(27, Array("ASCII\0\0\0\(secret.text)".utf8)),
    ]
  }
}

/// The metadata of a photo.
struct PhotoExif {
  var isBigEndian = true
  var orientation = 6
  var secret: Secret?
  var hasVersion = true
  /// A thumbnail, which may have metadata of its own.
  var thumbnail: PlantedBytes?

  var tiff: PlantedBytes {
    var builder = TIFFBuilder(bigEndian: isBigEndian)
    var next = 0
    if let thumbnail {
      next = builder.write([
        builder.short(0x0103, 6),
        TIFFBuilder.Entry(tag: 0x0201, type: 4, count: 1, value: .image(thumbnail)),
        builder.long(0x0202, thumbnail.count),
      ])
    }
    var entries = [
      builder.text(0x010F, "Camera"), builder.short(0x0112, orientation),
      builder.rationals(0x011A, builder.number(72, 4) + builder.number(1, 4)),
      builder.directory(
        0x8769,
        [
          builder.text(0x9003, "2026:11:27 19:44:11"), builder.raw(0x927C, Array("Maker".utf8)),
          builder.directory(0xA005, [builder.text(1, "R98")]),
        ]),
    ]
    if let secret {
      entries.append(builder.directory(0x8825, builder.position(secret, hasVersion: hasVersion)))
    }
    let first = builder.write(entries, next: next)
    return builder.finish(first: first)
  }
}
