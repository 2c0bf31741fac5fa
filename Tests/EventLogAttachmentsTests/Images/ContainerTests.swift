import Testing

@testable import EventLogAttachments

/// The structure of containers.
@Suite struct ContainerTests {
  private static var secret: Secret {
    var random = SeededRandom(7)
    return Secret(&random)
  }

  // MARK: - PNG

  @Test func `a PNG keeps its chunks, with right checksums`() throws {
    for seed in 0..<20 as Range<UInt64> {
      let bytes = PhotoFile.png.make(seed, Self.secret).bytes
      let before = try #require(PNGBuilder.chunks(bytes))
      let after = try #require(PNGBuilder.chunks(ImagePosition.find(in: bytes).edited(bytes)))
      #expect(before.count == after.count)
      for (one, other) in zip(before, after) where one.type != other.type {
        #expect(other.type == "noPs")
        #expect(other.data == [UInt8](repeating: 0, count: one.data.count))
      }
      #expect(after.count { $0.type == "noPs" } == 3)
    }
  }

  @Test func `checksums of chunks are those of their definition`() {
    var random = SeededRandom(1)
    for count in [0, 1, 4, 1000] {
      let bytes = random.bytes(count)
      var checksum = CRC32()
      checksum.update(Array(bytes.prefix(count / 3)))
      checksum.update(Array(bytes.dropFirst(count / 3)))
      #expect(checksum.value == PNGBuilder.checksum(bytes))
    }
    var checksum = CRC32()
    checksum.update(Array("123456789".utf8))
    #expect(checksum.value == 0xCBF4_3926)
  }

  @Test(arguments: ["zxIf", "zXIf"])
  func `compressed Exif in a PNG is blanked`(type: String) {
    var image = PNGBuilder()
    image.chunk(type, PlantedBytes(Self.secret.text))
    image.chunk("IEND", PlantedBytes())
    let bytes = image.output.bytes
    #expect(!Self.secret.isIn(ImagePosition.find(in: bytes).edited(bytes)))
  }

  @Test func `a profile that can't be decoded is blanked`() {
    let long = String(repeating: "00", count: 1 << 19)
    for text in ["\nexif\n 2\n4", "exif", "exif 2 zz", "exif x 00", "exif 1 \(long)"] {
      var image = PNGBuilder()
      image.text("Raw profile type EXIF", PlantedBytes(text))
      image.chunk("IEND", PlantedBytes())
      let bytes = image.output.bytes
      let position = ImagePosition.find(in: bytes)
      #expect(position.fault == nil)
      #expect(PNGBuilder.chunks(position.edited(bytes))?[0].type == "noPs")
    }
  }

  // MARK: - HEIF

  private func heif(_ change: (inout HEIFBuilder.Item) -> Void) -> ImagePosition {
    var random = SeededRandom(1)
    var file = HEIFBuilder()
    file.items = [
      .init(
        id: 1, type: "mime", mediaType: "application/rdf+xml",
        content: PhotoXMP(secret: Self.secret).packet)
    ]
    change(&file.items[0])
    return ImagePosition.find(in: file.file(&random).bytes)
  }

  @Test func `an item that can't be edited is irremovable`() {
    #expect(heif { _ in }.fault == nil)
    #expect(heif { $0.encoding = "gzip" }.fault?.kind == .irremovable)
    #expect(heif { $0.protection = 1 }.fault?.kind == .irremovable)
    #expect(heif { $0.method = 2 }.fault?.kind == .irremovable)
    let other = heif { ($0.mediaType, $0.encoding) = ("text/plain", "gzip") }
    #expect(other.fault == nil && other.edits == [])
  }

  @Test func `items of older versions have media types`() {
    var random = SeededRandom(1)
    var file = HEIFBuilder()
    file.infoVersion = 0
    file.items = [
      .init(
        id: 1, type: "mime", mediaType: "application/rdf+xml",
        content: PhotoXMP(secret: Self.secret).packet)
    ]
    let bytes = file.file(&random).bytes
    #expect(!Self.secret.isIn(ImagePosition.find(in: bytes).edited(bytes)))
  }

  @Test func `item locations of an unknown form are unreadable`() throws {
    var random = SeededRandom(1)
    var file = HEIFBuilder()
    file.items = [.init(id: 1, type: "Exif", content: PhotoExif(secret: Self.secret).tiff)]
    let bytes = file.file(&random).bytes
    let locations = try #require(bytes.run(Array("iloc".utf8))) + 4
    for (index, value) in [(0, 3), (4, 0x34), (4, 0x4F), (7, 2), (9, 9), (11, 7)] {
      var changed = bytes
      changed[locations + index] = UInt8(value)
      let fault = ImagePosition.find(in: changed).fault
      #expect(fault?.kind == (index == 11 ? .irremovable : .unreadable), "\(index)")
    }
  }

  @Test func `Exif whose stated offset is wrong is found by its signature`() {
    var random = SeededRandom(1)
    var file = HEIFBuilder()
    let exif = PlantedBytes(big(0, 4)) + PlantedBytes("Exif\0\0")
    file.items = [.init(id: 1, type: "Exif", content: exif + PhotoExif(secret: Self.secret).tiff)]
    let bytes = file.file(&random).bytes
    let position = ImagePosition.find(in: bytes)
    #expect(position.fault == nil)
    #expect(!Self.secret.isIn(position.edited(bytes)))
  }

  @Test func `a box that is there twice is unreadable`() throws {
    let movie = BoxBuilder.movie(Self.secret, isQuickTime: true)
    var bytes = (BoxBuilder.fileType + movie).bytes
    let keys = try #require(bytes.run(Array("keys".utf8)))
    bytes.replaceSubrange(keys..<keys + 4, with: Array("ilst".utf8))
    #expect(ImagePosition.find(in: bytes).fault?.kind == .unreadable)
  }

  // MARK: - Boxes

  @Test func `Exif and XMP in boxes of JPEG XL are removed`() {
    let exif = PlantedBytes(big(0, 4)) + PhotoExif(secret: Self.secret).tiff
    let bytes = BoxBuilder.join([
      BoxBuilder.box("JXL ", PlantedBytes([0x0D, 0x0A, 0x87, 0x0A])),
      BoxBuilder.box("ftyp", PlantedBytes("jxl \0\0\0\0jxl ")), BoxBuilder.box("Exif", exif),
      BoxBuilder.box("xml ", PhotoXMP(secret: Self.secret).packet),
      BoxBuilder.box("brob", PlantedBytes("xml \(Self.secret.text)")),
      BoxBuilder.box(
        "uuid", PlantedBytes(MediaBox.xmpUserType) + PhotoXMP(secret: Self.secret).packet),
      BoxBuilder.box("brob", PlantedBytes("jumb1")),
    ]).bytes
    let position = ImagePosition.find(in: bytes)
    #expect(position.fault == nil)
    let edited = position.edited(bytes)
    #expect(!Self.secret.isIn(edited))
    #expect(edited.hasRun(Array("brobjumb1".utf8)))
  }

  @Test(arguments: [
    ("gpmd", ""), ("camm", ""), ("mebx", "keysmdtacom.apple.quicktime.location.ISO6709"),
  ])
  func `a track with a position over time is irremovable`(format: String, content: String) {
    let entry = BoxBuilder.box(format, PlantedBytes(content))
    var movie = BoxBuilder.box("stsd", PlantedBytes(big(0, 4) + big(1, 4)) + entry)
    for type in ["stbl", "minf", "mdia", "trak", "moov"] { movie = BoxBuilder.box(type, movie) }
    let position = ImagePosition.find(in: (BoxBuilder.fileType + movie).bytes)
    #expect(position.fault?.kind == .irremovable)
  }

  @Test func `other tracks have no fault`() {
    let entries =
      BoxBuilder.box("hvc1", PlantedBytes("x"))
      + BoxBuilder.box("mebx", PlantedBytes("mdtacom.apple.quicktime.detected-face"))
    var movie = BoxBuilder.box("stsd", PlantedBytes(big(0, 4) + big(2, 4)) + entries)
    for type in ["stbl", "minf", "mdia", "trak", "moov"] { movie = BoxBuilder.box(type, movie) }
    let position = ImagePosition.find(in: (BoxBuilder.fileType + movie).bytes)
    #expect(position.fault == nil && position.edits == [])
  }

  @Test func `boxes that aren't inside of others are unreadable`() {
    let boxes: [[UInt8]] = [
      [0, 0, 0], [0, 0, 0, 1], big(1, 4) + Array("free".utf8), big(7, 4) + Array("free".utf8),
      big(9, 4) + Array("free".utf8), big(1, 4) + Array("free".utf8) + big(15, 8),
      big(1, 4) + Array("free".utf8) + big(-1, 8),
      big(1, 4) + Array("free".utf8) + big(.max, 8), [1, 0, 0, 0],
    ]
    for box in boxes {
      let isZero = box.allSatisfy { $0 == 0 }
      let fault = ImagePosition.find(in: BoxBuilder.fileType.bytes + box).fault
      #expect((fault == nil) == isZero, "\(box)")
      if let fault { #expect(fault.offset == Int64(BoxBuilder.fileType.count)) }
    }
  }

  @Test func `a box without a length ends with the file`() {
    var bytes = (BoxBuilder.fileType + BoxBuilder.movie(Self.secret, isQuickTime: true)).bytes
    let movie = BoxBuilder.fileType.count
    bytes.replaceSubrange(movie..<movie + 4, with: big(0, 4))
    let position = ImagePosition.find(in: bytes)
    #expect(position.fault == nil)
    #expect(!Self.secret.isIn(position.edited(bytes)))
  }

  @Test func `boxes nested too deep are unreadable`() {
    var movie = BoxBuilder.box("free", PlantedBytes())
    for _ in 0..<20 { movie = BoxBuilder.box("trak", movie) }
    let bytes = (BoxBuilder.fileType + BoxBuilder.box("moov", movie)).bytes
    #expect(ImagePosition.find(in: bytes).fault?.reason == "its boxes are nested too deep")
  }

  // MARK: - JPEG

  @Test func `bytes between segments are unreadable, and the next segment is read`() {
    var random = SeededRandom(1)
    var image = JPEGBuilder()
    image.segment(0xE0, PlantedBytes("JFIF"))
    let start = image.output.count
    image.exif(PhotoExif(secret: Self.secret).tiff, parts: 1, &random)
    image.pixels(&random)
    var bytes = image.output.bytes
    bytes.insert(contentsOf: [1, 2, 3], at: start)
    let position = ImagePosition.find(in: bytes)
    #expect(position.fault?.offset == Int64(start))
    #expect(!Self.secret.isIn(position.edited(bytes)))
  }

  @Test func `a second image that is cut off in its metadata is unreadable`() {
    var random = SeededRandom(1)
    var first = JPEGBuilder()
    first.pixels(&random)
    var second = JPEGBuilder()
    second.exif(PhotoExif(secret: Self.secret).tiff, parts: 1, &random)
    let bytes = (first.output + second.output).bytes
    #expect(ImagePosition.find(in: bytes).fault == nil)
    let fault = ImagePosition.find(in: Array(bytes.dropLast())).fault
    #expect(fault?.kind == .unreadable && fault?.offset == Int64(first.output.count + 2))
  }

  @Test func `bytes that only look like an image are no fault`() {
    var random = SeededRandom(1)
    var image = JPEGBuilder()
    image.pixels(&random)
    var bytes = image.output.bytes
    bytes += [0xFF, 0xD8, 0xFF, 0xE0, 0, 3, 0, 9, 0xFF, 0xD8, 0xFF, 0xDB, 0xFF, 0xFF]
    let decoy = bytes.count
    var second = JPEGBuilder()
    second.exif(PhotoExif(secret: Self.secret).tiff, parts: 1, &random)
    second.pixels(&random)
    bytes += second.output.bytes
    let position = ImagePosition.find(in: bytes)
    #expect(position.fault == nil)
    #expect(position.edits.first.map { $0.range.lowerBound > decoy } == true)
    #expect(!Self.secret.isIn(position.edited(bytes)))
  }
}
