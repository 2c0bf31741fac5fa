/// A random file of one format, with a secret position in each of its parts that may have one.
enum PhotoFile: String, CaseIterable {
  case jpeg, png, webP, heif, movie, tiff

  /// Two files of the same seed differ only in their secrets.
  func make(_ seed: UInt64, _ secret: Secret) -> PlantedBytes {
    var random = SeededRandom(seed)
    switch self {
    case .jpeg: return Self.jpeg(&random, secret)
    case .png: return Self.png(&random, secret)
    case .webP: return Self.webP(&random, secret)
    case .heif: return Self.heif(&random, secret)
    case .movie:
      let movie = BoxBuilder.movie(secret, isQuickTime: .random(using: &random), isLong: true)
      let data = BoxBuilder.box("mdat", PlantedBytes(random.bytes(20)))
      let head = BoxBuilder.fileType + BoxBuilder.box("wide", PlantedBytes())
      return Bool.random(using: &random) ? head + movie + data : head + data + movie
    case .tiff: return Self.exif(&random, secret, depth: 2)
    }
  }

  private static func exif(
    _ random: inout SeededRandom, _ secret: Secret, depth: Int = 0
  ) -> PlantedBytes {
    var exif = PhotoExif(isBigEndian: .random(using: &random), secret: secret)
    exif.orientation = .random(in: 1...8, using: &random)
    exif.hasVersion = .random(using: &random)
    if depth < 2, Bool.random(using: &random) {
      var thumbnail = JPEGBuilder()
      let inner = Self.exif(&random, secret, depth: depth + 1)
      thumbnail.exif(inner, parts: 1, &random)
      thumbnail.pixels(&random)
      exif.thumbnail = thumbnail.output
    }
    return exif.tiff
  }

  private static func xmp(_ random: inout SeededRandom, _ secret: Secret) -> PlantedBytes {
    var xmp = PhotoXMP(secret: secret)
    xmp.prefix = ["exif", "a", "ns1"].randomElement(using: &random)!
    xmp.usesElements = .random(using: &random)
    xmp.padding = .random(in: 0..<60, using: &random)
    return xmp.packet
  }

  private static func jpeg(_ random: inout SeededRandom, _ secret: Secret) -> PlantedBytes {
    var file = PlantedBytes()
    // The second is that of a multi-picture file.
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      var image = JPEGBuilder()
      image.segment(0xE0, PlantedBytes("JFIF\0\u{1}\u{2}\0\0H\0H\0\0"))
      image.exif(
        exif(&random, secret), parts: [1, 1, 3].randomElement(using: &random)!, &random)
      image.xmp(xmp(&random, secret))
      image.segment(0xE2, PlantedBytes("MPF\0") + PlantedBytes(random.bytes(20)))
      let packet = xmp(&random, secret) + PlantedBytes("\n") + xmp(&random, secret)
      image.extendedXMP(packet, parts: .random(in: 1...9, using: &random), &random)
      image.pixels(&random)
      file += image.output
      file += [UInt8](repeating: 0, count: .random(in: 0..<9, using: &random))
    }
    if Bool.random(using: &random) {
      file += BoxBuilder.fileType + BoxBuilder.movie(secret, isQuickTime: false)
    }
    return file
  }

  private static func png(_ random: inout SeededRandom, _ secret: Secret) -> PlantedBytes {
    var image = PNGBuilder()
    image.chunk("IHDR", PlantedBytes(random.bytes(13)))
    image.text("Title", PlantedBytes("exif:GPSLatitude isn't a keyword here"))
    if Bool.random(using: &random) { image.chunk("eXIf", exif(&random, secret)) }
    image.internationalText("XML:com.adobe.xmp", xmp(&random, secret))
    image.internationalText(
      "XML:com.adobe.xmp", PlantedBytes(secret.text), isCompressed: true)
    image.profile("exif", PlantedBytes("Exif\0\0") + exif(&random, secret))
    image.profile("APP1", PlantedBytes("Exif\0\0") + exif(&random, secret))
    image.profile("xmp", xmp(&random, secret))
    image.chunk("IDAT", PlantedBytes(random.bytes(.random(in: 0..<50, using: &random))))
    image.chunk(
      "zTXt", PlantedBytes("Raw profile type exif\0\0") + PlantedBytes(secret.text),
      isBlanked: true)
    image.text("exif:GPSLatitude", PlantedBytes(secret.latitudeText), isBlanked: true)
    image.chunk("IEND", PlantedBytes())
    return image.output
  }

  private static func webP(_ random: inout SeededRandom, _ secret: Secret) -> PlantedBytes {
    let chunks = [
      ("VP8X", PlantedBytes(random.bytes(10))), ("VP8 ", PlantedBytes(random.bytes(21))),
      ("EXIF", exif(&random, secret)),
      ("EXIF", PlantedBytes("Exif\0\0") + exif(&random, secret)),
      ("XMP ", xmp(&random, secret)),
    ]
    var content = PlantedBytes("WEBP")
    for (type, data) in chunks {
      content += PlantedBytes(type) + PlantedBytes(big(data.count, 4).reversed()) + data
      if data.count % 2 == 1 { content += [0] }
    }
    return PlantedBytes("RIFF") + PlantedBytes(big(content.count, 4).reversed()) + content
  }

  private static func heif(_ random: inout SeededRandom, _ secret: Secret) -> PlantedBytes {
    var file = HEIFBuilder()
    file.infoVersion = .random(in: 2...3, using: &random)
    file.locationVersion = .random(in: 0...2, using: &random)
    file.isMetaLast = .random(using: &random)
    file.baseSize = [0, 4, 8].randomElement(using: &random)!
    file.lengthSize = [4, 8].randomElement(using: &random)!
    file.indexSize = file.locationVersion == 0 ? 0 : [0, 4, 8].randomElement(using: &random)!
    var thumbnail = JPEGBuilder()
    thumbnail.exif(exif(&random, secret), parts: 1, &random)
    thumbnail.pixels(&random)
    let hasSignature = Bool.random(using: &random)
    let head = PlantedBytes(big(hasSignature ? 6 : 0, 4) + (hasSignature ? exifSignature : []))
    file.items = [
      .init(id: 1, type: "hvc1", content: PlantedBytes(random.bytes(30))),
      .init(id: 2, type: "Exif", content: head + exif(&random, secret)),
      .init(
        id: 3, type: "mime", mediaType: "application/rdf+xml", content: xmp(&random, secret)),
      .init(id: 4, type: "jpeg", content: thumbnail.output),
    ]
    file.offsetSize = file.baseSize == 0 ? 4 : [0, 4, 8].randomElement(using: &random)!
    for index in file.items.indices {
      if file.locationVersion > 0 { file.items[index].isInMeta = .random(using: &random) }
      if file.offsetSize > 0 {
        file.items[index].extentCount = .random(in: 1...5, using: &random)
      }
    }
    return file.file(&random)
  }

  private static let exifSignature = Array("Exif\0\0".utf8)
}
